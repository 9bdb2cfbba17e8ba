// What loads, stores and atomics share: where a space lives on the host, checking, and handing accesses to
// the sink.
#pragma once
#include "sim/exec/exec.h"
#include "sim/kernels/lane_memory.h"

namespace warplens::sim {

// host address = base + address + thread · thread_stride + CTA · cta_stride
struct Place {
  std::byte* base = nullptr;
  u64 thread_stride = 0, cta_stride = 0;
  u32 cta_warps = 0;
  std::byte* at_warp(u32 warp) const { return cta_stride == 0 ? base : base + warp / cta_warps * cta_stride; }
};
Place place_of(Exec&, ir::StateSpace);

// The addresses of all threads in closed form, checked and reported; host + base + stride · coordinates is
// the host address.
struct ClosedAddress {
  u64 base = 0;
  Strides stride{};
  std::byte* host = nullptr;
};
bool closed_access(Exec&, const Op&, SlotId address, ir::StateSpace, ClosedAddress&);

// Reads for all lanes of the batch.
void load_whole(Exec&, const Op&, const ClosedAddress&);
// Whether every thread has an address of its own.
bool spread_out(const Exec&, const Value& address, ir::StateSpace, u64 bytes);

// Registers that lie in memory (borrows.cpp). A load's, if `memory` holds all lanes in a row:
bool borrow_source(const Exec&, const Op&, const Strides&, std::byte* memory, Value& to);
// A result's, if the next op will store all lanes in a row and no source lies in its way:
void borrow_destination(Exec&, const Op&);
// Whether lanes that may lie in memory can be copied to other memory in any order.
bool may_copy(const Value& from, const std::byte* to, const Shape&);
void give_back(Value&, const Shape&); // back into the register's own room

// slot + op.offset for every warp that takes part, in Exec::address, and what the lanes that do span
struct LaneAddresses {
  u64* address = nullptr;
  Extremes span;
};
LaneAddresses lane_addresses(Exec&, const Op&, SlotId address);
Extremes span_of(const Exec&, const Mask&, const u64* address);
void check_lanes(Exec&, const Op&, ir::StateSpace, const Mask&, const u64* address,
                 const Extremes&); // raises faults
void report_lanes(Exec&, const Op&, ir::StateSpace, const Mask&, const u64* address);
// The same for addresses in closed form, relative to the space; `active` has a word per warp of the batch, or
// is null when all threads take part.
void report_closed(Exec&, const Op&, ir::StateSpace, u64 base, const Strides&, const u32* active);
bool in_known_range(Exec&, const Op&, u64 low, u64 end);
// Calls `each` once per state space that the addresses of Exec::mask's lanes fall in, with addresses relative
// to it.
using EachSpace = std::function<void(ir::StateSpace, const Mask&, const u64* address, const Extremes&)>;
void split_by_space(Exec&, u64* address, const EachSpace& each);
// The same; most accesses need no splitting.
template <class F> void by_space(Exec& x, const Op& op, const LaneAddresses& a, F&& each) {
  const Memory& memory = *x.launch.device.memory;
  if (op.space != ir::StateSpace::generic)
    each(op.space, *x.mask, a.address, a.span);
  else if (a.span.lowest >= memory.param_window() + Memory::window_size ||
           a.span.highest < memory.shared_window())
    each(ir::StateSpace::global, *x.mask, a.address, a.span);
  else
    split_by_space(x, a.address, each);
}
access::Space sink_space(ir::StateSpace);

// Accesses of some lanes at addresses in closed form (masked_access.cpp); false when they are not of that
// kind, and then nothing was done.
bool load_masked(Exec&, const Op&);
bool store_masked(Exec&, const Op&);
// Accesses of few lanes at any addresses (sparse_access.cpp); likewise.
bool load_few(Exec&, const Op&);
bool store_few(Exec&, const Op&);

// Calls f.template operator()<M, C>() for the memory width, sign and register width at hand.
template <class F> void with_types(u32 memory_bytes, bool sign, u32 register_bits, F&& f) {
  auto with_register = [&]<class M>() {
    if (register_bits == 16)
      f.template operator()<M, u16>();
    else if (register_bits == 32)
      f.template operator()<M, u32>();
    else
      f.template operator()<M, u64>();
  };
  switch (memory_bytes) {
  case 1: return sign ? with_register.template operator()<i8>() : with_register.template operator()<u8>();
  case 2: return sign ? with_register.template operator()<i16>() : with_register.template operator()<u16>();
  case 4: return sign ? with_register.template operator()<i32>() : with_register.template operator()<u32>();
  default: return with_register.template operator()<u64>();
  }
}

} // namespace warplens::sim
