// AVX-512 (F, CD, BW, DQ, VL): a warp's addresses lie in two registers of 16 numbers relative to a place
// 2^31 bytes below one lane's line. Lanes mostly ascend already, which one comparison shows; otherwise a
// bitonic network of 15 steps sorts them. In order, equal words, sectors and lines are neighbours.
#include "arch/batch.h"
#include "arch/shared.h"
#include "base/bits.h"
// GCC 12's own intrinsics read a deliberately undefined register (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <algorithm>
#include <array>
#include <cstring>
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

WARPLENS_SIMD bool load(const u64* address, u32 lanes, u32 shift, Keys& keys) {
  u64 base = align_down(address[std::countr_zero(lanes)], 128) - (u64{1} << 31);
  __m512i from = _mm512_set1_epi64(static_cast<i64>(base));
  __m512i a = distances(address, lanes, 0, from), b = distances(address, lanes, 1, from),
          c = distances(address, lanes, 2, from), d = distances(address, lanes, 3, from);
  if (any_but(a, b, c, d, (u64{0xffffffff} << shift) & 0xffffffff)) return false;
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  keys.low = _mm512_permutex2var_epi32(a, even, b);
  keys.high = _mm512_permutex2var_epi32(c, even, d);
  if (lanes == full_mask) return true;
  __m512i low = _mm512_permutex2var_epi32(keys.low, active_before(lanes, 0), keys.high);
  keys.high = _mm512_permutex2var_epi32(keys.low, active_before(lanes, 16), keys.high);
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

#include "arch/batch_loops.h"

#include "arch/batch_columns.h"

} // namespace

const BatchKernels avx512_kernels{count_blocks, count_local, put_words, count_columns};

} // namespace warplens::arch
