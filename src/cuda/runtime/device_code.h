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

// Whose accesses are counted: those of machine code where there is some that is known to be made of the PTX, else PTX's; or PTX's
// alone; or machine code's, with a warning where there is none. Machine code is read by src/assembly.
enum class CountAs : u8 { best, ptx, machine_code };

struct Wanted {
  u32 sm = 90;
  CountAs count_as = CountAs::best;
};

struct DeviceCode {
  ir::Module module; // its sites without frames: those of launched kernels are looked up (module.cpp)
  std::map<std::string, u32> registers; // kernel → registers per thread, from cubins
  u32 ptx_sm = 0;                       // of the PTX that was taken
  bool above = false;                   // there was none for the device or below
  u32 machine_code = 0;                 // whose accesses sites were held against; 0: none's
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
