// Immediate dominators of a graph that is given by its edges, by the algorithm Semi-NCA (L. Georgiadis, "Linear-Time
// Algorithms for Dominators and Related Problems", Princeton 2005, §2.3): semidominators from a depth-first tree with path
// compression, then nearest common ancestors. It is near-linear on all control flow that compilers write; the iterative
// algorithm is quadratic in the depth of loops.
#pragma once
#include "base/types.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace warplens::ir {

using Edges = std::vector<std::vector<u32>>;
inline constexpr u32 no_node = 0xffffffffu;

// A depth-first tree of everything reachable from a start, without recursion: functions can be deep.
struct Tree {
  std::vector<u32> node, parent; // by preorder number; parents as numbers
  std::vector<u32> number;       // by node; no_node where it is not reached
  std::vector<u32> post_order;   // nodes

  Tree(const Edges& edges, u32 start) : number(edges.size(), no_node) {
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
      } else if (u32 to = edges[at][edge++]; number[to] == no_node) {
        enter(to, number[at]);
      }
    }
  }
};

// Everything here is a preorder number.
class Dominators {
public:
  Dominators(const Tree& tree, const Edges& backwards)
      : tree_(tree), semi_(tree.node.size()), label_(semi_.size()), ancestor_(semi_.size(), no_node) {
    u32 count = static_cast<u32>(semi_.size());
    for (u32 v = 0; v < count; ++v) semi_[v] = label_[v] = v;
    for (u32 v = count; v-- > 1;) {
      for (u32 from : backwards[tree.node[v]])
        if (u32 u = tree.number[from]; u != no_node) semi_[v] = std::min(semi_[v], semi_[evaluate(u)]);
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
    if (ancestor_[v] == no_node) return v;
    path_.clear();
    for (u32 u = v; ancestor_[ancestor_[u]] != no_node; u = ancestor_[u]) path_.push_back(u);
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

} // namespace warplens::ir
