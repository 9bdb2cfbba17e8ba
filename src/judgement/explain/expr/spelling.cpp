// Works on the text from the outside in: a statement, then functions, then the pointer expression. Brackets are counted, and
// nothing else of C++ is known here; the parser judges what comes out.
#include "explain/expr/spelling.h"
#include "explain/expr/text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace warplens::explain {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ';'))
    text.remove_suffix(1);
  return text;
}

// The place of the bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
  i64 depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The first place outside of brackets where `wanted` says so, or npos.
template <class F> std::size_t outside(std::string_view text, F&& wanted) {
  i64 depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0 && wanted(i)) return i;
  }
  return std::string_view::npos;
}

// "(x)" → "x", where the brackets are around all of it.
std::string_view bare(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with('(') && closing(text, 0) == text.size() - 1)
    text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

bool has_access(std::string_view text) {
  return text.find('[') != text.npos || trimmed(text).starts_with('*');
}

struct Call {
  std::string_view name, arguments;
};
// "f(…)", all of it.
std::optional<Call> call_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == 0 || end == text.size() || text[end] != '(' || closing(text, end) != text.size() - 1) return {};
  return Call{text.substr(0, end), text.substr(end + 1, text.size() - end - 2)};
}

struct Cast {
  std::string_view type, operand, rest; // rest: behind the operand
};
// "(float4*)p", "reinterpret_cast<const float4*>(p)", with what stands behind the operand; the type without const and '*'.
std::optional<Cast> pointer_cast(std::string_view text) {
  Cast out;
  if (text.starts_with("reinterpret_cast<")) {
    const std::size_t less = text.find('<'), greater = text.find('>');
    if (greater == text.npos) return {};
    out.type = text.substr(less + 1, greater - less - 1);
    text = trimmed(text.substr(greater + 1));
  } else if (text.starts_with('(')) {
    const std::size_t end = closing(text, 0);
    if (end == text.npos) return {};
    out.type = text.substr(1, end - 1);
    text = trimmed(text.substr(end + 1));
  } else {
    return {};
  }
  out.type = trimmed(out.type);
  if (!out.type.ends_with('*')) return {};
  out.type = trimmed(out.type.substr(0, out.type.size() - 1));
  for (std::string_view word : {"const ", "volatile "})
    if (out.type.starts_with(word)) out.type = trimmed(out.type.substr(word.size()));
  if (out.type.empty() ||
      !std::ranges::all_of(out.type, [](char c) { return is_word(c) || c == ' ' || c == ':'; }))
    return {};
  std::size_t end = 0;
  if (text.starts_with('(')) {
    end = closing(text, 0);
    if (end == text.npos) return {};
    ++end;
  } else {
    if (text.starts_with('&')) ++end;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text.starts_with('&'))
      while (end < text.size() && text[end] == '[') end = std::min(closing(text, end), text.size() - 1) + 1;
  }
  out.operand = bare(text.substr(0, end)), out.rest = trimmed(text.substr(end));
  return out.operand.empty() ? std::nullopt : std::optional(out);
}

// What a pointer points to: "&A[i]" and "A + i" are A[i], and "A" is A[0].
std::optional<std::string> pointed_to(std::string_view pointer) {
  pointer = bare(pointer);
  if (pointer.starts_with('&')) return std::string(bare(pointer.substr(1)));
  std::size_t end = 0;
  while (end < pointer.size() &&
         (is_word(pointer[end]) || pointer[end] == '.' || pointer.substr(end, 2) == "->" ||
          (end != 0 && pointer.substr(end - 1, 2) == "->")))
    ++end;
  if (end == 0 || std::isdigit(static_cast<unsigned char>(pointer[0])) != 0) return {};
  const std::string_view rest = trimmed(pointer.substr(end));
  if (rest.empty()) return fmt::format("{}[0]", pointer);
  if (rest.front() == '+') return fmt::format("{}[{}]", pointer.substr(0, end), trimmed(rest.substr(1)));
  if (rest.front() == '-') return fmt::format("{}[{}]", pointer.substr(0, end), rest);
  return {};
}

// "this->p[i]", "grid.p[i]": the array's own name.
std::string_view without_object(std::string_view text) {
  const std::size_t bracket = text.find('[');
  const std::size_t arrow = text.substr(0, bracket).rfind("->"), dot = text.substr(0, bracket).rfind('.');
  const bool names = bracket != text.npos && std::ranges::all_of(text.substr(0, bracket), [](char c) {
                       return is_word(c) || c == '.' || c == '-' || c == '>';
                     });
  if (!names) return text;
  if (arrow != text.npos && (dot == text.npos || dot < arrow)) return text.substr(arrow + 2);
  return dot == text.npos ? text : text.substr(dot + 1);
}

diag::Diagnostic two_accesses(std::string_view left, std::string_view right) {
  return diag::error("explain-one-access", "explain looks at one access at a time, and these are two", {},
                     fmt::format("ask for '{}', or for '{}'", trimmed(left), trimmed(right)));
}

} // namespace

Result<Spelling> spelling_of(const std::string& whole) {
  Spelling out;
  std::string_view text = trimmed(whole);
  if (whole.size() > longest_text) { // the parser refuses it
    out.access = whole;
    return out;
  }
  if (text.starts_with("return ")) text = trimmed(text.substr(7));
  // "C[i] += …": the '=' that assigns, and where the left side ends.
  const std::size_t assigns = outside(text, [&](std::size_t i) {
    const char before = i == 0 ? ' ' : text[i - 1], after = i + 1 < text.size() ? text[i + 1] : ' ';
    return text[i] == '=' && after != '=' && before != '=' && before != '!' &&
           !((before == '<' || before == '>') && (i < 2 || text[i - 2] != before));
  });
  if (assigns != text.npos && assigns != 0) {
    std::size_t end = assigns;
    while (end > 0 && std::string_view("+-*/%&|^<>").find(text[end - 1]) != std::string_view::npos) --end;
    const std::string_view left = trimmed(text.substr(0, end)), right = trimmed(text.substr(assigns + 1));
    // "float* p = …" declares, "*p = …" stores.
    const bool stores = left.find('[') != left.npos || left.starts_with('*');
    if (stores && has_access(right)) return failure(two_accesses(left, right));
    out.stores = stores;
    text = stores ? left : right;
  }
  static constexpr std::array loads{"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"};
  bool indirect = false; // `text` is a pointer
  std::string_view pointer = text;
  if (std::optional<Call> call = call_of(text)) {
    out.updates = call->name.starts_with("atomic");
    if (out.updates || std::ranges::find(loads, call->name) != loads.end()) {
      const std::string_view inner = call->arguments;
      pointer = bare(inner.substr(0, outside(inner, [&](std::size_t i) { return inner[i] == ','; })));
      indirect = !pointer.starts_with('&');
    }
  } else if (text.starts_with('*')) {
    pointer = text.substr(1), indirect = true;
  }
  text = trimmed(pointer);
  if (text.starts_with('&')) indirect = false, text = trimmed(text.substr(1));
  // "((float4*)p)[i]" is a cast in brackets with a subscript behind it.
  const std::string_view all = text;
  std::string_view subscript;
  if (!indirect && text.starts_with("((")) {
    const std::size_t end = closing(text, 0);
    if (end != text.npos && text.substr(end + 1).starts_with('['))
      subscript = text.substr(end + 1), text = bare(text.substr(0, end + 1));
  }
  if (std::optional<Cast> cast = pointer_cast(text)) {
    const std::string_view behind = cast->rest.empty() ? subscript : cast->rest;
    if (std::optional<std::string> there = pointed_to(cast->operand)) {
      if (indirect && behind.empty()) {
        out.access = std::string(without_object(*there)), out.accessed = std::string(cast->type);
        return out;
      }
      if (behind.starts_with('[') && there->ends_with("[0]")) { // of a name alone
        std::string_view name = without_object(*there);
        name.remove_suffix(3);
        out.access = fmt::format("{}{}", name, behind);
        out.type = std::string(cast->type);
        return out;
      }
    }
  }
  text = all;
  if (indirect) {
    if (std::optional<std::string> there = pointed_to(text)) {
      out.access = std::string(without_object(*there));
      return out;
    }
    text = trimmed(whole);
  }
  out.access = std::string(without_object(text));
  return out;
}

} // namespace warplens::explain
