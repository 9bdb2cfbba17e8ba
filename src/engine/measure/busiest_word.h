// Of the words that an atomic updates in one launch, how often the one is updated that has most. L2 performs those one after the other, so
// that this says how long the atomic takes at least (arch/waits.h).
//
// Words are counted by a hash of their address in a table of fixed size. Words of one place in it count together, so the answer is
// never too small. Where words are many all places have about as much, and the answer is a bound. It does not depend on which worker met
// which.
#pragma once
#include "access/access.h"
#include "base/bits.h"
#include <algorithm>
#include <numeric>
#include <vector>

namespace warplens::measure {

class BusiestWord {
public:
  static bool follows(const access::AccessHeader& access) {
    return access.space == access::Space::global && is_atomic(access.kind);
  }
  // `address`: of 32 lanes; `bytes`: of a word, a power of two.
  void add(u32 active, const u64* address, u32 bytes) {
    if (updates_.empty()) updates_.resize(places);
    const auto add = [words = updates_.data(), shift = std::countr_zero(bytes)](u64 at) {
      ++words[(at >> shift) * 0x9e3779b97f4a7c15 >> (64 - place_bits)];
    };
    if (active != full_mask) return for_each_lane(active, [&](u32 lane) { add(address[lane]); });
    for (u32 lane = 0; lane < warp_size; lane += 4) // lanes that all are active take half the instructions so
      add(address[lane]), add(address[lane + 1]), add(address[lane + 2]), add(address[lane + 3]);
  }
  // What another one met, so many times.
  void add(const BusiestWord& other, u64 times) {
    if (other.updates_.empty()) return;
    updates_.resize(places);
    for (std::size_t i = 0; i < places; ++i) updates_[i] += other.updates_[i] * times;
  }
  u64 updates() const { return updates_.empty() ? 0 : *std::max_element(updates_.begin(), updates_.end()); }
  // Is the place that has most not clearly above the others, so that it may be several words?
  bool is_bound() const {
    constexpr u64 clearly = 4;
    return updates() * places < clearly * std::accumulate(updates_.begin(), updates_.end(), u64{0});
  }

private:
  static constexpr u32 place_bits = 12;
  static constexpr std::size_t places = std::size_t{1} << place_bits;
  std::vector<u64> updates_; // by place; empty: none
};

} // namespace warplens::measure
