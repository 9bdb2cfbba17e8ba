#include "arch/stages.h"
#include "arch/rules/l1_stages.h"
#include "base/bits.h"
#include <algorithm>

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

} // namespace

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
