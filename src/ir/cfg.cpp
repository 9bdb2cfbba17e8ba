// Post-dominators on the reversed graph, with one virtual exit behind every block that leaves the function,
// by the algorithm Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems",
// Princeton 2005, §2.3): semidominators from a depth-first tree with path compression, then nearest common
// ancestors. It is near-linear on all control flow that compilers write; the iterative algorithm is quadratic
// in the depth of loops.
#include "ir/cfg.h"
#include <algorithm>

namespace warplens::ir {
namespace {

using Edges = std::vector<std::vector<u32>>;
constexpr u32 none = 0xffffffffu;

// A depth-first tree of everything reachable from a start, without recursion: functions can be deep.
struct Tree {
  std::vector<u32> node, parent; // by preorder number; parents as numbers
  std::vector<u32> number;       // by node; none where it is not reached
  std::vector<u32> post_order;   // nodes

  Tree(const Edges& edges, u32 start) : number(edges.size(), none) {
    std::vector<std::pair<u32, std::size_t>> stack;
    auto enter = [&](u32 n, u32 from) {
      number[n] = static_cast<u32>(node.size());
      node.push_back(n);
      parent.push_back(from);
      stack.push_back({n, 0});
    };
    enter(start, 0);
    while (!stack.empty()) {
      auto& [at, edge] = stack.back();
      if (edge == edges[at].size()) {
        post_order.push_back(at);
        stack.pop_back();
      } else if (u32 to = edges[at][edge++]; number[to] == none) {
        enter(to, number[at]);
      }
    }
  }
};

// Everything here is a preorder number.
class Dominators {
public:
  Dominators(const Tree& tree, const Edges& backwards)
      : tree_(tree), semi_(tree.node.size()), label_(semi_.size()), ancestor_(semi_.size(), none) {
    u32 count = static_cast<u32>(semi_.size());
    for (u32 v = 0; v < count; ++v) semi_[v] = label_[v] = v;
    for (u32 v = count; v-- > 1;) {
      for (u32 from : backwards[tree.node[v]])
        if (u32 u = tree.number[from]; u != none) semi_[v] = std::min(semi_[v], semi_[evaluate(u)]);
      ancestor_[v] = tree.parent[v];
    }
    dominator_ = tree.parent;
    for (u32 v = 1; v < count; ++v)
      while (dominator_[v] > semi_[v]) dominator_[v] = dominator_[dominator_[v]];
  }
  // The immediate dominator of a node that is reached and is not the start.
  u32 of(u32 node) const { return tree_.node[dominator_[tree_.number[node]]]; }

private:
  // Of the linked vertices from `v` upwards, the one with the least semidominator.
  u32 evaluate(u32 v) {
    if (ancestor_[v] == none) return v;
    path_.clear();
    for (u32 u = v; ancestor_[ancestor_[u]] != none; u = ancestor_[u]) path_.push_back(u);
    for (; !path_.empty(); path_.pop_back()) {
      u32 u = path_.back(), above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  const Tree& tree_;
  std::vector<u32> semi_, label_, ancestor_, dominator_, path_;
};

// Every return leaves, also a guarded one in the middle of a block's end.
bool may_leave(const Function& function, const Block& block) {
  if (block.successors.empty()) return true;
  if (block.count == 0 || block.successors.size() != 1) return false;
  const Instruction& last = function.instructions[block.first + block.count - 1];
  return last.destinations == 0 && last.sources == 0 && last.guard.valid() && last.target_count == 0;
}

} // namespace

Cfg analyse(const Function& function) {
  u32 blocks = static_cast<u32>(function.blocks.size()), exit = blocks;
  Cfg cfg;
  cfg.predecessors.resize(blocks);
  cfg.post_dominator.resize(blocks);
  if (blocks == 0) return cfg;
  Edges successors(blocks + 1), predecessors(blocks + 1);
  auto connect = [&](u32 from, u32 to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  };
  for (u32 b = 0; b < blocks; ++b) {
    for (BlockId s : function.blocks[b].successors) {
      cfg.predecessors[s.value].push_back(BlockId(b));
      connect(b, s.value);
    }
    if (may_leave(function, function.blocks[b])) connect(b, exit);
  }
  Tree forward(successors, 0);
  for (auto it = forward.post_order.rbegin(); it != forward.post_order.rend(); ++it)
    if (*it != exit) cfg.reverse_post_order.push_back(BlockId(*it));

  Tree backward(predecessors, exit);
  Dominators dominators(backward, successors);
  for (u32 b = 0; b < blocks; ++b)
    if (backward.number[b] != none)
      if (u32 d = dominators.of(b); d != exit) cfg.post_dominator[b] = BlockId(d);
  return cfg;
}

} // namespace warplens::ir
