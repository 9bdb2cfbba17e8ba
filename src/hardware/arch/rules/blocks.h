// Distinct aligned blocks (sectors, lines, segments, banks' rows) that lanes touch, and distinct bytes.
// The one place that knows how a lane's bytes fall into blocks: a misaligned access may straddle two, and
// bytes past 2^64 do not exist.
#pragma once
#include "access/access.h"
#include "base/bits.h"
#include <algorithm>
#include <array>

namespace warplens::arch {

struct ByteRange {
  u64 first, last;
}; // inclusive

constexpr ByteRange bytes_of(u64 address, u32 bytes) {
  u64 extent = u64{bytes} - 1;
  return {address, address + std::min(extent, ~address)};
}

// A sorted set of at most `capacity` block numbers.
class BlockSet {
public:
  static constexpr u32 capacity = 32 * 9; // 32 lanes, each up to 32 bytes in blocks of 4 bytes or more
  void add(u64 block) {
    if (count_ == 0 || block > block_[count_ - 1]) { // lanes usually ascend
      block_[count_++] = block;
      return;
    }
    auto end = block_.begin() + count_, at = std::lower_bound(block_.begin(), end, block);
    if (at != end && *at == block) return;
    std::move_backward(at, end, end + 1);
    *at = block;
    ++count_;
  }
  u32 size() const { return count_; }
  const u64* begin() const { return block_.data(); }
  const u64* end() const { return block_.data() + count_; }

private:
  std::array<u64, capacity> block_;
  u32 count_ = 0;
};

// The blocks of 2^shift bytes (at least 4 bytes) that `lanes` touch, `bytes` each.
inline BlockSet touched(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 shift) {
  BlockSet set;
  for_each_lane(lanes, [&](u32 lane) {
    ByteRange range = bytes_of(address[lane], bytes);
    for (u64 block = range.first >> shift; block <= range.last >> shift; ++block) {
      set.add(block);
      if (block == ~u64{0} >> shift) break;
    }
  });
  return set;
}

inline u32 count_touched(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 shift) {
  return touched(address, lanes, bytes, shift).size();
}

// How many different bytes `lanes` ask for.
inline u64 distinct_bytes(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes) {
  std::array<u64, warp_size> first;
  u32 count = 0;
  for_each_lane(lanes, [&](u32 lane) { first[count++] = address[lane]; });
  std::sort(first.begin(), first.begin() + count);
  u64 sum = 0;
  for (u32 i = 0; i < count; ++i) {
    ByteRange range = bytes_of(first[i], bytes);
    u64 end = range.last; // inclusive; the next lane's range, if it overlaps, starts inside
    if (i + 1 < count && first[i + 1] <= end) {
      sum += first[i + 1] - range.first;
      continue;
    }
    sum += end - range.first + 1;
  }
  return sum;
}

} // namespace warplens::arch
