// atom.b128: exch and cas of 128 bits, lane by lane, by the host's compare-and-exchange of that width (every x86-64 processor
// that runs AVX has it). Workers are host threads, so it is one always.
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include <array>

namespace warplens::sim {
namespace {

using Wide = unsigned __int128;

// Not inline: clang would put it where cx16 is not told, and call libatomic there.
[[gnu::target("cx16"), gnu::noinline]] Wide compare_and_exchange(Wide* at, Wide expected, Wide wanted) {
  return __sync_val_compare_and_swap(at, expected, wanted);
}

Wide exchange(Wide* at, Wide wanted) {
  Wide known = 0;
  while (true) {
    Wide seen = compare_and_exchange(at, known, wanted);
    if (seen == known) return seen;
    known = seen;
  }
}

} // namespace

namespace ops {

// slots: result (two halves), address, for cas: compare (two halves), value (two halves)
void atomic_wide(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const bool cas = op.form->atomic_op() == ir::AtomicOp::cas;
  auto wide = [&](u32 source, u32 thread) {
    return Wide{x.lane_value(op.source(source), thread)} | Wide{x.lane_value(op.source(source + 1), thread)}
                                                               << 64;
  };
  std::array<u64*, 2> old{static_cast<u64*>(x.scratch[0]), static_cast<u64*>(x.scratch[1])};
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check(x, op, a);
    report(x, op, a);
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(a.mask->word[w], [&](u32 lane) {
        u32 thread = w * warp_size + lane;
        auto* at = reinterpret_cast<Wide*>(
            host_pointer(a.host.at_warp(w) + a.address[thread] + thread * a.host.thread_stride));
        Wide value = wide(cas ? 3 : 1, thread), seen;
        if (!x.performs_stores)
          seen = *at;
        else
          seen = cas ? compare_and_exchange(at, wide(1, thread), value) : exchange(at, value);
        old[0][thread] = static_cast<u64>(seen), old[1][thread] = static_cast<u64>(seen >> 64);
      });
  });
  ++x.writes, ++x.effects;
  for (u32 half = 0; half < op.destinations; ++half)
    if (op.destination(half) != no_slot) x.merge(x.values[op.destination(half)], old[half]);
}

} // namespace ops
} // namespace warplens::sim
