// cuda_pipeline.h for clang: the pipeline primitives ("CUDA C++ Programming Guide", Pipeline Primitives Interface).
#pragma once
#include "cuda/pipeline"

// `bytes` is 4, 8 or 16; the last `zeros` of them are zero instead.
static __device__ __forceinline__ void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0) {
  const unsigned target = cuda::warplens::shared_address(to), read = static_cast<unsigned>(bytes - zeros);
  const std::size_t source = cuda::warplens::global_address(from);
  if (bytes == 16)
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(read) : "memory");
  else if (bytes == 8)
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(target), "l"(source), "r"(read) : "memory");
  else
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(source), "r"(read) : "memory");
}
static __device__ __forceinline__ void __pipeline_commit() { cuda::warplens::commit_copies(); }
static __device__ __forceinline__ void __pipeline_wait_prior(std::size_t left) { cuda::warplens::wait_for_copies(static_cast<unsigned>(left)); }
