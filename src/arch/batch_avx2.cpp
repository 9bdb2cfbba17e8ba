// AVX2: a row of 8 warps' keys is one register.
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

#include "arch/batch_loops.h"

#include "arch/batch_columns.h"

using Columns [[gnu::vector_size(32)]] = i32;

WARPLENS_SIMD bool any_negative(Columns columns) {
  return _mm256_movemask_ps(reinterpret_cast<__m256>(columns)) != 0;
}

#include "arch/batch_plain.h"

#include "arch/batch_blocks.h"

} // namespace

const BatchKernels avx2_kernels{count_local, put_blocks, count_blocks, put_words, count_columns};

} // namespace warplens::arch
