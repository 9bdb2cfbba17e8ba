// Global memory as one request per instruction, where what counts is how many different words, sectors and
// lines the lanes want.
//
// Warps stand side by side as in words.cpp: row l has lane l's key of each of 16 warps. A key is the number of the
// lane's word, from 2^30 words below the first active lane's line on, or -1 where the lane does not take part. In
// order, equal words, sectors and lines are neighbours, and those that take no part stand before all others.
//
// Lanes mostly ascend already. Where they do not, the rows are sorted (sorted_rows.h). Passes of the L1's stages, which
// depend on the order of lanes: passes.h.
//
// Where no warp that waits has more than 16 active lanes, the keys of these stand one after the other, and 16 rows do.
//
// An instruction set says (block_keys_*.h)
//   Columns              a vector of i32: one of each of neighbouring warps
//   any_negative
//   put_keys             four warps' keys into neighbouring columns; false when one cannot be counted
//   count_distinct_keys  of sorted keys
#include "arch/batch/target/passes.h"
#ifdef __AVX512F__
#include "arch/batch/target/block_keys_avx512.h"
#else
#include "arch/batch/target/block_keys_plain.h"
#endif

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

[[gnu::always_inline]] inline Columns row(const PendingBlocks& w, u32 lane, u32 first) {
  Columns out;
  std::memcpy(&out, &w.key[lane][first], sizeof out);
  return out;
}

// Columns beyond those that wait hold anything: what is computed of them may wrap.
using Modulo [[gnu::vector_size(sizeof(Columns))]] = u32;

// The largest key so far, which is what a lane in order has, and what stands for one that takes no part.
// False when a lane of some warp comes before its predecessors.
template <u32 rows>
[[gnu::always_inline]] inline bool fill_ascending(const PendingBlocks& w, u32 first, Columns (&out)[rows]) {
  Columns last = row(w, 0, first), falls{};
  out[0] = last;
  for (u32 lane = 1; lane < rows; ++lane) {
    Columns key = row(w, lane, first);
    last = last < key ? key : last;
    falls |= reinterpret_cast<Columns>(reinterpret_cast<Modulo>(key) - reinterpret_cast<Modulo>(last)) & ~key;
    out[lane] = last;
    if (lane % 8 == 7 && any_negative(falls)) return false;
  }
  return true;
}

template <u32 rows>
[[gnu::always_inline]] inline void sort_keys(const PendingBlocks& w, u32 first, Columns (&out)[rows]) {
  for (u32 lane = 0; lane < rows; ++lane) out[lane] = row(w, lane, first);
  sort_rows(out);
}

// Words of more than 4 bytes pass in groups of lanes, which have to stay where they are.
[[gnu::always_inline]] inline bool are_few(const FourWarps& four, u32 shift) {
  u32 few = u32{shift <= 2};
  for (u32 active : four.active) few &= ones(active) <= half;
  return few != 0;
}

// As put_keys(), of the lanes that take part.
[[gnu::always_inline]] inline bool put_few_keys(const FourWarps& four, u32 shift, i32* key) {
  u64 allowed = u64{0x7fffffff} << shift, any = 0;
  for (u32 k = 0; k < 4; ++k) {
    u64 from = first_key(four.address[k], four.active[k], shift);
    i32* at = key + k;
    for_each_lane(four.active[k], [&](u32 lane) {
      u64 distance = four.address[k][lane] - from;
      any |= distance;
      *at = static_cast<i32>(distance >> shift);
      at += block_columns;
    });
    for (; at < key + half * block_columns; at += block_columns) *at = -1;
  }
  return (any & ~allowed) == 0;
}

template <u32 rows> void count_rows(PendingBlocks& w, Counts& out) {
  DistinctCounts distinct;
  for (u32 first = 0; first < w.count; first += sizeof(Columns) / sizeof(i32)) {
    Columns sorted[rows];
    if (!fill_ascending(w, first, sorted)) sort_keys(w, first, sorted);
    count_distinct_keys(sorted, w.shift, first, distinct);
  }
  if (w.stages && w.count != 0) count_passes<rows>(w, distinct, out);
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

} // namespace

void count_blocks(PendingBlocks& w, Counts& out) {
  w.rows == half ? count_rows<half>(w, out) : count_rows<warp_size>(w, out);
}

u32 put_blocks(const Warps& warps, PendingBlocks& w, Counts& out) {
  u32 warp = 0, next;
  for (; (warp = next_warp(warps, warp)) < warps.count; warp = next) {
    FourWarps four;
    next = take_four(warps, warp, four);
    u32 rows = are_few(four, w.shift) ? half : warp_size;
    if (w.count + 4 > block_columns || rows > w.rows) count_blocks(w, out);
    if (w.count == 0) w.rows = rows;
    i32* key = &w.key[0][w.count];
    if (!(w.rows == half ? put_few_keys(four, w.shift, key) : put_keys(four, w.shift, key))) break;
    for (u32 k = 0; k < four.count; ++k) {
      w.line[w.count] = first_key(four.address[k], four.active[k], w.shift) >> 7;
      w.lanes[w.count++] = ones(four.active[k]);
    }
  }
  return warp;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
