// Which loads need not copy.
//
// A load copies memory into a register that the next op or the one after reads once: every byte is moved
// three times, and one array after the other is read, where the processor could wait for all of them at once.
// Such a register may point at memory instead (Value::data), if nothing can be written between the load and
// its only reader: both are in one block, and no op between them stores, synchronises or orders memory. What
// other workers write meanwhile races with the load whenever it happens; since the register is read once, no
// lane sees two values.
//
// Marks loads only; whether one borrows is decided at each execution, by its addresses (execute_memory.cpp).
// The register gets a slot that only such loads write (slots.cpp), so that nothing writes into what it
// points at.
#include "sim/exec.h"
#include "sim/slots.h"
#include <algorithm>

namespace warplens::sim {
namespace {

bool is_weak(const ir::Form& form) {
  using ir::Modifier;
  for (Modifier m : {Modifier::volatile_, Modifier::relaxed, Modifier::acquire, Modifier::mmio})
    if (form.has(m)) return false;
  return true;
}

bool may_borrow(const Op& op) {
  return op.run == ops::load && op.guard == no_slot && op.space == ir::StateSpace::global &&
         op.elements == 1 && op.element_bytes >= 4 && op.destination(0) != no_slot && is_weak(*op.form);
}

// Ops that write no memory and order none, and read their sources lane by lane.
bool is_plain(const Op& op) {
  if (op.run == ops::load) return is_weak(*op.form);
  for (Handler handler : {ops::compute, ops::resize, ops::move, ops::special, ops::pack, ops::unpack,
                          ops::to_generic, ops::from_generic, ops::load_param})
    if (op.run == handler) return true;
  return false;
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
      if (!is_plain(op)) {
        open.clear();
        continue;
      }
      for (u32 s = 0; s < op.sources; ++s)
        std::erase_if(open, [&](Op* load) {
          if (load->destination(0) != op.source(s)) return false;
          load->borrows = op.run != ops::unpack; // which reads a part at a time
          return true;
        });
      if (may_borrow(op) && uses.once(op.destination(0))) open.push_back(&op);
    }
  }
}

} // namespace warplens::sim
