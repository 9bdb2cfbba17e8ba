// What blocks.cpp asks of an instruction set, for AVX-512: a row of 16 warps' keys is one register. Warps come to stand
// side by side four at a time, and what a difference of keys stands for is looked up by its leading zeros.
#pragma once
#include "arch/batch/target/lanes.h"
// GCC 12's own intrinsics read a deliberately undefined register (GCC bug 105593).
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using Columns [[gnu::vector_size(64)]] = i32;

[[gnu::always_inline]] inline bool any_negative(Columns columns) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(columns)) != 0;
}

// Eight neighbouring rows of four columns.
[[gnu::always_inline]] inline void put_eight(__m512i even, __m512i odd, i32* key) {
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
[[gnu::always_inline]] inline __m512i pack_pair(__m512i a, __m512i b, u32 shift) {
  __m512i down = _mm512_set1_epi64(shift),
          up = _mm512_set1_epi64(32 - shift); // faster than one shift for all
  return _mm512_mask_mov_epi32(_mm512_srlv_epi64(a, down), 0xaaaa, _mm512_sllv_epi64(b, up));
}

[[gnu::always_inline]] inline bool put_keys(const FourWarps& four, u32 shift, i32* key) {
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

template <u32 rows>
[[gnu::always_inline]] inline void count_distinct_keys(const Columns (&sorted)[rows], u32 shift, u32 first,
                                                       DistinctCounts& out) {
  __m512i few = _mm512_load_si512(steps.by_zeros[shift]),
          many = _mm512_load_si512(steps.by_zeros[shift] + 16), sum = _mm512_set1_epi32(0x010101),
          byte = _mm512_set1_epi32(0xff);
  for (u32 lane = 1; lane < rows; ++lane) {
    __m512i zeros = _mm512_lzcnt_epi32(reinterpret_cast<__m512i>(sorted[lane] ^ sorted[lane - 1]));
    sum = _mm512_add_epi32(sum, _mm512_permutex2var_epi32(few, zeros, many));
  }
  _mm512_store_si512(out.words + first, _mm512_and_si512(sum, byte));
  _mm512_store_si512(out.sectors + first, _mm512_and_si512(_mm512_srli_epi32(sum, 8), byte));
  _mm512_store_si512(out.lines + first, _mm512_srli_epi32(sum, 16));
}

} // namespace
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
