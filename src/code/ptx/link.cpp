// Joining separately compiled modules, as nvlink does: visible names meet, one definition of several weak
// ones is kept, and names without linkage stay apart even where two modules use the same one.
//
// Each module's ids are mapped into those of the result; tables (forms, files, locations, sites) are
// appended, forms and files only once each. A declaration that meets a definition gives way to it. Functions'
// own variables always move with their function. What no module defines stays external.
#include "ptx/parse.h"
#include <fmt/format.h>
#include <unordered_map>

namespace warplens::ptx {
namespace {

using ir::FunctionId;
using ir::VariableId;

template <class IdType> IdType shifted(IdType id, u32 by) { return id.valid() ? IdType(id.value + by) : id; }

class Linker {
public:
  Result<ir::Module> run(std::vector<ir::Module> modules) {
    if (modules.empty()) return ir::Module{};
    bool first = true;
    for (ir::Module& m : modules) {
      if (std::exchange(first, false)) header(m);
      if (!join(m)) return failure(std::move(error_));
    }
    return std::move(out_);
  }

private:
  void header(const ir::Module& m) {
    out_.name = m.name;
    out_.sm = m.sm;
    out_.address_bits = m.address_bits;
  }

  bool join(ir::Module& m) {
    if (std::pair(m.version_major, m.version_minor) > std::pair(out_.version_major, out_.version_minor)) {
      out_.version_major = m.version_major;
      out_.version_minor = m.version_minor;
    }
    append_tables(m);
    functions_.assign(m.functions.size(), {});
    variables_.assign(m.variables.size(), {});
    for (u32 i = 0; i < m.functions.size(); ++i)
      if (!place_function(m, i)) return false;
    for (u32 i = 0; i < m.variables.size(); ++i)
      if (!place_variable(m, i)) return false;
    for (u32 i = 0; i < m.functions.size(); ++i)
      if (taken_functions_[i]) move_function(m.functions[i], functions_[i]);
    for (u32 i = 0; i < m.variables.size(); ++i)
      if (taken_variables_[i]) move_variable(m.variables[i], variables_[i]);
    return true;
  }

  void append_tables(ir::Module& m) {
    forms_.clear();
    for (ir::Form& form : m.forms) {
      auto [known, is_new] = form_ids_.try_emplace(form.text, ir::FormId(out_.forms.size()));
      forms_.push_back(known->second);
      if (is_new) out_.forms.push_back(std::move(form));
    }
    std::vector<u32> files;
    for (std::string& file : m.files) {
      auto [known, is_new] = file_ids_.try_emplace(file, static_cast<u32>(out_.files.size()));
      files.push_back(known->second);
      if (is_new) out_.files.push_back(std::move(file));
    }
    std::vector<ir::NameId> names;
    for (std::string& name : m.names) {
      auto [known, is_new] = name_ids_.try_emplace(name, ir::NameId(out_.names.size()));
      names.push_back(known->second);
      if (is_new) out_.names.push_back(std::move(name));
    }
    first_location_ = static_cast<u32>(out_.locations.size());
    for (ir::Location& at : m.locations) {
      if (at.file < files.size()) at.file = files[at.file];
      if (at.function.valid()) at.function = names[at.function.value];
      at.inlined_at = shifted(at.inlined_at, first_location_);
      out_.locations.push_back(std::move(at));
    }
    first_site_ = static_cast<u32>(out_.sites.size());
    for (access::Site& site : m.sites) {
      site.id = shifted(site.id, first_site_);
      out_.sites.push_back(std::move(site));
    }
    taken_functions_.assign(m.functions.size(), false);
    taken_variables_.assign(m.variables.size(), false);
  }

  // Whether the newcomer replaces what stands under its name; the error for two strong definitions.
  template <class T> bool replaces(const T& known, const T& newcomer, bool& replace) {
    replace = known.external && !newcomer.external;
    if (known.external || newcomer.external) return true;
    if (known.weak || newcomer.weak) {
      replace = known.weak && !newcomer.weak;
      return true;
    }
    error_ =
        diag::error("link-duplicate", fmt::format("'{}' is defined in more than one module", newcomer.name),
                    {}, "make it static, inline, or define it in one file only");
    return false;
  }

  bool place_function(const ir::Module& m, u32 i) {
    const ir::Function& f = m.functions[i];
    bool joins = f.visible || f.external;
    auto known = joins ? function_names_.find(f.name) : function_names_.end();
    if (known == function_names_.end()) {
      functions_[i] = FunctionId(out_.functions.size());
      out_.functions.push_back({});
      out_.functions.back().name = f.name;
      taken_functions_[i] = true;
      if (joins) function_names_.emplace(f.name, functions_[i]);
      return true;
    }
    functions_[i] = known->second;
    bool replace = false;
    if (!replaces(out_.functions[known->second.value], f, replace)) return false;
    taken_functions_[i] = replace;
    return true;
  }

  bool place_variable(const ir::Module& m, u32 i) {
    const ir::Variable& v = m.variables[i];
    if (v.owner.valid() && !taken_functions_[v.owner.value]) return true; // its function was not taken
    bool joins = !v.owner.valid() && (v.visible || v.external);
    auto known = joins ? variable_names_.find(v.name) : variable_names_.end();
    if (known == variable_names_.end()) {
      variables_[i] = VariableId(out_.variables.size());
      out_.variables.push_back({});
      taken_variables_[i] = true;
      if (joins) variable_names_.emplace(v.name, variables_[i]);
      return true;
    }
    variables_[i] = known->second;
    bool replace = false;
    if (!replaces(out_.variables[known->second.value], v, replace)) return false;
    taken_variables_[i] = replace;
    return true;
  }

  FunctionId of(FunctionId id) const { return id.valid() ? functions_[id.value] : id; }
  VariableId of(VariableId id) const { return id.valid() ? variables_[id.value] : id; }

  void move_function(ir::Function& f, FunctionId id) {
    f.alias_of = of(f.alias_of);
    for (std::vector<VariableId>* list : {&f.parameters, &f.results, &f.variables})
      for (VariableId& v : *list) v = of(v);
    for (ir::Instruction& i : f.instructions) {
      i.form = forms_[i.form.value];
      i.location = shifted(i.location, first_location_);
      i.site = shifted(i.site, first_site_);
    }
    for (ir::Operand& o : f.operands) {
      o.variable = of(o.variable);
      o.function = of(o.function);
    }
    out_.functions[id.value] = std::move(f);
  }

  void move_variable(ir::Variable& v, VariableId id) {
    v.owner = of(v.owner);
    for (ir::Relocation& r : v.relocations) {
      r.variable = of(r.variable);
      r.function = of(r.function);
    }
    out_.variables[id.value] = std::move(v);
  }

  ir::Module out_;
  diag::Diagnostic error_;
  std::unordered_map<std::string, ir::FormId> form_ids_;
  std::unordered_map<std::string, u32> file_ids_;
  std::unordered_map<std::string, ir::NameId> name_ids_;
  std::unordered_map<std::string, FunctionId> function_names_;
  std::unordered_map<std::string, VariableId> variable_names_;
  // Of the module being joined: its ids in the result, and whether its own definition is the one that counts.
  std::vector<FunctionId> functions_;
  std::vector<VariableId> variables_;
  std::vector<bool> taken_functions_, taken_variables_;
  std::vector<ir::FormId> forms_;
  u32 first_location_ = 0, first_site_ = 0;
};

} // namespace

Result<ir::Module> link(std::vector<ir::Module> modules) { return Linker().run(std::move(modules)); }

} // namespace warplens::ptx
