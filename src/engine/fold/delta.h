// How register values move from the representative to another CTA of its set.
//
// A value that depends only on indices, parameters and loop counters moves linearly: in the CTA that is t
// steps away it is v + k·t modulo the register's width, with k per lane group. A value that depends on loaded
// data, or on an operation that is not followed, is unknown: harmless as long as nothing that counts reads
// it.
#pragma once
#include "fold/conditions.h"
#include "sim/grid/observed_launch.h"
#include <utility>

namespace warplens::fold {

// Of the engine, the room sees this (sim/watch/observe.h says what may be relied on).
using sim::Code;
using sim::FoldRule;
using sim::Frame;
using sim::Mask;
using sim::no_slot;
using sim::Op;
using sim::SlotId;
using sim::Step;
using sim::Value;

// What made a value unknown, for the reason in the report.
enum class Cause : u8 { none, loaded, atomic, clock, processor, call, arithmetic, mixed };

struct Delta {
  PerStep k{};
  Cause cause = Cause::none;
  const ir::Instruction* at = nullptr; // of the cause
  u8 below = 64;                       // unknown: yet less than 2^below, as an unsigned number

  bool known() const { return cause == Cause::none; }
  bool invariant() const { return known() && is_zero(k); }
  bool operator==(const Delta& o) const { return known() == o.known() && k == o.k && below == o.below; }
};

inline Delta unknown(Cause cause, const ir::Instruction* at) { return {{}, cause, at}; }

// Calls f(thread) for each lane of a mask.
template <class F> void each_thread(const Mask& lanes, F&& f) {
  for (u32 w = 0; w < lanes.word.size(); ++w)
    for_each_lane(lanes.word[w], [&](u32 lane) { f(w * warp_size + lane); });
}

using Parts = std::vector<std::pair<Mask, Delta>>; // lanes and how they move

// A register: how it moves in most lanes, and in the others.
class Track {
public:
  static constexpr std::size_t most_parts = 8;

  // `everywhere`: no lane outside `lanes` keeps its value.
  void set(const Mask& lanes, const Delta& delta, bool everywhere);
  bool uniform() const { return others_.empty(); }
  const Delta& main() const { return main_; }

  // Calls f(lanes, delta) for each way that some of `lanes` move.
  template <class F> void each(const Mask& lanes, F&& f) const {
    if (others_.empty()) return f(lanes, main_);
    Mask rest = lanes;
    for (const auto& [mask, delta] : others_) {
      Mask here;
      u32 any = 0;
      for (u32 w = 0; w < here.word.size(); ++w) {
        here.word[w] = mask.word[w] & lanes.word[w];
        rest.word[w] &= ~here.word[w];
        any |= here.word[w];
      }
      if (any != 0) f(here, delta);
    }
    if (rest != Mask{}) f(rest, main_);
  }

private:
  Delta main_;
  Parts others_; // disjoint
};

} // namespace warplens::fold
