// wmma.load and wmma.store: a matrix in memory as the registers that wmma.mma takes, and back, by the accesses of ir/fragment.h:
// what is counted is what a GPU does.
#include "ir/fragment.h"
#include "sim/lower/lowering.h"

namespace warplens::sim {

using ir::Fragment;
using ir::FragmentAccess;
using ir::FragmentPart;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

// Bytes from one line to the next, 64 bits.
SlotId Lowering::line_bytes(const ir::Instruction& i, const Operand* stride) {
  static const LaneForm times("mul.lo.u64", 2), shifted("shr.u64", 2);
  const ir::Form& form = module_.form(i);
  u32 bits = ir::bits(form.type());
  auto number = [&](u64 value, u32 width) { return constant(Constant::Kind::value, value, width); };
  SlotId elements = stride == nullptr ? number(ir::least_stride(form), 32) : source(i, *stride, 32);
  elements = resized(i, elements, 64, false);
  if (bits < 8) return computed(i, shifted, 64, {elements, number(bits == 4 ? 1 : 3, 32)});
  return computed(i, times, 64, {elements, number(bits / 8, 64)});
}

// first + lines · bytes, each of 64 bits but for the lines, of 32.
SlotId Lowering::lines_on(const ir::Instruction& i, SlotId first, SlotId lines, SlotId bytes) {
  static const LaneForm sum("mad.lo.u64", 3);
  return computed(i, sum, 64, {resized(i, lines, 64, false), bytes, first});
}

// Where each lane's accesses begin.
SlotId Lowering::fragment_base(const ir::Instruction& i, SlotId first, SlotId bytes) {
  static const LaneForm masked("and.b32", 2), right("shr.u32", 2), times("mul.lo.u32", 2), plus("add.u32", 2),
      sum("add.u64", 2);
  Fragment f = ir::fragment_of(module_.form(i));
  auto number = [&](u64 value) { return constant(Constant::Kind::value, value, 32); };
  auto product = [&](SlotId a, u32 b) { return computed(i, times, 32, {a, number(b)}); };
  SlotId lane = temporary(32);
  read_special(i, ir::Special::laneid, lane).guard = no_slot;
  SlotId lines, rest;
  if (fragment_matrices(module_.form(i)) != 0) {
    auto eights = [&](u32 bit) { // 8 where the bit of (lane div 8) is set
      if (bit == 2) return number(0);
      SlotId set = computed(i, masked, 32, {lane, number(bit == 0 ? 8 : 16)});
      return bit == 0 ? set : computed(i, right, 32, {set, number(1)});
    };
    lines = computed(i, plus, 32, {computed(i, masked, 32, {lane, number(7)}), eights(f.line_bit)});
    rest = product(eights(f.byte_bit), 2);
  } else {
    SlotId quarter = computed(i, right, 32, {lane, number(2)}),
           within = computed(i, masked, 32, {lane, number(3)});
    lines = f.across ? product(within, f.step) : quarter;
    rest = f.across ? product(quarter, f.element_bytes) : product(within, f.step);
  }
  SlotId moved = computed(i, sum, 64, {first, resized(i, rest, 64, false)});
  return lines_on(i, moved, lines, bytes);
}

// The addresses of all parts, before a register changes that they depend on.
std::vector<SlotId> Lowering::fragment_addresses(const ir::Instruction& i,
                                                 std::span<const FragmentPart> parts, const Operand& where,
                                                 const Operand* stride, i64& offset) {
  SlotId first = address(where, offset);
  if (bits_of(first) != 64) first = resized(i, first, 64, false);
  SlotId bytes = line_bytes(i, stride), base = fragment_base(i, first, bytes);
  std::vector<SlotId> out;
  std::map<u32, SlotId> at{{0, base}};
  for (const FragmentPart& part : parts) {
    if (!at.contains(part.lines))
      at[part.lines] = lines_on(i, base, constant(Constant::Kind::value, part.lines, 32), bytes);
    out.push_back(at[part.lines]);
  }
  return out;
}

void Lowering::emit_access(const ir::Instruction& i, OpKind kind, std::span<const SlotId> values,
                           SlotId where, i64 offset) {
  Fragment f = ir::fragment_of(module_.form(i));
  Op& op = emit_transfer(i, kind, values, where, offset);
  op.space = module_.form(i).space();
  bool words = f.access == FragmentAccess::words || f.access == FragmentAccess::transposed_words;
  op.element_bytes = static_cast<u8>(words ? 4 : f.element_bytes);
  op.elements = static_cast<u8>(values.size());
}

// Four bytes, each in a register, the first the lowest.
void Lowering::join_bytes(const ir::Instruction& i, SlotId to, std::span<const SlotId> bytes) {
  static const LaneForm left("shl.b32", 2), either("or.b32", 2);
  SlotId all = bytes[0];
  for (u32 b = 1; b < bytes.size(); ++b)
    all = computed(i, either, 32,
                   {all, computed(i, left, 32, {bytes[b], constant(Constant::Kind::value, 8 * b, 32)})});
  simple(i, OpKind::move, to, all);
}

void Lowering::load_part(const ir::Instruction& i, const FragmentPart& part, std::span<const SlotId> to,
                         SlotId where, i64 offset, std::vector<SlotId>& bytes) {
  FragmentAccess access = fragment_access(module_.form(i));
  std::span<const SlotId> registers = to.subspan(part.first, part.count);
  if (access == FragmentAccess::matrices || access == FragmentAccess::transposed_matrices)
    return emit_matrices(i, OpKind::load_matrix, registers, where, offset,
                         access == FragmentAccess::transposed_matrices);
  bool turned = access == FragmentAccess::transposed_words;
  bool apart = access == FragmentAccess::elements && ir::bytes(module_.form(i).type()) == 1;
  if (!turned && !apart) {
    emit_access(i, OpKind::load, registers, where, offset);
    return;
  }
  SlotId loaded = temporary(32);
  emit_access(i, OpKind::load, {&loaded, 1}, where, offset);
  if (turned) return transpose(i, registers[0], loaded);
  bytes.push_back(loaded);
  if (bytes.size() < 4) return;
  join_bytes(i, registers[0], bytes);
  bytes.clear();
}

void Lowering::load_fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  Fragment f = ir::fragment_of(form);
  std::optional<std::vector<SlotId>> all = destinations(i, form.type() == Type::f64 ? 64 : 32);
  if (!all || f.registers == 0 || all->size() % f.registers != 0) return unsupported(i);
  const std::vector<SlotId>& to = *all;
  std::span<const Operand> from = function_.sources(i);
  gather_warp(i);
  i64 offset = 0;
  std::vector<SlotId> where =
      fragment_addresses(i, f.parts, from[0], from.size() > 1 ? &from[1] : nullptr, offset);
  std::vector<SlotId> bytes;
  for (std::size_t p = 0; p < f.parts.size(); ++p)
    load_part(i, f.parts[p], to, where[p], offset + f.parts[p].offset, bytes);
  for (std::size_t r = f.registers; r < to.size(); ++r) simple(i, OpKind::move, to[r], to[r % f.registers]);
}

void Lowering::store_fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  Fragment f = ir::fragment_of(form);
  std::span<const Operand> from = function_.sources(i);
  if (from.size() < 1 + f.registers) return unsupported(i);
  std::optional<std::vector<SlotId>> values =
      sources(i, from.subspan(1, f.registers), form.type() == Type::f64 ? 64 : 32);
  if (!values) return unsupported(i);
  gather_warp(i);
  i64 offset = 0;
  bool strided = from.size() > 1 + f.registers;
  std::vector<SlotId> where =
      fragment_addresses(i, f.parts, from[0], strided ? &from[1 + f.registers] : nullptr, offset);
  for (std::size_t p = 0; p < f.parts.size(); ++p) {
    const FragmentPart& part = f.parts[p];
    std::span<SlotId> stored = std::span(*values).subspan(part.first, part.count);
    if (f.access == FragmentAccess::transposed_words) {
      SlotId turned = temporary(32);
      transpose(i, turned, stored[0]);
      stored[0] = turned;
    }
    emit_access(i, OpKind::store, stored, where[p], offset + part.offset);
  }
}

void Lowering::fragment(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (!ir::is_shape_of_fragments(form)) return unsupported(i);
  if (form.has(ir::Modifier::mma)) return multiply_fragments(i);
  if (form.has(ir::Modifier::load)) return load_fragment(i);
  store_fragment(i);
}

} // namespace warplens::sim
