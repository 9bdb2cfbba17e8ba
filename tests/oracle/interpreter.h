// A naïve PTX interpreter for tests: every thread runs by itself, one after another, from one barrier to the
// next.
//
// It exists to disagree with sim/: one thread's registers are 64-bit numbers in a map, memory is a map of
// byte arrays, arithmetic is oracle/scalar.h, and nothing is shared with the product but ir::Module and
// access::WarpAccess. Threads stop at barriers and at warp-level instructions; those are resolved once every
// thread they name has arrived. A thread that runs long without stopping lets the others go on, so spinning
// on another thread ends.
//
// Each memory access is recorded per warp: lanes that execute a site in the same iteration of every enclosing
// loop (and the same call) are one access. That is what a warp with reconvergence does when control flow is
// structured and lanes do not exit or break out of shared code in the middle; compare counts only for such
// programs.
//
// Not covered: what scalar.h does not cover, textures, matrices, asynchronous copies, 128-bit values, device
// library calls, dynamic parallelism. Such a program ends with Outcome::error.
#pragma once
#include "access/access.h"
#include "ir/module.h"
#include <map>
#include <string>
#include <vector>

namespace warplens::oracle {

struct Launch {
  ir::FunctionId kernel;
  Dim3 grid, block;
  u32 dynamic_shared = 0;
  std::vector<std::byte> parameters; // in order, each at its natural alignment
  u64 shared_window = 0, local_window = 0, param_window = 0, window_size = u64{1} << 24; // generic addresses
  std::map<u32, u64> placed;   // addresses of global and constant variables, by VariableId
  u64 step_limit = 50'000'000; // instructions of all threads; more is an error
};

struct Outcome {
  std::string error;                        // empty: every thread ran to its end
  std::vector<access::WarpAccess> accesses; // in the order in which their first lane got there
  u64 thread_instructions = 0;
};

// Global memory: byte arrays at device addresses. An access must lie within one of them.
using GlobalMemory = std::map<u64, std::vector<std::byte>>;

Outcome interpret(const ir::Module&, const Launch&, GlobalMemory&);

} // namespace warplens::oracle
