// Many copies, or hints about managed memory, in one call: what both APIs have of them. `failed`: which one went wrong, or
// SIZE_MAX for what is wrong with all; where CUDA 12's functions say it, else null.
#pragma once
#include "runtime/state.h"
#include <span>

namespace warplens::runtime {

struct Copies {
  void* const* to;
  const void* const* from;
  const std::size_t* sizes; // bytes
  std::size_t count;
  const cudaMemcpyAttributes* attributes;
  const std::size_t* first; // of the copies that each of the attributes is for
  std::size_t attribute_count;
};

// The legacy default stream takes no batches: cudaErrorInvalidValue. A null stream is that one, or the thread's own.
enum class NullStream : u8 { legacy, of_thread };

cudaError_t copy_batch(const Copies&, std::size_t* failed, cudaStream_t, NullStream);
cudaError_t copy_batch(std::span<const cudaMemcpy3DBatchOp>, u64 flags, std::size_t* failed, cudaStream_t,
                       NullStream);

struct Ranges {
  void* const* begin;
  const std::size_t* sizes; // bytes
  std::size_t count;
};
struct Destinations { // of a prefetch
  const cudaMemLocation* locations;
  const std::size_t* first; // of the ranges that go there
  std::size_t count;
};
// Managed memory is where both sides see it already: checked, and nothing is done.
cudaError_t hint_batch(const Ranges&, const Destinations*, u64 flags, cudaStream_t);

} // namespace warplens::runtime
