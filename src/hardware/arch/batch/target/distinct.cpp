// One warp's different words, sectors and lines, and how its words share banks.
//
// A lane's key is the number of its word, as in blocks.cpp. Two lanes want the same word where the exclusive or of
// their keys is 0, the same sector where it is less than the words of a sector, the same line likewise. So the least
// such difference to any lane before it says of each lane at once whether its word, its sector and its line are new.
// Where keys ascend, which they mostly do, the least difference is that to the neighbour; otherwise each lane is
// compared with all before it, many at a time, which takes no sorting and no branch.
//
// Lanes that do not take part repeat the first that does, which changes no count of different things.
#include "arch/batch/target/lanes.h"

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

#if defined __AVX512F__
constexpr u32 width = 16;
#elif defined __AVX2__
constexpr u32 width = 8;
#else
constexpr u32 width = 4;
#endif
using Keys [[gnu::vector_size(width * sizeof(i32))]] = i32;
constexpr u32 parts = warp_size / width;
constexpr i32 none_before = 0x7fffffff; // more than any difference of keys

// False when a lane is misaligned or too far from the first.
template <bool all_lanes> [[gnu::always_inline]] inline bool find_keys(const WordsOfWarp& w, i32* key) {
  u64 leader = w.address[first_lane(w.lanes)], from = first_key(w.address, w.lanes, w.shift), any = 0;
  for (u64 lane = 0; lane < warp_size; ++lane) {
    u64 in = all_lanes ? ~u64{0} : -(u64{w.lanes} >> lane & 1);
    u64 distance = ((w.address[lane] & in) | (leader & ~in)) - from;
    any |= distance;
    key[lane] = static_cast<i32>(distance >> w.shift);
  }
  u64 within = (u64{0x80000000} << w.shift) - 1, unaligned = (u64{1} << w.alignment_shift) - 1;
  return (any & (~within | unaligned)) == 0;
}

// The differences to the neighbour before; false when keys do not ascend.
[[gnu::always_inline]] inline bool compare_neighbours(const i32* key, i32* least) {
  i32 falls = 0;
  least[0] = none_before;
  for (u32 lane = 1; lane < warp_size; ++lane) {
    least[lane] = key[lane] ^ key[lane - 1];
    falls |= key[lane] - key[lane - 1];
  }
  return falls >= 0;
}

[[gnu::always_inline]] inline Keys lesser(Keys a, Keys b) { return a < b ? a : b; }

[[gnu::always_inline]] inline void compare_all(const i32* key, i32* least) {
  Keys number, none = Keys{} + none_before;
  for (u32 i = 0; i < width; ++i) number[i] = static_cast<i32>(i);
  for (u32 part = 0; part < parts; ++part) {
    Keys own, closest = none;
    std::memcpy(&own, key + part * width, sizeof own);
    for (u32 lane = 0; lane < part * width; ++lane) closest = lesser(closest, own ^ key[lane]);
    for (i32 i = 0; i < static_cast<i32>(width) - 1; ++i) // of its own part, those before it
      closest = lesser(closest, number > i ? own ^ key[part * width + static_cast<u32>(i)] : none);
    std::memcpy(least + part * width, &closest, sizeof closest);
  }
}

[[gnu::always_inline]] inline u32 most_in_a_bank(const i32* key, const i32* least, u32 banks) {
  alignas(64) u8 count[warp_size] = {};
  for (u32 lane = 0; lane < warp_size; ++lane)
    count[static_cast<u32>(key[lane]) & (banks - 1)] += static_cast<u8>(least[lane] != 0);
  u8 most = 0;
  for (u8 words : count) most = most < words ? words : most;
  return most;
}

} // namespace

bool count_distinct(const WordsOfWarp& w, DistinctWords& out) {
  alignas(64) i32 key[warp_size], least[warp_size];
  if (!(w.lanes == full_mask ? find_keys<true>(w, key) : find_keys<false>(w, key))) return false;
  if (!compare_neighbours(key, least)) compare_all(key, least);
  if (w.banks != 0) {
    out.most_in_a_bank = most_in_a_bank(key, least, w.banks);
    return true;
  }
  i32 in_sector = 31 >> w.shift, in_line = 127 >> w.shift;
  u32 words = 0, sectors = 0, lines = 0;
  for (i32 difference : least) {
    words += difference != 0;
    sectors += difference > in_sector;
    lines += difference > in_line;
  }
  out.words = words, out.sectors = sectors, out.lines = lines;
  return true;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
