// cooperative_groups::memcpy_async and wait for clang: copies of a group into shared memory, and their end.
#pragma once
#include "cooperative_groups.h"
#include "cuda/pipeline"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T, class Shape>
__device__ __forceinline__ void memcpy_async(const Group& group, T* to, const T* from, const Shape& size) {
  constexpr std::size_t given = cuda::warplens::alignment_of<Shape>;
  constexpr std::size_t a = given > alignof(T) ? given : alignof(T);
  if (cuda::warplens::copy_share<a>(to, from, size, group.thread_rank(), group.size())) cuda::warplens::commit_copies();
}
template <class Group> __device__ __forceinline__ void wait(const Group& group) {
  cuda::warplens::wait_for_copies(0);
  group.sync();
}
template <unsigned Prior, class Group> __device__ __forceinline__ void wait_prior(const Group& group) {
  cuda::warplens::wait_for_copies(Prior);
  group.sync();
}

} // namespace cooperative_groups

#pragma clang attribute pop
