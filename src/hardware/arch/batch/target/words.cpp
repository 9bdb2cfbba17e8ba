// Shared and constant memory, where what counts is how many different words the lanes want, in all and of
// each bank. The instructions are the compiler's choice, because every loop does the same to neighbours in memory.
//
// Warps stand side by side: row l has lane l's key of each of 32 warps. A sorting network over the rows
// (sorted_rows.h) then sorts all of them at once. A key is the number of a lane's word, with its bank on
// top: in order, equal words are neighbours, and the words of one bank are a run. Batches are often smaller
// than 32 warps, so warps wait here for those of the next batch.
//
// Lanes that do not take part have the greatest key and stand behind the others once sorted. Words are
// numbered from 2^15 words below the first active lane's on, which has to cover the others. That renames the
// banks, which makes no difference, and lanes that are in order stay so.
#include "arch/batch/target/lanes.h"
#include "arch/batch/target/sorted_rows.h"
#include "arch/rules/shared.h"
#include <algorithm>

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

// How a key names its word: bank | row | byte or half of the word. Its highest bit is turned over, so that it is in order as
// a number with a sign, which SSE2 compares.
struct Layout {
  u32 bank_bits = 0, part_bits = 0;
  u16 bank() const { return static_cast<u16>(0xffff0000u >> bank_bits); }
  u16 part() const { return static_cast<u16>((1u << part_bits) - 1); }
  u16 row() const { return static_cast<u16>(~(bank() | part())); }
};

[[gnu::always_inline]] inline Layout layout_of(Sharing sharing, u32 shift) {
  if (sharing == Sharing::no_banks) return {};
  return shift == 3 ? Layout{4, 0} : Layout{5, 2 - shift};
}

// The words of four warps' lanes, four numbers of 16 bits per lane. False when a lane is misaligned or too
// far away.
template <bool all_lanes>
[[gnu::always_inline]] inline bool pack_words(const FourWarps& four, u32 shift, u64 (&packed)[warp_size]) {
  u64 furthest = u64{0xffff} << shift, unit = std::max(4u, 1u << shift), any = 0, from[4];
  for (u32 k = 0; k < 4; ++k)
    from[k] = align_down(four.address[k][first_lane(four.active[k])], unit) - (u64{1} << 15 << shift);
  for (u64 lane = 0; lane < warp_size; ++lane) {
    u64 distance[4];
#pragma GCC unroll 4
    for (u32 k = 0; k < 4; ++k) {
      distance[k] = four.address[k][lane] - from[k];
      if (!all_lanes) distance[k] = u64{four.active[k]} >> lane & 1 ? distance[k] : furthest;
      any |= distance[k];
    }
    // Aligned, they do not overlap before they are shifted either; only the last would not fit.
    u64 first_three = distance[0] | distance[1] << 16 | distance[2] << 32;
    packed[lane] = first_three >> shift | distance[3] << (48 - shift);
  }
  return (any & ~furthest) == 0;
}

[[gnu::always_inline]] inline bool pack(const FourWarps& four, u32 shift, u64 (&packed)[warp_size]) {
  u32 everywhere = four.active[0] & four.active[1] & four.active[2] & four.active[3];
  return everywhere == full_mask ? pack_words<true>(four, shift, packed)
                                 : pack_words<false>(four, shift, packed);
}

[[gnu::always_inline]] inline void keys_of_words(const Layout& layout, u64 (&packed)[warp_size]) {
  constexpr u64 each = 0x0001000100010001;
  u64 bank = layout.bank() * each, row = layout.row() * each, part = layout.part() * each;
  u32 up = 16 - layout.bank_bits - layout.part_bits, down = layout.bank_bits;
  for (u64& four : packed) four = ((four << up & bank) | (four >> down & row) | (four & part)) ^ (each << 15);
}

// Adds the warps to those that wait, as the next columns.
[[gnu::always_inline]] inline void put(const FourWarps& four, const u64 (&keys)[warp_size], PendingWords& w) {
  u32 first = w.count; // what is written below might otherwise be the count
  for (u32 lane = 0; lane < warp_size; ++lane)
    std::memcpy(&w.key[lane][first], &keys[lane], sizeof keys[lane]);
  for (u32 k = 0; k < four.count; ++k) {
    u32 lanes = four.active[k];
    w.lanes[w.count] = static_cast<u16>(ones(lanes));
    w.lower[w.count] = static_cast<u16>(ones(lanes & 0xffff));
    w.in_pairs[w.count] = w.sharing == Sharing::shared_in_pairs && in_pairs(four.address[k], lanes);
    ++w.count;
  }
}

bool ascending(const PendingWords& w) {
  alignas(64) WordRow falls = {};
  for (u32 lane = 1; lane < warp_size; ++lane)
    for (u32 i = 0; i < columns; ++i) falls[i] |= static_cast<u16>(w.key[lane - 1][i] > w.key[lane][i]);
  return std::all_of(falls, falls + w.count, [](u16 any) { return any == 0; });
}

// Sixteen warps at a time, in registers.
using SomeColumns [[gnu::vector_size(32)]] = i16;
template <class Sort> [[gnu::always_inline]] inline void sort_words(PendingWords& w, Sort sort) {
  for (u32 first = 0; first < w.count; first += sizeof(SomeColumns) / sizeof(i16)) {
    SomeColumns rows[warp_size];
    for (u32 lane = 0; lane < warp_size; ++lane) std::memcpy(&rows[lane], &w.key[lane][first], sizeof *rows);
    sort(rows);
    for (u32 lane = 0; lane < warp_size; ++lane) std::memcpy(&w.key[lane][first], &rows[lane], sizeof *rows);
  }
}

// Of sorted keys, per warp.
struct Runs {
  alignas(64) WordRow different;
  alignas(64) WordRow longest; // the most different words of one bank; or lanes
};

// Looks at `count` lanes from `first` on, of which the first `active` are meant.
void find_runs(const PendingWords& w, u32 first, u32 count, const WordRow& active, Runs& out) {
  Layout layout = layout_of(w.sharing, w.shift);
  bool each_lane = w.sharing == Sharing::each_lane;
  u16 bank = layout.bank(), word = static_cast<u16>(~layout.part());
  alignas(64) WordRow run;
  for (u32 i = 0; i < columns; ++i) run[i] = out.longest[i] = out.different[i] = active[i] > 0;
  for (u32 lane = 1; lane < count; ++lane)
    for (u32 i = 0; i < columns; ++i) {
      u16 differ = static_cast<u16>(w.key[first + lane][i] ^ w.key[first + lane - 1][i]);
      u16 meant = lane < active[i], more = each_lane || (differ & word) != 0;
      run[i] = (differ & bank) != 0 ? u16{1} : static_cast<u16>(run[i] + more);
      u16 longest = meant ? run[i] : u16{0};
      out.longest[i] = out.longest[i] > longest ? out.longest[i] : longest;
      out.different[i] = static_cast<u16>(out.different[i] + (meant & (differ != 0)));
    }
}

} // namespace

// Words of up to 4 bytes conflict over the whole warp. Those of 8: half-warps one after the other, and at
// once where they hold the same words in pairs.
void count_words(PendingWords& w, Counts& out) {
  if (w.count == 0) return;
  bool in_order = ascending(w), wide = w.sharing != Sharing::no_banks && w.shift == 3;
  Runs lower, upper, all;
  if (!in_order)
    sort_words(
        w, [](auto& rows) __attribute__((always_inline)) { sort_halves(rows); });
  if (wide) {
    alignas(64) WordRow rest;
    for (u32 i = 0; i < columns; ++i) rest[i] = static_cast<u16>(w.lanes[i] - w.lower[i]);
    find_runs(w, 0, 16, w.lower, lower);
    find_runs(w, 16, 16, rest, upper);
  }
  if (!in_order)
    sort_words(
        w, [](auto& rows) __attribute__((always_inline)) { merge_halves(rows); });
  find_runs(w, 0, warp_size, w.lanes, all);
  alignas(64) WordRow spent;
  u64 threads = 0, different = 0, wavefronts = 0, data_wavefronts = 0, ideal = 0;
  for (u32 i = 0; i < w.count; ++i) {
    u32 data = all.longest[i], cost = data;
    if (wide) {
      cost = lower.longest[i] + upper.longest[i];
      if (!w.in_pairs[i]) data = cost;
      if (data == 1) cost = 1;
    }
    threads += w.lanes[i];
    different += all.different[i];
    wavefronts += cost;
    spent[i] = static_cast<u16>(w.sharing == Sharing::no_banks ? all.different[i] : cost);
    data_wavefronts += data;
    ideal += smaller(cost, ((u32{w.lanes[i]} << w.shift) + 127) >> 7);
  }
  if (w.costs != nullptr)
    for (u32 i = 0; i < w.count; ++i) *w.costs++ = {w.lanes[i], spent[i]};
  out.instructions += w.count;
  out.threads += threads;
  out.bytes_used += different << w.shift;
  if (w.sharing == Sharing::no_banks) {
    out.requests += different;
  } else {
    out.requests += w.count;
    out.wavefronts += wavefronts;
    out.data_wavefronts += data_wavefronts;
    out.ideal_wavefronts += ideal;
  }
  w.count = 0;
}

u32 put_words(const Warps& warps, Sharing sharing, PendingWords& w, Counts& out) {
  if (w.shift != warps.shift || w.sharing != sharing) count_words(w, out);
  w.shift = warps.shift, w.sharing = sharing;
  u32 warp = 0, next;
  for (; (warp = next_warp(warps, warp)) < warps.count; warp = next) {
    FourWarps four;
    u64 packed[warp_size];
    next = take_four(warps, warp, four);
    if (!pack(four, w.shift, packed)) break;
    keys_of_words(layout_of(sharing, w.shift), packed);
    if (w.count + 4 > columns) count_words(w, out);
    put(four, packed, w);
  }
  return warp;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
