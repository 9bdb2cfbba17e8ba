// Registers that need no room of their own.
//
// A load copies memory into a register that the next op or the one after reads once, and a result is made in
// a register that the next op copies into memory: every byte is moved three times, and one array after the
// other is read, where the processor could wait for all of them at once. Such a register may lie in memory
// instead (Value::data):
//   a load's      if nothing can be written between the load and its only reader: both are in one block, and
//                 no op between them stores, synchronises or orders memory;
//   a result      if its only reader is the next op, a store of it.
// What other workers write meanwhile races with the access whenever it happens; since the register is read
// once, no lane sees two values.
//
// mark_borrows() marks ops; whether one borrows is decided at each execution, by its addresses. The registers
// get slots that only such ops write (slots.cpp), and these begin by giving back what was borrowed, so that
// nothing else writes into memory through a register.
#include "sim/lower/slots.h"
#include "sim/memory/execute_memory.h"
#include <algorithm>
#include <cstring>

namespace warplens::sim {
namespace {

bool is_weak(const ir::Form& form) {
  using ir::Modifier;
  for (Modifier m :
       {Modifier::volatile_, Modifier::relaxed, Modifier::acquire, Modifier::release, Modifier::mmio})
    if (form.has(m)) return false;
  return true;
}

bool load_may_borrow(const Op& op) {
  return op.kind() == OpKind::load && op.guard == no_slot && op.space == ir::StateSpace::global &&
         op.elements == 1 && op.element_bytes >= 4 && op.destination(0) != no_slot && is_weak(*op.form);
}

bool result_may_borrow(const Op& op, const Op& next) {
  return op.kind() == OpKind::compute && op.guard == no_slot && op.destinations == 1 &&
         op.destination(0) != no_slot && next.kind() == OpKind::store && next.guard == no_slot &&
         next.space == ir::StateSpace::global && next.elements == 1 && next.element_bytes >= 4 &&
         next.source(1) == op.destination(0) && is_weak(*next.form);
}

// Ops that write no memory and order none, and read their sources lane by lane.
bool is_plain(const Op& op) {
  MemoryUse use = op.traits().memory;
  return use == MemoryUse::none || (use == MemoryUse::loads && is_weak(*op.form));
}

// How often each register is written and read; a guard reads twice, for no op reads through it.
struct Uses {
  std::vector<u8> writes, reads;
  Uses(const Code& code, std::size_t registers) : writes(registers), reads(registers) {
    auto count = [&](std::vector<u8>& of, SlotId slot, u32 times) {
      if (slot < registers) of[slot] = static_cast<u8>(std::min(2u, of[slot] + times));
    };
    for (const Op& op : code.ops) {
      count(reads, op.guard, 2);
      for (u32 i = 0; i < op.destinations; ++i) count(writes, op.destination(i), 1);
      for (u32 i = 0; i < op.sources; ++i) count(reads, op.source(i), 1);
    }
  }
  bool once(SlotId slot) const { return writes[slot] == 1 && reads[slot] == 1; }
};

} // namespace

void mark_borrows(Code& code, std::size_t registers, const std::vector<u32>& block_start,
                  const std::vector<u32>& block_end) {
  Uses uses(code, registers);
  std::vector<Op*> open; // loads whose reader may still come
  for (std::size_t b = 0; b < block_start.size(); ++b) {
    open.clear();
    for (u32 i = block_start[b]; i < block_end[b]; ++i) {
      Op& op = code.ops[i];
      bool stores = op.traits().memory == MemoryUse::stores && op.elements == 1; // reads before it writes
      if (!is_plain(op) && !stores) {
        open.clear();
        continue;
      }
      for (u32 s = 0; s < op.sources; ++s)
        std::erase_if(open, [&](Op* load) {
          if (load->destination(0) != op.source(s)) return false;
          load->borrows = op.kind() != OpKind::unpack; // which reads a part at a time
          return true;
        });
      if (stores) open.clear();
      if (load_may_borrow(op) && uses.once(op.destination(0))) open.push_back(&op);
      if (i + 1 < block_end[b] && result_may_borrow(op, code.ops[i + 1]) && uses.once(op.destination(0)))
        op.borrows = true;
    }
  }
}

namespace {

u64 address_of(const void* data) { return reinterpret_cast<u64>(data); }

u64 size_of(const Value& v, const Shape& shape) { return u64{shape.lanes} * v.bits / 8; }

// Whether all lanes of `v` lie in a row where an access with these strides puts them.
bool in_a_row(const Value& v, const Strides& stride, const Shape& shape) {
  return stride[0] == v.bits / 8 && shape.threads == shape.lanes && is_ramp(stride, shape, axes);
}

bool overlaps(const Value& v, u64 first, u64 end, const Shape& shape) {
  u64 begin = address_of(v.data);
  return begin < end && first < begin + size_of(v, shape);
}

} // namespace

bool borrow_source(const Exec& x, const Op& op, const Strides& stride, std::byte* memory, Value& to) {
  if (!op.borrows || to.bits != op.element_bytes * 8 || !in_a_row(to, stride, x.shape)) return false;
  to.data = memory;
  to.set_lanes();
  return true;
}

void borrow_destination(Exec& x, const Op& op) {
  const Op& store = x.code->ops[x.pc];
  const Value& address = x.values[store.source(0)];
  Value& result = x.values[op.destination(0)];
  if (!x.whole || !x.mask_full || !address.closed || address.bits != 64 ||
      result.bits != store.element_bytes * 8 || !in_a_row(result, address.stride, x.shape))
    return;
  u64 first = address.base + static_cast<u64>(store.offset), end = first + size_of(result, x.shape);
  if (first % store.element_bytes != 0 || end < first || !in_known_range(x, store, first, end)) return;
  for (u32 s = 0; s < op.sources; ++s) { // each lane in its place, or somewhere else altogether
    const Value& v = x.values[op.source(s)];
    bool same = address_of(v.data) == first && v.bits == result.bits;
    if (v.data != v.room && !same && overlaps(v, first, end, x.shape)) return;
  }
  result.data = reinterpret_cast<void*>(first);
}

void give_back(Value& v, const Shape& shape) {
  std::memcpy(v.room, v.data, size_of(v, shape));
  v.data = v.room;
}

bool may_copy(const Value& from, const std::byte* to, const Shape& shape) {
  u64 first = address_of(to);
  return from.data == from.room || !overlaps(from, first, first + size_of(from, shape), shape);
}

} // namespace warplens::sim
