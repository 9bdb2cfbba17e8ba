// Loads and stores of few lanes per warp at addresses of their own: what depth-first searches and walks of
// trees do most. A pass over whole warps would look at thirty lanes for the sake of two; here a list of the
// active lanes is made once after each branch, and each access goes through it.
//
// Guarded accesses, generic addresses and denser masks are left to the path over whole warps.
#include "sim/memory/execute_memory.h"
#include <algorithm>
#include <cstring>

namespace warplens::sim {
namespace {

using ir::StateSpace;
using Lanes = std::span<const u16>;

template <class Register>
Extremes find_addresses(u64* address, const Register* in, Register offset, Lanes lanes) {
  u64 low = ~u64{0}, high = 0, bits = 0; // not an Extremes: the compiler would keep that in memory
  for (u16 lane : lanes) {
    u64 a = static_cast<Register>(in[lane] + offset); // addresses of 32 bits wrap at 32 bits
    address[lane] = a;
    low = std::min(low, a), high = std::max(high, a), bits |= a;
  }
  return {low, high, bits};
}

// Checks and reports the access; then it can be made.
void prepare(Exec& x, const Op& op, SlotId slot, Lanes lanes) {
  Value& v = x.values[slot];
  need_lanes(v, x.shape);
  Extremes span = v.bits == 32 ? find_addresses(x.address, v.at<u32>(0), static_cast<u32>(op.offset), lanes)
                               : find_addresses(x.address, v.at<u64>(0), static_cast<u64>(op.offset), lanes);
  check_lanes(x, op, op.space, *x.mask, x.address, span);
  report_lanes(x, op, op.space, *x.mask, x.address);
}

// Calls f(host address, lane).
template <class F> void each_host(Exec& x, const Op& op, Lanes lanes, u32 element, F&& f) {
  Place place = place_of(x, op.space);
  u64 skip = u64{element} * op.element_bytes;
  for (u16 lane : lanes)
    f(place.at_warp(lane / warp_size) + x.address[lane] + lane * place.thread_stride + skip, lane);
}

} // namespace

bool load_few(Exec& x, const Op& op) {
  Lanes lanes = x.few_lanes();
  if (lanes.empty() || op.space == StateSpace::generic) return false;
  prepare(x, op, op.source(0), lanes);
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    if (!x.overwrites(op)) need_lanes(to, x.shape);
    with_types(op.element_bytes, op.sign, to.bits, [&]<class M, class C>() {
      each_host(x, op, lanes, e, [out = static_cast<C*>(to.data)](const std::byte* at, u16 lane) {
        M value;
        std::memcpy(&value, at, sizeof value);
        out[lane] = static_cast<C>(value);
      });
    });
    to.set_lanes();
  }
  return true;
}

bool store_few(Exec& x, const Op& op) {
  Lanes lanes = x.few_lanes();
  // Lanes that write one address: the list's order is right for accesses that take a warp as a whole.
  bool any_order = op.space == StateSpace::local || op.element_bytes * op.elements <= 4;
  if (lanes.empty() || op.space == StateSpace::generic || !any_order) return false;
  prepare(x, op, op.source(0), lanes);
  for (u32 e = 0; e < op.elements; ++e) {
    const Value& from = x.values[op.source(1 + e)];
    with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
      each_host(x, op, lanes, e, [in = static_cast<const C*>(from.data)](std::byte* at, u16 lane) {
        M value = static_cast<M>(in[lane]);
        std::memcpy(at, &value, sizeof value);
      });
    });
  }
  return true;
}

} // namespace warplens::sim
