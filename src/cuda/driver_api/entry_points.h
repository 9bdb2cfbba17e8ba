// Every function of the CUDA Driver API by name: exports.def as a table, which the library libcuda.so.1 jumps through
// (preload/shim/library.S) and cuGetProcAddress looks into.
#pragma once
#include "base/types.h"
#include <span>

namespace warplens::runtime {

struct DriverExport {
  using Function = void (*)();
  const char* name;
  Function function;
  i64 since; // the CUDA version, 3020 is 3.2, from which the name without the suffix _v2, … means this function; else 0
};
std::span<const DriverExport> driver_exports(); // in the order of exports.def

// The driver's own name; the Runtime API's for an error that the driver does not have.
const char* driver_error_name(int error);

} // namespace warplens::runtime
