// See classify.h for the forms. Everything here looks at one warp for many, so it is written to be read.
#include "measure/classify.h"
#include "arch/rules/blocks.h"
#include "arch/rules/distinct.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace warplens::measure {
namespace {

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
  bool side_by_side() const {
    for (u32 i = 1; i < count; ++i)
      if (step(i - 1, i) != static_cast<i64>(bytes)) return false;
    return true;
  }
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

Shape linear_shape(const Lanes& lanes, i64 stride, u32 sectors) {
  i64 width = lanes.bytes;
  if (stride == 0) return {Form::broadcast};
  bool side_by_side = stride == width || stride == -width;
  if (side_by_side && lanes.lane[lanes.count - 1] - lanes.lane[0] != lanes.count - 1)
    return {Form::with_gaps, stride};
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
  const bool one_elsewhere = row + 1 == lanes.count && std::abs(stride) > static_cast<i64>(lanes.bytes);
  if (row == lanes.count || one_elsewhere) return {};
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

// Into how many parts the lanes fall that have this stride inside.
u32 parts_of(const Lanes& lanes, i64 stride) {
  u32 out = 1;
  for (u32 i = 1; i < lanes.count; ++i)
    out += lanes.step(i - 1, i) != stride * static_cast<i64>(lanes.lane[i] - lanes.lane[i - 1]);
  return out;
}

// A stride between most neighbours, or between all in the order of their addresses: some lanes are out of turn, as where an index
// wraps around. One that leaves no gaps is not meant.
std::optional<Shape> stride_in_parts(const Lanes& lanes) {
  constexpr u32 fewest = 8;
  if (lanes.count < fewest) return {};
  const i64 width = lanes.bytes;
  // In order, the addresses are equally far apart only if the first and the last are as far as that makes.
  u64 least = ~u64{0}, next = ~u64{0}, most = 0;
  for (u32 i = 0; i < lanes.count; ++i) {
    const u64 at = lanes.address[i];
    if (at < least)
      next = least, least = at;
    else
      next = std::min(next, at);
    most = std::max(most, at);
  }
  i64 stride = static_cast<i64>(next - least);
  if (stride > width && most - least == (next - least) * (lanes.count - 1)) {
    Lanes sorted = lanes;
    std::sort(sorted.address.begin(), sorted.address.begin() + lanes.count);
    std::iota(sorted.lane.begin(), sorted.lane.end(), 0u);
    if (parts_of(sorted, stride) == 1) return Shape{Form::strided, stride, parts_of(lanes, stride)};
  }
  // The stride of three of four neighbours, if there is one (Boyer and Moore's majority vote). Each vote against it is of another one.
  u32 votes = 0, against = 0;
  for (u32 i = 1; i < lanes.count; ++i) {
    if (lanes.lane[i] != lanes.lane[i - 1] + 1) continue;
    const i64 step = lanes.step(i - 1, i);
    if (votes == 0) stride = step;
    if (step == stride)
      ++votes;
    else if (--votes, 4 * ++against > lanes.count - 1)
      return {};
  }
  if (std::abs(stride) > width)
    if (const u32 parts = parts_of(lanes, stride); 4 * (lanes.count - parts) >= 3 * (lanes.count - 1))
      return Shape{Form::strided, stride, parts};
  return {};
}

Shape shape_of_global(const Lanes& lanes, const access::WarpAccess& access) {
  if (lanes.count == 1) return {Form::one_lane};
  arch::Distinct different = distinct(access);
  if (std::optional<i64> stride = linear_stride(lanes))
    return linear_shape(lanes, *stride, different.sectors);
  if (std::optional<Shape> rows = rows_shape(lanes, different.sectors)) return *rows;
  if (std::optional<Shape> parts = stride_in_parts(lanes)) return *parts;
  bool no_waste = different.words == lanes.count &&
                  different.sectors == ceil_div(u64{lanes.count} * lanes.bytes, sector_bytes);
  if (!no_waste) return {Form::scattered};
  return lanes.side_by_side() ? Shape{Form::with_gaps, static_cast<i64>(lanes.bytes)} : Shape{Form::permuted};
}

Shape shape_of_shared(const Lanes& lanes, const access::WarpAccess& access, const arch::Counts& counts) {
  bool matrix = access.kind == access::Kind::ldmatrix;
  if (counts.wavefronts > counts.ideal_wavefronts) {
    i64 stride = matrix || lanes.count == 1 ? 0 : linear_stride(lanes).value_or(0);
    if (access.copied_from != nullptr && stride == i64{access.bytes})
      stride = 0; // it conflicts where it reads
    return {Form::conflict, stride};
  }
  if (lanes.count == 1) return {Form::one_lane};
  return {!matrix && lanes.together() ? Form::broadcast : Form::no_conflict};
}

} // namespace

Shape shape_of(const access::WarpAccess& access, const arch::Counts& counts) {
  Lanes lanes(access);
  switch (access.space) {
  case access::Space::shared: return shape_of_shared(lanes, access, counts);
  case access::Space::constant:
    return {distinct(access).words == 1 ? Form::broadcast : Form::distinct_constants};
  case access::Space::local: return {lanes.together() ? Form::local_together : Form::local_apart};
  default: return shape_of_global(lanes, access);
  }
}

} // namespace warplens::measure
