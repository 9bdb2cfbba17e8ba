// A block begins at each label and behind each instruction that may go elsewhere; what named a label then names
// a block.
#include "ptx/blocks.h"

namespace warplens::ptx {
namespace {

using ir::Opcode;

bool ends_block(Opcode opcode) {
  switch (opcode) {
  case Opcode::bra:
  case Opcode::brx:
  case Opcode::ret:
  case Opcode::exit:
  case Opcode::trap: return true;
  default: return false;
  }
}

bool falls_through(const ir::Instruction& last, Opcode opcode) {
  return !ends_block(opcode) || last.guard.valid();
}

// A label at the very end, or code that would run off it, gets a ret of its own.
void end_function(ir::Function& f, const std::vector<u32>& label_at, const std::vector<ir::Form>& forms,
                  ir::FormId ret, u32 line) {
  auto end = static_cast<u32>(f.instructions.size());
  bool label_at_end = false;
  for (const ir::Operand& operand : f.operands)
    label_at_end |= operand.kind == ir::Operand::Kind::label && label_at[operand.block.value] == end;
  for (ir::BlockId target : f.targets) label_at_end |= label_at[target.value] == end;
  if (!label_at_end && end > 0 &&
      !falls_through(f.instructions.back(), forms[f.instructions.back().form.value].opcode))
    return;
  ir::Instruction last;
  last.form = ret;
  last.ptx_line = line;
  last.first_operand = static_cast<u32>(f.operands.size());
  f.instructions.push_back(last);
}

} // namespace

void cut_blocks(ir::Function& f, const std::vector<u32>& label_at, const std::vector<ir::Form>& forms,
                ir::FormId ret, u32 last_line) {
  end_function(f, label_at, forms, ret, last_line);
  std::vector<u32> block_of(f.instructions.size()); // first a mark at each leader, then its block
  block_of[0] = 1;
  for (const ir::Operand& operand : f.operands)
    if (operand.kind == ir::Operand::Kind::label) block_of[label_at[operand.block.value]] = 1;
  for (ir::BlockId target : f.targets) block_of[label_at[target.value]] = 1;
  for (u32 i = 0; i + 1 < f.instructions.size(); ++i)
    if (ends_block(forms[f.instructions[i].form.value].opcode)) block_of[i + 1] = 1;

  for (u32 i = 0; i < f.instructions.size(); ++i) {
    if (block_of[i] != 0) f.blocks.push_back({i, 0, {}});
    ++f.blocks.back().count;
    block_of[i] = static_cast<u32>(f.blocks.size()) - 1;
  }
  auto block_at = [&](ir::BlockId label) { return ir::BlockId(block_of[label_at[label.value]]); };
  for (ir::Operand& operand : f.operands)
    if (operand.kind == ir::Operand::Kind::label) operand.block = block_at(operand.block);
  for (ir::BlockId& target : f.targets) target = block_at(target);

  for (u32 b = 0; b < f.blocks.size(); ++b) {
    ir::Block& block = f.blocks[b];
    const ir::Instruction& last = f.instructions[block.first + block.count - 1];
    Opcode opcode = forms[last.form.value].opcode;
    if (opcode == Opcode::bra) block.successors.push_back(f.sources(last)[0].block);
    if (opcode == Opcode::brx)
      for (ir::BlockId target : f.branch_targets(last)) block.successors.push_back(target);
    if (falls_through(last, opcode) && b + 1 < f.blocks.size())
      block.successors.push_back(ir::BlockId(b + 1));
  }
}

} // namespace warplens::ptx
