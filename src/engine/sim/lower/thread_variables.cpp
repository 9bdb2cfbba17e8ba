// Where the variables of a function that live in per-thread memory sit.
#include "sim/lower/code.h"
#include <algorithm>

namespace warplens::sim {

using ir::StateSpace;

u32 Placement::offset_of(ir::VariableId id, bool in_local) const {
  const auto& all = in_local ? local : param;
  auto found = std::lower_bound(all.begin(), all.end(), id, [](const auto& entry, ir::VariableId wanted) {
    return entry.first < wanted;
  });
  return found != all.end() && found->first == id ? found->second : 0;
}

Placement place_thread_variables(const ir::Module& module, const ir::Function& function) {
  Placement out;
  std::vector<ir::VariableId> kernel_parameters;
  if (function.entry) kernel_parameters = function.parameters;
  std::sort(kernel_parameters.begin(), kernel_parameters.end());
  for (ir::VariableId id : function.variables) {
    const ir::Variable& v = module.variables[id.value];
    bool kernel_parameter = std::binary_search(kernel_parameters.begin(), kernel_parameters.end(), id);
    if (v.space == StateSpace::local) {
      out.local_bytes = static_cast<u32>(align_up(out.local_bytes, std::max<u32>(v.alignment, 1)));
      out.local.push_back({id, out.local_bytes});
      out.local_bytes += static_cast<u32>(v.size);
    } else if (v.space == StateSpace::param && !kernel_parameter) {
      out.param_bytes = static_cast<u32>(align_up(out.param_bytes, 16));
      out.param.push_back({id, out.param_bytes});
      out.param_bytes += static_cast<u32>(v.size);
    }
  }
  out.local_bytes = static_cast<u32>(align_up(out.local_bytes, 16));
  out.param_bytes = static_cast<u32>(align_up(out.param_bytes, 16));
  std::sort(out.local.begin(), out.local.end());
  std::sort(out.param.begin(), out.param.end());
  return out;
}

} // namespace warplens::sim
