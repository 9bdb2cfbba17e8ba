// Members laid out one behind the other, each aligned as its type is. See structures.h.
#include "source/structures.h"
#include "source/arrays.h"
#include "source/functions.h"
#include "source/types.h"
#include <algorithm>

namespace warplens::source {
namespace {

u32 align_up(u32 value, u32 to) { return (value + to - 1) / to * to; }

// The elements of "[4][tile + 1]" that begins at the token; moves it behind them.
std::optional<u32> count_elements(const Tokens& s, u32& at) {
  u32 out = 1;
  while (s.at(at).is("[")) {
    const u32 close = s.partner(at);
    if (close == no_token) return {};
    std::optional<u64> count = constant(s, {at + 1, close});
    if (!count || *count == 0 || *count > 4096) return {};
    out *= static_cast<u32>(*count);
    at = close + 1;
  }
  return out;
}

// "float x, y;", "int a[4];", "const float *p, *q;"
bool lay_out(const Tokens& s, Range declaration, u32& at, u32& widest, std::vector<Member>& out) {
  std::vector<Range> declarators = s.parts(declaration, ",");
  if (declarators.empty()) return true;
  Range& first = declarators[0];
  u32 name = name_declared(s, first), type_end = first.first; // before its name or its first star
  if (name == no_token) return false;
  while (type_end < name && !s.at(type_end).is("*")) ++type_end;
  if (type_end == first.first) return false;
  const u32 size = size_of(s, s.words({first.first, type_end}));
  first.first = type_end;
  for (const Range& one : declarators) {
    name = name_declared(s, one);
    const bool pointer = s.at(one.first).is("*");
    if (name == no_token || (!pointer && name != one.first)) return false;
    const u32 element = pointer ? 8 : size;
    u32 behind = name + 1;
    const std::optional<u32> count = count_elements(s, behind);
    if (element == 0 || !count || behind != one.last) return false; // or a bit field, an initialiser
    at = align_up(at, alignment_of(element));
    out.push_back({name, at, *count * element, pointer});
    at += *count * element;
    widest = std::max(widest, alignment_of(element));
  }
  return true;
}

void lay_out(const Tokens& s, Structure& out) {
  u32 at = 0, widest = 1;
  for (const Range& declaration : s.parts(out.body, ";"))
    if (!lay_out(s, declaration, at, widest, out.members)) return;
  out.bytes = align_up(at, widest);
}

} // namespace

std::optional<Structure> structure(const Tokens& s, std::string_view name) {
  std::optional<Structure> out;
  for (u32 i : s.places_of("struct")) {
    if (s.at(i).directive != 0 || name.empty()) continue;
    u32 open = i + 1;
    const bool tagged = s.at(open).word();
    if (tagged) ++open;
    if (!s.at(open).is("{") || s.partner(open) == no_token) continue;
    const u32 close = s.partner(open);
    const bool alias = s.at(i - 1).is("typedef") && s.at(close + 1).is(name) && s.at(close + 2).is(";");
    if (!(tagged && s.at(i + 1).is(name)) && !alias) continue;
    if (out) return {};
    out = Structure{std::string(name), i, {open + 1, close}, {}, 0};
    lay_out(s, *out);
  }
  return out;
}

std::optional<std::string> pointer_member(const Tokens& s, std::string_view type, u32 offset) {
  const std::optional<Structure> found =
      structure(s, type_name(type.substr(0, type.find(" <")))); // Pair<float>
  for (const Member& m : found ? found->members : std::vector<Member>())
    if (m.pointer && m.offset == offset) return std::string(s.at(m.name).text);
  return {};
}

std::string type_of(const Tokens& s, std::string_view variable, u32 use) {
  if (std::optional<Array> array = array_visible(s, variable, use))
    return std::string(type_name(array->type));
  if (std::optional<Function> function = function_around(s, use))
    for (const Parameter& one : parameters(s, function->parameters).value_or(std::vector<Parameter>()))
      if (one.name == variable) return std::string(type_name(one.type));
  return {};
}

} // namespace warplens::source
