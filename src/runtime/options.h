// What the parent process asks of the runtime, handed over in environment variables.
#pragma once
#include "runtime/device_code.h"
#include "sim/sim.h"
#include <optional>
#include <string>
#include <vector>

namespace warplens::runtime {

struct Options {
  std::string events;            // WARPLENS_EVENTS: a path, or a file descriptor's number; empty: tell no one
  std::string ledger;            // WARPLENS_LEDGER: the shared memory with a measure::Ledger
  std::string returned;          // WARPLENS_RETURNED: a file for what is copied to the host (returned.h)
  std::vector<u32> sm{90};       // WARPLENS_SM: "90,70"; the first is the device
  u32 workers = 0;               // WARPLENS_WORKERS: threads per launch; 0: one per core
  bool strict_memory = false;    // WARPLENS_MEMORY=strict
  sim::LaunchChecks checks;      // WARPLENS_CHECK=sync,memory,race
  std::optional<double> timeout; // WARPLENS_TIMEOUT: seconds a launch may take
  CountAs count_as = CountAs::best; // WARPLENS_COUNT_AS=ptx, machine-code
  bool count_only = false;          // WARPLENS_COUNT_ONLY=1: results only where somebody looks
  bool no_results = false;          // WARPLENS_NO_RESULTS=1: and where the host does, the program ends
  bool keep_going = false;          // WARPLENS_KEEP_GOING=1: launches that fail are a success to the program
  u64 launch_skip = 0;              // WARPLENS_LAUNCH_SKIP: the first of each process, which are not counted
  u64 launches = ~u64{0};           // WARPLENS_LAUNCHES: that are counted, of those that follow
  u64 per_kernel = ~u64{0};         // WARPLENS_PER_KERNEL: the same, of each kernel
  bool launch_blocking = false;     // CUDA_LAUNCH_BLOCKING=1, as CUDA reads it
};

Options options_from_environment();

} // namespace warplens::runtime
