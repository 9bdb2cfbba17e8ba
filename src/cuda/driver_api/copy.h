// The driver's structures for copies of boxes, and the same as the Runtime API has it.
#pragma once
#include "driver_api/frame.h"

namespace warplens::runtime {

struct CUDA_MEMCPY2D {
  std::size_t src_x, src_y;
  int src_type;
  const void* src_host;
  CUdeviceptr src_device;
  cudaArray_t src_array;
  std::size_t src_pitch, dst_x, dst_y;
  int dst_type;
  void* dst_host;
  CUdeviceptr dst_device;
  cudaArray_t dst_array;
  std::size_t dst_pitch, width, height;
};
static_assert(sizeof(CUDA_MEMCPY2D) == 128);

struct CUDA_MEMCPY3D {
  std::size_t src_x, src_y, src_z, src_level;
  int src_type;
  const void* src_host;
  CUdeviceptr src_device;
  cudaArray_t src_array;
  void* src_context; // of a copy between devices
  std::size_t src_pitch, src_height, dst_x, dst_y, dst_z, dst_level;
  int dst_type;
  void* dst_host;
  CUdeviceptr dst_device;
  cudaArray_t dst_array;
  void* dst_context;
  std::size_t dst_pitch, dst_height, width, height, depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

constexpr int host_memory = 1, device_memory = 2, array_memory = 3; // CUmemorytype

// Without arrays, whose positions count elements there: cudaErrorNotSupported.
ResultOr<cudaMemcpy3DParms, cudaError_t> runtime_copy(const CUDA_MEMCPY3D&);
CUDA_MEMCPY3D driver_copy(const cudaMemcpy3DParms&);

} // namespace warplens::runtime
