#include "access/access.h"
#include "base/bits.h"

namespace warplens::access {

std::string_view name(Space space) {
  static constexpr std::string_view names[] = {"global", "shared", "local", "constant", "texture", "surface"};
  return names[static_cast<u8>(space)];
}

std::string_view name(Kind kind) {
  static constexpr std::string_view names[] = {"load",   "store",      "reduction",
                                               "atomic", "async_copy", "ldmatrix"};
  return names[static_cast<u8>(kind)];
}

std::string_view name(Cache cache) {
  static constexpr std::string_view names[] = {"",   "ca", "cg", "cs", "lu",
                                               "cv", "wb", "wt", "nc", "volatile"};
  return names[static_cast<u8>(cache)];
}

WarpAccess expand(const AffineAccess& affine, u32 warp) {
  WarpAccess out{affine.site, affine.space, affine.kind, affine.cache, affine.bytes, 0, 0, {}};
  out.active = lanes_of_warp(affine.block, warp) & (affine.active.empty() ? full_mask : affine.active[warp]);
  u64 plane = u64{affine.block.x} * affine.block.y;
  for_each_lane(out.active, [&](u32 lane) {
    u64 thread = u64{warp} * warp_size + lane;
    i64 x = static_cast<i64>(thread % affine.block.x);
    i64 y = static_cast<i64>(thread % plane / affine.block.x);
    i64 z = static_cast<i64>(thread / plane);
    out.address[lane] =
        affine.base + static_cast<u64>(affine.stride[0] * x + affine.stride[1] * y + affine.stride[2] * z);
  });
  return out;
}

} // namespace warplens::access
