// Machine code beside the PTX that it was made from. See translate.h.
#include "ir/origin.h"
#include "ptx/parse.h"
#include "translate/translate.h"
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace warplens::translate {

namespace {

using access::Array;
using access::ArrayKind;
using access::Space;

// What PTX says of its accesses, by source line.
class PtxNames {
public:
  explicit PtxNames(const ir::Module& ptx) : ptx_(ptx) {
    for (const ir::Function& function : ptx.functions) add(function);
  }

  // Where all accesses of that kind on that line go to one array, or have one type.
  void name(access::Site& site, const ir::Module& module, ir::LocationId location,
            const std::string& kernel) const {
    if (!location.valid() || access::is_spill(site)) return;
    const ir::Location& at = module.locations[location.value];
    const auto found = known_.find({module.files[at.file], at.line, site.space, site.kind});
    if (found == known_.end()) return;
    const Known& known = found->second;
    if (known.element) site.element = *known.element;
    const auto of_kernel = known.arrays.find(kernel); // of another function, a parameter is another's
    const auto shared = known.arrays.find("");
    const Array* only = nullptr;
    for (const auto& entry : {of_kernel, shared})
      if (entry != known.arrays.end()) {
        if (only != nullptr || entry->second.size() != 1) return;
        only = &entry->second.front();
      }
    if (only != nullptr) site.array = *only;
  }

private:
  struct Known {
    std::map<std::string, std::vector<Array>> arrays; // by kernel; "": variables, which every function has
    std::optional<access::ElementType> element;
    bool any = false;
  };

  void add(const ir::Function& function) {
    std::map<ir::SiteId, ir::LocationId> locations;
    for (const ir::Instruction& i : function.instructions)
      if (i.site.valid()) locations[i.site] = i.location;
    for (const auto& [id, origin, copied_to] : ir::origins(ptx_, function)) {
      const ir::LocationId location = locations[id];
      if (!location.valid()) continue;
      const access::Site& site = ptx_.sites[id.value];
      const ir::Location& at = ptx_.locations[location.value];
      Known& known = known_[{ptx_.files[at.file], at.line, site.space, site.kind}];
      if (!known.any) known.element = site.element;
      if (known.element != site.element) known.element.reset();
      known.any = true;
      const Array array = ir::array_of(ptx_, function, origin);
      std::vector<Array>& arrays = known.arrays[array.kind == ArrayKind::parameter ? function.name : ""];
      if (std::ranges::find(arrays, array) == arrays.end()) arrays.push_back(array);
    }
  }

  const ir::Module& ptx_;
  std::map<std::tuple<std::string, u32, Space, access::Kind>, Known> known_;
};

} // namespace

Result<ir::Module> join(ir::Module ptx, std::vector<ir::Module> machine) {
  const PtxNames names(ptx);
  std::set<std::string> kernels, variables;
  u32 sm = ptx.sm;
  for (ir::Module& module : machine) {
    sm = module.sm;
    for (ir::Function& function : module.functions) {
      if (function.external) continue;
      kernels.insert(function.name);
      for (const ir::Instruction& i : function.instructions)
        if (i.site.valid()) names.name(module.sites[i.site.value], module, i.location, function.name);
    }
    for (ir::Variable& v : module.variables) {
      if (v.owner.valid()) continue;
      if (const ir::VariableId known = ptx.find_variable(v.name); !v.external && known.valid()) {
        ptx.variables[known.value].initial =
            std::exchange(v.initial, {}); // addresses of machine code's functions
        ptx.variables[known.value].relocations.clear();
        v.external = true;
      }
      if (v.external) variables.insert(v.name);
    }
  }
  // PTX's kernels give way, and its variables are those of both.
  std::set<std::string> strong;
  for (ir::Function& function : ptx.functions)
    if (kernels.contains(function.name)) {
      if (!function.weak) strong.insert(function.name);
      function.visible = function.weak = true;
    }
  std::set<std::string> hidden;
  for (ir::Variable& v : ptx.variables)
    if (!v.owner.valid() && variables.contains(v.name) && !v.visible && !v.external)
      hidden.insert(v.name), v.visible = true;
  std::vector<ir::Module> all;
  all.push_back(std::move(ptx));
  std::ranges::move(machine, std::back_inserter(all));
  Result<ir::Module> out = ptx::link(std::move(all));
  if (!out) return out;
  out->sm = sm;
  for (ir::Variable& v : out->variables)
    if (!v.owner.valid() && hidden.contains(v.name)) v.visible = false;
  for (ir::Function& function : out->functions) // of several fat binaries' one is kept
    if (kernels.contains(function.name)) function.weak = !strong.contains(function.name);
  return out;
}

} // namespace warplens::translate
