// Which registers may be an alias of memory instead of a copy of it.
//
//   ld.global.f32 %f1, [%rd1];          %f1 may lie where the load would have copied it from: its only reader is the
//   ld.global.f32 %f2, [%rd2];          fma, and nothing is written before that reads it. So may %f2.
//   fma.rn.f32    %f3, %f1, %f0, %f2;   %f3 may be computed where the store would have copied it to: its only reader is
//   st.global.f32 [%rd2], %f3;          the next op, a store of it. That this is where %f2 lies does no harm: lane by
//                                       lane, the fma reads %f2 before it writes %f3.
//
//   ld.global.f32 %f4, [%rd1];          %f4 may not: the store between may write what it lies in,
//   st.global.f32 [%rd1+4], %f0;
//   add.f32       %f5, %f4, %f4;        and two reads of it could see two values, if another worker writes there
//   bar.sync      0;                    %f5 may not: its reader is not the next op, and other threads go on before it
//   st.global.f32 [%rd2], %f5;
//
// Without that every byte is moved three times, from memory to a register, to a register, to memory, and one array
// after the other is read, where the processor could wait for all of them at once.
//
// The condition. A load's register may be an alias if nothing can be written between the load and its only reader: both
// are in one block, and no op between them stores, synchronises or orders memory. A result's, if its only reader is the
// next op, a store of it. What other workers write meanwhile races with the access whenever it happens; since the
// register is read once, no lane sees two values.
//
// This pass marks ops; whether a marked one makes an alias is decided at each execution, by its addresses
// (ops/alias.h), and a Value lets nobody write through one (value/value.h). The registers get slots that only such
// ops write (slots.cpp), and these begin by parting with what the slot was an alias of.
#include "sim/lower/slots.h"
#include <algorithm>

namespace warplens::sim {
namespace {

bool is_weak(const ir::Form& form) {
  using ir::Modifier;
  for (Modifier m :
       {Modifier::volatile_, Modifier::relaxed, Modifier::acquire, Modifier::release, Modifier::mmio})
    if (form.has(m)) return false;
  return true;
}

bool load_may_alias(const Op& op) {
  return op.kind() == OpKind::load && op.guard == no_slot && op.space == ir::StateSpace::global &&
         op.elements == 1 && op.element_bytes >= 4 && op.destination(0) != no_slot && is_weak(*op.form);
}

bool result_may_alias(const Op& op, const Op& next) {
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

void mark_aliases(Code& code, std::size_t registers, const std::vector<u32>& block_start,
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
          load->may_alias = op.kind() != OpKind::unpack; // which reads a part at a time
          return true;
        });
      if (stores) open.clear();
      if (load_may_alias(op) && uses.once(op.destination(0))) open.push_back(&op);
      if (i + 1 < block_end[b] && result_may_alias(op, code.ops[i + 1]) && uses.once(op.destination(0))) {
        op.may_alias = true;
        op.arithmetic().stored_by = i + 1;
      }
    }
  }
}

} // namespace warplens::sim
