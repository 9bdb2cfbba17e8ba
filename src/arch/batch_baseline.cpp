// Plain x86-64 (SSE2): as batch_avx2.cpp, with a warp's words in eight registers of four numbers. They are
// signed, since SSE2 compares no others, which keeps their order and their banks. SSE2 has
// no minimum or maximum either, so lanes are exchanged where a comparison says so.
#include "arch/batch.h"
#include "arch/shared.h"
#include "base/bits.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <emmintrin.h>

namespace warplens::arch {
namespace {

#define WARPLENS_SIMD __attribute__((always_inline)) inline
#define WARPLENS_SIMD_LOOP

struct Keys {
  __m128i v[8];
};

WARPLENS_SIMD bool load(const u64* address, u32 lanes, u32 shift, Keys& keys) {
  u64 filled[warp_size];
  if (lanes != full_mask) fill(address, lanes, filled), address = filled;
  u64 base = align_down(address[0], 128) - (u64{1} << 31);
  __m128i from = _mm_set1_epi64x(static_cast<i64>(base)), any = _mm_setzero_si128(),
          sign = _mm_set1_epi32(INT32_MIN);
  for (u32 i = 0; i < 8; ++i) {
    const __m128i* at = reinterpret_cast<const __m128i*>(address + 4 * i);
    __m128i a = _mm_sub_epi64(_mm_loadu_si128(at), from), b = _mm_sub_epi64(_mm_loadu_si128(at + 1), from);
    any = _mm_or_si128(any, _mm_or_si128(a, b));
    __m128 words = _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88);
    keys.v[i] = _mm_xor_si128(_mm_castps_si128(words), sign);
  }
  u64 allowed = (u64{0xffffffff} << shift) & 0xffffffff; // aligned, and within 32 bits
  __m128i outside = _mm_and_si128(any, _mm_set1_epi64x(static_cast<i64>(~allowed)));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(outside, _mm_setzero_si128())) == 0xffff;
}

WARPLENS_SIMD Keys before(const Keys& keys) {
  Keys out;
  out.v[0] = _mm_shuffle_epi32(keys.v[0], 0x90); // the first one repeats
  for (u32 i = 1; i < 8; ++i)
    out.v[i] = _mm_or_si128(_mm_slli_si128(keys.v[i], 4), _mm_srli_si128(keys.v[i - 1], 12));
  return out;
}

WARPLENS_SIMD bool ascending(const Keys& keys) {
  Keys previous = before(keys);
  __m128i falls = _mm_setzero_si128();
  for (u32 i = 0; i < 8; ++i) falls = _mm_or_si128(falls, _mm_cmpgt_epi32(previous.v[i], keys.v[i]));
  return _mm_movemask_epi8(falls) == 0;
}

// One step of the bitonic network inside a register: see batch_avx512.cpp.
template <int distance, int block> WARPLENS_SIMD __m128i exchange(__m128i v, u32 first) {
  auto larger = [&](u32 i) WARPLENS_SIMD_LOOP {
    return ((i + first) & block ? 1 : 0) != ((i & distance) ? 1 : 0) ? -1 : 0;
  };
  __m128i other = distance == 2 ? _mm_shuffle_epi32(v, 0x4e) : _mm_shuffle_epi32(v, 0xb1);
  __m128i keep_larger = _mm_setr_epi32(larger(0), larger(1), larger(2), larger(3));
  __m128i differ = _mm_xor_si128(v, other), is_larger = _mm_cmpgt_epi32(v, other);
  return _mm_xor_si128(v, _mm_and_si128(differ, _mm_xor_si128(is_larger, keep_larger)));
}

template <int block> WARPLENS_SIMD void merge_each(Keys& keys) {
#pragma GCC unroll 8
  for (u32 i = 0; i < 8; ++i) {
    if constexpr (block >= 4) keys.v[i] = exchange<2, block>(keys.v[i], 4 * i);
    keys.v[i] = exchange<1, block>(keys.v[i], 4 * i);
  }
}

// The steps between registers: those whose number has bit `block` set keep the larger ones first.
template <int distance, int block> WARPLENS_SIMD void order(Keys& keys) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    if (i & distance) continue;
    __m128i &a = keys.v[i & block ? i | distance : i], &b = keys.v[i & block ? i : i | distance];
    __m128i swap = _mm_and_si128(_mm_xor_si128(a, b), _mm_cmpgt_epi32(a, b));
    a = _mm_xor_si128(a, swap);
    b = _mm_xor_si128(b, swap);
  }
}

WARPLENS_SIMD void sort_halves(Keys& keys) {
  merge_each<2>(keys);
  merge_each<4>(keys);
  order<1, 2>(keys), merge_each<8>(keys);
  order<2, 4>(keys), order<1, 4>(keys), merge_each<16>(keys);
}

WARPLENS_SIMD void merge_halves(Keys& keys) {
  order<4, 8>(keys), order<2, 8>(keys), order<1, 8>(keys), merge_each<32>(keys);
}

WARPLENS_SIMD void sort_two(Keys& one, Keys& two) {
  sort_halves(one), merge_halves(one);
  sort_halves(two), merge_halves(two);
}

using Differences = Keys;

WARPLENS_SIMD Differences differences(const Keys& keys) {
  Keys previous = before(keys), out;
  for (u32 i = 0; i < 8; ++i) out.v[i] = _mm_xor_si128(keys.v[i], previous.v[i]);
  return out;
}

// Bit i: all of element i's bits above the lowest `drop` are 0.
WARPLENS_SIMD u32 zeros(const Keys& keys, u32 drop) {
  __m128i by = _mm_cvtsi32_si128(static_cast<i32>(drop));
  const __m128i none = _mm_setzero_si128();
  u32 mask = 0;
  for (u32 i = 0; i < 8; ++i) {
    __m128i zero = _mm_cmpeq_epi32(_mm_srl_epi32(keys.v[i], by), none);
    mask |= static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(zero))) << (4 * i);
  }
  return mask;
}

WARPLENS_SIMD u32 changes(const Differences& d, u32 drop) { return ~zeros(d, drop) | 1; }

#include "arch/batch_loops.h"

#include "arch/batch_columns.h"

} // namespace

const BatchKernels baseline_kernels{count_blocks, count_local, put_words, count_columns};

} // namespace warplens::arch
