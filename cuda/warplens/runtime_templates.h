// The C++ side of the Runtime API: overloads that take typed pointers, symbols and kernels by reference, and
// default arguments that the C functions do not have. Each forwards to the C function of the same name.
// The groups at the end accept spellings of older toolkits, which CUDA 12 and 13 changed.
#pragma once

// Typed allocation
template <class T> static inline cudaError_t cudaMalloc(T** p, size_t bytes) {
  return ::cudaMalloc((void**)p, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T** p, size_t bytes, unsigned int flags = 0) {
  return ::cudaHostAlloc((void**)p, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T** p, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc((void**)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)p, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)p, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)p, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T** p, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)p, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)device, host, flags);
}

// Symbols by reference
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, source, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* target, const T& symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(target, (const void*)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t bytes,
                                                  size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, source, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* target, const T& symbol, size_t bytes,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(target, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class P, class T> static inline cudaError_t cudaGetSymbolAddress(P** device, const T& symbol) {
  return ::cudaGetSymbolAddress((void**)device, (const void*)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return ::cudaGetSymbolSize(bytes, (const void*)&symbol);
}

// Kernels by reference
template <class T>
static inline cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                             Arguments&&... arguments) {
  // Each argument is first converted to the kernel's own parameter type: its bytes are what the launch copies.
  return [&](Parameters... converted) {
    void* pointers[] = {(void*)&converted..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return ::cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, T* kernel) {
  return ::cudaGetFuncBySymbol(function, (const void*)kernel);
}
template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t* result, T* kernel) {
  return ::cudaGetKernel(result, (const void*)kernel);
}

// Occupancy
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int block_size,
                                                                        size_t shared_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, block_size, shared_bytes);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int block_size,
                                                       size_t shared_bytes, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)kernel, block_size,
                                                                  shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* kernel, int blocks,
                                                                    int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void*)kernel, blocks, block_size);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* kernel,
                                                               const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, (const void*)kernel, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* kernel,
                                                         const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, (const void*)kernel, config);
}
// The block size, in whole warps, that keeps most threads of a multiprocessor busy; the largest among equals.
template <class SharedOfBlock, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* best_block, T kernel,
                                                        SharedOfBlock shared_of_block, int limit = 0,
                                                        unsigned int flags = 0) {
  int device = 0, processors = 0, warp = 0;
  cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (!status) status = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (!status) status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (!status) status = ::cudaFuncGetAttributes(&attributes, (const void*)kernel);
  if (status) return status;
  int largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest) largest = limit;
  int best_threads = 0;
  for (int block = (largest + warp - 1) / warp * warp; block > 0; block -= warp) {
    int candidate = block < largest ? block : largest, blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void*)kernel, candidate, shared_of_block(candidate), flags);
    if (status) return status;
    if (candidate * blocks > best_threads) {
      best_threads = candidate * blocks;
      *best_block = candidate;
      *grid = blocks * processors;
    }
  }
  return cudaSuccess;
}
template <class SharedOfBlock, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel,
                                                                         SharedOfBlock shared_of_block,
                                                                         int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared_of_block, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T kernel,
                                                                      size_t shared_bytes = 0, int limit = 0,
                                                                      unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel,
                                                             size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_bytes, limit);
}

// Events, streams
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* p, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)p, bytes, flags);
}

// Arrays and textures: small constructors, and the channel format of a type
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t width, size_t height) {
  return {p, pitch, width, height};
}
namespace warplens_cuda {
template <class T> struct Channels {
  static constexpr bool is_float = false, is_signed = T(-1) < T(0);
  static constexpr int count = 1, bits = sizeof(T) * 8;
};
template <> struct Channels<float> {
  static constexpr bool is_float = true, is_signed = true;
  static constexpr int count = 1, bits = 32;
};
#define WARPLENS_VECTOR(name, T, align2, align4)                                                               \
  template <> struct Channels<name##1> : Channels<T> {};                                                       \
  template <> struct Channels<name##2> : Channels<T> {                                                         \
    static constexpr int count = 2;                                                                            \
  };                                                                                                           \
  template <> struct Channels<name##4> : Channels<T> {                                                         \
    static constexpr int count = 4;                                                                            \
  };
#include "warplens/vectors.def"
#undef WARPLENS_VECTOR
} // namespace warplens_cuda
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef warplens_cuda::Channels<T> C;
  const int b = C::bits;
  return {b, C::count > 1 ? b : 0, C::count > 2 ? b : 0, C::count > 3 ? b : 0,
          C::is_float    ? cudaChannelFormatKindFloat
          : C::is_signed ? cudaChannelFormatKindSigned
                         : cudaChannelFormatKindUnsigned};
}

// Before CUDA 13: a device number where there is a cudaMemLocation now
namespace warplens_cuda {
static inline cudaMemLocation location(int device) {
  return device < 0 ? cudaMemLocation{cudaMemLocationTypeHost, 0}
                    : cudaMemLocation{cudaMemLocationTypeDevice, device};
}
} // namespace warplens_cuda
static inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync(p, bytes, warplens_cuda::location(device), 0, stream);
}
static inline cudaError_t cudaMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise advice, int device) {
  return ::cudaMemAdvise(p, bytes, advice, warplens_cuda::location(device));
}

// Before CUDA 12: graphs instantiated with a buffer for errors, edges without data
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*,
                                               char*, size_t) {
  return ::cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return ::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                              cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info = {};
  cudaError_t status = ::cudaGraphExecUpdate(exec, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return status;
}

// Before CUDA 12: the cudaThread… names
static inline cudaError_t cudaThreadSynchronize() { return ::cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return ::cudaDeviceReset(); }
