// AVX2: as batch_avx512.cpp, with a warp's words in four registers of eight numbers. Unsigned order is had
// from the signed minimum and maximum of SSE4.1's unsigned forms; comparison for order is max(a, b) == a.
#include "arch/batch.h"
#include "arch/shared.h"
#include "base/bits.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>

namespace warplens::arch {
namespace {

#define WARPLENS_SIMD __attribute__((target("avx2,popcnt,bmi,lzcnt"), always_inline)) inline
#define WARPLENS_SIMD_LOOP __attribute__((target("avx2,popcnt,bmi,lzcnt")))

struct Keys {
  __m256i v[4];
};

WARPLENS_SIMD bool load(const u64* address, u32 lanes, u32 shift, Keys& keys) {
  u64 filled[warp_size];
  if (lanes != full_mask) fill(address, lanes, filled), address = filled;
  u64 base = align_down(address[0], 128) - (u64{1} << 31);
  __m256i from = _mm256_set1_epi64x(static_cast<i64>(base)), any = _mm256_setzero_si256();
  for (u32 i = 0; i < 4; ++i) {
    const __m256i* at = reinterpret_cast<const __m256i*>(address + 8 * i);
    __m256i a = _mm256_sub_epi64(_mm256_loadu_si256(at), from),
            b = _mm256_sub_epi64(_mm256_loadu_si256(at + 1), from);
    any = _mm256_or_si256(any, _mm256_or_si256(a, b));
    __m256 words = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    keys.v[i] = _mm256_permute4x64_epi64(_mm256_castps_si256(words), 0xd8);
  }
  u64 allowed = (u64{0xffffffff} << shift) & 0xffffffff; // aligned, and within 32 bits
  return _mm256_testz_si256(any, _mm256_set1_epi64x(static_cast<i64>(~allowed)));
}

WARPLENS_SIMD Keys before(const Keys& keys) {
  const __m256i turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  Keys out, turned;
  for (u32 i = 0; i < 4; ++i) turned.v[i] = _mm256_permutevar8x32_epi32(keys.v[i], turn);
  out.v[0] = _mm256_blend_epi32(turned.v[0], keys.v[0], 1);
  for (u32 i = 1; i < 4; ++i) out.v[i] = _mm256_blend_epi32(turned.v[i], turned.v[i - 1], 1);
  return out;
}

WARPLENS_SIMD bool ascending(const Keys& keys) {
  Keys previous = before(keys);
  __m256i all = _mm256_set1_epi32(-1);
  for (u32 i = 0; i < 4; ++i)
    all = _mm256_and_si256(all, _mm256_cmpeq_epi32(_mm256_max_epu32(keys.v[i], previous.v[i]), keys.v[i]));
  return _mm256_movemask_epi8(all) == -1;
}

// One step of the bitonic network inside a register: see batch_avx512.cpp.
template <int distance, int block, int first> WARPLENS_SIMD __m256i exchange(__m256i v) {
  constexpr int larger = [] {
    int mask = 0;
    for (int i = 0; i < 8; ++i)
      if (((i + first) & block ? 1 : 0) != ((i & distance) ? 1 : 0)) mask |= 1 << i;
    return mask;
  }();
  __m256i other;
  if constexpr (distance == 4) other = _mm256_permute4x64_epi64(v, 0x4e);
  if constexpr (distance == 2) other = _mm256_shuffle_epi32(v, 0x4e);
  if constexpr (distance == 1) other = _mm256_shuffle_epi32(v, 0xb1);
  return _mm256_blend_epi32(_mm256_min_epu32(v, other), _mm256_max_epu32(v, other), larger);
}

template <int block, int first> WARPLENS_SIMD __m256i merge(__m256i v) {
  if constexpr (block >= 8) v = exchange<4, block, first>(v);
  if constexpr (block >= 4) v = exchange<2, block, first>(v);
  return exchange<1, block, first>(v);
}

template <int block> WARPLENS_SIMD void merge_each(Keys& keys) {
  keys.v[0] = merge<block, 0>(keys.v[0]);
  keys.v[1] = merge<block, 8>(keys.v[1]);
  keys.v[2] = merge<block, 16>(keys.v[2]);
  keys.v[3] = merge<block, 24>(keys.v[3]);
}

// The step between registers: the smaller ones to `a`.
WARPLENS_SIMD void order(__m256i& a, __m256i& b) {
  __m256i smaller = _mm256_min_epu32(a, b);
  b = _mm256_max_epu32(a, b);
  a = smaller;
}

WARPLENS_SIMD void sort_halves(Keys& keys) {
  merge_each<2>(keys);
  merge_each<4>(keys);
  merge_each<8>(keys);
  order(keys.v[0], keys.v[1]);
  order(keys.v[3], keys.v[2]);
  merge_each<16>(keys);
}

WARPLENS_SIMD void merge_halves(Keys& keys) {
  order(keys.v[0], keys.v[2]);
  order(keys.v[1], keys.v[3]);
  order(keys.v[0], keys.v[1]);
  order(keys.v[2], keys.v[3]);
  merge_each<32>(keys);
}

WARPLENS_SIMD void sort_two(Keys& one, Keys& two) {
  sort_halves(one), merge_halves(one);
  sort_halves(two), merge_halves(two);
}

using Differences = Keys;

WARPLENS_SIMD Differences differences(const Keys& keys) {
  Keys previous = before(keys), out;
  for (u32 i = 0; i < 4; ++i) out.v[i] = _mm256_xor_si256(keys.v[i], previous.v[i]);
  return out;
}

// Bit i: all of element i's bits above the lowest `drop` are 0.
WARPLENS_SIMD u32 zeros(const Keys& keys, u32 drop) {
  __m128i by = _mm_cvtsi32_si128(static_cast<i32>(drop));
  const __m256i none = _mm256_setzero_si256();
  u32 mask = 0;
  for (u32 i = 0; i < 4; ++i) {
    __m256i zero = _mm256_cmpeq_epi32(_mm256_srl_epi32(keys.v[i], by), none);
    mask |= static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(zero))) << (8 * i);
  }
  return mask;
}

WARPLENS_SIMD u32 changes(const Differences& d, u32 drop) { return ~zeros(d, drop) | 1; }

#include "arch/batch_loops.h"

#include "arch/batch_columns.h"

} // namespace

const BatchKernels avx2_kernels{count_blocks, count_local, put_words, count_columns};

} // namespace warplens::arch
