// Passes of the L1's tag and data stages (rules/l1_stages.h) of the warps that stand side by side in blocks.cpp, in rows
// of 16 bits: one of each warp.
//
// Tag stage. The n-th different line of a set is served in the set's n-th pass, so that a lane's pass is that of an
// earlier lane with its line, or else how many lines its set had before. Lanes of one line are mostly neighbours, and
// then the earlier lane is the one before; if not, all are looked at.
//
// Data stage. Lanes meet that go through together, in a *unit*: a pass and a group of lanes (half-warps for 8 bytes,
// and so on), or of a store's first passes the group alone. A unit costs the most different words in one bank. So a lane
// becomes a number
//
//   unit's pass : 5 | group and bank : 5 | which line : 3 + 2, its pass among those that go together and its set
//
// in which equal words are equal, the words of a bank are a run once sorted, and the banks of a unit, too. A word's
// place in its line is its bank: 32 banks for words up to 4 bytes; 8 bytes take two at once, of which 16 are left, where
// there are two groups of lanes; and so on, so that group and bank have 5 bits for every width.
//
//   4-byte loads of lanes 0 … 3 at 0, 4, 128, 132: lines 0 and 1, of different sets a and b, both in pass 0. Sorted:
//   0:0:a 0:0:b 0:1:a 0:1:b, two banks with two words each: 1 tag pass, 2 wavefronts.
//
// Reductions and atomics pass like loads as long as no lanes share an address; else stages.cpp has them, one by one.
#pragma once
#include "arch/batch/target/lanes.h"
#include "arch/batch/target/sorted_rows.h"
#include "arch/rules/l1_stages.h"

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using Narrow [[gnu::vector_size(2 * block_columns)]] = i16;
using Bits [[gnu::vector_size(2 * block_columns)]] = u16;

[[gnu::always_inline]] inline Bits bits(Narrow row) { return reinterpret_cast<Bits>(row); }
[[gnu::always_inline]] inline Narrow narrow(Bits row) { return reinterpret_cast<Narrow>(row); }

// The low 32 bits of each lane's line, from all warps. Two lanes have the same line if both halves of these are equal: exact,
// because keys reach over less than 2^32 lines, and as good as the full number for tag sets, but for lanes on both sides of a
// multiple of 2^32 lines.
template <u32 rows> struct LinesOfLanes {
  Bits low[rows], high[rows], place[rows]; // of the element in its line
  Narrow active[rows];
  Narrow begins[rows]; // the lane is active, and the active one before it has another line
  Bits runs{};         // how many of them
  Bits beyond{};       // not 0 where lanes' lines differ in the upper half
  Bits crossing{};     // not 0 where lanes lie on both sides of a multiple of 2^32 lines
};

// Keys begin at a multiple of 2^16 lines (first_key()), so that no carry comes from the lower half.
template <u32 rows>
[[gnu::always_inline]] inline void find_lines(const PendingBlocks& w, LinesOfLanes<rows>& out) {
  u32 up = 9 + w.shift, down = 7 - w.shift;
  u16 in_line = static_cast<u16>((128 >> w.shift) - 1);
  Bits begin, latest_low{}, latest_high;
  for (u32 i = 0; i < block_columns; ++i) begin[i] = static_cast<u16>(w.line[i] >> 16);
  Bits first_lanes = begin + static_cast<u16>((u32{1} << 30) >> 16 >> down); // the lines that keys lead to
  latest_high = first_lanes + u16{1};                                        // nobody's
  Bits above{}, below{};
  for (u32 lane = 0; lane < rows; ++lane) {
    Bits front, back;
    std::memcpy(&front, &w.key[lane][0], sizeof front);
    std::memcpy(&back, &w.key[lane][block_columns / 2], sizeof back);
    Bits key_low =
        __builtin_shufflevector(front, back, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    Bits key_high =
        __builtin_shufflevector(front, back, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    Narrow active = ~(narrow(key_high) >> 15);
    Bits low = key_low >> down | key_high << up, high = (key_high >> down) + begin;
    Narrow begins = ~((low == latest_low) & (high == latest_high)) & active;
    latest_low = begins ? low : latest_low, latest_high = begins ? high : latest_high;
    out.low[lane] = low, out.high[lane] = high, out.place[lane] = key_low & in_line;
    out.active[lane] = active, out.begins[lane] = begins;
    out.runs -= bits(begins);
    out.beyond |= (high ^ first_lanes) & bits(active);
    Bits wrapped = bits(high < begin);
    above |= wrapped & bits(active), below |= ~wrapped & bits(active);
  }
  out.crossing = above & below;
}

// The tag set of lines (rules/l1_stages.h): its lower bit, and its upper one at bit 8.
[[gnu::always_inline]] inline Bits tag_sets(Bits low, Bits high) {
  constexpr u16 low_of_low = tag_set_low & 0xffff, high_of_low = tag_set_low >> 16 & 0xffff,
                low_of_high = tag_set_high & 0xffff, high_of_high = tag_set_high >> 16 & 0xffff;
  Bits lower = (low & low_of_low) ^ (high & high_of_low), upper = (low & low_of_high) ^ (high & high_of_high);
  lower ^= lower >> 8, upper ^= upper << 8;
  Bits both = (lower & u16{0xff}) | (upper & u16{0xff00});
  both ^= both >> 4, both ^= both >> 2, both ^= both >> 1;
  return both & u16{0x101};
}

// How an earlier lane with a lane's line is found.
enum class Find : u8 {
  neighbour,
  near,
  far
}; // lanes of one line are neighbours; lines differ in the lower half; any

// The pass of the earlier lanes with this one's line, from 1 on; or 0.
template <Find find, u32 rows>
[[gnu::always_inline]] inline Bits known_pass(const LinesOfLanes<rows>& lines, const Bits (&pass)[rows],
                                              u32 lane) {
  Bits known{};
  for (u32 i = 0; i < lane; ++i) {
    Narrow same = lines.low[i] == lines.low[lane];
    if (find == Find::far) same &= lines.high[i] == lines.high[lane];
    known |= bits(same & lines.active[i]) & pass[i];
  }
  return known;
}

// Every lane's number as that of a load by the whole warp: pass, bank, set. Those that take no part have the greatest.
// `tag_passes`: of each warp.
template <Find find, u32 rows>
[[gnu::always_inline]] inline void find_numbers(const PendingBlocks& w, const LinesOfLanes<rows>& lines,
                                                Narrow (&number)[rows], Bits& tag_passes) {
  u32 narrower = w.shift < 2 ? 2 - w.shift : 0;
  Bits pass[rows], latest{}, first = Bits{} + u16{1}, next[4] = {first, first, first, first};
  for (u32 lane = 0; lane < rows; ++lane) {
    Bits set = tag_sets(lines.low[lane], lines.high[lane]);
    Bits odd = bits(narrow(set << 15) >> 15), upper = bits(narrow(set << 7) >> 15); // all ones, or none
    Bits known = find == Find::neighbour ? latest : known_pass<find>(lines, pass, lane);
    Narrow fresh = find == Find::neighbour ? lines.begins[lane] : (known == 0) & lines.active[lane];
    Bits own = narrow(upper) ? (narrow(odd) ? next[3] : next[2]) : (narrow(odd) ? next[1] : next[0]);
    latest = pass[lane] = fresh ? own : known;
    Bits in_upper = bits(fresh) & upper, in_lower = bits(fresh) & ~upper;
    next[0] -= in_lower & ~odd, next[1] -= in_lower & odd;
    next[2] -= in_upper & ~odd, next[3] -= in_upper & odd;
    Bits bank = lines.place[lane] >> narrower, from_0 = latest - first;
    Bits of = from_0 << 10 | bank << 5 | (set >> 7 | (set & u16{1}));
    number[lane] = (narrow(of) | ~lines.active[lane]) & i16{0x7fff};
  }
  tag_passes = Bits{};
  for (Bits n : next) tag_passes = tag_passes < n - first ? n - first : tag_passes;
}

// Lanes of wide words go through in groups.
template <u32 rows> [[gnu::always_inline]] inline void add_groups(u32 shift, Narrow (&number)[rows]) {
  u32 lanes_shift = 7 - shift; // of a group
  for (u32 lane = 0; lane < rows; ++lane)
    number[lane] |= static_cast<i16>(lane >> lanes_shift << lanes_shift << 5);
}

// A store's lanes of the first passes go through together; the others, and those that take no part, stay as they are.
template <u32 rows> [[gnu::always_inline]] inline void put_together(u32 shift, Narrow (&number)[rows]) {
  i16 end = static_cast<i16>(passes_together(u32{1} << shift) << 10);
  for (Narrow& n : number) n = n < end ? (n & i16{0x3ff}) | (n >> 10 << 2) : n;
}

// Of sorted numbers: the sum over units of the most different words in one bank.
template <u32 rows>
[[gnu::always_inline]] inline Bits cost_of_units(const PendingBlocks& w, const Narrow (&number)[rows]) {
  i16 of_bank = 31, of_unit = static_cast<i16>((32 << (w.shift < 2 ? 5 : 7 - w.shift)) - 1);
  Narrow run = Narrow{} + i16{1}, most = run, sum = run;
  for (u32 lane = 1; lane < rows; ++lane) {
    Narrow differ = number[lane] ^ number[lane - 1], new_bank = differ > of_bank, new_unit = differ > of_unit;
    run = ((run - (differ > 0)) & ~new_bank) - new_bank;
    most &= ~new_unit;
    Narrow more = run > most; // by one: a run grows by one, and begins with one
    sum -= more;
    most = more ? run : most;
  }
  return bits(sum);
}

struct Passes {
  Bits tag, data; // data: one more where some rows have no lane
};

template <Find find, u32 rows>
[[gnu::always_inline]] inline Passes find_passes(const PendingBlocks& w, const LinesOfLanes<rows>& lines) {
  Passes out;
  Narrow number[rows];
  find_numbers<find>(w, lines, number, out.tag);
  if (w.shift > 2) add_groups(w.shift, number);
  if (w.kind == access::Kind::store) put_together(w.shift, number);
  sort_rows(number);
  out.data = cost_of_units(w, number);
  return out;
}

// One of them by itself: its addresses again.
[[gnu::always_inline]] inline StagePasses passes_of_column(const PendingBlocks& w, u32 column) {
  access::WarpAccess access;
  access.kind = w.kind, access.bytes = static_cast<u8>(u32{1} << w.shift);
  for (u32 lane = 0; lane < w.rows; ++lane) {
    i32 key = w.key[lane][column];
    access.active |= u32{key >= 0} << lane;
    access.address[lane] = (w.line[column] << 7) + (static_cast<u64>(static_cast<u32>(key)) << w.shift);
  }
  StagePasses out;
  if (count_stages_of_warp({access.address.data(), access.active, w.shift, w.kind}, out)) return out;
  return act_out_stages(access);
}

// Adds the passes of the warps that wait.
template <u32 rows> void count_passes(const PendingBlocks& w, const DistinctCounts& distinct, Counts& out) {
  bool atomic = is_atomic(w.kind);
  u32 factor = w.kind == access::Kind::atomic ? 2 : 1, lines = 0;
  for (u32 i = 0; i < w.count; ++i) lines += distinct.lines[i];
  if (lines == w.count && w.shift <= 2 && !atomic) { // one line each, and no groups
    out.tag_passes += lines, out.data_wavefronts += lines;
    return;
  }
  LinesOfLanes<rows> of;
  find_lines(w, of);
  bool neighbours = true, near = true;
  for (u32 i = 0; i < w.count; ++i) neighbours &= of.runs[i] == distinct.lines[i], near &= of.beyond[i] == 0;
  Passes passes = neighbours ? find_passes<Find::neighbour>(w, of)
                  : near     ? find_passes<Find::near>(w, of)
                             : find_passes<Find::far>(w, of);
  for (u32 i = 0; i < w.count; ++i) {
    StagePasses one{passes.tag[i], (passes.data[i] - u32{w.lanes[i] < rows}) * factor};
    if ((atomic && distinct.words[i] < w.lanes[i]) || of.crossing[i] != 0) one = passes_of_column(w, i);
    out.tag_passes += one.tag, out.data_wavefronts += one.data;
  }
}

} // namespace
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
