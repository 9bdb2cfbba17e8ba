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

namespace {

[[gnu::always_inline]] inline Keys load(const i32* from) {
  Keys keys;
  std::memcpy(&keys, from, sizeof keys);
  return keys;
}

// 32 lanes' numbers, of which each is compared with those before it in its group.
template <u32 lanes> struct Grouped {
  static constexpr u32 before = lanes <= width ? 0 : lanes; // room, where groups are wider than a vector
  alignas(64) i32 number[before + warp_size] = {};

  [[gnu::always_inline]] Keys own(u32 part) const { return load(number + before + part * width); }
  [[gnu::always_inline]] void put(u32 part, Keys keys) {
    std::memcpy(number + before + part * width, &keys, sizeof keys);
  }
};

// Of the lane `d` places before, turning round in the group.
template <u32 lanes>
[[gnu::always_inline]] inline Keys shifted(const Grouped<lanes>& of, u32 part, u32 d, Keys lane) {
  if constexpr (lanes <= width) {
    constexpr i32 in_group = lanes - 1;
    const Keys own = of.own(part), from = (lane & ~in_group) | ((lane - static_cast<i32>(d)) & in_group);
#ifdef __clang__
    Keys out;
    for (u32 i = 0; i < width; ++i) out[i] = own[from[i]];
    return out;
#else
    return __builtin_shuffle(own, from);
#endif
  } else {
    return load(of.number + of.before + part * width - d);
  }
}

// A lane's word is new in its group where none of the lanes before it wants it, and its pass the number of new words in its
// bank before it: two rounds of comparing each lane with the one so many places before.
template <u32 lanes>
[[gnu::always_inline]] inline bool passes_of(const WordsOfWarp& w, bool each_lane, u32* out) {
  Grouped<lanes> key, bank, fresh;
  i32* keys = key.number + key.before;
  if (!(w.lanes == full_mask ? find_keys<true>(w, keys) : find_keys<false>(w, keys))) return false;
  Keys lane, known[parts] = {}, pass[parts] = {};
  for (u32 i = 0; i < width; ++i) lane[i] = static_cast<i32>(i);
  const auto place = [&](u32 part) __attribute__((always_inline)) {
    return (lane + static_cast<i32>(part * width)) & i32{lanes - 1};
  };
  for (u32 part = 0; part < parts; ++part) {
    bank.put(part, key.own(part) & static_cast<i32>(w.banks - 1));
    fresh.put(part,
              -((Keys{} + static_cast<i32>(w.lanes >> part * width)) >> lane & 1)); // those that take part
  }
  if (!each_lane) {
#pragma GCC unroll 16
    for (u32 d = 1; d < lanes; ++d)
      for (u32 part = 0; part < parts; ++part)
        known[part] |= (key.own(part) == shifted(key, part, d, lane)) & shifted(fresh, part, d, lane) &
                       (place(part) >= static_cast<i32>(d));
    for (u32 part = 0; part < parts; ++part) fresh.put(part, fresh.own(part) & ~known[part]);
  }
#pragma GCC unroll 16
  for (u32 d = 1; d < lanes; ++d)
    for (u32 part = 0; part < parts; ++part)
      pass[part] -= (bank.own(part) == shifted(bank, part, d, lane)) & shifted(fresh, part, d, lane) &
                    (place(part) >= static_cast<i32>(d));
  alignas(64) i32 number[warp_size]; // of a new word, from 1 on
  for (u32 part = 0; part < parts; ++part) {
    const Keys numbered = (pass[part] + 1) & fresh.own(part);
    std::memcpy(number + part * width, &numbered, sizeof numbered);
  }
  for (u32 first = 0; first < warp_size; first += lanes) {
    i32 greatest = 0;
    for (u32 i = first; i < first + lanes; ++i) greatest = greatest < number[i] ? number[i] : greatest;
    *out++ = static_cast<u32>(greatest);
  }
  return true;
}

} // namespace

bool count_passes_of_groups(const WordsOfWarp& w, u32 lanes, bool each_lane, u32* out) {
  switch (lanes) {
  case 4: return passes_of<4>(w, each_lane, out);
  case 8: return passes_of<8>(w, each_lane, out);
  case 16: return passes_of<16>(w, each_lane, out);
  default: return false;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
