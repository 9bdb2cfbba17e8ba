// Program's inside: the module, its code (lowered function by function, when first needed) and its variables'
// places.
#pragma once
#include "ir/call_graph.h"
#include "sim/lower/code.h"
#include "sim/sim.h"
#include <mutex>
#include <unordered_map>

namespace warplens::sim {

struct Program::Impl {
  ir::Module module;
  std::vector<u64> variable_address;      // [variables]: global and constant ones; 0 otherwise
  std::vector<std::pair<u64, u64>> owned; // allocations to release: address, size
  std::unordered_map<std::string_view, ir::FunctionId> kernels;
  Device* device = nullptr;
  std::mutex mutex;
  std::vector<std::unique_ptr<Code>> code; // [functions]
  std::unordered_map<u32, ir::Reachable> reached;
  std::unordered_map<u32, bool> in_lockstep; // runs_in_lockstep's answers, by function

  const Code& code_of(ir::FunctionId);
  // The functions that a launch of `kernel` can reach; found once.
  const ir::Reachable& reachable(ir::FunctionId kernel);
  // Whether CTAs of `kernel` can run in lockstep with their neighbours (grid/batch.cpp).
  bool runs_in_lockstep(ir::FunctionId kernel);
  // Shared variables of the functions that a kernel can reach: offset per variable, total static bytes; dynamic ones start
  // after that.
  u64 place_shared(ir::FunctionId kernel, std::vector<u32>& offset);
};

} // namespace warplens::sim
