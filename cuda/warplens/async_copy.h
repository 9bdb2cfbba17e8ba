// What cuda/barrier, cuda/pipeline and cooperative_groups/memcpy_async.h share: copies from global to shared memory that go on
// while the thread does (PTX ISA, cp.async), split among the threads of a group.
#pragma once
#include "warplens_cuda.h"
#include <cstddef>
#include <type_traits>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A number of bytes whose addresses are aligned as it says.
template <std::size_t Alignment> struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(std::size_t size) : value(size) {}
  __host__ __device__ constexpr operator std::size_t() const { return value; }
};

namespace warplens {
template <class Shape> constexpr std::size_t alignment_of = 1;
template <std::size_t A> constexpr std::size_t alignment_of<aligned_size_t<A>> = A;

static __device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(reinterpret_cast<std::size_t>((const __attribute__((address_space(3))) void*)p));
}
static __device__ __forceinline__ std::size_t global_address(const void* p) {
  return reinterpret_cast<std::size_t>((const __attribute__((address_space(1))) void*)p);
}

template <int Bytes> __device__ __forceinline__ void copy_piece(void* to, const void* from) {
  if constexpr (Bytes == 16)
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(global_address(from)) : "memory");
  else
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(global_address(from)), "n"(Bytes) : "memory");
}

// The share of thread `rank` of `threads`. True where copies may still be under way.
template <std::size_t Alignment>
__device__ __forceinline__ bool copy_share(void* to, const void* from, std::size_t bytes, unsigned rank, unsigned threads) {
  constexpr std::size_t piece = Alignment >= 16 ? 16 : Alignment >= 8 ? 8 : Alignment >= 4 ? 4 : 1;
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  if (piece >= 4 && __isShared(to) && __isGlobal(from)) {
    for (std::size_t at = rank * piece; at < bytes; at += threads * piece)
      if constexpr (piece >= 4) copy_piece<static_cast<int>(piece)>(target + at, source + at);
    return true;
  }
  for (std::size_t at = rank; at < bytes; at += threads) target[at] = source[at];
  return false;
}
} // namespace warplens
} // namespace cuda

#pragma clang attribute pop
