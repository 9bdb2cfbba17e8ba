// Edits that promise alignment, so that the compiler may move neighbours at once. An array keeps its layout. So does a
// structure whose size is a multiple of the alignment, unless it is part of another; but every pointer to one must then lead
// to an aligned one, which holds for variables and for what cudaMalloc, malloc and new give, and not for casts.
#include "fix/arrays.h"
#include "fix/edits.h"
#include "fix/functions.h"
#include "fix/remedies.h"
#include <fmt/format.h>

namespace warplens::fix {
namespace {

bool says_alignment(const Token& t) {
  return t.is("alignas") || t.is("__align__") || t.is("__attribute__") || t.is("__builtin_align__") ||
         t.is("__packed__");
}

bool any_packing(const Source& s) {
  for (const Token& t : s.tokens())
    if ((t.directive && t.is("pack")) || t.is("_Pragma")) return true;
  return false;
}

// "(NAME*)" and "<NAME*>" of a cast: the token behind it, or no_token where this is none.
u32 behind_cast(const Source& s, u32 name) {
  u32 before = name - 1, after = name + 1;
  if (s.at(before).is("struct")) --before;
  if (s.at(before).is("const")) --before;
  if (s.at(after).is("const")) ++after;
  if (!s.at(after).is("*")) return no_token;
  while (s.at(after).is("*") || s.at(after).is("const")) ++after;
  if (s.at(before).is("(") && s.at(after).is(")")) return after + 1;
  if (s.at(before).is("<") && s.at(after).is(">") && s.at(before - 1).text.ends_with("_cast"))
    return after + 2;
  return no_token;
}

// No cast makes a pointer to one, no other structure holds or inherits one, nothing else is called so.
bool stands_alone(const Source& s, const Structure& type) {
  for (u32 i = 0; i < s.size(); ++i) {
    const Token& t = s.at(i);
    if (!t.is(type.name)) continue;
    if (t.directive) return false;
    if (i + 1 == type.body.first - 1 || i == type.body.last + 1) continue; // its own definition
    if (i >= type.body.first && i < type.body.last) return false;
    if (s.at(i - 1).is("typedef") || s.at(i - 1).is(":") || s.at(i - 1).is("public") || s.at(i - 1).is("="))
      return false;
    if (s.at(i - 2).is("typedef")) return false;
    if (const u32 operand = behind_cast(s, i); operand != no_token && !s.at(operand).is("malloc") &&
                                               !s.at(operand).is("calloc") &&
                                               !is_allocated_at(s, operand + 1))
      return false;
    const u32 block = s.block_around(i);
    if (block == no_token) continue;
    const bool in_function = function_around(s, i).has_value();
    const u32 before = block - 1;
    const bool of_namespace = s.at(before).is("namespace") || s.at(before - 1).is("namespace") ||
                              s.at(before).kind == Token::Kind::literal;     // extern "C"
    if (!in_function && !of_namespace && !s.at(i + 1).is("*")) return false; // a member
  }
  return true;
}

std::string_view type_of(const Place& p) {
  const Source& s = p.source;
  if (std::optional<Array> array = array_visible(s, p.array, p.use)) return type_name(s, array->type);
  std::optional<Function> function = function_around(s, p.use);
  if (!function) return {};
  for (const Parameter& one : parameters(s, *function).value_or(std::vector<Parameter>()))
    if (s.at(one.name).is(p.array)) return type_name(s, one.type);
  return {};
}

} // namespace

Edits aligned(const Place& p) {
  const Source& s = p.source;
  const u32 n = p.remedy.bytes;
  if (n == 0 || any_packing(s)) return {};
  const std::string attribute = fmt::format("__align__({}) ", n);
  if (std::optional<Array> array = array_visible(s, p.array, p.use); array && size_of(s, array->type) != 0) {
    for (u32 i = array->statement; i < array->name; ++i)
      if (says_alignment(s.at(i))) return {};
    const u32 at = s.at(array->type.first).begin;
    return {replacing(s, p.file, at, at, attribute)};
  }
  std::optional<Structure> type = structure(s, type_of(p));
  if (!is_own(p.file) || !type || type->bytes != n || says_alignment(s.at(type->keyword + 1)) ||
      !stands_alone(s, *type))
    return {};
  const u32 at = s.at(type->keyword).end();
  return {replacing(s, p.file, at, at, " " + attribute.substr(0, attribute.size() - 1))};
}

} // namespace warplens::fix
