// What stream-ordered allocation asks of memory pools. With the runtime's lock held; sizes are bytes.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

cudaMemPool_t pool_in_use(u32 device); // of cudaMallocAsync
u32 device_of_pool(cudaMemPool_t);     // which there is
// Whether the pool may hold so much more: cudaErrorMemoryAllocation; cudaErrorInvalidValue where it is none.
cudaError_t take_from_pool(cudaMemPool_t, u64 size);
void note_taken(Runtime&, cudaMemPool_t, u64 address, u64 size);
void note_freed(u64 address);
cudaMemPool_t pool_of(u64 address); // null: the memory is of none

// Of a pool that several processes have.
struct PoolName {
  i64 process = 0; // that made it
  u64 number = 0;  // there
  bool operator==(const PoolName&) const = default;
};
std::optional<PoolName>
    shared_name(cudaMemPool_t); // nothing: there is no such pool, or it is of this process alone

} // namespace warplens::runtime
