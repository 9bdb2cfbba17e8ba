// Plain x86-64 (SSE2): a row of 4 warps' keys is one register. Keys are signed, since SSE2 compares no
// others.
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

#include "arch/batch_loops.h"

#include "arch/batch_columns.h"

using Columns [[gnu::vector_size(16)]] = i32;

WARPLENS_SIMD bool any_negative(Columns columns) {
  return _mm_movemask_ps(reinterpret_cast<__m128>(columns)) != 0;
}

#include "arch/batch_plain.h"

#include "arch/batch_blocks.h"

} // namespace

const BatchKernels baseline_kernels{count_local, put_blocks, count_blocks, put_words, count_columns};

} // namespace warplens::arch
