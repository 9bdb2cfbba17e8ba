// Video instructions whose operands are parts of registers: "vadd.s32.s32.s32.sat r1.b2, r2.h0, r3, r4" (PTX ISA, "Scalar
// Video Instructions"). Parts of sources are taken out by ops before, with the sign that the source's type has. A part of the
// destination gets the result, clamped to the part under .sat; the rest is that of the third source.
#include "ir/operands.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Operand;
using ir::Part;

namespace {

struct Bits {
  u32 from, count;
};
Bits bits_of_part(Part part) {
  u32 number = static_cast<u32>(part);
  if (part >= Part::h0) return {16 * (number - static_cast<u32>(Part::h0)), 16};
  return {8 * (number - static_cast<u32>(Part::b0)), 8};
}

} // namespace

bool Lowering::has_parts(const ir::Instruction& i) const {
  auto is_part = [](const Operand& o) { return o.part != Part::whole; };
  std::span<const Operand> to = function_.destinations(i), from = function_.sources(i);
  return std::any_of(to.begin(), to.end(), is_part) || std::any_of(from.begin(), from.end(), is_part);
}

SlotId Lowering::number(u32 value) { return constant(Constant::Kind::value, value, 32); }

SlotId Lowering::part_of_source(const ir::Instruction& i, u32 s) {
  static const LaneForm natural("bfe.u32", 3), integer("bfe.s32", 3);
  const Operand& o = function_.sources(i)[s];
  SlotId whole = source(i, o, 32);
  if (o.part == Part::whole) return whole;
  Bits bits = bits_of_part(o.part);
  bool is_signed =
      ir::is_signed(ir::operand_type(module_.form(i), i.destinations, i.sources, i.destinations + s));
  return computed(i, is_signed ? integer : natural, 32, {whole, number(bits.from), number(bits.count)});
}

// The result clamped to what a part of the destination can hold.
SlotId Lowering::clamped(const ir::Instruction& i, SlotId result, u32 bits) {
  static const LaneForm least("min.u32", 2), least_signed("min.s32", 2), greatest_signed("max.s32", 2);
  if (!ir::is_signed(module_.form(i).type()))
    return computed(i, least, 32, {result, number((1u << bits) - 1)});
  u32 high = (1u << (bits - 1)) - 1;
  return computed(i, greatest_signed, 32,
                  {computed(i, least_signed, 32, {result, number(high)}), number(~high)});
}

void Lowering::compute_parts(const ir::Instruction& i) {
  static const LaneForm insert("bfi.b32", 4);
  const ir::Form& form = module_.form(i);
  const Operand& to = function_.destinations(i)[0];
  bool merges = to.part != Part::whole;
  u32 operands = merges ? 2 : i.sources;
  std::optional<Kernel> kernel = find_kernel(form, 1, operands);
  if (!kernel || to.kind != Operand::Kind::reg || bits_of(to.reg.value) != 32 || (merges && i.sources != 3))
    return unsupported(i);
  std::vector<SlotId> sources;
  for (u32 s = 0; s < i.sources; ++s) sources.push_back(part_of_source(i, s));
  for (SlotId slot : sources)
    if (slot == no_slot || bits_of(slot) != 32) return unsupported(i);
  SlotId result = merges ? temporary(32) : to.reg.value;
  Op& op = emit(OpKind::compute, i);
  op.arithmetic() = {kernel->function, kernel->masked, nullptr, kernel->variant};
  op.destinations = 1;
  op.sources = static_cast<u8>(operands);
  op.slot[0] = result;
  std::copy_n(sources.begin(), operands, op.slot.begin() + 1);
  if (!merges) return;
  Bits bits = bits_of_part(to.part);
  if (form.has(Modifier::sat)) result = clamped(i, result, bits.count);
  SlotId merged = computed(i, insert, 32, {result, sources[2], number(bits.from), number(bits.count)});
  simple(i, OpKind::move, to.reg.value, merged);
}

} // namespace warplens::sim
