// AVX-512 (F, CD, BW, DQ, VL): a warp's addresses lie in two registers of 16 numbers relative to a place
// 2^31 bytes below one lane's line. Lanes mostly ascend already, which one comparison shows; otherwise a
// bitonic network of 15 steps sorts them. In order, equal words, sectors and lines are neighbours.
//
// Bank conflicts without a histogram in memory: bit i of every lane's bank number makes a 32-bit mask over
// lanes; the lanes of bank b are the intersection of those masks, or of their complements, as b's bits say.
// One register holds the lanes of 16 banks, so that five intersections and a population count serve all.
#include "arch/batch.h"
#include "base/bits.h"
// GCC 12's own intrinsics read a deliberately undefined register (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <array>
#include <immintrin.h>

namespace warplens::arch {
namespace {

#define WARPLENS_SIMD                                                                                        \
  __attribute__((target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,popcnt,bmi,lzcnt"),                     \
                 always_inline)) inline
#define WARPLENS_SIMD_LOOP                                                                                   \
  __attribute__((target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,popcnt,bmi,lzcnt")))

struct Keys {
  __m512i low, high;
};

// For each lane from `first` on the last active one up to it, or the first active one.
WARPLENS_SIMD __m512i active_before(u32 lanes, int first) {
  const __m512i to_last = _mm512_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16);
  __m512i up_to =
      _mm512_srlv_epi32(_mm512_set1_epi32(-1), _mm512_sub_epi32(to_last, _mm512_set1_epi32(first)));
  __m512i above = _mm512_lzcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(static_cast<i32>(lanes)), up_to));
  return _mm512_max_epi32(_mm512_sub_epi32(_mm512_set1_epi32(31), above),
                          _mm512_set1_epi32(std::countr_zero(lanes)));
}

// Eight lanes' distances from `from`; 0 where the lane is inactive.
WARPLENS_SIMD __m512i distances(const u64* address, u32 lanes, u32 eight, __m512i from) {
  __m512i at = _mm512_loadu_si512(address + 8 * eight);
  if (lanes == full_mask) return _mm512_sub_epi64(at, from);
  return _mm512_maskz_sub_epi64(static_cast<__mmask8>(lanes >> (8 * eight)), at, from);
}

WARPLENS_SIMD bool any_but(__m512i a, __m512i b, __m512i c, __m512i d, u64 allowed) {
  __m512i any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
  return _mm512_test_epi64_mask(any, _mm512_set1_epi64(static_cast<i64>(~allowed))) != 0;
}

WARPLENS_SIMD bool load(const u64* address, u32 lanes, bool halves, u32 shift, Keys& keys) {
  u64 base = align_down(address[std::countr_zero(lanes)], 128) - (u64{1} << 31);
  __m512i from = _mm512_set1_epi64(static_cast<i64>(base));
  __m512i a = distances(address, lanes, 0, from), b = distances(address, lanes, 1, from),
          c = distances(address, lanes, 2, from), d = distances(address, lanes, 3, from);
  if (any_but(a, b, c, d, (u64{0xffffffff} << shift) & 0xffffffff)) return false;
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  keys.low = _mm512_permutex2var_epi32(a, even, b);
  keys.high = _mm512_permutex2var_epi32(c, even, d);
  if (lanes == full_mask) return true;
  u32 upper = halves && lanes >> 16 != 0 ? lanes & 0xffff0000 : lanes;
  __m512i low = _mm512_permutex2var_epi32(keys.low, active_before(lanes, 0), keys.high);
  keys.high = _mm512_permutex2var_epi32(keys.low, active_before(upper, 16), keys.high);
  keys.low = low;
  return true;
}

WARPLENS_SIMD bool find_words(const u64* address, u32 lanes, u64 from, u64 allowed, u64 (&words)[4]) {
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

WARPLENS_SIMD Keys before(const Keys& keys) {
  return {_mm512_mask_alignr_epi32(keys.low, 0xfffe, keys.low, keys.low, 15),
          _mm512_alignr_epi32(keys.high, keys.low, 15)};
}

WARPLENS_SIMD bool ascending(const Keys& keys) {
  Keys previous = before(keys);
  return (_mm512_cmplt_epu32_mask(keys.low, previous.low) |
          _mm512_cmplt_epu32_mask(keys.high, previous.high)) == 0;
}

// One step of the bitonic network, of `count` registers at once, since each step waits for the one before:
// every element meets the one at `distance` or, to begin a merge, the one as far from the other end of its
// run of 2·distance. The upper half of the run keeps the larger.
template <int distance, bool begin, u32 count> WARPLENS_SIMD void exchange(__m512i (&v)[count]) {
  constexpr __mmask16 upper = distance == 8   ? 0xff00
                              : distance == 4 ? 0xf0f0
                              : distance == 2 ? 0xcccc
                                              : 0xaaaa;
  constexpr int shuffle = distance == 1 ? 0xb1 : begin ? 0x1b : 0x4e;
  const __m512i mirror_8 = _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8),
                mirror_16 = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 4
  for (u32 i = 0; i < count; ++i) {
    __m512i other;
    if constexpr (distance == 8 && begin) other = _mm512_permutexvar_epi32(mirror_16, v[i]);
    if constexpr (distance == 8 && !begin) other = _mm512_shuffle_i64x2(v[i], v[i], 0x4e);
    if constexpr (distance == 4 && begin) other = _mm512_permutexvar_epi32(mirror_8, v[i]);
    if constexpr (distance == 4 && !begin) other = _mm512_shuffle_i64x2(v[i], v[i], 0xb1);
    if constexpr (distance <= 2) other = _mm512_shuffle_epi32(v[i], static_cast<_MM_PERM_ENUM>(shuffle));
    v[i] = _mm512_mask_max_epu32(_mm512_min_epu32(v[i], other), upper, v[i], other);
  }
}

template <u32 count> WARPLENS_SIMD void sort(__m512i (&v)[count]) {
  exchange<1, true>(v);
  exchange<2, true>(v), exchange<1, false>(v);
  exchange<4, true>(v), exchange<2, false>(v), exchange<1, false>(v);
  exchange<8, true>(v), exchange<4, false>(v), exchange<2, false>(v), exchange<1, false>(v);
}

// Pairs of ascending registers become ascending runs of both.
template <u32 count> WARPLENS_SIMD void merge_pairs(__m512i (&v)[count]) {
  const __m512i mirror = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 2
  for (u32 i = 0; i < count; i += 2) {
    __m512i low = v[i], high = _mm512_permutexvar_epi32(mirror, v[i + 1]);
    v[i] = _mm512_min_epu32(low, high);
    v[i + 1] = _mm512_max_epu32(low, high);
  }
  exchange<8, false>(v), exchange<4, false>(v), exchange<2, false>(v), exchange<1, false>(v);
}

WARPLENS_SIMD void sort_halves(Keys& keys) {
  __m512i v[2] = {keys.low, keys.high};
  sort(v);
  keys = {v[0], v[1]};
}

WARPLENS_SIMD void merge_halves(Keys& keys) {
  __m512i v[2] = {keys.low, keys.high};
  merge_pairs(v);
  keys = {v[0], v[1]};
}

WARPLENS_SIMD void sort_two(Keys& one, Keys& two) {
  __m512i v[4] = {one.low, one.high, two.low, two.high};
  sort(v);
  merge_pairs(v);
  one = {v[0], v[1]}, two = {v[2], v[3]};
}

using Differences = Keys;

WARPLENS_SIMD Differences differences(const Keys& keys) {
  Keys previous = before(keys);
  return {_mm512_xor_si512(keys.low, previous.low), _mm512_xor_si512(keys.high, previous.high)};
}

WARPLENS_SIMD u32 changes(const Differences& d, u32 drop) {
  __m512i keep = _mm512_set1_epi32(static_cast<i32>(~u32{0} << drop));
  return _mm512_test_epi32_mask(d.low, keep) | u32{_mm512_test_epi32_mask(d.high, keep)} << 16 | 1;
}

WARPLENS_SIMD bool equal_to_neighbour(const Keys& keys, u32 lanes, u32 distance) {
  auto differ = [&](__m512i v) WARPLENS_SIMD_LOOP {
    __m512i other = distance == 1 ? _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0xb1))
                                  : _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4e));
    return u32{_mm512_cmpneq_epi32_mask(v, other)};
  };
  u32 swapped = distance == 1 ? (lanes & 0x55555555u) << 1 | (lanes >> 1 & 0x55555555u)
                              : (lanes & 0x33333333u) << 2 | (lanes >> 2 & 0x33333333u);
  return ((differ(keys.low) | differ(keys.high) << 16) & lanes & swapped) == 0;
}

// The population count of each element, as 16 bytes.
WARPLENS_SIMD __m128i population(__m512i v) {
  const __m512i digits =
                    _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)),
                nibble = _mm512_set1_epi8(15);
  __m512i bytes =
      _mm512_add_epi8(_mm512_shuffle_epi8(digits, _mm512_and_si512(v, nibble)),
                      _mm512_shuffle_epi8(digits, _mm512_and_si512(_mm512_srli_epi32(v, 4), nibble)));
  __m512i pairs = _mm512_maddubs_epi16(bytes, _mm512_set1_epi8(1));
  return _mm512_cvtepi32_epi8(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}

WARPLENS_SIMD u32 largest(__m128i bytes) {
  __m128i inverse = _mm_xor_si128(bytes, _mm_set1_epi8(-1));
  __m128i smaller = _mm_min_epu8(inverse, _mm_srli_epi16(inverse, 8));
  return 255 - (static_cast<u32>(_mm_cvtsi128_si32(_mm_minpos_epu16(smaller))) & 0xff);
}

// groups 1: 32 banks of the warp; 2: 16 banks, half-warps summed; 0: 16 banks of the warp.
template <int groups> WARPLENS_SIMD u32 passes(const Keys& keys, u32 marked, u32 drop) {
  auto bit = [&](u32 number) WARPLENS_SIMD_LOOP {
    __m512i mask = _mm512_set1_epi32(static_cast<i32>(u32{1} << (drop + number)));
    return _mm512_set1_epi32(static_cast<i32>(_mm512_test_epi32_mask(keys.low, mask) |
                                              u32{_mm512_test_epi32_mask(keys.high, mask)} << 16));
  };
  // Element b: all ones where bit i of b is 0.
  const __m512i zero_0 = _mm512_maskz_set1_epi32(0x5555, -1), zero_1 = _mm512_maskz_set1_epi32(0x3333, -1),
                zero_2 = _mm512_maskz_set1_epi32(0x0f0f, -1), zero_3 = _mm512_maskz_set1_epi32(0x00ff, -1);
  constexpr int both = 0x60; // a & (b ^ c)
  __m512i lanes = _mm512_set1_epi32(static_cast<i32>(marked));
  lanes = _mm512_ternarylogic_epi32(lanes, bit(0), zero_0, both);
  lanes = _mm512_ternarylogic_epi32(lanes, bit(1), zero_1, both);
  lanes = _mm512_ternarylogic_epi32(lanes, bit(2), zero_2, both);
  lanes = _mm512_ternarylogic_epi32(lanes, bit(3), zero_3, both);
  if constexpr (groups == 0) return largest(population(lanes));
  __m512i split = groups == 1 ? bit(4) : _mm512_set1_epi32(static_cast<i32>(0xffff0000u));
  __m128i first = population(_mm512_andnot_si512(split, lanes)),
          second = population(_mm512_and_si512(split, lanes));
  if constexpr (groups == 2) return largest(first) + largest(second);
  return largest(_mm_max_epu8(first, second));
}

#include "arch/batch_loops.h"

} // namespace

const BatchKernels avx512_kernels{count_blocks, count_local, count_words, count_banks};

} // namespace warplens::arch
