// One memory access: what an op that loads, stores or updates memory does at one execution, resolved once into one
// value. Four steps take it, one after the other (ops::load and its like are no more than this list):
//
//   resolve   who performs it, at which addresses, where that is on the host    resolve.cpp
//   check     faults, and warnings about what GPUs tolerate                     check.cpp
//   report    hands it to the sink, to be counted                               report.cpp
//   move      data between registers and memory                                 load.cpp, store.cpp, atomic.cpp
//
// Resolving has no effect but on scratch memory and on the cache of allocation ranges: who only asks (fold/) may.
// report() tells the sink of these. What is no load, store or atomic tells it itself: bulk copies (bulk.cpp), texels
// (ops/texture_access.cpp) and the operands of warpgroup products (ops/execute_group.cpp). Of machine code the sink also hears
// how many warps a guard keeps out (Exec::enter_guarded): these have no access.
//
// An access costs what its form costs, and the form is decided in one place:
//
//   affine   base + stride · (tid.x, tid.y, tid.z, CTA of the batch): nothing is written out per lane. Only where there
//            is nothing to complain about, so it needs no check
//   listed   an address for each lane of a short list: few lanes per warp
//   lanes    an address for each lane of the mask
//
// Addresses are relative to the space, which is never generic: a generic address names the space by the window it
// falls in (memory.h), and an op whose lanes' addresses fall in several makes an access in each.
#pragma once
#include "sim/exec/exec.h"
#include "sim/kernels/lane_memory.h"
#include "sim/value/rows.h"
#include <functional>

namespace warplens::sim {

enum class AddressForm : u8 { affine, listed, lanes };

// Where a space lies: host address = base + address + thread · thread_stride + CTA · cta_stride. Addresses are numbers,
// modulo 2^64, until somebody moves bytes there (element.h): those of lanes that do not take part may be anything.
struct HostPlace {
  u64 base;
  u64 thread_stride, cta_stride;
  u32 cta_warps;
  u64 at_warp(u32 warp) const { return cta_stride == 0 ? base : base + warp / cta_warps * cta_stride; }
};

// A view of registers and of Exec's scratch: good until the next op. Resolving fills in what the form has, and leaves
// the rest as it is: most accesses are few instructions.
struct AccessView {
  ir::StateSpace space;
  AddressForm form;
  bool whole;  // every thread of the batch performs it
  bool remote; // of another CTA's shared memory: no counter of the L1 sees it (an H200, 29 November 2026)
  u32 bytes;   // of each lane, all elements together
  const Mask* mask;
  HostPlace host;
  // The least and the greatest address. Affine: of all threads where `readable_whole`, else of those in the mask.
  u64 lowest, highest;

  // affine
  u64 base;
  Strides stride;
  bool readable_whole; // other threads' addresses are inside memory, too
  bool distinct;       // stores: each thread writes bytes of its own, so that all can be copied in any order
  u32 piece; // else, and under a mask: lanes are taken in pieces of so many, along `rows` of host addresses
  Rows rows;

  // listed, lanes
  const u64* address; // [lanes], those of the mask
  u64 bits;           // of all addresses together
  const u16* list;    // listed: lanes, in the order of compacted_lanes()
  u32 listed;

  u64 host_begin() const { return host.base + base; } // affine: of thread 0
  Strides host_stride() const {
    Strides out = stride;
    out[3] += static_cast<i64>(host.cta_stride);
    return out;
  }
};

// What an access is resolved for; not every form serves every purpose.
enum class Purpose : u8 {
  load,
  store,  // lanes that write to one address keep the order in which a GPU takes them
  atomic, // lane by lane: never in a form without addresses
  follow  // nobody moves anything, the extent must be exact: affine for all threads only (fold/)
};

// Calls `each` with every access that the op makes for the lanes that perform it (Exec::mask).
template <class F> void resolve(Exec&, const Op&, Purpose, F&& each);

// Raises a fault where the op may not make the access, warns once where a GPU would let it pass.
void check_lanes(Exec&, const Op&, const AccessView&);
inline void check(Exec& x, const Op& op, const AccessView& a) {
  if (a.form != AddressForm::affine) check_lanes(x, op, a);
}

// Hands it to the sink. Not counted: kernel parameters, which GPUs read through the constant cache, memory of other CTAs, and ops
// without a site.
void report_to_sink(Exec&, const Op&, const AccessView&);
inline void report(Exec& x, const Op& op, const AccessView& a) {
  if (x.sink != nullptr && op.site.valid() && !a.remote) report_to_sink(x, op, a);
}

// What resolve() is made of.
//
// The access as a whole; `space` stays generic when it falls into several.
void resolve_at_once(Exec&, const Op&, Purpose, AccessView&);
// The parts of a generic access, `each` with addresses relative to its space.
void split_by_space(Exec&, const AccessView&, const std::function<void(const AccessView&)>& each);
// Writes source 0 + op.offset to Exec::address for every warp that takes part; says what the mask's lanes span.
Extremes write_addresses(Exec&, const Op&);
// The end of a space that has one size for all: shared memory of a CTA, local memory of a thread, parameters.
u64 space_size(const Exec&, ir::StateSpace);
// The first generic address that names a space.
u64 window_of(const Exec&, ir::StateSpace);
// The same of the shared memory of a CTA of the cluster.
u64 window_of_rank(const Exec&, u32 rank);
// Whether `bytes` at each address from `lowest` to `highest` lie in one allocation.
bool in_known_range(Exec&, const Op&, u64 lowest, u64 highest, u64 bytes);

template <class F>
[[gnu::always_inline]] inline void resolve(Exec& x, const Op& op, Purpose purpose, F&& each) {
  AccessView a;
  resolve_at_once(x, op, purpose, a);
  if (a.space != ir::StateSpace::generic) [[likely]]
    return each(static_cast<const AccessView&>(a));
  split_by_space(x, a, each);
}

} // namespace warplens::sim
