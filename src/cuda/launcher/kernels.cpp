#include "launcher/kernels.h"
#include "base/closest.h"
#include "launcher/words.h"
#include "ptx/parse.h"
#include "source/names.h"
#include <fmt/format.h>
#include <set>

namespace warplens::launcher {

// The list of parameters ends the name; "(anonymous namespace)" may be in it. Numba's names have tags that nobody says, and of
// some no demangler makes anything.
std::string short_name(const std::string& mangled) {
  std::string name = ptx::demangle(mangled);
  if (name.starts_with("_Z")) name = source::function_name(mangled);
  for (std::size_t tag; (tag = name.find("[abi:")) != name.npos;)
    name.erase(tag, name.find(']', tag) - tag + 1);
  if (name.ends_with(')')) {
    int depth = 0;
    std::size_t at = name.size();
    do {
      --at;
      depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    } while (depth != 0 && at > 0);
    name.resize(at);
  }
  return name.starts_with("void ") ? name.substr(5) : name;
}

Result<const ir::Function*> find_kernel(const ir::Module& module, const std::string& file,
                                        const std::optional<std::string>& wanted) {
  std::vector<const ir::Function*> kernels, found;
  std::vector<std::string> names, candidates;
  for (const ir::Function& function : module.functions) {
    if (!function.entry || function.external) continue;
    kernels.push_back(&function);
    names.push_back(function.name);
    candidates.push_back(short_name(function.name));
    if (wanted == function.name) return &function;
    const std::string& name = candidates.back();
    if (wanted && (*wanted == name || *wanted == name.substr(0, name.find('<')) ||
                   *wanted == ptx::demangle(function.name)))
      found.push_back(&function);
  }
  const bool are_apart = std::set(candidates.begin(), candidates.end()).size() == candidates.size();
  const std::vector<std::string>& said = are_apart ? candidates : names;
  if (kernels.empty())
    return bad(fmt::format("'{}' has no kernel", file), "a kernel is an .entry; __global__ in CUDA C++");
  if (!wanted && kernels.size() == 1) return kernels[0];
  if (!wanted)
    return bad(fmt::format("'{}' has {} kernels", file, kernels.size()),
               fmt::format("choose one, after the file: warplens run {} --kernel {} …", quoted(file),
                           quoted(said[0])),
               {list(said)});
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    names.clear();
    for (const ir::Function* function : found) names.push_back(function->name);
    return bad(fmt::format("'{}' has {} kernels '{}'", file, found.size(), *wanted),
               "give the name as it is in the file", {list(names)});
  }
  std::string near = closest(*wanted, candidates);
  if (near.empty()) near = closest(*wanted, names);
  return bad(fmt::format("'{}' has no kernel '{}'", file, *wanted),
             near.empty() ? "" : fmt::format("did you mean '{}'?", near), {"it has " + list(said)});
}

} // namespace warplens::launcher
