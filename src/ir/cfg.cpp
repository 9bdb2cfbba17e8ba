// Post-dominators on the reversed graph, with one virtual exit behind every block that leaves the function.
#include "ir/cfg.h"
#include "ir/dominator_tree.h"

namespace warplens::ir {
namespace {

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
    if (backward.number[b] != no_node)
      if (u32 d = dominators.of(b); d != exit) cfg.post_dominator[b] = BlockId(d);
  return cfg;
}

} // namespace warplens::ir
