// Memory: allocated, copied, filled, asked about.
#include "runtime/memory.h"
#include "driver_api/copy.h"
#include "runtime/image.h"
#include "runtime/stream.h"

namespace warplens::runtime {

namespace {

CUresult fill_now(CUdeviceptr to, u64 pitch, u32 value, u32 width, u64 columns, u64 rows,
                  cudaStream_t stream) {
  return on_stream(stream, [&] {
    const cudaMemsetParams parameters{pointer(to), pitch, value, width, columns, rows};
    auto work = [&](Runtime&) { return fill_work(&parameters); };
    return api_on(
        stream,
        [&](Runtime& r) {
          Made made = work(r);
          return made ? perform(*made) : made.error();
        },
        work);
  });
}

// One side of CUDA_MEMCPY3D, whose places along rows are bytes.
CopySide side_of(int type, const void* host, CUdeviceptr device, const Array* array, const cudaPos& at,
                 u64 pitch, u64 height) {
  const u64 base = type == host_memory ? reinterpret_cast<u64>(host) : device;
  return {type == array_memory ? array : nullptr, {at.x, at.y, at.z}, {pointer(base), pitch, 0, height}};
}

cudaMemcpyKind kind_of(int to, int from) {
  auto is_sure = [](int type) { return type == host_memory || type == device_memory; };
  if (!is_sure(to) || !is_sure(from)) return cudaMemcpyDefault;
  if (to == host_memory) return from == host_memory ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return from == host_memory ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

// Of one row the pitch does not matter, and may be 0.
cudaPitchedPtr pitched(const void* host, CUdeviceptr device, int type, u64 pitch, u64 height,
                       const CUDA_MEMCPY3D& p) {
  void* start = type == host_memory ? const_cast<void*>(host) : pointer(device);
  return {start, pitch != 0 ? pitch : p.width, p.width, height != 0 ? height : p.height};
}

bool has_array(const CUDA_MEMCPY3D& p) { return p.src_type == array_memory || p.dst_type == array_memory; }

cudaError_t copy_arrays(const CUDA_MEMCPY3D& p, cudaStream_t stream) {
  return api_waiting([&](Runtime& r) -> cudaError_t {
    if (!stream_exists(stream) || (p.dst_type == array_memory && !exists(p.dst_array)) ||
        (p.src_type == array_memory && !exists(p.src_array)))
      return cudaErrorInvalidResourceHandle;
    return copy3d_bytes(r,
                        side_of(p.dst_type, p.dst_host, p.dst_device, p.dst_array,
                                {p.dst_x, p.dst_y, p.dst_z}, p.dst_pitch, p.dst_height),
                        side_of(p.src_type, p.src_host, p.src_device, p.src_array,
                                {p.src_x, p.src_y, p.src_z}, p.src_pitch, p.src_height),
                        {p.width, p.height, p.depth}, kind_of(p.dst_type, p.src_type));
  });
}

// Waits as cudaMemcpy2D does.
CUresult copy_box(const CUDA_MEMCPY3D& p, cudaStream_t stream) {
  return on_stream(stream, [&]() -> cudaError_t {
    if (has_array(p)) return copy_arrays(p, stream);
    ResultOr<cudaMemcpy3DParms, cudaError_t> parameters = runtime_copy(p);
    if (!parameters) return parameters.error();
    return cudaMemcpy3DAsync(&*parameters, stream);
  });
}

// Runs `body`, which allocates memory of the current context at *address.
template <class Body> CUresult allocate(void** address, Body&& body) {
  return in_context([&] {
    cudaError_t error = body(address);
    if (error == cudaSuccess) remember_context(*address);
    return error;
  });
}
template <class Body> CUresult allocate(CUdeviceptr* address, Body&& body) {
  return allocate(reinterpret_cast<void**>(address), body);
}

} // namespace

ResultOr<cudaMemcpy3DParms, cudaError_t> runtime_copy(const CUDA_MEMCPY3D& p) {
  if (has_array(p)) return failure(cudaErrorNotSupported);
  cudaMemcpy3DParms out{};
  out.srcPos = {p.src_x, p.src_y, p.src_z};
  out.srcPtr = pitched(p.src_host, p.src_device, p.src_type, p.src_pitch, p.src_height, p);
  out.dstPos = {p.dst_x, p.dst_y, p.dst_z};
  out.dstPtr = pitched(p.dst_host, p.dst_device, p.dst_type, p.dst_pitch, p.dst_height, p);
  out.extent = {p.width, p.height, p.depth};
  out.kind = kind_of(p.dst_type, p.src_type);
  return out;
}

CUDA_MEMCPY3D driver_copy(const cudaMemcpy3DParms& p) {
  constexpr int unified_memory = 4;
  CUDA_MEMCPY3D out{};
  out.src_x = p.srcPos.x, out.src_y = p.srcPos.y, out.src_z = p.srcPos.z;
  out.dst_x = p.dstPos.x, out.dst_y = p.dstPos.y, out.dst_z = p.dstPos.z;
  out.src_type = out.dst_type = unified_memory;
  out.src_host = p.srcPtr.ptr, out.src_device = reinterpret_cast<u64>(p.srcPtr.ptr);
  out.dst_host = p.dstPtr.ptr, out.dst_device = reinterpret_cast<u64>(p.dstPtr.ptr);
  out.src_pitch = p.srcPtr.pitch, out.src_height = p.srcPtr.ysize;
  out.dst_pitch = p.dstPtr.pitch, out.dst_height = p.dstPtr.ysize;
  out.width = p.extent.width, out.height = p.extent.height, out.depth = p.extent.depth;
  return out;
}

extern "C" {

// An allocation of no bytes is an error of the driver, and none of the runtime.
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t size) {
  return allocate(address,
                  [&](void** out) { return size == 0 ? cudaErrorInvalidValue : cudaMalloc(out, size); });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t size, unsigned flags) {
  return allocate(address, [&](void** out) { return cudaMallocManaged(out, size, flags); });
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height,
                            unsigned) {
  return allocate(address, [&](void** out) {
    return width == 0 || height == 0 ? cudaErrorInvalidValue : cudaMallocPitch(out, pitch, width, height);
  });
}
CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t size, cudaStream_t stream) {
  return on_stream(stream, [&] {
    return size == 0 ? cudaErrorInvalidValue
                     : cudaMallocAsync(reinterpret_cast<void**>(address), size, stream);
  });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t size, cudaMemPool_t pool,
                                 cudaStream_t stream) {
  return on_stream(stream, [&] {
    return size == 0 ? cudaErrorInvalidValue
                     : cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), size, pool, stream);
  });
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return driver([&] {
    forget_context(pointer(address));
    return cudaFree(pointer(address));
  });
}
CUresult cuMemHostAlloc(void** address, std::size_t size, unsigned flags) {
  return allocate(address, [&](void** out) {
    return size == 0 ? cudaErrorInvalidValue : cudaHostAlloc(out, size, flags);
  });
}
CUresult cuMemAllocHost_v2(void** address, std::size_t size) { return cuMemHostAlloc(address, size, 0); }
CUresult cuMemFreeHost(void* address) {
  return driver([&] {
    forget_context(address);
    return cudaFreeHost(address);
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* size, CUdeviceptr address) {
  return in_context([&](Runtime& r) {
    std::optional<sim::Allocation> found = r.memory().find(address);
    if (!found || place(r, pointer(address), 1) == PointerPlace::invalid) return cudaErrorSymbolNotFound;
    if (base) *base = found->address;
    if (size) *size = found->size;
    return cudaSuccess;
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return in_context([&] { return cudaMemcpy(pointer(to), pointer(from), size, cudaMemcpyDefault); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t size, cudaStream_t stream) {
  return on_stream(
      stream, [&] { return cudaMemcpyAsync(pointer(to), pointer(from), size, cudaMemcpyDefault, stream); });
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t size) {
  return in_context([&] { return cudaMemcpy(pointer(to), from, size, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t size, cudaStream_t stream) {
  return on_stream(stream,
                   [&] { return cudaMemcpyAsync(pointer(to), from, size, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t size) {
  return in_context([&] { return cudaMemcpy(to, pointer(from), size, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t size, cudaStream_t stream) {
  return on_stream(stream,
                   [&] { return cudaMemcpyAsync(to, pointer(from), size, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return in_context([&] { return cudaMemcpy(pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size, cudaStream_t stream) {
  return on_stream(stream, [&] {
    return cudaMemcpyAsync(pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, stream);
  });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t size) {
  return cuMemcpy(to, from, size);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t size,
                           cudaStream_t stream) {
  return cuMemcpyAsync(to, from, size, stream);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* p, cudaStream_t stream) {
  return p ? copy_box(*p, stream) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* p) { return cuMemcpy3DAsync_v2(p, nullptr); }

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* p, cudaStream_t stream) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D box{};
  box.src_x = p->src_x, box.src_y = p->src_y, box.src_type = p->src_type, box.src_host = p->src_host;
  box.src_device = p->src_device, box.src_array = p->src_array, box.src_pitch = p->src_pitch;
  box.dst_x = p->dst_x, box.dst_y = p->dst_y, box.dst_type = p->dst_type, box.dst_host = p->dst_host;
  box.dst_device = p->dst_device, box.dst_array = p->dst_array, box.dst_pitch = p->dst_pitch;
  box.src_height = box.dst_height = box.height = p->height, box.width = p->width, box.depth = 1;
  return copy_box(box, stream);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* p) { return cuMemcpy2DAsync_v2(p, nullptr); }

// Numbers of so many bits, in a row and in rows.
#define WARPLENS_FILL(Bits, T)                                                                               \
  CUresult cuMemset##Bits##Async(CUdeviceptr to, T value, std::size_t count, cudaStream_t stream) {          \
    return fill_now(to, 0, value, sizeof(T), count, 1, stream);                                              \
  }                                                                                                          \
  CUresult cuMemset##Bits##_v2(CUdeviceptr to, T value, std::size_t count) {                                 \
    return fill_now(to, 0, value, sizeof(T), count, 1, nullptr);                                             \
  }                                                                                                          \
  CUresult cuMemsetD2##Bits##Async(CUdeviceptr to, std::size_t pitch, T value, std::size_t width,            \
                                   std::size_t height, cudaStream_t stream) {                                \
    return fill_now(to, pitch, value, sizeof(T), width, height, stream);                                     \
  }                                                                                                          \
  CUresult cuMemsetD2##Bits##_v2(CUdeviceptr to, std::size_t pitch, T value, std::size_t width,              \
                                 std::size_t height) {                                                       \
    return fill_now(to, pitch, value, sizeof(T), width, height, nullptr);                                    \
  }
WARPLENS_FILL(D8, unsigned char)
WARPLENS_FILL(D16, unsigned short)
WARPLENS_FILL(D32, unsigned)
#undef WARPLENS_FILL

// Managed memory is where both sides see it already. The two hints take a device number before CUDA 12.2 and a location
// since: parameters that nobody reads are not declared.
CUresult cuMemPrefetchAsync() {
  return in_context([] { return cudaSuccess; });
}
CUresult cuMemAdvise() { return cuMemPrefetchAsync(); }

} // extern "C"
} // namespace warplens::runtime
