// Local memory, the same for every instruction set but for `find_words`: the 4-byte words that every eight lanes use,
// as bits of a window of 64 words from `from` on; false when a lane lies outside or its distance has bits set that
// are not `allowed`.
#include "arch/batch/target/lanes.h"
#ifdef __AVX512F__
// GCC 12's own intrinsics read a deliberately undefined register (GCC bug 105593).
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

#ifdef __AVX512F__

// Eight lanes' distances from `from`; 0 where the lane is inactive.
[[gnu::always_inline]] inline __m512i distances(const u64* address, u32 lanes, u32 eight, __m512i from) {
  __m512i at = _mm512_loadu_si512(address + 8 * eight);
  if (lanes == full_mask) return _mm512_sub_epi64(at, from);
  return _mm512_maskz_sub_epi64(static_cast<__mmask8>(lanes >> (8 * eight)), at, from);
}

[[gnu::always_inline]] inline bool any_but(__m512i a, __m512i b, __m512i c, __m512i d, u64 allowed) {
  __m512i any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
  return _mm512_test_epi64_mask(any, _mm512_set1_epi64(static_cast<i64>(~allowed))) != 0;
}

[[gnu::always_inline]] inline bool find_words(const u64* address, u32 lanes, u64 from, u64 allowed,
                                              u64 (&words)[4]) {
  __m512i start = _mm512_set1_epi64(static_cast<i64>(from)), distance[4], bits[4];
  for (u32 i = 0; i < 4; ++i) {
    distance[i] = distances(address, lanes, i, start);
    bits[i] = _mm512_maskz_sllv_epi64(static_cast<__mmask8>(lanes >> (8 * i)), _mm512_set1_epi64(1),
                                      _mm512_srli_epi64(distance[i], 2));
  }
  if (any_but(distance[0], distance[1], distance[2], distance[3], allowed)) return false;
  __m512i first = _mm512_or_si512(_mm512_unpacklo_epi64(bits[0], bits[1]),
                                  _mm512_unpackhi_epi64(bits[0], bits[1])),
          second = _mm512_or_si512(_mm512_unpacklo_epi64(bits[2], bits[3]),
                                   _mm512_unpackhi_epi64(bits[2], bits[3]));
  __m256i low = _mm256_or_si256(_mm512_castsi512_si256(first), _mm512_extracti64x4_epi64(first, 1)),
          high = _mm256_or_si256(_mm512_castsi512_si256(second), _mm512_extracti64x4_epi64(second, 1));
  __m256i all =
      _mm256_or_si256(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), all);
  return true;
}

#else

#ifdef __AVX2__
[[gnu::always_inline]] inline bool find_words_of_many(const u64* address, u32 lanes, u64 from, u64 allowed,
                                                      u64 (&words)[4]) {
  using Four [[gnu::vector_size(32)]] = u64;
  constexpr Four bit{1, 2, 4, 8};
  Four any{};
  for (u32 eight = 0; eight < 4; ++eight) {
    Four found{};
    for (u32 lane = 8 * eight; lane < 8 * eight + 8; lane += 4) {
      Four at;
      std::memcpy(&at, address + lane, sizeof at);
      const Four on = reinterpret_cast<Four>(((Four{} + (lanes >> lane)) & bit) == bit);
      const Four distance = (at - from) & on;
      any |= distance;
      found |= (Four{} + 1) << (distance >> 2 & 63) & on;
    }
    words[eight] = found[0] | found[1] | found[2] | found[3];
  }
  return ((any[0] | any[1] | any[2] | any[3]) & ~allowed) == 0;
}
#endif

[[gnu::always_inline]] inline bool find_words(const u64* address, u32 lanes, u64 from, u64 allowed,
                                              u64 (&words)[4]) {
#ifdef __AVX2__
  constexpr u32 few = 8; // that take longer side by side than one by one
  if (ones(lanes) > few) return find_words_of_many(address, lanes, from, allowed, words);
#endif
  words[0] = words[1] = words[2] = words[3] = 0;
  u64 any = 0;
  for_each_lane(lanes, [&](u32 lane) {
    u64 distance = address[lane] - from;
    any |= distance;
    words[lane / 8] |= u64{1} << (distance / 4 & 63);
  });
  return (any & ~allowed) == 0;
}

#endif

} // namespace

// Lanes' words or parts of words at offsets in their own local memory: word w of lane l is the l-th of the
// 128-byte line w, so that lanes use different bytes, and lines and sectors are shared where w is the same.
u32 count_local(const Warps& warps, Counts& out) {
  u64 instructions = 0, threads = 0, tags = 0, sectors = 0, ideal = 0;
  u32 warp = 0, shift = warps.shift;
  WarpCost* costs = warps.costs;
  u64 allowed = u64{255} << shift & 255; // aligned, and within 64 words
  for (; warp < warps.count; ++warp) {
    u32 lanes = warps.active[warp];
    if (lanes == 0) continue;
    const u64* address = warps.address + std::size_t{warp} * warp_size;
    u64 from = align_down(address[first_lane(lanes)], 4) - 128, words[4];
    if (!find_words(address, lanes, from, allowed, words)) break;
    u32 touched = 0;
    for (u64 of_eight : words) touched += static_cast<u32>(std::popcount(of_eight));
    instructions += 1;
    threads += ones(lanes);
    sectors += touched;
    ideal += smaller(touched, ((ones(lanes) << shift) + 31) >> 5);
    u32 lines = static_cast<u32>(std::popcount(words[0] | words[1] | words[2] | words[3]));
    tags += lines;
    if (costs != nullptr)
      *costs++ = {static_cast<u16>(ones(lanes)), static_cast<u16>(warps.costs_are_lines ? lines : touched)};
  }
  out.instructions += instructions;
  out.threads += threads;
  out.requests += instructions;
  out.tags += tags;
  out.sectors += sectors;
  out.ideal_sectors += ideal;
  out.bytes_used += threads << shift;
  return warp;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
