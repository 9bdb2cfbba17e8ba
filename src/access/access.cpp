#include "access/access.h"

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
  u64 thread = u64{warp} * warp_size, plane = u64{affine.block.x} * affine.block.y;
  u64 x = thread % affine.block.x, y = thread % plane / affine.block.x, z = thread / plane;
  u64 stride_x = static_cast<u64>(affine.stride[0]), stride_y = static_cast<u64>(affine.stride[1]),
      stride_z = static_cast<u64>(affine.stride[2]);
  u64 address = affine.base + stride_x * x + stride_y * y + stride_z * z;
  for (u32 lane = 0; lane < warp_size; ++lane) { // threads follow each other: no divisions
    if (out.active >> lane & 1) out.address[lane] = address;
    address += stride_x;
    if (++x < affine.block.x) continue;
    x = 0;
    address += stride_y - stride_x * affine.block.x;
    if (++y < affine.block.y) continue;
    y = 0;
    address += stride_z - stride_y * affine.block.y;
  }
  return out;
}

} // namespace warplens::access
