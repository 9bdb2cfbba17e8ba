// cudaFuncGetAttributes, whose result differs between majors.
#pragma once
#include "runtime/state.h"
#include <cstring>

namespace warplens::runtime {

template <class Attributes> cudaError_t function_attributes(void* out, const void* function) {
  return api([&](Runtime& runtime) {
    Kernel* kernel = runtime.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!out) return cudaErrorInvalidValue;
    if (cudaError_t error = kernel->resolve(runtime); error != cudaSuccess) return error;
    const arch::Limits& limits = runtime.architecture().limits;
    Attributes a;
    std::memset(&a, 0, sizeof a);
    const auto& most = kernel->info.max_threads;
    a.sharedSizeBytes = kernel->info.static_shared;
    a.localSizeBytes = kernel->info.local_bytes;
    a.maxThreadsPerBlock =
        most[0] ? static_cast<int>(std::max(most[0], 1u) * std::max(most[1], 1u) * std::max(most[2], 1u))
                : static_cast<int>(limits.threads_per_block);
    a.numRegs = static_cast<int>(kernel->registers());
    a.ptxVersion = static_cast<int>(kernel->binary->ptx_sm);
    a.binaryVersion = static_cast<int>(arch::sm(runtime.architecture()));
    a.maxDynamicSharedSizeBytes = static_cast<int>(std::max<u64>(
        kernel->max_dynamic_shared,
        limits.shared_per_block - std::min(limits.shared_per_block, kernel->info.static_shared)));
    a.preferredShmemCarveout = kernel->carveout;
    std::memcpy(out, &a, sizeof a);
    return cudaSuccess;
  });
}

} // namespace warplens::runtime
