// AVX2: a row of 8 warps' keys is one register.
#include "arch/batch/batch.h"
#include "arch/rules/shared.h"
#include "base/bits.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>

namespace warplens::arch {
namespace {

#define WARPLENS_SIMD __attribute__((target("avx2,popcnt,bmi,lzcnt"), always_inline)) inline
#define WARPLENS_SIMD_LOOP __attribute__((target("avx2,popcnt,bmi,lzcnt")))

#include "arch/batch/batch_loops.inc"

#include "arch/batch/batch_columns.inc"

using Columns [[gnu::vector_size(32)]] = i32;

WARPLENS_SIMD bool any_negative(Columns columns) {
  return _mm256_movemask_ps(reinterpret_cast<__m256>(columns)) != 0;
}

#include "arch/batch/batch_plain.inc"

#include "arch/batch/batch_blocks.inc"

} // namespace

const BatchKernels avx2_kernels{count_local, put_blocks, count_blocks, put_words, count_columns};

} // namespace warplens::arch
