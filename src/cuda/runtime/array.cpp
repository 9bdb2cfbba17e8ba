// CUDA arrays, mipmapped arrays, and copies to and from them. An array is plain storage, row after row: the block-linear
// order that hardware uses shows only in which texels share a sector (access/texture_layout.h).
#include "base/bits.h"
#include "runtime/image.h"
#include "runtime/stream.h"
#include <algorithm>
#include <bit>

namespace warplens::runtime {

Box Array::at(u64 byte_x, u64 y, u64 z) const {
  u64 row = extent.width * element, slice = row * size().height;
  return {reinterpret_cast<std::byte*>(address + z * slice + y * row + byte_x), row, slice};
}

bool Array::holds(u64 byte_x, u64 y, u64 z, const Extent& box) const {
  Extent whole = size();
  auto fits = [](u64 from, u64 count, u64 limit) { return from <= limit && count <= limit - from; };
  return fits(byte_x, box.width, whole.width) && fits(y, box.height, whole.height) &&
         fits(z, box.depth, whole.depth);
}

namespace {

// All that there are; kept for ever, as programs free arrays from atexit handlers.
struct Known {
  std::map<const Array*, std::unique_ptr<Array>> arrays; // null: of a level, which its mipmapped array owns
  std::map<const MipmappedArray*, std::unique_ptr<MipmappedArray>> mipmapped;
  void forget(u32 device) {
    std::erase_if(arrays, [&](const auto& one) { return one.first->device == device; });
    std::erase_if(mipmapped, [&](const auto& one) { return one.first->device == device; });
  }
};
Known& known() { return of_device<Known>(); }

cudaError_t check_shape(const Runtime& runtime, const ArrayShape& shape, u64& element) {
  std::optional<sim::TexelFormat> format = texel_format(shape.format);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  element = format->bytes();
  const cudaExtent& e = shape.extent;
  bool layered = (shape.flags & array_layered) != 0, cube = (shape.flags & array_cubemap) != 0;
  constexpr unsigned all_flags = array_layered | array_surface | array_cubemap | array_gather;
  if (e.width == 0 || (shape.flags & ~all_flags) != 0) return cudaErrorInvalidValue;
  if (layered && e.depth == 0) return cudaErrorInvalidValue;
  if (!layered && e.depth != 0 && e.height == 0) return cudaErrorInvalidValue;
  if (cube && (e.width != e.height || e.depth % 6 != 0 || e.depth == 0 || (!layered && e.depth != 6)))
    return cudaErrorInvalidValue;
  // Only of two dimensions, as an H200 has it (580.159.04, 29 November 2026).
  if ((shape.flags & array_gather) != 0 && (e.height == 0 || e.depth != 0)) return cudaErrorInvalidValue;
  u64 capacity = runtime.device->memory->capacity(), rows = std::max<u64>(e.height, 1);
  if (e.width > capacity / element || rows > capacity / (e.width * element) ||
      std::max<u64>(e.depth, 1) > capacity / (e.width * element * rows))
    return cudaErrorMemoryAllocation;
  return cudaSuccess;
}

// As one level of an array of that shape. Layers stay, depth shrinks like the other sizes.
ArrayShape level_shape(const ArrayShape& shape, unsigned level) {
  auto smaller = [&](std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(size >> level, 1); };
  ArrayShape out = shape;
  bool stays = (shape.flags & (array_layered | array_cubemap)) != 0;
  out.extent = {smaller(shape.extent.width), smaller(shape.extent.height),
                stays ? shape.extent.depth : smaller(shape.extent.depth)};
  return out;
}

void release(Runtime& runtime, u64 address) {
  if (!runtime.deferrals.hold(runtime, address)) runtime.memory().release(address);
}

bool place_side(const CopySide& side, const Extent& bytes, Box& out) {
  if (side.array) {
    if (!side.array->holds(side.at.x, side.at.y, side.at.z, bytes)) return false;
    out = side.array->at(side.at.x, side.at.y, side.at.z);
    return true;
  }
  // From the start of the first slice to the first byte: a position is an offset like the size of a box is.
  u64 slice = 0;
  if (side.pitched.ptr == nullptr || __builtin_mul_overflow(side.pitched.pitch, side.pitched.ysize, &slice))
    return false;
  Box whole{static_cast<std::byte*>(side.pitched.ptr), side.pitched.pitch, slice};
  u64 limit = ~u64{0};
  if (side.at.x == limit || side.at.y == limit || side.at.z == limit) return false;
  std::optional<u64> offset = span(whole, {side.at.x, side.at.y + 1, side.at.z + 1});
  if (!offset) return false;
  out = {whole.data + *offset, side.pitched.pitch, slice};
  return true;
}

Box flat(const void* data, u64 pitch) { return {static_cast<std::byte*>(const_cast<void*>(data)), pitch, 0}; }

// `count` bytes from byte x of row y on, along the rows.
bool holds_along(const Array& array, u64 x, u64 y, u64 count) {
  if (!array.holds(x, y, 0, {0, 0})) return false;
  u64 from = y * array.size().width + x;
  return from <= array.bytes() && count <= array.bytes() - from;
}

} // namespace

bool exists(const Array* array) { return known().arrays.contains(array); }
bool exists(const MipmappedArray* array) { return known().mipmapped.contains(array); }
std::optional<sim::TexelFormat> texel_format(const cudaChannelFormatDesc& format) {
  const std::array<int, 4> bits{format.x, format.y, format.z, format.w};
  u8 channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (u32 c = 0; c < 4; ++c)
    if (bits[c] != (c < channels ? bits[0] : 0)) return {};
  sim::TexelFormat out{sim::ChannelKind::floating, static_cast<u8>(bits[0]), channels};
  if (format.f == cudaChannelFormatKindSigned)
    out.kind = sim::ChannelKind::signed_integer;
  else if (format.f == cudaChannelFormatKindUnsigned)
    out.kind = sim::ChannelKind::unsigned_integer;
  else if (format.f != cudaChannelFormatKindFloat)
    return {};
  bool narrow = bits[0] == 8 && out.kind != sim::ChannelKind::floating;
  if ((channels != 1 && channels != 2 && channels != 4) || !(narrow || bits[0] == 16 || bits[0] == 32))
    return {};
  return out;
}

cudaError_t create_array(Runtime& runtime, cudaArray_t* out, const ArrayShape& shape) {
  auto array = std::make_unique<Array>(Array{shape});
  if (!out) return cudaErrorInvalidValue;
  if (cudaError_t error = check_shape(runtime, shape, array->element); error != cudaSuccess) return error;
  Result<u64> address = runtime.memory().allocate(array->bytes(), sim::AllocationKind::array);
  if (!address) return cudaErrorMemoryAllocation;
  array->address = *address;
  *out = array.get();
  known().arrays[array.get()] = std::move(array);
  return cudaSuccess;
}

// All levels in one allocation; each begins where an array could.
cudaError_t create_mipmapped(Runtime& runtime, cudaMipmappedArray_t* out, const ArrayShape& shape,
                             unsigned levels) {
  u64 element = 0;
  if (!out) return cudaErrorInvalidValue;
  if (cudaError_t error = check_shape(runtime, shape, element); error != cudaSuccess) return error;
  const bool stays = (shape.flags & (array_layered | array_cubemap)) != 0;
  u64 longest = std::max({shape.extent.width, shape.extent.height, stays ? 1 : shape.extent.depth});
  levels = std::clamp<unsigned>(levels, 1, static_cast<unsigned>(std::bit_width(longest)));
  auto array = std::make_unique<MipmappedArray>(MipmappedArray{shape});
  constexpr u64 alignment = 512;
  for (unsigned l = 0; l < levels; ++l) {
    auto level = std::make_unique<Array>(Array{level_shape(shape, l), element, array->bytes, true});
    array->bytes += align_up(level->bytes(), alignment);
    array->levels.push_back(std::move(level));
  }
  Result<u64> address = runtime.memory().allocate(array->bytes, sim::AllocationKind::array);
  if (!address) return cudaErrorMemoryAllocation;
  array->address = *address;
  for (std::unique_ptr<Array>& level : array->levels) {
    level->address += *address;
    known().arrays[level.get()] = nullptr;
  }
  *out = array.get();
  known().mipmapped[array.get()] = std::move(array);
  return cudaSuccess;
}

cudaError_t free_array(Runtime& runtime, Array* array) {
  if (!array) return cudaSuccess;
  if (!exists(array) || array->is_level) return cudaErrorInvalidValue;
  release(runtime, array->address);
  known().arrays.erase(array);
  return cudaSuccess;
}

cudaError_t free_mipmapped(Runtime& runtime, MipmappedArray* array) {
  if (!array) return cudaSuccess;
  if (!exists(array)) return cudaErrorInvalidValue;
  release(runtime, array->address);
  for (const std::unique_ptr<Array>& level : array->levels) known().arrays.erase(level.get());
  known().mipmapped.erase(array);
  return cudaSuccess;
}

cudaError_t copy3d_bytes(Runtime& runtime, const CopySide& to, const CopySide& from, const Extent& bytes,
                         cudaMemcpyKind kind) {
  if ((to.array && !exists(to.array)) || (from.array && !exists(from.array)))
    return cudaErrorInvalidResourceHandle;
  if (to.array && from.array && to.array->element != from.array->element) return cudaErrorInvalidValue;
  if (bytes.empty()) return cudaSuccess;
  Box target, source;
  if (!place_side(to, bytes, target) || !place_side(from, bytes, source)) return cudaErrorInvalidValue;
  return copy(runtime, target, source, bytes, kind);
}

cudaError_t copy3d(Runtime& runtime, const CopySide& to, const CopySide& from, cudaExtent extent,
                   cudaMemcpyKind kind) {
  if ((to.array && !exists(to.array)) || (from.array && !exists(from.array)))
    return cudaErrorInvalidResourceHandle;
  auto in_bytes = [](CopySide side, bool& fits) {
    u64 element = side.array ? side.array->element : 1;
    fits = fits && !__builtin_mul_overflow(side.at.x, element, &side.at.x);
    return side;
  };
  u64 element = to.array ? to.array->element : from.array ? from.array->element : 1;
  Extent bytes{0, extent.height, extent.depth};
  bool fits = !__builtin_mul_overflow(extent.width, element, &bytes.width);
  CopySide target = in_bytes(to, fits), source = in_bytes(from, fits);
  return fits ? copy3d_bytes(runtime, target, source, bytes, kind) : cudaErrorInvalidValue;
}

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return api([&](Runtime& r) {
    return format ? create_array(r, array, {*format, {width, height, 0}, flags}) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime& r) {
    return format ? create_array(r, array, {*format, extent, flags}) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_waiting([&](Runtime& r) { return free_array(r, array); });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Runtime& r) {
    return format ? create_mipmapped(r, array, {*format, extent, flags}, levels) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return api_waiting([&](Runtime& r) { return free_mipmapped(r, array); });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, const MipmappedArray* array, unsigned number) {
  return api([&](Runtime&) {
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    if (!level || number >= array->levels.size()) return cudaErrorInvalidValue;
    *level = array->levels[number].get();
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return api([&](Runtime&) {
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, const Array* array) {
  return api([&](Runtime&) {
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    return answer(format, array->format);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return api_waiting([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    return copy3d(r, {p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr}, p->extent,
                  p->kind);
  });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return api_on(
      stream, [&](Runtime&) { return cudaMemcpy3D(p); }, [&](Runtime&) { return copy_work(p); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return api_waiting([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    return copy3d(r, {p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr}, p->extent,
                  cudaMemcpyDefault);
  });
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpy3DPeer(p);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!exists(to)) return cudaErrorInvalidResourceHandle;
    if (!to->holds(x, y, 0, {width, height})) return cudaErrorInvalidValue;
    return copy(r, to->at(x, y, 0), flat(from, pitch), {width, height}, kind);
  });
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!exists(from)) return cudaErrorInvalidResourceHandle;
    if (!from->holds(x, y, 0, {width, height})) return cudaErrorInvalidValue;
    return copy(r, flat(to, pitch), from->at(x, y, 0), {width, height}, kind);
  });
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, const Array* from,
                                     std::size_t from_x, std::size_t from_y, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    return copy3d_bytes(r, {to, {to_x, to_y, 0}, {}}, {from, {from_x, from_y, 0}, {}}, {width, height}, kind);
  });
}

// Bytes counted along the rows of the array, from (x, y).
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t size, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!exists(to)) return cudaErrorInvalidResourceHandle;
    if (!holds_along(*to, x, y, size)) return cudaErrorInvalidValue;
    return copy(r, to->at(x, y, 0), flat(from, 0), {size}, kind);
  });
}
cudaError_t cudaMemcpyFromArray(void* to, const Array* from, std::size_t x, std::size_t y, std::size_t size,
                                cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!exists(from)) return cudaErrorInvalidResourceHandle;
    if (!holds_along(*from, x, y, size)) return cudaErrorInvalidValue;
    return copy(r, flat(to, 0), from->at(x, y, 0), {size}, kind);
  });
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, const Array* from,
                                   std::size_t from_x, std::size_t from_y, std::size_t size,
                                   cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!exists(to) || !exists(from)) return cudaErrorInvalidResourceHandle;
    if (!holds_along(*to, to_x, to_y, size) || !holds_along(*from, from_x, from_y, size))
      return cudaErrorInvalidValue;
    return copy(r, to->at(to_x, to_y, 0), from->at(from_x, from_y, 0), {size}, kind);
  });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpyToArray(to, x, y, from, size, kind);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, const Array* from, std::size_t x, std::size_t y,
                                     std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpyFromArray(to, from, x, y, size, kind);
}

} // extern "C"
} // namespace warplens::runtime
