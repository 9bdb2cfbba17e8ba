// Plain x86-64 (SSE2): a row of 4 warps' keys is one register. Keys are signed, since SSE2 compares no
// others.
#include "arch/batch/batch.h"
#include "arch/rules/shared.h"
#include "base/bits.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <emmintrin.h>

namespace warplens::arch {
namespace {

#define WARPLENS_SIMD __attribute__((always_inline)) inline
#define WARPLENS_SIMD_LOOP

#include "arch/batch/batch_loops.inc"

#include "arch/batch/batch_columns.inc"

using Columns [[gnu::vector_size(16)]] = i32;

WARPLENS_SIMD bool any_negative(Columns columns) {
  return _mm_movemask_ps(reinterpret_cast<__m128>(columns)) != 0;
}

#include "arch/batch/batch_plain.inc"

#include "arch/batch/batch_blocks.inc"

} // namespace

const BatchKernels baseline_kernels{count_local, put_blocks, count_blocks, put_words, count_columns};

} // namespace warplens::arch
