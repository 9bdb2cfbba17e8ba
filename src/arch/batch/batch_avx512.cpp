// AVX-512 (F, CD, BW, DQ, VL): a row of 16 warps' keys is one register. Warps come to stand side by side four
// at a time, and what a difference of keys stands for is looked up by its leading zeros.
#include "arch/batch/batch.h"
#include "arch/rules/shared.h"
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

#include "arch/batch/batch_loops.inc"

#include "arch/batch/batch_columns.inc"

using Columns [[gnu::vector_size(64)]] = i32;

WARPLENS_SIMD bool any_negative(Columns columns) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(columns)) != 0;
}

// Eight neighbouring rows of four columns.
WARPLENS_SIMD void put_eight(__m512i even, __m512i odd, i32* key) {
  __m128i* at[8];
  for (u32 i = 0; i < 8; ++i) at[i] = reinterpret_cast<__m128i*>(key + i * block_columns);
  _mm_storeu_si128(at[0], _mm512_castsi512_si128(even));
  _mm_storeu_si128(at[1], _mm512_castsi512_si128(odd));
  _mm_storeu_si128(at[2], _mm512_extracti64x2_epi64(even, 1));
  _mm_storeu_si128(at[3], _mm512_extracti64x2_epi64(odd, 1));
  _mm_storeu_si128(at[4], _mm512_extracti64x2_epi64(even, 2));
  _mm_storeu_si128(at[5], _mm512_extracti64x2_epi64(odd, 2));
  _mm_storeu_si128(at[6], _mm512_extracti64x2_epi64(even, 3));
  _mm_storeu_si128(at[7], _mm512_extracti64x2_epi64(odd, 3));
}

// The words of two warps' eight lanes side by side.
WARPLENS_SIMD __m512i pack_pair(__m512i a, __m512i b, u32 shift) {
  __m512i down = _mm512_set1_epi64(shift),
          up = _mm512_set1_epi64(32 - shift); // faster than one shift for all
  return _mm512_mask_mov_epi32(_mm512_srlv_epi64(a, down), 0xaaaa, _mm512_sllv_epi64(b, up));
}

WARPLENS_SIMD bool put_keys(const FourWarps& four, u32 shift, i32* key) {
  __m512i from[4], any = _mm512_setzero_si512();
  for (u32 k = 0; k < 4; ++k)
    from[k] = _mm512_set1_epi64(static_cast<i64>(first_key(four.address[k], four.active[k], shift)));
#pragma GCC unroll 4
  for (u32 i = 0; i < 4; ++i) {
    __m512i distance[4];
    for (u32 k = 0; k < 4; ++k) {
      auto lanes = static_cast<__mmask8>(four.active[k] >> (8 * i));
      __m512i at = _mm512_loadu_si512(four.address[k] + 8 * i);
      distance[k] = _mm512_mask_sub_epi64(_mm512_set1_epi64(-1), lanes, at, from[k]);
      any = _mm512_mask_or_epi64(any, lanes, any, distance[k]);
    }
    __m512i a = pack_pair(distance[0], distance[1], shift), b = pack_pair(distance[2], distance[3], shift);
    put_eight(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), key + 8 * i * block_columns);
  }
  u64 allowed = u64{0x7fffffff} << shift; // aligned, and not too far
  return _mm512_test_epi64_mask(any, _mm512_set1_epi64(static_cast<i64>(~allowed))) == 0;
}

// What neighbours in order add whose difference begins with so many zeros: a word, on it a sector, on top a
// line, one byte each. Nothing where they are equal, 32 zeros, or only one of them takes part, none.
struct alignas(64) Steps {
  i32 by_zeros[6][32] = {};
};

constexpr Steps steps = [] {
  Steps out;
  for (u32 shift = 0; shift < 6; ++shift)
    for (u32 zeros = 1; zeros < 32; ++zeros) {
      u32 highest = 31 - zeros + shift;
      out.by_zeros[shift][zeros] = highest >= 7 ? 0x010101 : highest >= 5 ? 0x000101 : 0x000001;
    }
  return out;
}();

WARPLENS_SIMD void count_different(const Columns (&sorted)[warp_size], u32 shift, u32 first, Different& out) {
  __m512i few = _mm512_load_si512(steps.by_zeros[shift]),
          many = _mm512_load_si512(steps.by_zeros[shift] + 16), sum = _mm512_set1_epi32(0x010101),
          byte = _mm512_set1_epi32(0xff);
  for (u32 lane = 1; lane < warp_size; ++lane) {
    __m512i zeros = _mm512_lzcnt_epi32(reinterpret_cast<__m512i>(sorted[lane] ^ sorted[lane - 1]));
    sum = _mm512_add_epi32(sum, _mm512_permutex2var_epi32(few, zeros, many));
  }
  _mm512_store_si512(out.words + first, _mm512_and_si512(sum, byte));
  _mm512_store_si512(out.sectors + first, _mm512_and_si512(_mm512_srli_epi32(sum, 8), byte));
  _mm512_store_si512(out.lines + first, _mm512_srli_epi32(sum, 16));
}

#include "arch/batch/batch_blocks.inc"

} // namespace

const BatchKernels avx512_kernels{count_local, put_blocks, count_blocks, put_words, count_columns};

} // namespace warplens::arch
