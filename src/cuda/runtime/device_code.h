// The device code of one registered binary, ready to be loaded: fat binaries → PTX → one linked module, or
// the module that an earlier run made of the same bytes.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"
#include "machine_code/fatbin.h"
#include "os/store.h"
#include "runtime/abi/types.h"
#include <map>

namespace warplens::runtime {

using os::Bytes;

// What runs, and whose accesses are counted.
//   best     PTX runs; its accesses are counted as those of machine code that was made of it, where there is some (assembled.h).
//            Without PTX, machine code runs
//   ptx      PTX runs, and is counted
//   machine  machine code runs, and is counted (translate.h); a note says where PTX had to stand in for it
enum class Code : u8 { best, ptx, machine };

struct Wanted {
  u32 sm = 90;
  Code code = Code::best;
};

struct DeviceCode {
  ir::Module module; // its sites without frames: those of launched kernels are looked up (module.cpp)
  std::map<std::string, u32> registers; // kernel → registers per thread, from cubins
  u32 ptx_sm = 0;                       // of the PTX that was taken
  bool above = false;                   // there was none for the device or below
  u32 machine_code = 0;                 // whose accesses are counted: that of this capability; 0: none's
};

struct CodeProblem {
  cudaError_t error = cudaSuccess; // of CUDA's for a program whose code cannot be loaded
  diag::Diagnostic why;
};

// `program` is the name that messages give the module. What could not be read, but does not stand in the way,
// goes to `notes`.
ResultOr<DeviceCode, CodeProblem> read_device_code(std::span<const Bytes> fatbins, const Wanted& wanted,
                                                   const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes);

// The same through the cache, where that is faster: what gave rise to notes or failed is not kept.
ResultOr<DeviceCode, CodeProblem> read_device_code(const cache::Store&, std::span<const Bytes> fatbins,
                                                   const Wanted& wanted, const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes);

} // namespace warplens::runtime
