// What blocks.cpp asks of an instruction set, for those to which the compiler's choice is good enough: AVX2, where a
// row of 8 warps' keys is one register, and plain x86-64 (SSE2), where that is a row of 4. Keys are signed, since SSE2
// compares no others.
#pragma once
#include "arch/batch/target/lanes.h"
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

#ifdef __AVX2__
using Columns [[gnu::vector_size(32)]] = i32;

[[gnu::always_inline]] inline bool any_negative(Columns columns) {
  return _mm256_movemask_ps(reinterpret_cast<__m256>(columns)) != 0;
}
#else
using Columns [[gnu::vector_size(16)]] = i32;

[[gnu::always_inline]] inline bool any_negative(Columns columns) {
#ifdef __SSE2__
  return _mm_movemask_ps(reinterpret_cast<__m128>(columns)) != 0;
#else // WebAssembly
  return (columns[0] | columns[1] | columns[2] | columns[3]) < 0;
#endif
}
#endif

// The words of two warps' lanes, two numbers of 32 bits per lane.
template <bool all_lanes>
[[gnu::always_inline]] inline bool pack_two(const u32* active, const u64* const* address, u32 shift,
                                            u64 (&packed)[warp_size]) {
  u64 allowed = u64{0x7fffffff} << shift, any = 0;
  u64 from_a = first_key(address[0], active[0], shift), from_b = first_key(address[1], active[1], shift);
  for (u64 lane = 0; lane < warp_size; ++lane) {
    u64 a = address[0][lane] - from_a, b = address[1][lane] - from_b;
    if (!all_lanes) { // no branch to mispredict
      u64 in_a = -(u64{active[0]} >> lane & 1), in_b = -(u64{active[1]} >> lane & 1);
      any |= (a & in_a) | (b & in_b);
      a |= ~in_a, b |= ~in_b;
    } else {
      any |= a | b;
    }
    packed[lane] = (a >> shift & 0xffffffff) | b >> shift << 32;
  }
  return (any & ~allowed) == 0;
}

[[gnu::always_inline]] inline bool put_keys(const FourWarps& four, u32 shift, i32* key) {
  for (u32 k = 0; k < 4; k += 2) {
    u64 packed[warp_size];
    bool everywhere = (four.active[k] & four.active[k + 1]) == full_mask;
    if (!(everywhere ? pack_two<true>(four.active + k, four.address + k, shift, packed)
                     : pack_two<false>(four.active + k, four.address + k, shift, packed)))
      return false;
    for (u32 lane = 0; lane < warp_size; ++lane)
      std::memcpy(key + lane * block_columns + k, &packed[lane], sizeof packed[lane]);
  }
  return true;
}

template <u32 rows>
[[gnu::always_inline]] inline void count_distinct_keys(const Columns (&sorted)[rows], u32 shift, u32 first,
                                                       DistinctCounts& out) {
  i32 in_sector = 31 >> shift, in_line = 127 >> shift;
  Columns words = Columns{} + 1, sectors = words, lines = words;
  for (u32 lane = 1; lane < rows; ++lane) {
    Columns differ = sorted[lane] ^ sorted[lane - 1]; // negative from those that take no part to the others
    words -= differ > 0;
    sectors -= differ > in_sector;
    lines -= differ > in_line;
  }
  std::memcpy(out.words + first, &words, sizeof words);
  std::memcpy(out.sectors + first, &sectors, sizeof sectors);
  std::memcpy(out.lines + first, &lines, sizeof lines);
}

} // namespace
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
