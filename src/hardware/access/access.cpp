// The words for what an access is, and one warp taken out of the larger forms. See access.h.
#include "access/access.h"
#include "access/site.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens {

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

std::string_view name(AccessKind kind) {
  switch (kind) {
  case AccessKind::load: return "load";
  case AccessKind::store: return "store";
  case AccessKind::reduction: return "reduction";
  case AccessKind::atomic: return "atomic";
  case AccessKind::async_copy: return "async_copy";
  case AccessKind::ldmatrix: return "ldmatrix";
  }
  return {};
}

std::string_view name(CacheOperator cache) {
  switch (cache) {
  case CacheOperator::none: return "";
  case CacheOperator::ca: return "ca";
  case CacheOperator::cg: return "cg";
  case CacheOperator::cs: return "cs";
  case CacheOperator::lu: return "lu";
  case CacheOperator::cv: return "cv";
  case CacheOperator::wb: return "wb";
  case CacheOperator::wt: return "wt";
  case CacheOperator::nc: return "nc";
  case CacheOperator::volatile_: return "volatile";
  }
  return {};
}

namespace access {

std::string_view name(ElementType type) {
  switch (type) {
  case ElementType::bits: return "bits";
  case ElementType::unsigned_integer: return "unsigned";
  case ElementType::signed_integer: return "signed";
  case ElementType::floating: return "floating";
  }
  return {};
}

std::string_view name(ArrayKind kind) {
  switch (kind) {
  case ArrayKind::unknown: return "unknown";
  case ArrayKind::parameter: return "parameter";
  case ArrayKind::shared: return "shared";
  case ArrayKind::constant: return "constant";
  case ArrayKind::device: return "device";
  case ArrayKind::local: return "local";
  case ArrayKind::several: return "several";
  case ArrayKind::heap: return "heap";
  case ArrayKind::spill: return "spill";
  }
  return {};
}

std::string_view name(Timing timing) {
  switch (timing) {
  case Timing::none: return "";
  case Timing::spin: return "spin";
  case Timing::retry: return "retry";
  case Timing::race: return "race";
  }
  return {};
}

std::string_view name(AtomicForm form) {
  switch (form) {
  case AtomicForm::plain: return "";
  case AtomicForm::combined: return "combined";
  case AtomicForm::cast: return "cast";
  }
  return "";
}

WarpAccess warp_of(const LaneBatch& batch, u32 warp) {
  WarpAccess out{batch, batch.active[warp]};
  std::copy_n(batch.address + std::size_t{warp} * warp_size, warp_size, out.address.begin());
  std::size_t further = std::size_t{batch.further_texels} * warp_size;
  if (further != 0) out.further = {batch.further + warp * further, further};
  if (batch.copied_to != nullptr) out.copied_to = batch.copied_to + std::size_t{warp} * warp_size;
  if (batch.copied_from != nullptr) out.copied_from = batch.copied_from + std::size_t{warp} * warp_size;
  out.sized = !batch.empty.empty();
  if (out.sized) out.empty = batch.empty[warp];
  return out;
}

LaneBatch copied_half(const LaneBatch& batch) {
  LaneBatch out = batch;
  out.space = Space::shared;
  out.address = batch.copied_to, out.copied_from = batch.address, out.copied_to = nullptr;
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
  if (affine.block.x - x >= warp_size) { // one row
    for (u64& at : out.address) at = address, address += stride_x;
    return out;
  }
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

std::string text_of(const LocalArray& array) {
  if (array.bytes == 0) return array.name;
  const std::string of =
      array.parameter == 0
          ? ""
          : fmt::format(", as large as parameter {}, which it may be a copy of", array.parameter);
  return fmt::format("{} ({} bytes{})", array.name, array.bytes, of);
}

std::string text_of(const std::vector<LocalArray>& arrays) {
  std::string out;
  for (const LocalArray& array : arrays) out += (out.empty() ? "" : ", ") + text_of(array);
  return out;
}

} // namespace access
} // namespace warplens
