// Global memory as one request per instruction, where what counts is how many different words, sectors and
// lines the lanes want.
//
// Warps stand side by side as in words.cpp: row l has lane l's key of each of 16 warps. A key is the number of the
// lane's word, from 2^30 words below the first active lane's line on, or -1 where the lane does not take part. In
// order, equal words, sectors and lines are neighbours, and those that take no part stand before all others.
//
// Lanes mostly ascend already. Where they do not, the rows are sorted: each half, 16 registers, by Batcher's
// odd-even merge sort, and both together by a bitonic merge, of which all steps but the first stay in a half.
//
// An instruction set says (block_keys_*.h)
//   Columns              a vector of i32: one of each of neighbouring warps
//   any_negative
//   put_keys             four warps' keys into neighbouring columns; false when one cannot be counted
//   count_distinct_keys  of sorted keys
#include "arch/rules/l1_stages.h"
#ifdef __AVX512F__
#include "arch/batch/target/block_keys_avx512.h"
#else
#include "arch/batch/target/block_keys_plain.h"
#endif

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

constexpr u32 half = warp_size / 2;

[[gnu::always_inline]] inline Columns row(const PendingBlocks& w, u32 lane, u32 first) {
  Columns out;
  std::memcpy(&out, &w.key[lane][first], sizeof out);
  return out;
}

// Columns beyond those that wait hold anything: what is computed of them may wrap.
using Modulo [[gnu::vector_size(sizeof(Columns))]] = u32;

// The largest key so far, which is what a lane in order has, and what stands for one that takes no part.
// False when a lane of some warp comes before its predecessors.
[[gnu::always_inline]] inline bool fill_ascending(const PendingBlocks& w, u32 first,
                                                  Columns (&out)[warp_size]) {
  Columns last = row(w, 0, first), falls{};
  out[0] = last;
  for (u32 lane = 1; lane < warp_size; ++lane) {
    Columns key = row(w, lane, first);
    last = last < key ? key : last;
    falls |= reinterpret_cast<Columns>(reinterpret_cast<Modulo>(key) - reinterpret_cast<Modulo>(last)) & ~key;
    out[lane] = last;
    if (lane % 8 == 7 && any_negative(falls)) return false;
  }
  return true;
}

// The smaller ones to `a`.
[[gnu::always_inline]] inline void order(Columns& a, Columns& b) {
  Columns smaller = a < b ? a : b;
  b = a < b ? b : a;
  a = smaller;
}

// Ascending runs of `run` rows become, two and two, ascending runs.
template <u32 run> [[gnu::always_inline]] inline void merge_runs(Columns (&rows)[half]) {
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

template <u32 distance> [[gnu::always_inline]] inline void merge_bitonic(Columns (&rows)[half]) {
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i)
    if ((i & distance) == 0) order(rows[i], rows[i + distance]);
  if constexpr (distance > 1) merge_bitonic<distance / 2>(rows);
}

// By rows, since `memcpy` would keep both places in memory.
[[gnu::always_inline]] inline void copy_half(const Columns* from, Columns* to) {
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i) to[i] = from[i];
}

[[gnu::always_inline]] inline void sort_rows(const PendingBlocks& w, u32 first, Columns (&out)[warp_size]) {
  for (u32 begin = 0; begin < warp_size; begin += half) {
    Columns rows[half];
#pragma GCC unroll 16
    for (u32 i = 0; i < half; ++i) rows[i] = row(w, begin + i, first);
    merge_runs<1>(rows), merge_runs<2>(rows), merge_runs<4>(rows), merge_runs<8>(rows);
    copy_half(rows, out + begin);
  }
#pragma GCC unroll 16
  for (u32 i = 0; i < half; ++i) order(out[i], out[warp_size - 1 - i]);
  for (u32 begin = 0; begin < warp_size; begin += half) {
    Columns rows[half];
    copy_half(out + begin, rows);
    merge_bitonic<half / 2>(rows);
    copy_half(rows, out + begin);
  }
}

// The tag set of lines (rules/l1_stages.h), with both halves of it side by side.
[[gnu::always_inline]] inline Modulo tag_sets(Modulo line) {
  Modulo low = line & tag_set_low, high = line & tag_set_high;
  low ^= low >> 16, high ^= high << 16;
  Modulo both = (low & 0xffff) | (high & 0xffff0000);
  both ^= both >> 8, both ^= both >> 4, both ^= both >> 2, both ^= both >> 1;
  return (both & 1) | (both >> 15 & 2);
}

// Per warp, a bit for each pass: that there is one, and that in some bank 2, 3, 4 different words meet in it.
struct Passes {
  Modulo any{}, two{}, three{}, four{};
};

// Passes of the L1's stages, from lane to lane: a lane is in the pass of an earlier one with its line, or else in the
// next one of its line's set. In a pass the words of one bank lie in lines of different sets, so that the sets of the
// earlier lanes with its pass and bank say how many words meet. `lines_apart`: no two lanes of a warp share a line.
template <bool lines_apart>
[[gnu::always_inline]] inline void find_passes(const PendingBlocks& w, u32 first, Passes& out) {
  Modulo begin, lines[warp_size], pass[warp_size], place[warp_size], set_bit[warp_size], passes_of_sets{};
  std::memcpy(&begin, &w.line[first], sizeof begin);
  for (u32 lane = 0; lane < warp_size; ++lane) {
    Columns key = row(w, lane, first);
    Modulo active = reinterpret_cast<Modulo>(key >= 0), word = reinterpret_cast<Modulo>(key);
    lines[lane] = reinterpret_cast<Modulo>(key >> (7 - static_cast<i32>(w.shift)));
    Modulo set = tag_sets(lines[lane] + begin), known{}, meet{};
    for (u32 i = 0; i < lane && !lines_apart; ++i)
      known |= reinterpret_cast<Modulo>(lines[i] == lines[lane]) & pass[i];
    Modulo next = (passes_of_sets >> (set * 8) & 255) + 1; // passes are numbered from 1
    Modulo fresh = reinterpret_cast<Modulo>(known == 0) & active;
    passes_of_sets += (fresh & 1) << (set * 8);
    pass[lane] = known | (next & fresh);
    set_bit[lane] = (Modulo{} + 1) << set;
    place[lane] = (pass[lane] << 5 | ((word << w.shift) >> 2 & 31)) | ~active;
    for (u32 i = 0; i < lane; ++i) meet |= reinterpret_cast<Modulo>(place[i] == place[lane]) & set_bit[i];
    meet &= ~set_bit[lane];
    Modulo fewer = meet & (meet - 1), least = fewer & (fewer - 1),
           bit = (active & 1) << ((pass[lane] - 1) & 31);
    out.any |= bit;
    out.two |= bit & reinterpret_cast<Modulo>(meet != 0);
    out.three |= bit & reinterpret_cast<Modulo>(fewer != 0);
    out.four |= bit & reinterpret_cast<Modulo>(least != 0);
  }
}

// Of the columns from `first` on: all of them, or as many as wait.
[[gnu::always_inline]] inline void add_stages(const PendingBlocks& w, u32 first,
                                              const DistinctCounts& distinct, Counts& out) {
  u32 end = smaller(w.count, first + sizeof(Columns) / sizeof(i32)), lines = 0, lanes = 0;
  for (u32 i = first; i < end; ++i) lines += distinct.lines[i], lanes += w.lanes[i];
  if (lines == end - first) { // one line each
    out.tag_passes += lines, out.data_wavefronts += lines;
    return;
  }
  Passes passes;
  if (lines == lanes)
    find_passes<true>(w, first, passes);
  else
    find_passes<false>(w, first, passes);
  for (u32 i = 0; i < end - first; ++i) {
    out.tag_passes += ones(passes.any[i]);
    out.data_wavefronts +=
        ones(passes.any[i]) + ones(passes.two[i]) + ones(passes.three[i]) + ones(passes.four[i]);
  }
}

} // namespace

void count_blocks(PendingBlocks& w, Counts& out) {
  DistinctCounts distinct;
  for (u32 first = 0; first < w.count; first += sizeof(Columns) / sizeof(i32)) {
    Columns rows[warp_size];
    if (!fill_ascending(w, first, rows)) sort_rows(w, first, rows);
    count_distinct_keys(rows, w.shift, first, distinct);
    if (w.stages) add_stages(w, first, distinct, out);
  }
  u64 threads = 0, words = 0, sectors = 0, lines = 0, ideal = 0;
  for (u32 i = 0; i < w.count; ++i) {
    threads += w.lanes[i];
    words += distinct.words[i];
    sectors += distinct.sectors[i];
    lines += distinct.lines[i];
    ideal += smaller(distinct.sectors[i], ((w.lanes[i] << w.shift) + 31) >> 5);
  }
  if (w.costs != nullptr)
    for (u32 i = 0; i < w.count; ++i)
      *w.costs++ = {static_cast<u16>(w.lanes[i]),
                    static_cast<u16>(w.granularity.lines ? distinct.lines[i] : distinct.sectors[i])};
  u64 moved = w.granularity.lines ? lines : sectors;
  out.instructions += w.count;
  out.threads += threads;
  out.requests += w.count;
  out.tags += lines;
  out.sectors += sectors;
  out.ideal_sectors += ideal;
  out.transactions += moved;
  out.transaction_bytes += moved * w.granularity.bytes;
  out.bytes_used += words << w.shift;
  w.count = 0;
}

u32 put_blocks(const Warps& warps, PendingBlocks& w, Counts& out) {
  u32 warp = 0, next;
  for (; (warp = next_warp(warps, warp)) < warps.count; warp = next) {
    FourWarps four;
    next = take_four(warps, warp, four);
    if (w.count + 4 > block_columns) count_blocks(w, out);
    if (!put_keys(four, w.shift, &w.key[0][w.count])) break;
    for (u32 k = 0; k < four.count; ++k) {
      w.line[w.count] = static_cast<u32>(first_key(four.address[k], four.active[k], w.shift) >> 7);
      w.lanes[w.count++] = ones(four.active[k]);
    }
  }
  return warp;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
