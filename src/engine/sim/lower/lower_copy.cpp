// Asynchronous copies.
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Operand;
using ir::StateSpace;

// cp.async is a load and a store. The copy may take place at any time before it is waited for; here it does when it is
// issued, which a program could tell only by a race. So there is nothing to wait for, but other accesses stay where
// they are.
void Lowering::copy(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (ir::arrives_after_copies(form)) return mbarrier(i);
  if (ir::bulk_copy(form) != ir::BulkCopy::none) return bulk_copy(i);
  if (!ir::copies_asynchronously(form)) {
    emit(OpKind::fence, i);
    return;
  }
  std::span<const Operand> from = function_.sources(i);
  u64 bytes = from[2].value;
  bool sized = i.sources > (form.has(Modifier::l2_cache_hint) ? 4u : 3u), narrow = bytes == 4 || bytes == 8;
  if (from[2].kind != Operand::Kind::immediate || !(bytes == 16 || (narrow && form.has(Modifier::ca))))
    return unsupported(i);
  if (sized && from[3].kind == Operand::Kind::immediate && from[3].value >= bytes) sized = false;
  u32 words = static_cast<u32>(bytes / 4);
  SlotId size = sized ? copied_size(i, from[3], bytes) : no_slot;
  std::array<SlotId, 4> word{};
  for (u32 w = 0; w < words; ++w) word[w] = temporary(32);
  Op& load = emit(sized ? OpKind::load_sized : OpKind::load, i);
  std::copy(word.begin(), word.begin() + words, load.slot.begin());
  load.destinations = static_cast<u8>(words);
  load.sources = sized ? 2 : 1;
  load.slot[words + 1] = size;
  transfer(load, from[1], StateSpace::global, words);
  Op& store = emit(OpKind::store, i);
  store.site = {}; // counted with what is read
  std::copy(word.begin(), word.begin() + words, store.slot.begin() + 1);
  store.sources = static_cast<u8>(1 + words);
  transfer(store, from[0], StateSpace::shared, words);
}

void Lowering::transfer(Op& op, const Operand& where, StateSpace space, u32 words) {
  op.slot[op.destinations] = address(where, op.offset);
  op.space = space;
  op.element_bytes = 4;
  op.elements = static_cast<u8>(words);
}

// How many bytes each lane reads: the source size, or none where a predicate says that the source is ignored.
SlotId Lowering::copied_size(const ir::Instruction& i, const Operand& given, u64 bytes) {
  static const LaneForm chosen("selp.u32", 3);
  if (given.kind != Operand::Kind::reg || bits_of(given.reg.value) != 1) return source(i, given, 32);
  SlotId ignores = source(i, given, 1);
  return computed(
      i, chosen, 32,
      {constant(Constant::Kind::value, 0, 32), constant(Constant::Kind::value, bytes, 32), ignores});
}

} // namespace warplens::sim
