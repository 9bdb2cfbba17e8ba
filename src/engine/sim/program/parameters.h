// Where a kernel's parameters lie in the block of bytes that a launch is given.
#pragma once
#include "ir/module.h"
#include <utility>
#include <vector>

namespace warplens::sim {

struct ParameterLayout {
  std::vector<std::pair<u32, u32>> each; // offset, size
  u32 bytes = 0;
};
ParameterLayout parameter_layout(const ir::Module&, const ir::Function& kernel);

} // namespace warplens::sim
