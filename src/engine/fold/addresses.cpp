// Memory accesses. An address adds two conditions. Every access stays inside the allocation it is in, so that
// nothing faults or warns in another CTA that did not in this one. And it moves by a multiple of 256 bytes: no
// counting rule of any architecture sees more of an address than its place in such a run (arch/forms/count.cpp says
// why), and the lanes of a warp keep their distances because they move alike.
#include "arch/arch.h"
#include "fold/numbers.h"
#include "fold/shadow.h"
#include <algorithm>

namespace warplens::fold {

using ir::StateSpace;
using sim::Memory;

// The range of addresses stays inside `range` and moves by whole periods.
void Shadow::place_in(const Delta& delta, u64 low, u64 high, u64 bytes, Memory::Range range, bool counted) {
  if (delta.invariant()) return;
  conditions_->at_most(delta.k, i128{range.end} - bytes - high);
  conditions_->at_most(negated(delta.k), i128{low} - range.begin);
  if (counted) conditions_->multiple_of(delta.k, arch::address_period);
}

// The ranges of memory that an access by lanes whose addresses move alike points into: nearly always one; looks
// again only for those outside it.
void Shadow::place(const Current& at, const sim::StepAccess& access, const Delta& delta, bool writes,
                   bool counted) {
  bool device = access.space == StateSpace::global || access.space == StateSpace::constant, any = false;
  Memory::Range range;
  u64 bytes = access.bytes, low = 0, high = 0;
  auto finish = [&] {
    if (any) place_in(delta, low, high, bytes, range, counted);
  };
  access.each_address([&](u64 address) {
    if (any && range.covers(address, bytes)) {
      low = std::min(low, address);
      high = std::max(high, address);
      return;
    }
    finish();
    range = device ? at.step.memory().range(address) : Memory::Range{0, at.step.bytes_of(access.space)};
    if (!range.covers(address, bytes)) reject(at.step, "an access lies outside every allocation");
    if (device) touch(at, access.space, range, writes);
    low = high = address;
    any = true;
  });
  finish();
}

void Shadow::touch(const Current& at, StateSpace space, Memory::Range range, bool writes) {
  footprint_.add(range, writes);
  if (writes && at.op.kind() == sim::OpKind::atomic) footprint_.add(range, false); // it reads, too
  if (space != StateSpace::constant) return;
  if (options_.pending && options_.pending(range)) reject(at.step, "a constant has still to be written");
  footprint_.add_constant(range);
}

// Lanes of one warp that move differently would not keep their distances: they must not move apart.
void Shadow::keep_together(const Current& at, const Parts& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      bool shares_a_warp = false;
      for (u32 w = 0; w < at.lanes.word.size(); ++w)
        shares_a_warp |= parts[i].first.word[w] != 0 && parts[j].first.word[w] != 0;
      if (!shares_a_warp) continue;
      PerStep apart{};
      for (u32 a = 0; a < most_axes; ++a)
        if (__builtin_sub_overflow(parts[i].second.k[a], parts[j].second.k[a], &apart[a]) ||
            apart[a] == INT64_MIN)
          reject(at.step, "lanes of a warp move far apart");
      conditions_->at_most(apart, 0);
      conditions_->at_most(negated(apart), 0);
    }
}

void Shadow::address(const Current& at, bool writes, bool counted) {
  Parts parts;
  at.registers[at.op.source(0)].each(at.lanes, [&](const Mask& mask, const Delta& delta) {
    if (!delta.known()) reject(at.step, "the address", delta);
    parts.push_back({mask, delta});
  });
  if (counted) keep_together(at, parts);
  for (const auto& [mask, delta] : parts) {
    if (at.step.values[at.op.source(0)].bits < 64) { // widened before the offset is added
      Parts none;
      Followed f{at.step, at.op, *conditions_, unsplittable_, at.instruction, mask, {&delta}, none};
      keep_in_range(f, 0, false);
    }
    at.step.each_access(mask,
                        [&](const sim::StepAccess& access) { place(at, access, delta, writes, counted); });
  }
}

void Shadow::load(const Current& at) {
  bool parameter = at.op.space == StateSpace::param;
  address(at, false, !parameter);
  // Parameters and constants are the same in every CTA; what is read from an address that moves is not.
  bool same = (parameter || at.op.space == StateSpace::constant) && combined(at, 0).invariant();
  write_all(at, same ? Delta{} : unknown(Cause::loaded, at.instruction));
}

} // namespace warplens::fold
