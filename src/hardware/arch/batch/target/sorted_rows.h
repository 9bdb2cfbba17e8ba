// Sorts 32 rows, of which each column is by itself: with a minimum and a maximum of whole rows per exchange, and without
// a branch. Each half, 16 registers, by Batcher's odd-even merge sort, and both together by a bitonic merge, of which
// all steps but the first stay in a half.
#pragma once
#include "base/types.h"

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

constexpr u32 half = warp_size / 2;

// The smaller ones to `a`.
template <class Row> [[gnu::always_inline]] inline void order(Row& a, Row& b) {
  Row smaller = a < b ? a : b;
  b = a < b ? b : a;
  a = smaller;
}

// Ascending runs of `run` rows become, two and two, ascending runs.
template <u32 run, class Row> [[gnu::always_inline]] inline void merge_runs(Row (&rows)[half]) {
#pragma GCC unroll 16
  for (u32 first = 0; first < half; first += 2 * run) {
#pragma GCC unroll 16
    for (u32 i = first; i < first + run; ++i) order(rows[i], rows[i + run]);
#pragma GCC unroll 16
    for (u32 distance = run / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
      for (u32 begin = first + distance; begin + distance < first + 2 * run; begin += 2 * distance)
#pragma GCC unroll 16
        for (u32 i = begin; i < begin + distance; ++i) order(rows[i], rows[i + distance]);
  }
}

template <u32 distance, class Row> [[gnu::always_inline]] inline void merge_bitonic(Row (&rows)[half]) {
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i)
    if ((i & distance) == 0) order(rows[i], rows[i + distance]);
  if constexpr (distance > 1) merge_bitonic<distance / 2>(rows);
}

// By rows, since `memcpy` would keep both places in memory.
template <class Row> [[gnu::always_inline]] inline void copy_half(const Row* from, Row* to) {
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i) to[i] = from[i];
}

template <class Row> [[gnu::always_inline]] inline void sort_half(Row* all) {
  Row rows[half];
  copy_half(all, rows);
  merge_runs<1>(rows), merge_runs<2>(rows), merge_runs<4>(rows), merge_runs<8>(rows);
  copy_half(rows, all);
}

template <class Row> [[gnu::always_inline]] inline void sort_halves(Row (&all)[warp_size]) {
  for (u32 begin = 0; begin < warp_size; begin += half) sort_half(all + begin);
}

template <class Row> [[gnu::always_inline]] inline void merge_halves(Row (&all)[warp_size]) {
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i) order(all[i], all[warp_size - 1 - i]);
  for (u32 begin = 0; begin < warp_size; begin += half) {
    Row rows[half];
    copy_half(all + begin, rows);
    merge_bitonic<half / 2>(rows);
    copy_half(rows, all + begin);
  }
}

template <class Row> [[gnu::always_inline]] inline void sort_rows(Row (&all)[warp_size]) {
  sort_halves(all), merge_halves(all);
}

template <class Row> [[gnu::always_inline]] inline void sort_rows(Row (&all)[half]) { sort_half(all); }

} // namespace
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
