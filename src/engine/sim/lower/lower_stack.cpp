// alloca, stacksave and stackrestore: local memory that a thread asks for. What it holds, in bytes behind the function's
// variables, is a register of the frame, zero at first; it grows upwards, where a GPU's stack grows down, which no program can
// tell.
#include "sim/lower/lowering.h"

namespace warplens::sim {

using ir::Opcode;
using ir::Operand;

void Lowering::stack(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (held_ == no_slot) held_ = temporary(64); // nothing is ever allocated: what is saved is zero
  if (form.opcode == Opcode::stackrestore)
    return simple(i, OpKind::move, held_, source(i, function_.sources(i)[0], 64));
  const Operand& to = function_.destinations(i)[0];
  if (to.kind != Operand::Kind::reg) return;
  const u32 bits = bits_of(to.reg.value);
  if (bits != ir::bits(form.type())) return unsupported(i);
  if (form.opcode == Opcode::stacksave)
    return simple(i, OpKind::move, to.reg.value, bits == 64 ? held_ : resized(i, held_, bits, false));
  const std::span<const Operand> sources = function_.sources(i);
  const u64 alignment =
      sources.size() > 1 && sources[1].kind == Operand::Kind::immediate ? sources[1].value : 8;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 256) return unsupported(i);
  const SlotId size = source(i, sources[0], 64);
  Op& op = emit(OpKind::allocate, i);
  op.destinations = op.sources = 2;
  op.slot[0] = to.reg.value, op.slot[1] = held_, op.slot[2] = held_, op.slot[3] = size;
  op.offset = static_cast<i64>(alignment);
}

} // namespace warplens::sim
