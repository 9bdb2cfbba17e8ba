// The options of nvrtcCompileProgram, as clang is told them ("NVRTC", the documentation of CUDA 13, "Supported Compile
// Options").
//
// Those that concern machine code, diagnostics' wording or the compiler's own time say nothing about the PTX and are
// dropped. What asks for another output (LTO IR, OptiX IR) is refused like an option that there is not.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include <span>
#include <string>
#include <vector>

namespace warplens::runtime {

struct NvrtcOptions {
  u32 sm = 75;                    // compute capability × 10; NVRTC 13's default
  bool machine_code = false;      // -arch=sm_90, not compute_90: there is a cubin
  bool device_by_default = false; // functions that say nothing are __device__, too
  std::vector<std::string> words; // for toolchain::CompileRequest: nvcc's or clang's
};

// Fails with the sentence for the program's log.
ResultOr<NvrtcOptions, std::string> nvrtc_options(std::span<const char* const> options);

} // namespace warplens::runtime
