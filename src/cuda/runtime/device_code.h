// The device code of one registered binary, ready to be loaded: fat binaries → PTX → one linked module, or
// the module that an earlier run made of the same bytes.
#pragma once
#include "abi/types.h"
#include "base/diagnostic.h"
#include "ir/module.h"
#include "machine_code/fatbin.h"
#include "os/store.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warplens::runtime {

using os::Bytes;

// What runs, and is counted: machine code where there is some for the device (translate.h), PTX for kernels that have none or are not
// translated; `machine`: a note says where there is none. `ptx`: PTX alone. `ptx_first`: machine code where there is no PTX.
enum class Code : u8 { best, ptx, machine, ptx_first };

// Where there is no PTX, machine code is translated kernel by kernel: libraries have thousands, and a program launches a few.
struct Wanted {
  u32 sm = 90;
  Code code = Code::best;
  std::string kernel = {}; // empty: what is known without one (`others`), and the variables
  // Makes machine code of PTX that has none, with options of its own; empty: no ptxas is asked.
  std::string ptxas = {};
  std::vector<std::string> ptxas_options = {};
};

struct DeviceCode {
  ir::Module module; // its sites without frames: those of launched kernels are looked up (module.cpp)
  std::map<std::string, u32> registers; // kernel → registers per thread, from cubins
  u32 ptx_sm = 0;                       // of the PTX that was taken; 0: there is none
  bool above = false;                   // there was none for the device or below
  u32 machine_code = 0;                 // the capability whose machine code runs; 0: PTX does
  std::string assembler; // "ptxas 13.0": what made it from PTX; empty: it came with the program
  std::map<std::string, std::string>
      untranslated;             // kernels that run as PTX beside it, or not at all, and why
  std::set<std::string> others; // kernels of machine code alone, which are to be asked for
};

struct CodeProblem {
  cudaError_t error = cudaSuccess; // of CUDA's for a program whose code cannot be loaded
  diag::Diagnostic why;
};

// `program` is the name that messages give the module. What could not be read, but does not stand in the way,
// goes to `notes`.
// `store` keeps what ptxas makes; null: nothing does.
ResultOr<DeviceCode, CodeProblem> read_device_code(std::span<const Bytes> fatbins, const Wanted& wanted,
                                                   const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes,
                                                   const cache::Store* store = nullptr);

// The same through the cache, where that is faster: what gave rise to notes or failed is not kept. What ptxas makes is kept always.
ResultOr<DeviceCode, CodeProblem> read_device_code(const cache::Store&, std::span<const Bytes> fatbins,
                                                   const Wanted& wanted, const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes);

} // namespace warplens::runtime
