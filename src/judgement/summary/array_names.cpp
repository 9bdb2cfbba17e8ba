// Declarations found in source text for arrays that PTX names otherwise, and an array's name in words. See array_names.h.
#include "summary/array_names.h"
#include "advise/rules/triton.h"
#include "source/arrays.h"
#include "source/functions.h"
#include "source/names.h"
#include "source/places.h"
#include "source/structures.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace warplens::summary {
namespace {

using access::Array;
using access::ArrayKind;

constexpr std::size_t most_named = 4; // arrays that one access may go to
constexpr u32 most_lines = 200'000;   // of a file that somebody wrote

constexpr std::string_view depot =
    "__local_depot"; // what compilers call a function's local memory, all arrays in one

struct SourceFile {
  std::string text;
  u32 lines = 0;
  std::optional<source::Tokens> tokens; // of the text
};

class Namer {
public:
  explicit Namer(const SourceLines& source) : source_(source) {}

  // Of an array that the source declares as a pointer, `declared_as` is the type, if the function's own name does not tell it; of
  // a shared one that has rows, its type and sizes.
  void name(access::Site& site, std::string& declared_as) {
    Array& array = site.array;
    bool parameter = array.kind == ArrayKind::parameter && array.name.empty();
    if (site.frames.empty()) return;
    if (is_any_local(array)) name_local(site);
    if (array.kind == ArrayKind::shared) declare_shared(site, declared_as);
    if (!parameter) return;
    const access::SourceFrame& frame = site.frames[site.frames.size() - 1]; // of the function itself
    const std::optional<source::Definition>& found = definition(site.function, frame);
    // Triton leaves out arguments that are constant, so that numbers do not tell its names; its PTX has this one.
    if (advise::is_triton(site))
      array.name =
          fmt::format("parameter {0} ({1}_param_{2})", array.parameter + 1, site.function, array.parameter);
    if (!found || found->parameters.size() != array.parameters) return;
    const source::Parameter& declared = found->parameters[array.parameter];
    array.name = declared.name;
    if (declared.pointer) {
      if (!site.function.starts_with("_Z")) declared_as = declared.type;
      return;
    }
    if (std::optional<std::string> member =
            source::pointer_member(*file(frame.file).tokens, declared.type, array.offset))
      array.name += "." + *member;
  }

private:
  // Which of a function's local arrays it is, its address does not say, nor whose of the functions that were inlined:
  // "a or b".
  void name_local(access::Site& site) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < site.frames.size(); ++i) {
      const access::SourceFrame& frame = site.frames[i];
      bool last = i + 1 == site.frames.size();
      if (source::is_library_file(frame.file)) continue;
      const std::optional<source::Definition>& found =
          definition(last ? site.function : frame.function, frame);
      if (!found) return;
      for (const std::string& name : found->arrays)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.empty() || names.size() > most_named) return;
    std::string text = names[0];
    for (std::size_t n = 1; n < names.size(); ++n) text += (n + 1 == names.size() ? " or " : ", ") + names[n];
    site.array.name = std::move(text);
  }

  // "float [16][8][8]"
  void declare_shared(const access::Site& site, std::string& declared_as) {
    for (const access::SourceFrame& frame : site.frames.all()) {
      if (source::is_library_file(frame.file) || frame.line == 0 || frame.line > file(frame.file).lines)
        continue;
      const source::Tokens& tokens = *file(frame.file).tokens;
      const std::optional<source::Array> found = source::array_visible(
          tokens, site.array.name, tokens.token_at(frame.line, std::max(1u, frame.column)));
      if (!found || !found->shared) continue;
      std::string text = found->type + ' ';
      for (const source::Range& dimension : found->dimensions) {
        const std::optional<u64> size = source::constant(tokens, dimension);
        if (!size || *size == 0) return;
        text += fmt::format("[{}]", *size);
      }
      if (found->dimensions.size() > 1) declared_as = text;
      return;
    }
  }

  const SourceFile& file(const std::string& name) {
    auto [found, fresh] = files_.try_emplace(name);
    SourceFile& out = found->second;
    if (!fresh) return out;
    for (; out.lines < most_lines; ++out.lines) {
      std::optional<std::string> one = source_(name, out.lines + 1);
      if (!one) break;
      (out.text += *one) += '\n';
    }
    out.tokens.emplace(out.text);
    return out;
  }

  const std::optional<source::Definition>& definition(const std::string& function,
                                                      const access::SourceFrame& frame) {
    auto [found, fresh] = definitions_.try_emplace({frame.file, function});
    if (!fresh) return found->second;
    const SourceFile& of = file(frame.file);
    const bool mangled = function.starts_with("_Z");
    const std::string name = mangled ? source::function_name(function) : source::name_parts(function).base;
    if (frame.line <= of.lines) found->second = source::definition_of(*of.tokens, name, frame.line);
    return found->second;
  }

  const SourceLines& source_;
  std::map<std::string, SourceFile> files_;
  std::map<std::pair<std::string, std::string>, std::optional<source::Definition>>
      definitions_; // by file, function
};

void name_local_arrays(measure::LaunchRecord& launch, const std::map<std::string, std::string>& names) {
  for (auto& [name, bytes, parameter] : launch.local_arrays)
    if (auto known = names.find(name); known != names.end())
      name = known->second;
    else if (name.starts_with(depot))
      name = "local variables";
}

} // namespace

void name_arrays(std::vector<Launch>& launches, const SourceLines& source) {
  Namer namer(source);
  // By module and number: a program repeats its launches. Files of a program that were compiled apart are modules of one
  // description, so that a number may stand for another site than before.
  struct Known {
    access::Site site;
    std::string name, declared;
  };
  std::map<std::pair<std::string, u32>, Known> known;
  for (Launch& alike : launches) {
    measure::LaunchRecord& launch = alike.record;
    std::map<std::string, std::string> local;
    for (measure::SiteRecord& record : launch.sites) {
      access::Site& site = record.site;
      if (site.array.kind != ArrayKind::parameter && site.array.kind != ArrayKind::local &&
          site.array.kind != ArrayKind::shared)
        continue;
      const std::string before = site.array.name;
      auto& [named, name, declared] = known[{launch.module, site.id.value}];
      if (!site.id.valid() || named != site) {
        named = site, declared = record.declared;
        namer.name(site, declared);
        name = site.array.name;
      }
      site.array.name = name, record.declared = declared;
      // What was inlined around some accesses tells more arrays than what was around others.
      if (site.array.kind == ArrayKind::local && before != site.array.name)
        if (std::string& longest = local[before]; longest.size() < site.array.name.size())
          longest = site.array.name;
    }
    // One variable is all of a kernel's local memory. If every access of it spills, it is no array.
    const auto in_local = [](const measure::SiteRecord& record) {
      return record.space == access::Space::local;
    };
    const auto spills = [&](const measure::SiteRecord& record) {
      return !in_local(record) || is_spill(record.site);
    };
    if (launch.machine_code != 0 && std::ranges::any_of(launch.sites, in_local) &&
        std::ranges::all_of(launch.sites, spills))
      local[std::string(depot) + "0"] = "spilled registers";
    name_local_arrays(launch, local);
  }
}

bool is_any_local(const Array& array) {
  return array.kind == ArrayKind::local && array.name.starts_with(depot);
}

std::string array_name(const Array& array) {
  std::string name = array.name;
  if (is_any_local(array)) name = "a local array";
  if (name.empty() && array.kind == ArrayKind::parameter)
    name = fmt::format("parameter {}", array.parameter + 1);
  return array.indirect && !name.empty() ? "via " + name : name;
}

} // namespace warplens::summary
