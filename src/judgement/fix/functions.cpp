// Parameters, and structures with their layout, found in tokens. See functions.h.
#include "fix/functions.h"
#include <algorithm>

namespace warplens::fix {
namespace {

// Parts between commas that stand in no brackets.
std::vector<Range> parts(const Source& s, Range r, std::string_view mark) {
  std::vector<Range> out;
  u32 begin = r.first;
  int angle = 0;
  for (u32 i = r.first; i < r.last; ++i) {
    const Token& t = s.at(i);
    if (const u32 close = s.partner(i); close != no_token && close > i) i = std::min(close, r.last - 1);
    if (t.is("<")) ++angle;
    if (t.is(">")) --angle;
    if (!t.is(mark) || angle > 0) continue;
    out.push_back({begin, i});
    begin = i + 1;
  }
  if (begin < r.last) out.push_back({begin, r.last});
  return out;
}

bool says_nothing(const Token& t) {
  return t.is("const") || t.is("volatile") || t.is("struct") || t.is("__restrict__") || t.is("__restrict") ||
         t.is("restrict") || t.is("*") || t.is("&");
}

u32 align_up(u32 value, u32 to) { return (value + to - 1) / to * to; }

// "float x, y;" and "int a[4];" lie one behind the other, each aligned to its element's size.
bool lay_out(const Source& s, Range declaration, u32& at, u32& widest, std::vector<Member>& out) {
  std::vector<Range> declarators = parts(s, declaration, ",");
  if (declarators.empty()) return false;
  Range& first = declarators[0];
  u32 name = first.first;
  while (name < first.last && !s.at(name + 1).is("[") && name + 1 < first.last) ++name;
  const u32 size = size_of(s, {first.first, name});
  if (size == 0 || name == first.first || (size & (size - 1)) != 0) return false;
  first.first = name;
  for (const Range& one : declarators) {
    u32 bytes = size, i = one.first + 1;
    if (!s.at(one.first).word()) return false;
    while (i < one.last && s.at(i).is("[")) {
      if (s.partner(i) == no_token) return false;
      std::optional<u64> count = constant(s, {i + 1, s.partner(i)});
      if (!count || *count == 0 || *count > 4096) return false;
      bytes *= static_cast<u32>(*count);
      i = s.partner(i) + 1;
    }
    if (i != one.last) return false; // a bit field, an initialiser
    at = align_up(at, size);
    out.push_back({one.first, at, bytes});
    at += bytes;
    widest = std::max(widest, size);
  }
  return true;
}

void lay_out(const Source& s, Structure& out) {
  u32 at = 0, widest = 1;
  for (const Range& declaration : parts(s, out.body, ";"))
    if (!lay_out(s, declaration, at, widest, out.members)) return;
  out.bytes = align_up(at, widest);
}

} // namespace

std::optional<Function> function_around(const Source& s, u32 token) {
  std::optional<Function> out;
  for (u32 open = s.block_around(token); open != no_token; open = s.block_around(open)) {
    if (s.partner(open) == no_token) continue; // nobody knows where it ends
    u32 close = open - 1;                      // of the parameters
    while (s.at(close).is("const") || s.at(close).is("noexcept")) --close;
    if (!s.at(close).is(")") || s.partner(close) == no_token) continue;
    const u32 name = s.partner(close) - 1;
    const Token& before = s.at(name);
    if (!before.word() || before.is("if") || before.is("for") || before.is("while") || before.is("switch"))
      continue;
    out = Function{name, {s.partner(close) + 1, close}, {open + 1, s.partner(open)}};
  }
  return out;
}

std::optional<std::vector<Parameter>> parameters(const Source& s, const Function& f) {
  std::vector<Parameter> out;
  for (const Range& one : parts(s, f.parameters, ",")) {
    u32 last = one.first; // behind the name
    while (last < one.last && !s.at(last).is("=") && !s.at(last).is("[")) ++last;
    if (last < one.first + 2 || !s.at(last - 1).word()) return {};
    out.push_back({last - 1, {one.first, last - 1}});
  }
  return out;
}

std::string_view type_name(const Source& s, Range type) {
  std::string_view out;
  for (u32 i = type.first; i < type.last; ++i) {
    if (says_nothing(s.at(i))) continue;
    if (!s.at(i).word() || !out.empty()) return {};
    out = s.at(i).text;
  }
  return out;
}

std::optional<Structure> structure(const Source& s, std::string_view name) {
  std::optional<Structure> out;
  for (u32 i : s.places_of("struct")) {
    if (s.at(i).directive || name.empty()) continue;
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

std::string_view type_of(const Source& s, std::string_view variable, u32 use) {
  if (std::optional<Array> array = array_visible(s, variable, use)) return type_name(s, array->type);
  std::optional<Function> function = function_around(s, use);
  if (!function) return {};
  for (const Parameter& one : parameters(s, *function).value_or(std::vector<Parameter>()))
    if (s.at(one.name).is(variable)) return type_name(s, one.type);
  return {};
}

} // namespace warplens::fix
