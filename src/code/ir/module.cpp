// The names of special registers and of parts of registers, and looking things up in a module.
#include "ir/module.h"
#include <unordered_map>

namespace warplens::ir {
namespace {

struct SpecialInfo {
  std::string_view text;
  u32 bits;
};
constexpr SpecialInfo special_table[] = {
#define SPECIAL(id, text, bits) {text, bits},
#include "ir/specials.def"
#undef SPECIAL
};

constexpr std::string_view part_names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};

} // namespace

std::string_view name(Part part) { return part_names[static_cast<std::size_t>(part)]; }

std::optional<Part> part_named(std::string_view text) {
  for (std::size_t i = 1; i < std::size(part_names); ++i)
    if (part_names[i] == text) return static_cast<Part>(i);
  return {};
}

std::string_view name(Special s) { return special_table[static_cast<std::size_t>(s)].text; }
u32 bits(Special s) { return special_table[static_cast<std::size_t>(s)].bits; }

std::optional<Special> special_named(std::string_view text) {
  static const std::unordered_map<std::string_view, Special> names = [] {
    std::unordered_map<std::string_view, Special> all;
    u8 id = 0;
    for (const SpecialInfo& row : special_table) all.emplace(row.text, static_cast<Special>(id++));
    return all;
  }();
  auto found = names.find(text);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

FunctionId Module::find_function(std::string_view wanted) const {
  FunctionId declared;
  for (u32 i = 0; i < functions.size(); ++i) {
    if (functions[i].name != wanted) continue;
    if (!functions[i].external) return FunctionId(i);
    if (!declared.valid()) declared = FunctionId(i);
  }
  return declared;
}

VariableId Module::find_variable(std::string_view wanted) const {
  for (u32 i = 0; i < variables.size(); ++i)
    if (!variables[i].owner.valid() && variables[i].name == wanted) return VariableId(i);
  return {};
}

std::vector<access::SourceFrame> Module::frames(LocationId id) const {
  std::vector<access::SourceFrame> stack;
  for (; id.valid(); id = locations[id.value].inlined_at) {
    const Location& at = locations[id.value];
    stack.push_back({at.file < files.size() ? files[at.file] : std::string(), at.line, at.column,
                     at.function.valid() ? names[at.function.value] : std::string()});
  }
  return stack;
}

} // namespace warplens::ir
