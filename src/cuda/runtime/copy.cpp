// Copies and fills between host and device, in one, two and three dimensions, and to variables by their host
// symbol.
//
// Ranges and directions are checked as a GPU's driver does with unified addressing: a range must lie inside
// one allocation, and pageable host memory must be named as the host's by the kind. What the driver knows, it
// copies whatever the kind says (tests/hardware/data/h200_copy_kinds.txt). The ranges of pageable host memory
// cannot be checked.
#include "runtime/memory.h"
#include "runtime/returned.h"
#include "runtime/stream.h"
#include <cstring>

namespace warplens::runtime {

bool may_write(PointerPlace place, cudaMemcpyKind kind) {
  if (place != PointerPlace::host) return place != PointerPlace::invalid;
  return kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice;
}

bool may_read(PointerPlace place, cudaMemcpyKind kind) {
  if (place != PointerPlace::host) return place != PointerPlace::invalid;
  return kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice;
}

static u64 address(const Box& box) { return reinterpret_cast<u64>(box.data); }

std::optional<u64> span(const Box& box, const Extent& extent) {
  u64 slices = 0, rows = 0, sum = 0;
  bool too_large = __builtin_mul_overflow(extent.depth - 1, box.slice_pitch, &slices) ||
                   __builtin_mul_overflow(extent.height - 1, box.row_pitch, &rows) ||
                   __builtin_add_overflow(slices, rows, &sum) ||
                   __builtin_add_overflow(sum, extent.width, &sum) ||
                   __builtin_add_overflow(address(box), sum, &rows);
  return too_large ? std::nullopt : std::optional(sum);
}

// Rows that follow each other without a gap. The box's span is known to fit, so its bytes do.
static bool is_solid(u64 span, const Extent& extent) {
  return span == extent.width * extent.height * extent.depth;
}

static bool pitches_fit(const Box& box, const Extent& extent) {
  return (extent.height == 1 && extent.depth == 1) || box.row_pitch >= extent.width;
}

static void copy_row(Runtime& runtime, std::byte* to, const std::byte* from, u64 bytes) {
  std::memmove(to, from, bytes);
  if (sim::WrittenBytes* written = runtime.memory().written())
    written->copy(reinterpret_cast<u64>(to), reinterpret_cast<u64>(from), bytes);
}

cudaError_t copy(Runtime& runtime, const Box& to, const Box& from, const Extent& extent,
                 cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (extent.empty()) return cudaSuccess;
  if (!pitches_fit(to, extent) || !pitches_fit(from, extent)) return cudaErrorInvalidPitchValue;
  std::optional<u64> written = span(to, extent), read = span(from, extent);
  if (!written || !read || !may_write(place(runtime, to.data, *written), kind) ||
      !may_read(place(runtime, from.data, *read), kind))
    return cudaErrorInvalidValue;
  Deferrals& deferrals = runtime.deferrals;
  cudaError_t error = deferrals.before_read(runtime, address(from), *read,
                                            place(runtime, to.data, *written) == PointerPlace::host);
  if (error == cudaSuccess)
    error = deferrals.before_write(runtime, address(to), *written, is_solid(*written, extent));
  if (error != cudaSuccess) return error;
  for (u64 z = 0; z < extent.depth; ++z)
    for (u64 y = 0; y < extent.height; ++y)
      copy_row(runtime, to.data + z * to.slice_pitch + y * to.row_pitch,
               from.data + z * from.slice_pitch + y * from.row_pitch, extent.width);
  note_returned(runtime, to, from, extent, kind);
  return cudaSuccess;
}

static void fill_row(Runtime& runtime, std::byte* row, u64 bytes, u32 value, u32 width) {
  if (sim::WrittenBytes* written = runtime.memory().written())
    written->mark(reinterpret_cast<u64>(row), bytes);
  if (width == 1) {
    std::memset(row, static_cast<int>(value), bytes);
    return;
  }
  for (u64 at = 0; at < bytes; at += width) std::memcpy(row + at, &value, width);
}

cudaError_t fill(Runtime& runtime, const Box& to, const Extent& extent, u32 value, u32 width) {
  if (extent.empty()) return cudaSuccess;
  if (address(to) % width != 0 || (extent.height > 1 && to.row_pitch % width != 0))
    return cudaErrorInvalidValue;
  if (!pitches_fit(to, extent)) return cudaErrorInvalidPitchValue;
  std::optional<u64> written = span(to, extent);
  if (!written) return cudaErrorInvalidValue;
  PointerPlace at = place(runtime, to.data, *written);
  if (at != PointerPlace::device && at != PointerPlace::shared) return cudaErrorInvalidValue;
  if (!runtime.memory().is_visible_to(runtime.memory().in_use(), address(to))) return cudaErrorInvalidValue;
  cudaError_t error =
      runtime.deferrals.before_write(runtime, address(to), *written, is_solid(*written, extent));
  if (error != cudaSuccess) return error;
  for (u64 z = 0; z < extent.depth; ++z)
    for (u64 y = 0; y < extent.height; ++y)
      fill_row(runtime, to.data + z * to.slice_pitch + y * to.row_pitch, extent.width, value, width);
  return cudaSuccess;
}

static Box box(const void* data, u64 row_pitch = 0, u64 slice_pitch = 0) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), row_pitch, slice_pitch};
}

// Work of this file's kind, which is not put off.
static cudaError_t now(Made work) { return work ? perform(*work) : work.error(); }

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api_on(
      stream, [&](Runtime& r) { return copy(r, box(to), box(from), {size}, kind); },
      [&](Runtime&) { return copy_work(to, from, size, kind); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) { return copy(r, box(to), box(from), {size}, kind); });
}

// Whose the memory is, the addresses say; a driver does not mind if they are named the wrong way round.
static cudaError_t check_devices(int one, int other) {
  return api([&](Runtime& r) {
    return r.is_device(one) && r.is_device(other) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t size) {
  if (cudaError_t error = check_devices(to_device, from_device); error != cudaSuccess) return error;
  return cudaMemcpy(to, from, size, cudaMemcpyDefault);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t size,
                                cudaStream_t stream) {
  if (cudaError_t error = check_devices(to_device, from_device); error != cudaSuccess) return error;
  return cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api_on(
      stream,
      [&](Runtime& r) {
        return copy(r, box(to, to_pitch), box(from, from_pitch), {width, height}, kind);
      },
      [&](Runtime&) {
        cudaMemcpy3DParms p{};
        p.dstPtr = {to, to_pitch, width, height};
        p.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
        p.extent = {width, height, 1};
        p.kind = kind;
        return copy_work(&p);
      });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return api_waiting([&](Runtime& r) {
    return copy(r, box(to, to_pitch), box(from, from_pitch), {width, height}, kind);
  });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return api_on(
      stream,
      [&](Runtime& r) {
        return fill(r, box(to, pitch), {width, height}, static_cast<u32>(value));
      },
      [&](Runtime&) {
        const cudaMemsetParams p{to, pitch, static_cast<unsigned>(value), 1, width, height};
        return fill_work(&p);
      });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size, cudaStream_t stream) {
  return cudaMemset2DAsync(to, size, value, size, 1, stream);
}

cudaError_t cudaMemset(void* to, int value, std::size_t size) {
  return cudaMemsetAsync(to, value, size, nullptr);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

// Slices that follow each other without a gap are so many rows more, also as a node of a graph.
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  const bool solid = extent.depth <= 1 || extent.height == to.ysize;
  if (solid && extent.depth != 0 && extent.height <= ~u64{0} / extent.depth)
    return cudaMemset2DAsync(to.ptr, to.pitch, value, extent.width, extent.height * extent.depth, stream);
  return api_on(stream, [&](Runtime& r) -> cudaError_t {
    u64 slice = 0;
    if (__builtin_mul_overflow(to.pitch, to.ysize, &slice)) return cudaErrorInvalidValue;
    return fill(r, box(to.ptr, to.pitch, slice), {extent.width, extent.height, extent.depth},
                static_cast<u32>(value));
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api([&](Runtime& r) {
    ResultOr<Placed, cudaError_t> found = find_symbol(r, symbol);
    if (!found) return found.error();
    *pointer = reinterpret_cast<void*>(found->address);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return api([&](Runtime& r) {
    ResultOr<Placed, cudaError_t> found = find_symbol(r, symbol);
    if (!found) return found.error();
    *size = found->size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                               cudaMemcpyKind kind) {
  return api_waiting(
      [&](Runtime& r) { return now(copy_to_symbol_work(r, symbol, from, size, offset, kind)); });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return api_waiting(
      [&](Runtime& r) { return now(copy_from_symbol_work(r, to, symbol, size, offset, kind)); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  auto work = [&](Runtime& r) { return copy_to_symbol_work(r, symbol, from, size, offset, kind); };
  return api_on(
      stream, [&](Runtime& r) { return now(work(r)); }, work);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  auto work = [&](Runtime& r) { return copy_from_symbol_work(r, to, symbol, size, offset, kind); };
  return api_on(
      stream, [&](Runtime& r) { return now(work(r)); }, work);
}

} // extern "C"
} // namespace warplens::runtime
