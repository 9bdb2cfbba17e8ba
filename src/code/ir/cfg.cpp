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

// `ret`, `exit` or `bra` alone. Of a block without successors or with one that tells all about its last instruction.
bool only_goes(const Function& function, const Block& block) {
  if (block.count == 0) return true;
  const Instruction& only = function.instructions[block.first];
  return block.count == 1 && only.destinations == 0 && !only.guard.valid() && only.target_count == 0 &&
         (only.sources == 0 ? block.successors.empty()
                            : function.operands[only.first_operand].kind == Operand::Kind::label);
}

// Which blocks do nothing but end the thread, or go on to such a block. Compilers put these behind.
std::vector<bool> leaving_blocks(const Function& function) {
  std::vector<bool> leaves(function.blocks.size() + 1);
  leaves.back() = true; // the exit
  for (std::size_t b = function.blocks.size(); b-- > 0;) {
    const Block& block = function.blocks[b];
    leaves[b] =
        only_goes(function, block) &&
        (block.successors.empty() || (block.successors.size() == 1 && leaves[block.successors[0].value]));
  }
  return leaves;
}

// Immediate post-dominators in the graph whose edges backwards are given.
std::vector<BlockId> post_dominators(const Edges& successors, const Edges& predecessors, u32 exit) {
  std::vector<BlockId> out(exit);
  Tree backward(predecessors, exit);
  Dominators dominators(backward, successors);
  for (u32 b = 0; b < exit; ++b)
    if (backward.number[b] != no_node)
      if (u32 d = dominators.of(b); d != exit) out[b] = BlockId(d);
  return out;
}

// Without the branches to the end of the kernel, but where a block gets there no other way.
std::vector<BlockId> meeting_places(const Function& function, const Edges& successors, u32 exit) {
  Edges kept(exit + 1), backwards(exit + 1);
  const std::vector<bool> leaves = leaving_blocks(function);
  auto keep = [&](u32 from, u32 to) { kept[from].push_back(to), backwards[to].push_back(from); };
  for (u32 b = 0; b < exit; ++b)
    for (u32 to : successors[b])
      if (successors[b].size() == 1 || !leaves[to]) keep(b, to);
  Tree reached(backwards, exit);
  for (u32 b = 0; b < exit; ++b)
    for (u32 to : successors[b])
      if (successors[b].size() > 1 && leaves[to] && reached.number[b] == no_node) keep(b, to);
  return post_dominators(kept, backwards, exit);
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

  cfg.post_dominator = post_dominators(successors, predecessors, exit);
  if (!function.meetings.empty()) {
    cfg.meeting = function.meetings;
    return cfg;
  }
  cfg.meeting = function.entry ? meeting_places(function, successors, exit) : cfg.post_dominator;
  return cfg;
}

} // namespace warplens::ir
