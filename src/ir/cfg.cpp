// Post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
// Algorithm"), on the reversed graph with one virtual exit behind every block that leaves the function.
#include "ir/cfg.h"
#include <algorithm>

namespace warplens::ir {
namespace {

// Depth-first post-order of everything reachable from `start`, without recursion: functions can be deep.
template <class Next> std::vector<u32> post_order(u32 nodes, u32 start, Next&& next) {
  std::vector<u32> order;
  std::vector<bool> seen(nodes);
  std::vector<std::pair<u32, std::size_t>> stack{{start, 0}};
  seen[start] = true;
  while (!stack.empty()) {
    auto& [node, edge] = stack.back();
    const std::vector<u32>& edges = next(node);
    if (edge == edges.size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    u32 to = edges[edge++];
    if (!seen[to]) {
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  return order;
}

} // namespace

Cfg analyse(const Function& function) {
  u32 blocks = static_cast<u32>(function.blocks.size()), exit = blocks;
  Cfg cfg;
  cfg.predecessors.resize(blocks);
  cfg.post_dominator.resize(blocks);
  if (blocks == 0) return cfg;
  std::vector<std::vector<u32>> successors(blocks + 1), predecessors(blocks + 1);
  for (u32 b = 0; b < blocks; ++b) {
    for (BlockId s : function.blocks[b].successors) {
      cfg.predecessors[s.value].push_back(BlockId(b));
      successors[b].push_back(s.value);
    }
    if (successors[b].empty()) successors[b].push_back(exit);
    for (u32 s : successors[b]) predecessors[s].push_back(b);
  }
  // Every return leaves, also a guarded one in the middle of a block's end.
  for (u32 b = 0; b < blocks; ++b) {
    const Block& block = function.blocks[b];
    if (block.count == 0) continue;
    const Instruction& last = function.instructions[block.first + block.count - 1];
    bool leaves = last.destinations == 0 && last.sources == 0 && last.guard.valid() &&
                  !block.successors.empty() && block.successors.size() == 1 && last.target_count == 0;
    if (leaves) {
      successors[b].push_back(exit);
      predecessors[exit].push_back(b);
    }
  }
  std::vector<u32> forward =
      post_order(blocks + 1, 0, [&](u32 n) -> const std::vector<u32>& { return successors[n]; });
  for (auto it = forward.rbegin(); it != forward.rend(); ++it)
    if (*it != exit) cfg.reverse_post_order.push_back(BlockId(*it));

  std::vector<u32> order =
      post_order(blocks + 1, exit, [&](u32 n) -> const std::vector<u32>& { return predecessors[n]; });
  std::vector<u32> number(blocks + 1, 0xffffffffu), dominator(blocks + 1, 0xffffffffu);
  for (u32 i = 0; i < order.size(); ++i) number[order[i]] = i;
  dominator[exit] = exit;
  auto meet = [&](u32 a, u32 b) {
    while (a != b) {
      while (number[a] < number[b]) a = dominator[a];
      while (number[b] < number[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == exit) continue;
      u32 now = 0xffffffffu;
      for (u32 s : successors[*it])
        if (dominator[s] != 0xffffffffu) now = now == 0xffffffffu ? s : meet(now, s);
      if (now != dominator[*it]) {
        dominator[*it] = now;
        changed = true;
      }
    }
  }
  for (u32 b = 0; b < blocks; ++b)
    if (dominator[b] < blocks) cfg.post_dominator[b] = BlockId(dominator[b]);
  return cfg;
}

} // namespace warplens::ir
