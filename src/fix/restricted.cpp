// __restrict__ promises that nothing else leads to what the pointer leads to, for the whole kernel. It is shown where every
// launch is in the file, and each of its pointers is a local variable that gets nothing but memory of its own from cudaMalloc.
#include "fix/arrays.h"
#include "fix/edits.h"
#include "fix/functions.h"
#include "fix/remedies.h"
#include <set>

namespace warplens::fix {
namespace {

bool is_pointer(const Source& s, const Parameter& p) {
  for (u32 i = p.type.first; i < p.type.last; ++i)
    if (s.at(i).is("*")) return true;
  return false;
}

// The call whose argument the token is: its name, or that of the kernel that is launched; no_token where there is none.
u32 callee(const Source& s, u32 token) {
  u32 i = token;
  while (i-- > 0) {
    const Token& t = s.at(i);
    if (t.is(")") || t.is("]") || t.is("}")) {
      if (s.partner(i) == no_token) return no_token;
      i = s.partner(i);
    } else if (t.is("(")) {
      return i == 0 ? no_token : i - 1;
    } else if (t.is(";") || t.is("{")) {
      return no_token;
    }
  }
  return no_token;
}

// A local variable that has memory of its own: declared once, given memory by cudaMalloc, and used in no way that could
// give it another value.
bool has_own_memory(const Source& s, const Function& host, std::string_view name) {
  bool declared = false, allocated = false;
  for (u32 i = host.parameters.first; i < host.body.last; ++i) {
    const Token& t = s.at(i);
    if (!t.is(name) || s.at(i - 1).is(".") || s.at(i - 1).is("->")) continue;
    if (t.directive || i < host.body.first) return false;
    const Token &before = s.at(i - 1), &after = s.at(i + 1);
    if (is_allocated_at(s, i)) {
      allocated = true;
    } else if (before.is("*") && (s.at(i - 2).word() || s.at(i - 2).is(",")) &&
               (after.is(";") || after.is(",") || after.is("="))) {
      const Token& value = s.at(i + 2);
      if (declared || (after.is("=") && !value.is("nullptr") && !value.is("NULL") && !value.is("0")))
        return false;
      declared = true;
    } else {
      const bool argument = (before.is("(") || before.is(",")) && (after.is(")") || after.is(","));
      const u32 call = callee(s, i);
      const bool passes = call != no_token && (s.at(call).text.starts_with("cuda") || s.at(call).is(">>>"));
      if (!argument || !passes) return false;
    }
  }
  return declared && allocated;
}

std::vector<Range> arguments(const Source& s, u32 open) {
  std::vector<Range> out;
  const u32 close = s.partner(open);
  u32 begin = open + 1;
  for (u32 i = begin; i <= close; ++i) {
    if (i < close && s.partner(i) != no_token) {
      i = s.partner(i);
    } else if (i == close || s.at(i).is(",")) {
      out.push_back({begin, i});
      begin = i + 1;
    }
  }
  return out;
}

// Are the pointers that this launch passes all of different memory, that of parameter `one` among them?
bool keeps_apart(const Source& s, u32 launch, const std::vector<Parameter>& all) {
  u32 open = launch;
  while (open < s.size() && !s.at(open).is(">>>")) ++open;
  ++open;
  std::optional<Function> host = function_around(s, launch);
  if (!host || !s.at(open).is("(") || s.partner(open) == no_token) return false;
  const std::vector<Range> given = arguments(s, open);
  if (given.size() != all.size()) return false;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_pointer(s, all[i])) continue;
    const Token& name = s.at(given[i].first);
    if (given[i].last != given[i].first + 1 || !name.word() || !names.insert(name.text).second) return false;
    if (!has_own_memory(s, *host, name.text)) return false;
  }
  return true;
}

bool is_launch(const Source& s, u32 name) {
  u32 at = name + 1;
  if (s.at(at).is("<")) // arguments of a template
    while (at < s.size() && !s.at(at).is("<<<") && !s.at(at).is(";") && !s.at(at).is("{")) ++at;
  return s.at(at).is("<<<");
}

// Every mention of the kernel is its definition, a declaration of it, or a launch that keeps its pointers apart.
bool all_launches_keep_apart(const Source& s, const Function& kernel, const std::vector<Parameter>& all) {
  bool launched = false, whole_program = false;
  for (u32 i = 0; i < s.size(); ++i) {
    const Token& t = s.at(i);
    whole_program = whole_program || (t.is("main") && s.at(i + 1).is("(") && s.at(i - 1).is("int"));
    if (!t.is(s.at(kernel.name).text) || i == kernel.name) continue;
    if (t.directive) return false;
    const bool declares = s.at(i + 1).is("(") && s.at(i - 1).is("void") && s.partner(i + 1) != no_token &&
                          s.at(s.partner(i + 1) + 1).is(";");
    if (declares) continue;
    if (!is_launch(s, i) || !keeps_apart(s, i, all)) return false;
    launched = true;
  }
  return launched && whole_program;
}

// The kernel never gives the parameter another value, and hands it to nobody.
bool stays_the_same(const Source& s, const Function& kernel, std::string_view name) {
  for (u32 i = kernel.body.first; i < kernel.body.last; ++i) {
    if (!s.at(i).is(name) || s.at(i - 1).is(".") || s.at(i - 1).is("->")) continue;
    if ((!s.at(i + 1).is("[") && !s.at(i + 1).is("->")) || s.at(i - 1).is("++") || s.at(i - 1).is("--"))
      return false;
    if (s.at(i - 1).word() && !s.at(i - 1).is("return") && !s.at(i - 1).is("else"))
      return false; // declared anew
  }
  return true;
}

} // namespace

Edits restricted(const Place& p) {
  const Source& s = p.source;
  std::optional<Function> kernel = function_around(s, p.use);
  if (!kernel || !is_own(p.file) || !s.sound()) return {};
  const std::optional<std::vector<Parameter>> all = parameters(s, *kernel);
  if (!all) return {};
  const Parameter* wanted = nullptr;
  for (const Parameter& one : *all) {
    if (s.at(one.name).is(p.array)) wanted = &one;
    if (!is_pointer(s, one) && size_of(s, one.type) == 0) return {}; // may hold pointers
  }
  if (wanted == nullptr || !is_pointer(s, *wanted)) return {};
  for (u32 i = wanted->type.first; i < wanted->type.last; ++i)
    if (s.at(i).text.find("restrict") != std::string_view::npos) return {};
  u32 last = wanted->type.last - 1;
  while (s.at(last).is("const")) --last; // of the pointer itself
  if (!s.at(last).is("*") || !stays_the_same(s, *kernel, p.array)) return {};
  if (!all_launches_keep_apart(s, *kernel, *all)) return {};
  const u32 at = s.at(last).end();
  return {replacing(s, p.file, at, at, s.at(last + 1).begin == at ? " __restrict__ " : " __restrict__")};
}

} // namespace warplens::fix
