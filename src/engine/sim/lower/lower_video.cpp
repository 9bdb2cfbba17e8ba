// Video instructions whose operands are parts of registers: "vadd.s32.s32.s32.sat r1.b2, r2.h0, r3, r4" (PTX ISA, "Scalar
// Video Instructions"). Parts of sources are taken out by ops before, with the sign that the source's type has. A part of the
// destination gets the result, clamped to the part under .sat; the rest is that of the third source.
//
// Those of halves and bytes choose elements: "vadd4.s32.s32.s32 r1.b20, r2.b3210, r3.b7531, r4" ("SIMD Video Instructions").
// The elements of each source are brought to their places before; elements that the destination does not name are the third
// source's or, where results are added up, get operands whose result is 0.
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

// The elements of both sources that source `s` names, in their places.
SlotId Lowering::picked_elements(const ir::Instruction& i, u32 s, SlotId a, SlotId b) {
  static const LaneForm permute("prmt.b32", 3);
  const Operand& o = function_.sources(i)[s];
  if (o.part == Part::whole) return s == 0 ? a : b;
  const ir::ElementList list = ir::ElementList::unpack(o.value);
  const u32 bytes = list.bits / 8;
  if (o.part != Part::several || list.count * list.bits != 32 ||
      list.bits != ir::element_bits(module_.form(i)))
    return no_slot;
  u32 selector = 0;
  for (u32 place = 0; place < list.count; ++place)
    for (u32 byte = 0; byte < bytes; ++byte)
      selector |= (list.element[place] * bytes + byte) << 4 * (place * bytes + byte);
  return computed(i, permute, 32, {a, b, number(selector)});
}

SlotId Lowering::chosen_bits(const ir::Instruction& i, u32 mask, SlotId where_set, SlotId elsewhere) {
  static const LaneForm both("and.b32", 2), either("or.b32", 2);
  return computed(
      i, either, 32,
      {computed(i, both, 32, {where_set, number(mask)}), computed(i, both, 32, {elsewhere, number(~mask)})});
}

// The bits of the elements that the destination names.
static u32 written_bits(const Operand& to) {
  if (to.part != Part::several) return ~0u;
  const ir::ElementList list = ir::ElementList::unpack(to.value);
  u32 bits = 0;
  for (u32 n = 0; n < list.count; ++n)
    if (const u32 at = list.element[n] * list.bits; at < 32) bits |= ~0u >> (32 - list.bits) << at;
  return bits;
}

void Lowering::compute_elements(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  const Operand& to = function_.destinations(i)[0];
  std::optional<Kernel> kernel = find_kernel(form, 1, 3);
  if (!kernel || i.sources != 3 || to.kind != Operand::Kind::reg || bits_of(to.reg.value) != 32)
    return unsupported(i);
  std::array<SlotId, 3> from{};
  for (u32 s = 0; s < 3; ++s) from[s] = source(i, function_.sources(i)[s], 32);
  SlotId a = from[0], b = from[1];
  for (SlotId slot : from)
    if (slot == no_slot || bits_of(slot) != 32) return unsupported(i);
  a = picked_elements(i, 0, from[0], from[1]), b = picked_elements(i, 1, from[0], from[1]);
  if (a == no_slot || b == no_slot || function_.sources(i)[2].part != Part::whole) return unsupported(i);
  const u32 written = written_bits(to);
  const bool adds = form.has(Modifier::add), merges = written != ~0u && !adds;
  if (written != ~0u && adds) { // 1 and 0 are neither equal nor in order, 0 and 1 are not the other way round
    const ir::Comparison relation = form.comparison();
    const u32 ones = ir::element_bits(form) == 16 ? 0x00010001u : 0x01010101u;
    const bool first = relation == ir::Comparison::eq || relation == ir::Comparison::le;
    a = chosen_bits(i, written, a, number(first ? ones : 0));
    b = chosen_bits(i, written, b, number(relation == ir::Comparison::ge ? ones : 0));
  }
  Op& op = emit(OpKind::compute, i);
  const SlotId result = merges ? temporary(32) : to.reg.value;
  op.arithmetic() = {kernel->function, kernel->masked, nullptr, kernel->variant};
  op.destinations = 1, op.sources = 3;
  op.slot[0] = result, op.slot[1] = a, op.slot[2] = b, op.slot[3] = from[2];
  if (merges) simple(i, OpKind::move, to.reg.value, chosen_bits(i, written, result, from[2]));
}

void Lowering::compute_parts(const ir::Instruction& i) {
  static const LaneForm insert("bfi.b32", 4);
  const ir::Form& form = module_.form(i);
  if (ir::element_bits(form) != 32) return compute_elements(i);
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
