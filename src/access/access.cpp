#include "access/access.h"
#include "access/site.h"
#include <algorithm>

namespace warplens::access {

// Switches, because the compiler warns of an enumerator that they leave out; a value that is none has no name.
std::string_view name(Space space) {
  switch (space) {
  case Space::global: return "global";
  case Space::shared: return "shared";
  case Space::local: return "local";
  case Space::constant: return "constant";
  case Space::texture: return "texture";
  case Space::surface: return "surface";
  }
  return {};
}

std::string_view name(Kind kind) {
  switch (kind) {
  case Kind::load: return "load";
  case Kind::store: return "store";
  case Kind::reduction: return "reduction";
  case Kind::atomic: return "atomic";
  case Kind::async_copy: return "async_copy";
  case Kind::ldmatrix: return "ldmatrix";
  }
  return {};
}

std::string_view name(Cache cache) {
  switch (cache) {
  case Cache::none: return "";
  case Cache::ca: return "ca";
  case Cache::cg: return "cg";
  case Cache::cs: return "cs";
  case Cache::lu: return "lu";
  case Cache::cv: return "cv";
  case Cache::wb: return "wb";
  case Cache::wt: return "wt";
  case Cache::nc: return "nc";
  case Cache::volatile_: return "volatile";
  }
  return {};
}

std::string_view name(ElementType type) {
  switch (type) {
  case ElementType::bits: return "bits";
  case ElementType::unsigned_integer: return "unsigned";
  case ElementType::signed_integer: return "signed";
  case ElementType::floating: return "floating";
  }
  return {};
}

WarpAccess warp_of(const LaneBatch& batch, u32 warp) {
  WarpAccess out{batch, batch.active[warp]};
  std::copy_n(batch.address + std::size_t{warp} * warp_size, warp_size, out.address.begin());
  return out;
}

AffineAccess cta_of(const AffineAccess& affine, u64 k) {
  AffineAccess one = affine;
  u64 warps = affine.active.size() / affine.count;
  one.cta += k, one.count = 1;
  one.base += static_cast<u64>(affine.cta_stride) * k;
  one.active = affine.active.subspan(k * warps, warps);
  return one;
}

WarpAccess expand(const AffineAccess& affine, u32 warp) {
  WarpAccess out{affine, lanes_of_warp(affine.block, warp)};
  if (!affine.active.empty()) out.active &= affine.active[warp];
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
