// Memory accesses. An address adds two conditions. Every access stays inside the allocation it is in, so that
// nothing faults or warns in another CTA that did not in this one. And it moves by a multiple of 256 bytes: no
// counting rule of any architecture sees more of an address than its place in such a run (arch/count.cpp says
// why), and the lanes of a warp keep their distances because they move alike.
#include "fold/shadow.h"
#include <algorithm>

namespace warplens::fold {

using ir::StateSpace;
using sim::Memory;

namespace {

constexpr u64 alignment_period = 256;

} // namespace

// The range of addresses stays inside `range` and moves by whole periods.
void Shadow::place_in(const Motion& motion, u64 low, u64 high, u64 bytes, Memory::Range range, bool counted) {
  if (motion.still()) return;
  conditions_->at_most(motion.k, i128{range.end} - bytes - high);
  conditions_->at_most(negated(motion.k), i128{low} - range.begin);
  if (counted) conditions_->multiple_of(motion.k, alignment_period);
}

// Lanes whose addresses move alike: finds what they point into, allocation by allocation.
void Shadow::place(const Current& current, const Mask& mask, const Motion& motion, bool writes,
                   bool counted) {
  const Step& x = current.step;
  const Op& op = current.op;
  const Memory& memory = x.memory();
  u64 bytes = u64{op.element_bytes} * op.elements;
  SlotId slot = op.source(0);
  auto fixed_range = [&](StateSpace space) -> std::optional<Memory::Range> {
    switch (space) {
    case StateSpace::shared:
    case StateSpace::local:
    case StateSpace::param: return Memory::Range{0, x.bytes_of(space)};
    default: return {};
    }
  };
  auto window_range = [&](u64 address) -> std::optional<Memory::Range> {
    for (auto [window, space] : {std::pair{memory.shared_window(), StateSpace::shared},
                                 std::pair{memory.local_window(), StateSpace::local},
                                 std::pair{memory.param_window(), StateSpace::param}})
      if (address - window < Memory::window_size)
        return Memory::Range{window, window + fixed_range(space)->end};
    return {};
  };
  // Lanes nearly always point into one range; look again only for those outside it.
  Memory::Range range;
  u64 low = 0, high = 0;
  bool any = false;
  auto finish = [&] {
    if (any) place_in(motion, low, high, bytes, range, counted);
  };
  const Value& v = x.values[slot];
  auto add = [&](u64 at) {
    if (any && range.contains(at, at + bytes)) {
      low = std::min(low, at);
      high = std::max(high, at);
      return;
    }
    finish();
    std::optional<Memory::Range> fixed =
        op.space == StateSpace::generic ? window_range(at) : fixed_range(op.space);
    range = fixed ? *fixed : memory.range(at);
    if (!range.contains(at, at + bytes) || at + bytes < at)
      refuse(x, "an access lies outside every allocation");
    if (!fixed) footprint_.add(range, writes);
    if (!fixed && op.form->opcode != ir::Opcode::st && writes) footprint_.add(range, false);
    if (op.space == StateSpace::constant) {
      if (options_.pending && options_.pending(range)) refuse(x, "a constant has still to be written");
      footprint_.add_constant(range);
    }
    low = high = at;
    any = true;
  };
  auto offset = static_cast<u64>(op.offset);
  if (v.closed && mask == x.shape.all) {
    Value sum;
    sum.bits = v.bits;
    sum.base = v.base;
    sum.stride = v.stride;
    sim::Range ends = unsigned_range(sum, x.shape);
    if (ends.valid) {
      add(static_cast<u64>(ends.low) + offset);
      add(static_cast<u64>(ends.high) + offset);
      return finish();
    }
  }
  each_thread(mask, [&](u32 thread) { add(x.lane_value(slot, thread) + offset); });
  finish();
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
          refuse(at.step, "lanes of a warp move far apart");
      conditions_->at_most(apart, 0);
      conditions_->at_most(negated(apart), 0);
    }
}

void Shadow::address(const Current& at, bool writes, bool counted) {
  Parts parts;
  at.registers[at.op.source(0)].each(at.lanes, [&](const Mask& mask, const Motion& motion) {
    if (!motion.known()) refuse(at.step, "the address", motion);
    parts.push_back({mask, motion});
  });
  if (counted) keep_together(at, parts);
  for (const auto& [mask, motion] : parts) {
    if (at.step.values[at.op.source(0)].bits < 64) { // widened before the offset is added
      Parts none;
      Followed f{at.step, at.op, *conditions_, unsplittable_, at.instruction, mask, {&motion}, none};
      keep_in_range(f, 0, false);
    }
    place(at, mask, motion, writes, counted);
  }
}

void Shadow::load(const Current& at) {
  bool parameter = at.op.space == StateSpace::param;
  address(at, false, !parameter);
  // Parameters and constants are the same in every CTA; what is read from an address that moves is not.
  bool same = (parameter || at.op.space == StateSpace::constant) && combined(at, 0).still();
  write_all(at, same ? Motion{} : unknown(Cause::loaded, at.instruction));
}

} // namespace warplens::fold
