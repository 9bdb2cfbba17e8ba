// CUDA arrays and three-dimensional copies. An array is plain storage, row after row: the block-linear order
// that hardware uses shows only through textures, which are not emulated.
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace warplens::runtime {

struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{}; // in elements; 0 where the dimension is absent
  unsigned flags = 0;
  u64 element = 0; // bytes
  u64 address = 0;

  Extent size() const {
    return {extent.width * element, std::max<u64>(extent.height, 1), std::max<u64>(extent.depth, 1)};
  }
  Box at(u64 byte_x, u64 y, u64 z) const {
    u64 row = extent.width * element, slice = row * size().height;
    return {reinterpret_cast<std::byte*>(address + z * slice + y * row + byte_x), row, slice};
  }
  // Whether `box` bytes and rows from (byte_x, y, z) lie inside.
  bool holds(u64 byte_x, u64 y, u64 z, const Extent& box) const {
    Extent whole = size();
    auto fits = [](u64 from, u64 count, u64 limit) { return from <= limit && count <= limit - from; };
    return fits(byte_x, box.width, whole.width) && fits(y, box.height, whole.height) &&
           fits(z, box.depth, whole.depth);
  }
};

namespace {

std::map<const Array*, std::unique_ptr<Array>>& arrays() {
  static auto* all =
      new std::map<const Array*, std::unique_ptr<Array>>; // outlives the program's atexit handlers
  return *all;
}
bool known(const Array* array) { return arrays().contains(array); }

cudaError_t create(Runtime& runtime, cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent,
                   unsigned flags) {
  if (!out || !format || extent.width == 0) return cudaErrorInvalidValue;
  int bits = 0;
  constexpr int most_bits = 32; // of a channel
  for (int channel : {format->x, format->y, format->z, format->w}) {
    if (channel < 0 || channel > most_bits) return cudaErrorInvalidChannelDescriptor;
    bits += channel;
  }
  if (bits == 0 || bits % 8 != 0) return cudaErrorInvalidChannelDescriptor;
  auto array = std::make_unique<Array>(Array{*format, extent, flags, static_cast<u64>(bits / 8), 0});
  Extent size = array->size();
  u64 capacity = runtime.memory().capacity();
  if (extent.width > capacity || size.height > capacity / size.width ||
      size.depth > capacity / (size.width * size.height))
    return cudaErrorMemoryAllocation;
  Result<u64> address =
      runtime.memory().allocate(size.width * size.height * size.depth, sim::AllocationKind::array);
  if (!address) return cudaErrorMemoryAllocation;
  array->address = *address;
  *out = array.get();
  arrays()[array.get()] = std::move(array);
  return cudaSuccess;
}

// One side of a 3-D copy. Positions count elements of the array, bytes of memory.
struct Side {
  const Array* array;
  cudaPos at;
  cudaPitchedPtr pitched;
};

bool place_side(const Side& side, const Extent& extent, Box& out) {
  if (side.array) {
    u64 x = 0;
    if (__builtin_mul_overflow(side.at.x, side.array->element, &x) ||
        !side.array->holds(x, side.at.y, side.at.z, extent))
      return false;
    out = side.array->at(x, side.at.y, side.at.z);
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

cudaError_t copy3d(Runtime& runtime, const Side& to, const Side& from, cudaExtent extent,
                   cudaMemcpyKind kind) {
  if ((to.array && !known(to.array)) || (from.array && !known(from.array)))
    return cudaErrorInvalidResourceHandle;
  if (to.array && from.array && to.array->element != from.array->element) return cudaErrorInvalidValue;
  u64 element = to.array ? to.array->element : from.array ? from.array->element : 1;
  Extent bytes{0, extent.height, extent.depth};
  if (__builtin_mul_overflow(extent.width, element, &bytes.width)) return cudaErrorInvalidValue;
  if (bytes.empty()) return cudaSuccess;
  Box target, source;
  if (!place_side(to, bytes, target) || !place_side(from, bytes, source)) return cudaErrorInvalidValue;
  return copy(runtime, target, source, bytes, kind);
}

Box flat(const void* data, u64 pitch) { return {static_cast<std::byte*>(const_cast<void*>(data)), pitch, 0}; }

} // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, static_cast<cudaChannelFormatKind>(kind)};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return api([&](Runtime& r) { return create(r, array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime& r) { return create(r, array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_waiting([&](Runtime& r) {
    if (!array) return cudaSuccess;
    if (!known(array)) return cudaErrorInvalidValue;
    if (!r.deferrals.hold(r, array->address)) r.memory().release(array->address);
    arrays().erase(array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return api([&](Runtime&) {
    if (!known(array)) return cudaErrorInvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, const Array* array) {
  return api([&](Runtime&) {
    if (!known(array)) return cudaErrorInvalidResourceHandle;
    *format = array->format;
    return cudaSuccess;
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
    if (!known(to)) return cudaErrorInvalidResourceHandle;
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
    if (!known(from)) return cudaErrorInvalidResourceHandle;
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

// Bytes counted along the rows of the array, from (x, y).
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t size, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!known(to)) return cudaErrorInvalidResourceHandle;
    if (!to->holds(x, y, 0, {0, 0})) return cudaErrorInvalidValue;
    return copy(r, to->at(x, y, 0), flat(from, 0), {size}, kind);
  });
}
cudaError_t cudaMemcpyFromArray(void* to, const Array* from, std::size_t x, std::size_t y, std::size_t size,
                                cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    if (!known(from)) return cudaErrorInvalidResourceHandle;
    if (!from->holds(x, y, 0, {0, 0})) return cudaErrorInvalidValue;
    return copy(r, flat(to, 0), from->at(x, y, 0), {size}, kind);
  });
}

} // extern "C"
} // namespace warplens::runtime
