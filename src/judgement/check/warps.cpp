#include "check/warps.h"
#include "base/bits.h"
#include "check/lane_semantics.h"

namespace warplens::check {
namespace {

using symbolic::Lanes;

Component number(i64 v) {
  return {0, {}, {}, each_lane([v](u32) { return v; })};
}
// A number from 0 on.
Component symbol(LaunchSymbol which, i64 step, i64 count, Lanes lanes = {}) {
  if (count == 1) return {0, {}, {}, lanes};
  return {step, which, {0, count - 1}, lanes};
}
// A size, which is 1 or more.
Component size(LaunchSymbol which, i64 step, i64 most) {
  return most == 1 ? number(step) : Component{step, which, {1, most}, {}};
}

WarpCase with_size(const Dim3& block) {
  WarpCase out;
  out.size[0] = number(block.x), out.size[1] = number(block.y), out.size[2] = number(block.z);
  return out;
}

WarpCase unknown_block(i64 most) {
  WarpCase out;
  out.thread[0] =
      symbol(LaunchSymbol::warp_x, warp_size, most / warp_size, each_lane([](u32 lane) { return lane; }));
  out.thread[1] = symbol(LaunchSymbol::thread_y, 1, most);
  i64 deep = std::min<i64>(64, most);
  out.thread[2] = symbol(LaunchSymbol::thread_z, 1, deep);
  out.size[0] = size(LaunchSymbol::rows_of_warps, warp_size, most / warp_size);
  out.size[1] = size(LaunchSymbol::size_y, 1, most);
  out.size[2] = size(LaunchSymbol::size_z, 1, deep);
  return out;
}

} // namespace

std::vector<WarpCase> warp_cases(const std::optional<Dim3>& known, u32 most) {
  if (!known) return {unknown_block(std::max(most, warp_size))};
  const Dim3 b = *known;
  WarpCase one = with_size(b);
  u64 row = b.x, plane = u64{b.x} * b.y;
  if (row % warp_size == 0) { // a warp lies in one row
    one.thread[0] =
        symbol(LaunchSymbol::warp_x, warp_size, b.x / warp_size, each_lane([](u32 lane) { return lane; }));
    one.thread[1] = symbol(LaunchSymbol::thread_y, 1, b.y);
    one.thread[2] = symbol(LaunchSymbol::thread_z, 1, b.z);
    return {one};
  }
  one.thread[0].lanes = each_lane([&](u32 lane) { return lane % row; });
  if (warp_size % row == 0 && plane % warp_size == 0) { // it has several whole rows
    i64 rows = static_cast<i64>(warp_size / row);
    one.thread[1] =
        symbol(LaunchSymbol::warp_y, rows, b.y / rows, each_lane([&](u32 lane) { return lane / row; }));
    one.thread[2] = symbol(LaunchSymbol::thread_z, 1, b.z);
    return {one};
  }
  one.thread[1].lanes = each_lane([&](u32 lane) { return lane / row % b.y; });
  if (warp_size % plane == 0 && b.count() % warp_size == 0) { // several whole planes
    i64 planes = static_cast<i64>(warp_size / plane);
    one.thread[2] =
        symbol(LaunchSymbol::warp_z, planes, b.z / planes, each_lane([&](u32 lane) { return lane / plane; }));
    return {one};
  }
  return all_warps(b);
}

std::vector<WarpCase> all_warps(const Dim3& b) {
  u64 row = b.x;
  std::vector<WarpCase> out;
  for (u64 first = 0; first < b.count(); first += warp_size) {
    out.push_back(with_size(b));
    out.back().thread[0].lanes = each_lane([&](u32 lane) { return (first + lane) % row; });
    out.back().thread[1].lanes = each_lane([&](u32 lane) { return (first + lane) / row % b.y; });
    out.back().thread[2].lanes = each_lane([&](u32 lane) { return (first + lane) / row / b.y; });
    out.back().active = low_lanes(static_cast<u32>(std::min<u64>(warp_size, b.count() - first)));
  }
  return out;
}

} // namespace warplens::check
