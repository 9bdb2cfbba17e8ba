// What the parent process asks of the runtime, handed over in environment variables.
#pragma once
#include "base/run_options.h"
#include "runtime/device_code.h"
#include "sim/sim.h"

namespace warplens::runtime {

struct Options : ProgramOptions { // the user's
  std::string events;           // WARPLENS_EVENTS: a path, or a file descriptor's number; empty: tell no one
  std::string ledger;           // WARPLENS_LEDGER: the shared memory with a measure::Ledger
  std::string returned;         // WARPLENS_RETURNED: a file for what is copied to the host (returned.h)
  bool launch_blocking = false; // CUDA_LAUNCH_BLOCKING=1, as CUDA reads it

  std::vector<u32> capabilities() const; // of --sm; the first is the device
  sim::LaunchChecks launch_checks() const;
  Code which_code() const; // of --code
  bool has_budget() const { return budget != 0 || budget_work != 0; }
  bool proves_all() const { return proofs == "always" || no_results || (proves() && has_budget()); }
  bool proves() const { return proofs != "never"; }
};

Options options_from_environment();

// What CUDA_VISIBLE_DEVICES leaves of so many devices: numbers up to the first that is none. One that is named twice hides all.
struct VisibleDevices {
  u32 count = 0;
  bool twice = false;
};
VisibleDevices visible_devices(u32 devices, const char* variable);

} // namespace warplens::runtime
