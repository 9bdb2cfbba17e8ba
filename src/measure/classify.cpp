// See classify.h for the forms. Everything here looks at one warp of a bounded sample, so it is written to be
// read; the counts themselves come from arch/ and cover every warp.
#include "measure/classify.h"
#include "arch/batch/distinct.h"
#include "arch/rules/blocks.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <optional>

namespace warplens::measure {
namespace {

constexpr u64 sector_bytes = 32;

// The active lanes of a warp, packed: lane numbers ascending and their addresses.
struct Lanes {
  u32 count = 0;
  u32 bytes = 0;
  std::array<u32, warp_size> lane{};
  std::array<u64, warp_size> address{};
  explicit Lanes(const access::WarpAccess& access) : bytes(access.bytes) {
    for_each_lane(access.active, [&](u32 l) { lane[count] = l, address[count++] = access.address[l]; });
  }
  i64 step(u32 from, u32 to) const { return static_cast<i64>(address[to] - address[from]); }
  bool together() const {
    return std::all_of(address.begin(), address.begin() + count, [&](u64 a) { return a == address[0]; });
  }
};

// Different addresses and sectors.
arch::Distinct distinct(const access::WarpAccess& access) {
  if (access.bytes <= sector_bytes && std::has_single_bit(access.bytes))
    return arch::distinct(access.address, access.active, access.bytes);
  arch::Distinct out = arch::distinct(access.address, access.active, 1);
  out.sectors =
      arch::count_touched(access.address, access.active, access.bytes, std::countr_zero(sector_bytes));
  return out;
}

// The stride s of address[lane] = a + s · lane, if there is one.
std::optional<i64> linear_stride(const Lanes& lanes) {
  i64 lane_step = static_cast<i64>(lanes.lane[1] - lanes.lane[0]);
  if (lanes.step(0, 1) % lane_step != 0) return {};
  i64 stride = lanes.step(0, 1) / lane_step;
  for (u32 i = 2; i < lanes.count; ++i)
    if (lanes.step(0, i) != stride * static_cast<i64>(lanes.lane[i] - lanes.lane[0])) return {};
  return stride;
}

std::optional<u32> lane_spacing(const Lanes& lanes) {
  u32 spacing = lanes.lane[1] - lanes.lane[0];
  for (u32 i = 2; i < lanes.count; ++i)
    if (lanes.lane[i] - lanes.lane[i - 1] != spacing) return {};
  return spacing;
}

Shape linear_shape(const Lanes& lanes, i64 stride, u32 sectors) {
  i64 width = lanes.bytes;
  std::optional<u32> spacing = lane_spacing(lanes);
  if (stride == 0) return {Form::broadcast};
  if (stride == width && spacing != 1u) {
    if (spacing) return {Form::strided, stride * static_cast<i64>(*spacing)};
    return {Form::with_gaps, stride};
  }
  bool no_waste = sectors == ceil_div(u64{lanes.count} * lanes.bytes, sector_bytes);
  if (stride == width && no_waste) return {Form::contiguous, stride};
  if (stride == width)
    return {Form::misaligned, stride, 0, 0, 0, static_cast<u32>(lanes.address[0] % sector_bytes)};
  if (stride == -width && no_waste) return {Form::reversed, stride};
  return {Form::strided, stride};
}

// Rows of equally many neighbouring lanes with one stride inside the rows and one distance between their
// starts: what a two-dimensional block makes of a[y][x]. The last row may be short.
std::optional<Shape> rows_shape(const Lanes& lanes, u32 sectors) {
  if (lanes.count < 4 || lanes.lane[lanes.count - 1] != lanes.count - 1) return {};
  i64 stride = lanes.step(0, 1);
  u32 row = 2;
  while (row < lanes.count && lanes.step(row - 1, row) == stride) ++row;
  if (row == lanes.count) return {};
  i64 gap = lanes.step(0, row);
  for (u32 i = 0; i < lanes.count; ++i)
    if (lanes.step(0, i) != static_cast<i64>(i / row) * gap + static_cast<i64>(i % row) * stride) return {};
  u32 rows = static_cast<u32>(ceil_div(lanes.count, row));
  if (stride == static_cast<i64>(lanes.bytes) &&
      sectors == ceil_div(u64{lanes.count} * lanes.bytes, sector_bytes))
    return Shape{Form::contiguous, stride, rows, row, gap};
  bool same_offset = stride == static_cast<i64>(lanes.bytes) && gap % static_cast<i64>(sector_bytes) == 0;
  u32 offset = same_offset ? static_cast<u32>(lanes.address[0] % sector_bytes) : 0;
  return Shape{Form::rows, stride, rows, row, gap, offset};
}

Observation observe_global(const Lanes& lanes, const access::WarpAccess& access) {
  arch::Distinct different = distinct(access);
  u32 sectors = different.sectors;
  Observation out{{Form::scattered}, lanes.count, sectors};
  if (lanes.count == 1) {
    out.shape = {Form::one_lane};
  } else if (std::optional<i64> stride = linear_stride(lanes)) {
    out.shape = linear_shape(lanes, *stride, sectors);
  } else if (std::optional<Shape> rows = rows_shape(lanes, sectors)) {
    out.shape = *rows;
  } else if (different.words == lanes.count &&
             sectors == ceil_div(u64{lanes.count} * lanes.bytes, sector_bytes)) {
    out.shape = {Form::permuted};
  }
  return out;
}

Observation observe_shared(const Lanes& lanes, const access::WarpAccess& access, const arch::Counts& counts) {
  Observation out{{Form::no_conflict}, lanes.count, 1};
  if (counts.wavefronts > counts.ideal_wavefronts) {
    out.shape.form = Form::conflict;
    out.units = static_cast<u32>(ceil_div(counts.wavefronts, std::max<u64>(1, counts.ideal_wavefronts)));
    if (access.kind != access::Kind::ldmatrix && lanes.count > 1)
      out.shape.stride = linear_stride(lanes).value_or(0);
  } else if (lanes.count == 1) {
    out.shape.form = Form::one_lane;
  } else if (access.kind != access::Kind::ldmatrix && lanes.together()) {
    out.shape.form = Form::broadcast;
  }
  return out;
}

// An average of integers, rounded to nearest; exact and the same on every machine.
u32 average(u64 sum, u64 count) { return static_cast<u32>((2 * sum + count) / (2 * count)); }

} // namespace

Observation observe(const access::WarpAccess& access, const arch::Counts& counts) {
  Lanes lanes(access);
  switch (access.space) {
  case access::Space::shared: return observe_shared(lanes, access, counts);
  case access::Space::constant: {
    u32 addresses = distinct(access).words;
    return {{addresses == 1 ? Form::broadcast : Form::distinct_constants}, lanes.count, addresses};
  }
  case access::Space::local: {
    return {{lanes.together() ? Form::local_together : Form::local_apart},
            lanes.count,
            static_cast<u32>(counts.sectors)};
  }
  default: return observe_global(lanes, access);
  }
}

void PatternTally::add(const Observation& observation) {
  Sums& sums = shapes_[observation.shape];
  ++sums.warps;
  sums.lanes += observation.lanes;
  sums.units += observation.units;
  sums.most_units = std::max(sums.most_units, observation.units);
}

void PatternTally::add(const PatternTally& other, u64 times) {
  if (times == 0) return;
  for (const auto& [shape, sums] : other.shapes_) {
    Sums& mine = shapes_[shape];
    mine.warps += sums.warps * times;
    mine.lanes += sums.lanes * times;
    mine.units += sums.units * times;
    mine.most_units = std::max(mine.most_units, sums.most_units);
  }
}

Pattern PatternTally::most_frequent() const {
  if (shapes_.empty()) return {};
  u64 all = 0;
  for (const auto& [shape, sums] : shapes_) all += sums.warps;
  auto best = std::max_element(shapes_.begin(), shapes_.end(),
                               [](const auto& a, const auto& b) { return a.second.warps < b.second.warps; });
  const auto& [shape, sums] = *best;
  Pattern out{.shape = shape, .share = static_cast<double>(sums.warps) / static_cast<double>(all)};
  u32 lanes = average(sums.lanes, sums.warps), units = average(sums.units, sums.warps);
  switch (shape.form) {
  case Form::with_gaps: out.lanes = lanes; break;
  case Form::scattered:
  case Form::local_apart: out.lanes = lanes, out.units = units; break;
  case Form::distinct_constants: out.units = units; break;
  case Form::conflict:
    out.units = units;
    if (sums.units != sums.most_units * sums.warps) out.most_units = sums.most_units;
    break;
  default: break;
  }
  for (const auto& [other, other_sums] : shapes_)
    if (other.form == Form::conflict) out.ways = std::max(out.ways, other_sums.most_units);
  return out;
}

} // namespace warplens::measure
