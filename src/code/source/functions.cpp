// Definitions told from declarations and calls by what follows their brackets. See functions.h.
#include "source/functions.h"
#include "source/arrays.h"
#include <algorithm>
#include <array>

namespace warplens::source {
namespace {

// Are the tokens there those of the name? It may have several: operator().
bool stands_at(const Tokens& s, u32 at, const Tokens& name) {
  for (u32 i = 0; i < name.size(); ++i)
    if (!s.at(at + i).is(name.at(i).text)) return false;
  return true;
}

// Does the declaration before a brace open a namespace or a class, in which functions stand? Parameters make it a function.
bool holds_functions(const Tokens& s, Range head) {
  static constexpr std::array<std::string_view, 5> words{"namespace", "extern", "class", "struct", "union"};
  bool out = false;
  for (u32 i = head.first; i < head.last; ++i) {
    if (s.at(i).is("(")) return false;
    out = out || std::ranges::find(words, s.at(i).text) != words.end();
  }
  return out;
}

} // namespace

u32 name_declared(const Tokens& s, Range r) {
  u32 end = r.first;
  while (end < r.last && !s.at(end).is("=") && !s.at(end).is("[")) ++end;
  return end != r.first && s.at(end - 1).word() ? end - 1 : no_token;
}

std::optional<std::vector<Parameter>> parameters(const Tokens& s, Range list) {
  std::vector<Parameter> out;
  if (s.words(list) == "void") return out;
  for (const Range& one : s.parts(list, ",")) {
    const u32 name = name_declared(s, one);
    if (name == no_token || name == one.first) return {};
    Parameter p{s.words({one.first, name}), std::string(s.at(name).text)};
    p.pointer = p.type.find('*') != p.type.npos || (name + 1 < one.last && s.at(name + 1).is("["));
    out.push_back(std::move(p));
  }
  return out;
}

std::optional<Function> function_around(const Tokens& s, u32 token) {
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

u32 in_body(const Tokens& s, u32 token) {
  if (function_around(s, token)) return token;
  u32 open = token;
  while (open < s.size() && !s.at(open).is("{") && !s.at(open).is("}") && !s.at(open).is(";")) ++open;
  if (!s.at(open).is("{") || !function_around(s, open + 1)) return token;
  u32 last = open + 1;
  while (last + 1 < s.partner(open) && s.line_of(s.at(last + 1).begin) == s.line_of(s.at(token).begin))
    ++last;
  return last;
}

std::optional<Definition> definition_of(const Tokens& s, std::string_view function, u32 line) {
  std::optional<Definition> out;
  const Tokens name(function);
  for (u32 at : s.places_of(name.at(0).text)) {
    const u32 open = at + name.size(), close = s.partner(open);
    if (s.line_of(s.at(at).begin) > line) break;
    if (!stands_at(s, at, name) || !s.at(open).is("(") || close == no_token) continue;
    u32 brace = close + 1;
    while (brace < s.size() && (s.at(brace).kind != Token::Kind::sign ||
                                s.at(brace).text.find_first_of("{;(=,)") == std::string_view::npos))
      ++brace;
    if (!s.at(brace).is("{")) continue; // a declaration or a call
    out.reset();
    if (std::optional<std::vector<Parameter>> all = parameters(s, {open + 1, close}))
      out = Definition{std::move(*all), own_arrays(s, {brace + 1, std::min(s.partner(brace), s.size())})};
  }
  return out;
}

std::vector<Extent> functions_in(const Tokens& s) {
  std::vector<Extent> out;
  u32 start = 0, inside = 0; // of the declaration that is being read; braces open within a function
  for (u32 i = 0; i < s.size(); ++i) {
    const Token& t = s.at(i);
    if (t.directive != 0) {
      if (inside == 0 && start == i) ++start;
    } else if (t.is("{")) {
      if (inside != 0 || !holds_functions(s, {start, i}))
        ++inside;
      else
        start = i + 1;
    } else if (t.is("}")) {
      if (inside == 1) out.push_back({s.line_of(s.at(start).begin), s.line_of(t.begin)});
      if (inside <= 1) start = i + 1;
      inside -= inside != 0;
    } else if (t.is(";") && inside == 0) {
      start = i + 1;
    }
  }
  return out;
}

} // namespace warplens::source
