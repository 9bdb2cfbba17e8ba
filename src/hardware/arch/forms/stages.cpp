// Tag sets under an exclusive or: what a carry changes, the bounds wherever a warp begins, a block's passes once per shape.
// See stages.h.
#include "arch/stages.h"
#include "arch/rules/l1_stages.h"
#include "arch/rules/requests.h"
#include "base/bits.h"
#include <algorithm>
#include <utility>

namespace warplens::arch {
namespace {

constexpr u64 line_bytes = 128;
constexpr std::size_t most_known = 1024; // combinations that a form keeps; a power of two

// The exclusive or of the tag sets that line numbers' lowest n bits lead to, when all of them are set.
constexpr std::array<u8, 65> low_bits_set = [] {
  std::array<u8, 65> out{};
  for (u32 n = 0; n < 64; ++n) {
    u64 set = n < tag_set_bits ? (tag_set_low >> n & 1) | (tag_set_high >> n & 1) << 1 : 0;
    out[n + 1] = static_cast<u8>(out[n] ^ set);
  }
  return out;
}();

// How the sets of lines at and beyond the next multiple of 2^bits differ from those before it: a carry clears the ones
// that `line` has from that bit on, and sets the zero behind them.
u32 carry_set(u64 line, u32 bits) {
  u32 changed = static_cast<u32>(std::countr_one(line >> bits)) + 1;
  return low_bits_set[std::min(bits + changed, 64u)] ^ low_bits_set[bits];
}

// Multiples of 2^bits, as line numbers, from one of which on a carry leads to each of the sets that it can lead to.
struct CarryPlaces {
  std::array<u64, 4> line{};
  u32 count = 0;
};
CarryPlaces carry_places(u32 bits) {
  CarryPlaces out;
  std::array<bool, 4> known{};
  for (u32 ones = 0; bits + ones < tag_set_bits; ++ones) {
    const u64 line = ((u64{1} << ones) - 1) << bits;
    if (!std::exchange(known[carry_set(line, bits)], true)) out.line[out.count++] = line;
  }
  return out;
}

// Each set answers one line after the other: a line as often as lanes wait for one address in it (reductions and atomics),
// else once. So passes are those of the set that has most, and a quarter of all at least.
PassBounds wherever_lines_lie(const access::WarpAccess& access) {
  const bool one_by_one = is_atomic(access.kind);
  std::array<u64, warp_size> line{}, waiting{};
  u32 lines = 0;
  u64 all = 0;
  for_each_lane(access.active, [&](u32 lane) {
    const u64 here = access.address[lane] / line_bytes;
    u64 same = 0; // lanes of this address, up to this one
    for_each_lane(access.active & low_lanes(lane + 1),
                  [&](u32 other) { same += access.address[other] == access.address[lane]; });
    const u32 at = static_cast<u32>(std::find(line.begin(), line.begin() + lines, here) - line.begin());
    if (at == lines) line[lines++] = here;
    waiting[at] = std::max(waiting[at], one_by_one ? same : 1);
  });
  for (u32 n = 0; n < lines; ++n) all += waiting[n];
  return {ceil_div(all, u64{4}), all};
}

} // namespace

PassBounds tag_pass_bounds(const access::WarpAccess& access) {
  constexpr u64 most_places = 256, pair = address_period / line_bytes;
  u64 first = ~u64{0}, last = 0, apart = 0;
  for_each_lane(access.active, [&](u32 lane) {
    first = std::min(first, access.address[lane] / line_bytes);
    last = std::max(last, access.address[lane] / line_bytes);
  });
  for_each_lane(access.active, [&](u32 lane) { apart |= access.address[lane] / line_bytes - first; });
  const u64 reach = last - first,
            step = apart == 0 ? 1 : apart & (~apart + 1); // a power of two in all distances
  const u32 bits = static_cast<u32>(std::bit_width(reach));
  if (reach != 0 && (u64{1} << bits) / step > most_places) return wherever_lines_lie(access);
  PassBounds out{~u64{0}, 0};
  auto at = [&](u64 line) {
    access::WarpAccess moved = access;
    for_each_lane(access.active, [&](u32 lane) { moved.address[lane] += (line - first) * line_bytes; });
    const u64 passes = stages_of(moved).tag;
    out = {std::min(out.least, passes), std::max(out.most, passes)};
  };
  if (first % pair + reach < pair) return at(first), out;
  // Where the first line lies from a multiple of 2^bits on: below `step` all sets change alike.
  const CarryPlaces carries = carry_places(bits);
  for (u64 low = step < pair ? first % pair : 0; low < u64{1} << bits; low += std::max(pair, step)) {
    if (low + reach < u64{1} << bits) {
      at(low);
      continue;
    }
    for (u32 n = 0; n < carries.count; ++n) at(carries.line[n] + low);
  }
  return out;
}

AffineStages::AffineStages(const access::AffineAccess& form)
    : header_(form), cta_stride_(form.cta_stride), count_(form.count) {
  access::AffineAccess one = form;
  one.base = 0;
  u32 warps = static_cast<u32>(ceil_div(form.block.count(), warp_size));
  if (form.active.empty()) {
    for (u32 w = 0; w < warps; ++w) add_warp(access::expand(one, w));
    return;
  }
  warps_per_cta_ = warps;
  for (u64 k = 0; k < form.count; ++k) {
    one.active = form.active.subspan(k * warps, warps);
    for (u32 w = 0; w < warps; ++w) add_warp(access::expand(one, w));
  }
}

void AffineStages::add_warp(const access::WarpAccess& access) {
  if (access.active == 0) return warps_.push_back({});
  // Addresses lie on either side of the base, which is 0 here: compared as signed numbers.
  i64 lowest = INT64_MAX;
  for_each_lane(access.active,
                [&](u32 lane) { lowest = std::min(lowest, static_cast<i64>(access.address[lane])); });
  Shape shape;
  shape.lanes = access.active;
  for_each_lane(access.active, [&](u32 lane) {
    shape.distance[lane] = access.address[lane] - static_cast<u64>(lowest);
    shape.furthest = std::max(shape.furthest, shape.distance[lane]);
  });
  std::size_t known = static_cast<std::size_t>(std::ranges::find(shapes_, shape) - shapes_.begin());
  if (known == shapes_.size()) shapes_.push_back(shape);
  warps_.push_back({static_cast<u64>(lowest), static_cast<u32>(known)});
}

std::span<const AffineStages::Warp> AffineStages::warps_of(u64 cta) const {
  if (warps_per_cta_ == 0) return warps_;
  return std::span(warps_).subspan(cta * warps_per_cta_, warps_per_cta_);
}

StagePasses AffineStages::work_out(const Shape& shape, u64 first) const {
  access::WarpAccess access{header_, shape.lanes};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = first + shape.distance[lane];
  return stages_of(access);
}

StagePasses AffineStages::passes(const Warp& warp, u64 base) {
  const Shape& shape = shapes_[warp.shape];
  u64 first = base + warp.start, in_line = first % line_bytes, line = first / line_bytes;
  u64 reach = (in_line + shape.furthest) / line_bytes;
  u32 bits = static_cast<u32>(std::bit_width(reach));
  if (bits > 32 || shapes_.size() > 256) return work_out(shape, first);
  u64 low = line & ((u64{1} << bits) - 1);
  u64 carry = low + reach >= u64{1} << bits ? carry_set(line, bits) : 0;
  u64 key = low << 17 | carry << 15 | in_line << 8 | warp.shape;
  if (known_.empty()) known_.resize(most_known);
  Known& known = known_[(key * 0x9e3779b97f4a7c15) >> 54];
  if (known.key != key) known = {key, work_out(shape, first)};
  return known.passes;
}

// Each lane comes to its next line at one place of the base.
void AffineStages::find_turns() {
  turns_known_ = true;
  std::array<bool, line_bytes> turns{};
  u64 ctas = warps_per_cta_ == 0 && cta_stride_ % static_cast<i64>(line_bytes) == 0 ? 1 : count_;
  if (warps_per_cta_ == 0) ctas = std::min(ctas, line_bytes); // then their places come again
  for (u64 k = 0; k < ctas; ++k)
    for (const Warp& warp : warps_of(k)) {
      if (warp.shape == takes_no_part) continue;
      const Shape& shape = shapes_[warp.shape];
      u64 start = warp.start + static_cast<u64>(cta_stride_) * k;
      for_each_lane(shape.lanes,
                    [&](u32 lane) { turns[(0 - start - shape.distance[lane]) % line_bytes] = true; });
    }
  for (u32 place = 1; place < line_bytes; ++place)
    turns_[place] = static_cast<u8>(turns_[place - 1] + (turns[place] ? 1 : 0));
}

StageSums AffineStages::count(const access::AffineAccess& access) {
  if (!turns_known_) find_turns();
  u64 line = access.base / line_bytes, turn = u64{turns_[access.base % line_bytes]} << 2 | access.base % 4;
  if (line != last_line_ || turn != last_turn_) {
    last_ = count_anew(access);
    last_line_ = line, last_turn_ = turn;
  }
  return last_;
}

StageSums AffineStages::count_anew(const access::AffineAccess& access) {
  StageSums sum;
  for (u64 k = 0; k < access.count; ++k) {
    u64 base = access.base + static_cast<u64>(access.cta_stride) * k;
    for (const Warp& warp : warps_of(k)) {
      if (warp.shape == takes_no_part) continue;
      StagePasses one = passes(warp, base);
      sum.tag_passes += one.tag;
      sum.data_wavefronts += one.data;
    }
  }
  return sum;
}

bool AffineStages::same_at(u64 base) {
  u8& same = same_[base % address_period];
  if (same != 0) return same == 1;
  same = 1;
  for (u64 k = 0; k < count_ && same == 1; ++k)
    for (const Warp& warp : warps_of(k)) {
      if (warp.shape == takes_no_part) continue;
      u64 first = base + static_cast<u64>(cta_stride_) * k + warp.start;
      if (first % address_period + shapes_[warp.shape].furthest >= address_period) same = 2;
    }
  return same == 1;
}

} // namespace warplens::arch
