// See names.h. Names are text here: C++'s grammar for them is large, and what this does not understand stays whole.
#include "source/names.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warplens::source {
namespace {

bool opens(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }

// The index of the bracket that the one at the end of `text` closes; npos where there is none.
std::size_t matching(std::string_view text) {
  unsigned depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && --depth == 0) return i;
  }
  return text.npos;
}

// What stands after the last `mark` that no brackets enclose.
std::string_view after_last(std::string_view text, std::string_view mark) {
  unsigned depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && depth != 0) --depth;
    if (depth == 0 && text.substr(i).starts_with(mark)) return text.substr(i + mark.size());
  }
  return text;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  unsigned depth = 0;
  std::size_t begin = 0;
  auto take = [&](std::size_t end) {
    std::string_view one = list.substr(begin, end - begin);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    out.emplace_back(one.substr(0, one.find_last_not_of(' ') + 1));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (opens(list[i])) ++depth;
    if (closes(list[i]) && depth != 0) --depth;
    if (list[i] == ',' && depth == 0) take(i);
  }
  if (!list.empty()) take(list.size());
  return out;
}

// "a, …, c": the elements of `all[which]` that are not the same everywhere. Lists of different length differ as a whole.
std::string differing(const std::vector<const std::vector<std::string>*>& all, std::size_t which) {
  const std::vector<std::string>& own = *all[which];
  bool one_length =
      std::all_of(all.begin(), all.end(), [&](const auto* x) { return x->size() == own.size(); });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool same = one_length &&
                std::all_of(all.begin(), all.end(), [&](const auto* other) { return (*other)[i] == own[i]; });
    if (!same)
      out.push_back(own[i]);
    else if (out.empty() || out.back() != "…")
      out.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

// Names of one base, told apart.
std::vector<std::string> told_apart(const std::vector<std::string>& names) {
  std::vector<NameParts> parts;
  for (const std::string& name : names) parts.push_back(name_parts(name));
  std::vector<const std::vector<std::string>*> templates, parameters;
  for (const NameParts& part : parts)
    templates.push_back(&part.templates), parameters.push_back(&part.parameters);
  auto attempt = [&](auto&& make) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parts.size(); ++i) out.push_back(make(i));
    bool distinct = std::set(out.begin(), out.end()).size() == out.size();
    return distinct ? out : std::vector<std::string>();
  };
  auto with_templates = [&](std::size_t i) {
    return fmt::format("{}<{}>", parts[i].base, differing(templates, i));
  };
  auto with_parameters = [&](std::size_t i) {
    return fmt::format("{}({})", parts[i].base, differing(parameters, i));
  };
  auto qualified = [&](std::size_t i) { return parts[i].qualified; };
  if (std::vector<std::string> out = attempt(with_templates); !out.empty()) return out;
  if (std::vector<std::string> out = attempt(with_parameters); !out.empty()) return out;
  if (std::vector<std::string> out = attempt(qualified); !out.empty()) return out;
  return names;
}

} // namespace

NameParts name_parts(std::string_view name) {
  NameParts out;
  out.qualified = out.base = name;
  std::string_view head = name.substr(0, name.find(" ["));
  if (head.ends_with(" const")) head.remove_suffix(6);
  if (!head.ends_with(')')) return out; // not demangled, or of C
  std::size_t open = matching(head);
  if (open == head.npos || open == 0) return out;
  out.parameters = split(head.substr(open + 1, head.size() - open - 2));
  head = head.substr(0, open);
  if (head.ends_with('>')) {
    std::size_t begin = matching(head);
    if (begin != head.npos && begin != 0) {
      out.templates = split(head.substr(begin + 1, head.size() - begin - 2));
      head = head.substr(0, begin);
    }
  }
  head = after_last(head, " ");
  if (head.empty()) return out;
  out.qualified = head;
  out.base = after_last(head, "::");
  return out;
}

std::vector<std::string> short_names(const std::vector<std::string>& demangled) {
  std::map<std::string, std::set<std::string>> by_base;
  for (const std::string& name : demangled) by_base[name_parts(name).base].insert(name);
  std::map<std::string, std::string> shown;
  for (const auto& [base, set] : by_base) {
    std::vector<std::string> names(set.begin(), set.end());
    std::vector<std::string> apart = names.size() == 1 ? std::vector{base} : told_apart(names);
    for (std::size_t i = 0; i < names.size(); ++i) shown[names[i]] = apart[i];
  }
  std::vector<std::string> out;
  for (const std::string& name : demangled) out.push_back(shown[name]);
  return out;
}

std::string function_name(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  std::size_t at = 2;
  bool nested = mangled.substr(at).starts_with('N'); // else one name, and then the types of parameters
  while (at < mangled.size() && (mangled[at] == 'N' || mangled[at] == 'K' || mangled[at] == 'L')) ++at;
  std::string out;
  while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at]))) {
    std::size_t length = 0;
    while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) &&
           length < mangled.size())
      length = 10 * length + static_cast<std::size_t>(mangled[at++] - '0');
    if (length > mangled.size() - at) return std::string(mangled);
    out = mangled.substr(at, length);
    at += length;
    if (!nested) break;
  }
  return out.empty() ? std::string(mangled) : out;
}

} // namespace warplens::source
