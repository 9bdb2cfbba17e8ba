// Machine code beside the PTX that it was made from. See translate.h.
#include "ir/origin.h"
#include "ptx/parse.h"
#include "translate/translate.h"
#include <algorithm>
#include <functional>
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

  // Where all accesses of that kind and width on that line go to one array, or have one type. Of several variables all names.
  void name(access::Site& site, const ir::Module& module, ir::LocationId location,
            const std::string& kernel) const {
    if (!location.valid() || access::is_spill(site)) return;
    const ir::Location& at = module.locations[location.value];
    const auto found = known_.find({module.files[at.file], at.line, site.space, site.kind});
    if (found == known_.end()) return;
    const Known& known = found->second;
    if (known.element) site.element = *known.element;
    std::vector<const Accesses*> perhaps;
    for (const std::string_view owner :
         {std::string_view(kernel), std::string_view()}) // of another, a parameter is another's
      if (const auto of_owner = known.arrays.find(owner); of_owner != known.arrays.end())
        for (const Accesses& one : of_owner->second) perhaps.push_back(&one);
    auto fits = [&](const Accesses* one) { return one->may_move(site.bytes); };
    if (std::ranges::any_of(perhaps, fits)) std::erase_if(perhaps, std::not_fn(fits));
    if (perhaps.size() == 1) site.array = perhaps.front()->array;
    if (perhaps.size() < 2) return;
    std::vector<std::string> variables; // instances of one template each have their own, of the same name
    for (const Accesses* one : perhaps) {
      if (one->array.kind == ArrayKind::parameter || one->array.name.empty()) return;
      std::string name = ptx::variable_name(one->array.name);
      if (std::ranges::find(variables, name) == variables.end()) variables.push_back(std::move(name));
    }
    if (variables.size() > most_named) return;
    site.array = {.kind = perhaps.front()->array.kind};
    for (const std::string& name : variables)
      site.array.name += (site.array.name.empty() ? "" : " or ") + name;
  }

private:
  static constexpr std::size_t most_named = 4; // arrays that one access may go to

  struct Accesses { // to one array
    Array array;
    std::map<u32, u32> times; // by width
    // The assembler makes wide ones of several that are narrower.
    bool may_move(u32 bytes) const {
      return std::ranges::any_of(times, [&](const auto& one) {
        return one.first == bytes || (one.first < bytes && one.first * one.second >= bytes);
      });
    }
  };
  struct Known {
    std::map<std::string, std::vector<Accesses>, std::less<>>
        arrays; // by kernel; "": variables, which every function has
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
      std::vector<Accesses>& arrays = known.arrays[array.kind == ArrayKind::parameter ? function.name : ""];
      auto found = std::ranges::find(arrays, array, &Accesses::array);
      if (found == arrays.end()) found = arrays.insert(found, {array, {}});
      ++found->times[site.bytes];
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
      const ir::VariableId known = ptx.find_variable(v.name);
      if (!v.external && known.valid() && !ptx.variables[known.value].external) {
        ptx.variables[known.value].initial =
            std::exchange(v.initial, {}); // addresses of machine code's functions
        for (ir::Relocation& r : v.relocations)
          if (r.variable.valid()) r.variable = ptx.find_variable(module.variables[r.variable.value].name);
        ptx.variables[known.value].relocations = std::exchange(v.relocations, {});
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
