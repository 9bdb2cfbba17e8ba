// What threads do behind each other's backs: mbarrier objects, shared memory of other CTAs of a cluster, and copies that
// tell an mbarrier when they have ended; and the tensor maps of these, which kernels may change.
//
// An address of .shared::cluster names a CTA and a place in its shared memory (memory.h). It is made a generic one, so that
// accesses through it are accesses that may go to several spaces, and those of .shared and .shared::cta pay nothing for it.
#include "ir/timing.h"
#include "sim/lower/bulk_slots.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::StateSpace;

SlotId Lowering::cluster_address(const ir::Instruction& i, SlotId from) {
  SlotId to = temporary(64);
  Op& op = emit(OpKind::cluster_to_generic, i);
  op.site = {};
  op.destinations = op.sources = 1;
  op.slot[0] = to;
  op.slot[1] = from;
  return to;
}

SlotId Lowering::address_in(const ir::Instruction& i, const Operand& o, StateSpace& space, i64& offset) {
  SlotId slot = address(o, offset);
  if (!module_.form(i).has(Modifier::shared_cluster) || space != StateSpace::shared) return slot;
  space = StateSpace::generic;
  return cluster_address(i, slot);
}

void Lowering::mbarrier(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  OpKind kind = form.has(Modifier::pending_count) ? OpKind::mbarrier_pending
                : ir::polls(form)                 ? OpKind::mbarrier_wait
                                                  : OpKind::mbarrier;
  std::vector<SlotId> slots;
  StateSpace space = form.space();
  i64 offset = 0;
  for (const Operand& o : function_.destinations(i))
    slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
  for (u32 s = 0; s < i.sources; ++s) {
    const Operand& o = function_.sources(i)[s];
    u32 bits = ir::bits(ir::operand_type(form, i.destinations, i.sources, i.destinations + s));
    slots.push_back(o.kind == Operand::Kind::address ? address_in(i, o, space, offset) : source(i, o, bits));
    if (bits_of(slots.back()) == 1) return unsupported(i); // a predicate where a value belongs
  }
  u32 result_bits = kind == OpKind::mbarrier_pending ? 32 : kind == OpKind::mbarrier_wait ? 1 : 64;
  if (i.destinations != 0 && slots[0] != no_slot && bits_of(slots[0]) != result_bits) return unsupported(i);
  Op& op = emit(kind, i);
  std::copy(slots.begin(), slots.end(), op.slot.begin());
  op.destinations = i.destinations;
  op.sources = i.sources;
  op.offset = offset;
  op.space = space;
  op.element_bytes = 8;
}

// mapa, getctarank; cvta and isspacep of .shared::cluster.
void Lowering::cluster_map(const ir::Instruction& i) {
  const Operand& to = function_.destinations(i)[0];
  if (to.kind != Operand::Kind::reg) return;
  const Operand& from = function_.sources(i)[0];
  u32 bits = from.kind == Operand::Kind::reg ? bits_of(from.reg.value) : 64;
  SlotId address = source(i, from, bits);
  SlotId rank = i.sources > 1 ? source(i, function_.sources(i)[1], 32) : no_slot;
  Op& op = emit(OpKind::cluster_map, i);
  op.destinations = 1;
  op.sources = i.sources;
  op.slot[0] = to.reg.value;
  op.slot[1] = address;
  op.slot[2] = rank;
}

SlotId Lowering::whole_address(const ir::Instruction& i, const Operand& o) {
  static const LaneForm narrow("add.u32", 2), wide("add.u64", 2);
  i64 offset = 0;
  SlotId base = address(o, offset);
  u32 bits = bits_of(base);
  if (offset == 0) return base;
  return computed(i, bits == 32 ? narrow : wide, bits,
                  {base, constant(Constant::Kind::value, static_cast<u64>(offset), bits)});
}

void Lowering::complete_async(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  StateSpace space = StateSpace::shared;
  i64 offset = 0;
  SlotId where = address_in(i, function_.sources(i)[i.sources - 1u], space, offset);
  SlotId bytes =
      constant(Constant::Kind::value, u64{ir::bytes(form.type())} * std::max<u32>(form.vector, 1), 32);
  Op& op = emit(OpKind::mbarrier, i);
  op.site = {};
  op.sources = 2;
  op.slot[0] = where;
  op.slot[1] = bytes;
  op.offset = offset;
  op.space = space;
  op.element_bytes = 8;
}

// im2col's, in one number: there are not slots enough for all.
SlotId Lowering::packed_offsets(const ir::Instruction& i, std::span<const Operand> offsets) {
  SlotId to = temporary(64);
  std::array<SlotId, 4> parts;
  parts.fill(constant(Constant::Kind::value, 0, 16));
  for (std::size_t n = 0; n < offsets.size(); ++n) parts[n] = source(i, offsets[n], 16);
  Op& op = emit(OpKind::pack, i);
  op.guard = no_slot;
  op.site = {};
  op.destinations = 1;
  op.sources = static_cast<u8>(parts.size());
  op.slot[0] = to;
  std::copy(parts.begin(), parts.end(), op.slot.begin() + 1);
  return to;
}

// Operands by their meaning: lower/bulk_slots.h.
void Lowering::bulk_copy(const ir::Instruction& i) {
  using ir::BulkCopy;
  const ir::Form& form = module_.form(i);
  std::span<const Operand> given = function_.sources(i);
  BulkCopy kind = ir::bulk_copy(form);
  if (kind == BulkCopy::group) {
    emit(OpKind::fence, i);
    return;
  }
  if (kind == BulkCopy::prefetch || kind == BulkCopy::tensor_prefetch) {
    emit(OpKind::nothing, i);
    return;
  }
  std::array<SlotId, 10> slot;
  slot.fill(no_slot);
  bool tensor = kind == BulkCopy::tensor_in || kind == BulkCopy::tensor_out;
  bool out = kind == BulkCopy::out || kind == BulkCopy::tensor_out;
  u32 next = 0;
  auto tensor_map = [&] {
    slot[bulk_global] = whole_address(i, given[next++]);
    for (u32 d = 0; d < ir::tensor_dimensions(form); ++d)
      slot[bulk_coordinate + d] = source(i, given[next++], 32);
  };
  if (tensor && out) tensor_map();
  slot[out && !tensor ? bulk_global : bulk_shared] = whole_address(i, given[next++]);
  if (tensor && !out) tensor_map();
  if (!tensor) {
    slot[out ? bulk_shared : bulk_global] = whole_address(i, given[next++]);
    slot[bulk_size] = source(i, given[next++], 32);
  }
  if (!out) slot[bulk_mbarrier] = whole_address(i, given[next++]);
  if (u32 offsets = ir::im2col_offsets(form); offsets != 0) {
    slot[bulk_size] = packed_offsets(i, given.subspan(next, offsets));
    next += offsets;
  }
  if (form.has(Modifier::multicast)) slot[bulk_ctas] = source(i, given[next++], 16);
  Op& op = emit(OpKind::bulk_copy, i);
  op.slot = slot;
  op.sources = static_cast<u8>(slot.size());
}

// tensormap.replace: address, which dimension, the value. tensormap.cp_fenceproxy: where to, and where from in shared memory.
void Lowering::tensor_map(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  std::span<const Operand> given = function_.sources(i);
  StateSpace space = form.has(Modifier::cp_fenceproxy) ? StateSpace::global : form.space();
  i64 offset = 0;
  std::array<SlotId, 3> slot{address(given[0], offset), no_slot, no_slot};
  if (form.has(Modifier::cp_fenceproxy)) {
    slot[1] = whole_address(i, given[1]);
  } else {
    slot[1] = given.size() > 2 ? source(i, given[1], 32) : constant(Constant::Kind::value, 0, 32);
    slot[2] = source(i, given.back(), ir::bits(form.type()));
    if (bits_of(slot[1]) != 32 || bits_of(slot[2]) != ir::bits(form.type())) return unsupported(i);
  }
  Op& op = emit(form.has(Modifier::cp_fenceproxy) ? OpKind::copy_map : OpKind::replace_in_map, i);
  std::copy(slot.begin(), slot.end(), op.slot.begin());
  op.sources = 3;
  op.offset = offset;
  op.space = space;
  op.element_bytes = 64; // what a map is aligned to
  op.elements = 1;
}

} // namespace warplens::sim
