// Launches that CUDA refuses: the call returns an error and nothing runs.
#pragma once
#include "runtime/launch.h"

namespace warplens::runtime {

struct Refusal {
  cudaError_t error = cudaSuccess;
  std::string why; // "a block of 2048×1×1 threads cannot be launched: a block has at least …"
};

// What a GPU's driver would find wrong with a launch of a kernel that is resolved; nothing where it would run
// it.
std::optional<Refusal> refusal_of(const Runtime&, const Kernel&, const LaunchRequest&);

} // namespace warplens::runtime
