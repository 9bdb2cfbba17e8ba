// One kernel launch as the host program or a kernel asked for it.
#pragma once
#include "runtime/state.h"
#include <chrono>
#include <optional>

namespace warplens::runtime {

struct LaunchRequest {
  const void* function = nullptr; // the host function, or a kernel handle
  Dim3 grid, block, cluster;
  u64 shared = 0; // dynamic, bytes
  void** arguments = nullptr;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  // Of a launch that a kernel asked for: how many launches are above it, and what is left of the time that the host's
  // launch may take with all that are below it.
  u64 depth = 0;
  std::optional<std::chrono::steady_clock::duration>* time_left = nullptr;
  std::optional<u32> device{}; // of a graph's node; else the stream's
};

// What a launch configuration asks for beyond its shape; attributes that change nothing here are passed over.
void apply(LaunchRequest&, std::span<const cudaLaunchAttribute>);

// The parameters as the kernel has them, from one pointer each, or from the driver API's `extra`: {BUFFER_POINTER, bytes,
// BUFFER_SIZE, &size, END}; cudaErrorInvalidValue where that does not hold all of them.
ResultOr<std::vector<std::byte>, cudaError_t> pack_parameters(const sim::KernelInfo&, void** arguments,
                                                              void** extra = nullptr);
// A pointer to each parameter in `extra`.
ResultOr<std::vector<void*>, cudaError_t> arguments_of(const sim::KernelInfo&, void** extra);

// Runs what the host's launch of a kernel of `binary`, which has just ended, launched itself, and what that launches. Siblings run in
// the order of blocks and threads, those for cudaStreamTailLaunch last; each runs with what it launches before the next.
void run_children(Runtime&, Binary& binary, std::optional<std::chrono::steady_clock::duration>& time_left);

// What cudaDeviceGetLimit says of the limit with that number, which there is.
u64 limit_of(const Runtime&, int limit);

// Runs a launch whose counts were reported before. A fault is kept as a launch's own would be.
void run_deferred(Runtime&, const DeferredLaunch&);

// Checks, runs and reports the launch; returns what cudaLaunchKernel would.
cudaError_t launch(const LaunchRequest&);

} // namespace warplens::runtime
