// Copies through the L1 by banks on both sides, copies past it by pieces of sectors. See async_copy.h for what was measured.
#include "arch/rules/async_copy.h"
#include "arch/rules/distinct.h"
#include "arch/rules/shared.h"
#include <algorithm>

namespace warplens::arch {
namespace {

constexpr u32 bank_of(u64 address, u32 word) { return static_cast<u32>(address / 4 + word) % 32; }

struct LaneList {
  std::array<u8, warp_size> lane;
  u32 count = 0;
};

LaneList by_descending_destination(const u64* to, u32 lanes) {
  LaneList out;
  for_each_lane(lanes, [&](u32 lane) { out.lane[out.count++] = static_cast<u8>(lane); });
  std::stable_sort(out.lane.begin(), out.lane.begin() + out.count, [&](u8 a, u8 b) { return to[a] > to[b]; });
  return out;
}

// Each of the lanes reads a line that one of those before it read.
bool same_lines(const access::WarpAccess& access, u32 lanes, u32 before) {
  bool all = true;
  for_each_lane(lanes, [&](u32 lane) {
    bool found = false;
    for_each_lane(before,
                  [&](u32 other) { found |= access.address[lane] / 128 == access.address[other] / 128; });
    all &= found;
  });
  return all;
}

// Of lanes that are served together.
u64 passes_through_l1(const access::WarpAccess& access, u32 lanes) {
  struct Pass {
    std::array<u8, 32> reads{};
    u32 most = 1, readers = 0;
  };
  std::array<Pass, warp_size> passes;
  std::array<u32, 32> taken{}; // passes, by bank of the destinations
  u32 used = 0, words = std::max<u32>(access.bytes / 4, 1);
  LaneList order = by_descending_destination(access.copied_to, lanes);
  for (u32 i = 0; i < order.count; ++i) {
    u32 lane = order.lane[i], number = 0;
    for (u32 w = 0; w < words; ++w) number = std::max(number, taken[bank_of(access.copied_to[lane], w)]);
    for (u32 w = 0; w < words; ++w) taken[bank_of(access.copied_to[lane], w)] = number + 1;
    used = std::max(used, number + 1);
    if ((access.empty >> lane & 1) != 0) continue;
    Pass& pass = passes[number];
    pass.readers |= u32{1} << lane;
    for (u32 w = 0; w < words; ++w)
      pass.most = std::max<u32>(pass.most, ++pass.reads[bank_of(access.address[lane], w)]);
  }
  u64 sum = 0;
  for (u32 p = 0; p < used; ++p)
    sum += p > 0 && passes[p].most > 1 && same_lines(access, passes[p].readers, passes[p - 1].readers)
               ? 1
               : passes[p].most;
  return sum;
}

u64 passes_through_l1(const access::WarpAccess& access) {
  u64 sum = 0;
  for_each_group(access.active, lanes_per_pass(access.bytes),
                 [&](u32 lanes) { sum += passes_through_l1(access, lanes); });
  return sum;
}

// A sector on its way past the L1.
struct Piece {
  u64 from, to; // sectors
  bool swapped; // its halves
  u32 halves;   // that are written
  bool same_way(const Piece& o) const {
    return from / 4 == o.from / 4 && to / 4 == o.to / 4 && swapped == o.swapped &&
           (from ^ to) % 2 == (o.from ^ o.to) % 2 && halves == o.halves;
  }
};

struct Pieces {
  std::array<Piece, warp_size> piece;
  u32 count = 0, lanes = 0;
};

Pieces pieces_past_l1(const access::WarpAccess& access, u32 reading) {
  Pieces out;
  std::array<u64, warp_size> written;
  for_each_lane(reading, [&](u32 lane) {
    u64 from = access.address[lane], to = access.copied_to[lane];
    if (std::find(written.begin(), written.begin() + out.lanes, to) != written.begin() + out.lanes) return;
    written[out.lanes++] = to;
    Piece one{from / 32, to / 32, ((from ^ to) & 16) != 0, u32{1} << (to / 16 % 2)};
    Piece* end = out.piece.data() + out.count;
    Piece* known = std::find_if(out.piece.data(), end, [&](const Piece& p) {
      return p.from == one.from && p.to == one.to && p.swapped == one.swapped;
    });
    if (known != end)
      known->halves |= one.halves;
    else
      out.piece[out.count++] = one;
  });
  return out;
}

u64 passes_past_l1(const Pieces& pieces) {
  std::array<u32, warp_size> passes{}; // by the first piece that goes the same way
  for (u32 i = 0; i < pieces.count; ++i) {
    u32 first = i, before = 0; // pieces of the same sector
    for (u32 j = i; j-- > 0;) {
      if (!pieces.piece[i].same_way(pieces.piece[j])) continue;
      first = j;
      before += pieces.piece[i].from == pieces.piece[j].from;
    }
    passes[first] = std::max(passes[first], before + 1);
  }
  u64 sum = 0;
  for (u32 n : passes) sum += n;
  return sum;
}

void add_passes_past_l1(const access::WarpAccess& access, u32 reading, Counts& counts, u64& passes) {
  Pieces pieces = pieces_past_l1(access, reading);
  passes += passes_past_l1(pieces);
  u64 more = pieces.count - std::min<u64>(pieces.count, counts.sectors),
      fewer = counts.sectors - std::min<u64>(pieces.count, counts.sectors);
  counts.sectors = pieces.count;
  counts.transactions += more, counts.transactions -= fewer;
  counts.transaction_bytes += more * 32, counts.transaction_bytes -= fewer * 32;
  counts.ideal_sectors = std::min<u64>(pieces.count, ceil_div(u64{pieces.lanes} * access.bytes, 32));
}

} // namespace

void add_async_copy(const Architecture& arch, const access::WarpAccess& access, Counts& sum) {
  Counts counts;
  access::WarpAccess reads = access;
  reads.active &= ~access.empty;
  if (reads.active != 0) arch.global.rule->count(arch, reads, counts);
  u64 passes = 0;
  bool past = access.cache == access::Cache::cg;
  if (access.copied_to == nullptr) {
    passes = async_copy_wavefronts(access);
  } else {
    if (past && reads.active != 0) add_passes_past_l1(access, reads.active, counts, passes);
    if (!past || access.sized) passes += passes_through_l1(access);
  }
  u64 needed = ceil_div(u64{static_cast<u32>(std::popcount(access.active))} * access.bytes, 128);
  counts.wavefronts = passes;
  counts.ideal_wavefronts = std::min(passes, needed);
  sum += counts;
}

void add_copied_half(const Architecture& arch, const access::WarpAccess& half, Counts& sum) {
  access::WarpAccess copy = half;
  copy.space = access::Space::global;
  copy.copied_to = half.address.data();
  if (half.copied_from != nullptr) std::copy_n(half.copied_from, warp_size, copy.address.begin());
  Counts counts;
  add_async_copy(arch, copy, counts);
  const bool past = copy.cache == access::Cache::cg;
  sum.wavefronts += counts.wavefronts;
  sum.ideal_wavefronts += past ? counts.wavefronts : counts.ideal_wavefronts;
  sum.bytes_used += distinct(half.address, half.active, half.bytes).bytes;
}

} // namespace warplens::arch
