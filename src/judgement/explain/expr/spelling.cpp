// Works on the text from the outside in: a statement, then functions, then the pointer expression. Brackets are counted, and
// nothing else of C++ is known here; the parser judges what comes out.
#include "explain/expr/spelling.h"
#include "base/blanks.h"
#include "explain/expr/text.h"
#include "explain/expr/type.h"
#include "text/lines.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace warplens::explain {
namespace {

using text::is_word;

// And without the end of a statement.
std::string_view trimmed(std::string_view text) {
  text = warplens::trimmed(text);
  while (text.ends_with(';')) text = warplens::trimmed(text.substr(0, text.size() - 1));
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

struct NamedAccess {
  std::string_view text, inside; // "p[k].x", and what its brackets hold and what follows them
};
// Those of a statement that stand side by side: "A[i] + p[j[k]].x" has A[i] and p[j[k]].x.
std::vector<NamedAccess> accesses_in(std::string_view text) {
  std::vector<NamedAccess> out;
  auto behind_word = [&](std::size_t at) {
    while (at < text.size() && is_word(text[at])) ++at;
    return at;
  };
  for (std::size_t at = 0, end = 0; at < text.size(); at = std::max(end, at + 1)) {
    end = behind_word(at);
    if (end == at || end == text.size() || text[end] != '[') continue;
    const std::size_t inside = end + 1;
    while (end < text.size() && (text[end] == '[' || text[end] == '.'))
      end = text[end] == '.' ? behind_word(end + 1) : std::min(closing(text, end), text.size() - 1) + 1;
    out.push_back({text.substr(at, end - at), text.substr(inside, end - inside)});
  }
  return out;
}

// What can be asked for: an access whose index is loaded cannot, and the load of its index can.
void add_askable(std::string_view text, std::vector<std::string>& to) {
  for (const NamedAccess& access : accesses_in(text)) {
    if (!accesses_in(access.inside).empty())
      add_askable(access.inside, to);
    else if (std::string one = fmt::format("'{}'", access.text); std::ranges::find(to, one) == to.end())
      to.push_back(std::move(one));
  }
}

diag::Diagnostic several_accesses(std::string_view left, std::string_view right) {
  std::vector<std::string> all;
  for (std::string_view side : {left, right})
    if (trimmed(side).starts_with('*'))
      all.push_back(fmt::format("'{}'", trimmed(side)));
    else
      add_askable(side, all);
  return diag::error("explain-one-access",
                     fmt::format("explain looks at one access at a time, and these are {}",
                                 all.size() == 2 ? "two" : "several"),
                     {}, fmt::format("ask for {}", fmt::join(all, ", or for ")));
}

// "float s[i]", "const double2 A[i]": the type in front of an access, without qualifiers. Empty: there is none.
std::string_view declared_type(std::string_view text) {
  std::string_view head = trimmed(text.substr(0, text.find('[')));
  while (!head.empty() && is_word(head.back())) head.remove_suffix(1);
  head = trimmed(head);
  for (bool again = true; again;) {
    again = false;
    for (std::string_view word : {"const ", "volatile ", "static ", "extern ", "__shared__ ", "__device__ "})
      if (head.starts_with(word)) head = trimmed(head.substr(word.size())), again = true;
  }
  return head;
}

std::optional<diag::Diagnostic> no_expression(std::string_view text) {
  constexpr std::string_view files[] = {".ptx", ".cubin", ".fatbin", ".cu", ".cuh", ".py"};
  const bool is_file = text.find('[') == text.npos &&
                       std::ranges::any_of(files, [&](std::string_view end) { return text.ends_with(end); });
  if (is_file)
    return diag::error(
        "explain-file", "explain takes one access, as C++ has it, and this is a file's name", {},
        fmt::format("give an access, such as 'A[threadIdx.x]'; {} FILE` looks at all accesses of a file",
                    text.ends_with(".py") ? "`warplens run python3" : "`warplens check"));
  const std::size_t triton = text.find("tl.");
  if (triton != text.npos && (triton == 0 || !is_word(text[triton - 1])))
    return diag::error(
        "explain-triton", "explain takes an access as C++ has it, and this is Triton's", {},
        "write what one thread accesses, such as 'x[blockIdx.x*blockDim.x + threadIdx.x]'; `warplens check "
        "FILE.ptx` judges a kernel that Triton compiled");
  return {};
}

} // namespace

Result<Spelling> spelling_of(const std::string& whole) {
  Spelling out;
  std::string_view text = trimmed(whole);
  if (whole.size() > longest_text) { // the parser refuses it
    out.access = whole;
    return out;
  }
  if (std::optional<diag::Diagnostic> no = no_expression(text)) return failure(std::move(*no));
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
    if (stores && has_access(right)) return failure(several_accesses(left, right));
    out.stores = stores;
    text = stores ? left : right;
  }
  if (accesses_in(text).size() > 1) return failure(several_accesses(text, ""));
  if (const std::string_view type = declared_type(text); !type.empty() && parse_type(type)) {
    out.type = std::string(type);
    out.shared = text.substr(0, text.find('[')).find("__shared__") != text.npos;
    text = text.substr(static_cast<std::size_t>(type.data() + type.size() - text.data()));
    text = trimmed(text);
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
