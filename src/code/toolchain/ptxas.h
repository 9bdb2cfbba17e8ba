// NVIDIA's assembler: machine code from PTX, and what only it knows, registers per thread and the local memory of spilled registers.
#pragma once
#include "base/diagnostic.h"
#include "os/store.h"
#include <string>
#include <string_view>
#include <vector>

namespace warplens::toolchain {

struct PtxasInfo {
  std::string function; // mangled name
  bool entry = false;   // a kernel; else a function that was not inlined
  u32 registers = 0;    // per thread; 0 for functions
  u32 stack_frame = 0;  // bytes of local memory per thread, arrays included
  u32 spill_stores = 0; // bytes
  u32 spill_loads = 0;  // bytes
  u32 shared = 0;       // bytes, static
  bool operator==(const PtxasInfo&) const = default;
};

// The functions in what `ptxas -v` printed, in its order.
std::vector<PtxasInfo> parse_ptxas_output(std::string_view output);

// Assembles `ptx` for compute capability `sm` / 10 and returns what ptxas says of it. Calls of functions that
// are not in the text (clang's __nv_sinf without libdevice) are left unresolved.
// What it said of a text once is kept in `cache`, where there is one.
Result<std::vector<PtxasInfo>> ptxas_info(const std::string& ptxas, std::string_view ptx, u32 sm,
                                          const cache::Store* cache = nullptr);

struct Assembled {
  std::string by; // "ptxas 13.0"
  std::vector<std::byte> cubin;
};
// Machine code for compute capability `sm` / 10, with the lines that the PTX has. `options`: further ones of ptxas. Fails with ptxas's
// complaint, without saying what follows from it. What was made of a text once is kept in `cache`, where there is one.
Result<Assembled> assemble(const std::string& ptxas, std::string_view ptx, u32 sm,
                           const std::vector<std::string>& options, const cache::Store* cache);

} // namespace warplens::toolchain
