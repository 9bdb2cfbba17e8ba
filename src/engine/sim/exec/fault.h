// Faults and warnings of kernels: kernel, source line, thread, address, nearest allocation.
#pragma once
#include "sim/exec/exec.h"
#include "sim/exec/place.h"

namespace warplens::sim {

// A kernel fault travels as an exception inside the emulator only; launch() catches it.
struct FaultError {
  Fault fault;
};
[[noreturn]] void raise(Exec&, const Op&, FaultKind, std::string kind, std::string message, u32 thread,
                        u64 address = 0, std::vector<std::string> notes = {}, std::string help = {});
// Once per site and kind.
void warn(Exec&, const Op&, std::string kind, std::string message, u32 thread,
          std::vector<std::string> notes = {}, std::string help = {},
          diag::Severity severity = diag::Severity::warning);

} // namespace warplens::sim
