// Words of memory that a stream writes, or waits for (cuStreamWriteValue, cuStreamWaitValue, cuStreamBatchMemOp).
//
// Work runs when it is submitted. A word that does not have its value yet is waited for inside the call, as long as another
// thread of the program may still write it; one that nobody writes would keep the call for ever, and is an error after
// `longest_wait`.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

struct StreamMemoryOperation { // CUstreamBatchMemOpParams
  enum Kind : int { wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6 };
  int kind;
  unsigned barrier_flags;
  u64 address, value;
  unsigned flags, unused;
  u64 alias, rest; // for the driver's own use
};
static_assert(sizeof(StreamMemoryOperation) == 48);

inline constexpr double longest_wait = 5; // seconds

// What is wrong with an operation before it is done: cudaErrorInvalidValue for one that there is not, or an address that is not
// the device's or not aligned; cudaErrorNotSupported for flushes of writes of other devices, of which there are none.
cudaError_t check_operation(Runtime&, const StreamMemoryOperation&);

// Does them one after the other, without the runtime's lock while it waits.
cudaError_t perform_operations(const std::vector<StreamMemoryOperation>&);

} // namespace warplens::runtime
