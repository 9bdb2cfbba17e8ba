// The names and numbers here are NVTX's own interface to tools (nvtx3/nvtxDetail/nvtxTypes.h, version 3).
#include "runtime/nvtx.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <span>

namespace warplens::runtime::nvtx {
namespace {

// ---- expressions

std::string_view next_part(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

struct Steps {
  std::vector<std::string_view> names; // "*", "+" between them
  bool from_bottom = false, to_top = false;
};

Steps steps_of(std::string_view text) {
  Steps out;
  if (text.starts_with('[')) out.from_bottom = true, text.remove_prefix(1);
  if (text.ends_with(']')) out.to_top = true, text.remove_suffix(1);
  while (!text.empty())
    if (std::string_view name = next_part(text, '/'); !name.empty()) out.names.push_back(name);
  return out;
}

// Which places of the stack the steps may lead to, from those that they may begin at: the range before the n-th, or behind the last.
bool fits_stack(std::string_view text, const std::vector<std::string>& stack) {
  const Steps steps = steps_of(text);
  if (steps.names.empty()) return false;
  std::vector<bool> places(stack.size() + 1, !steps.from_bottom);
  places[0] = true;
  for (std::string_view step : steps.names) {
    std::vector<bool> next(places.size());
    if (step == "*") {
      const auto first = std::ranges::find(places, true);
      std::fill(next.begin() + (first - places.begin()), next.end(), true);
    } else {
      for (std::size_t at = 0; at < stack.size(); ++at)
        next[at + 1] = places[at] && (step == "+" || stack[at] == step);
    }
    places = std::move(next);
  }
  if (steps.to_top || steps.names.back() == "+") return places.back();
  return std::ranges::find(places, true) != places.end();
}

bool matches_part(std::string_view text, const Open& open) {
  std::string domain;
  if (const std::size_t at = text.find('@'); at != text.npos) {
    domain = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  if (text.find('/') == text.npos && !text.starts_with('[') && !text.ends_with(']'))
    return std::ranges::any_of(
        open.started, [&](const auto& range) { return range.first == domain && range.second == text; });
  const auto pushed = open.pushed.find(domain);
  return pushed != open.pushed.end() && fits_stack(text, pushed->second);
}

bool matches_any(std::string_view lines, const Open& open) {
  while (!lines.empty())
    if (std::string_view line = next_part(lines, '\n'); !line.empty() && matches(line, open)) return true;
  return false;
}

// ---- ranges of this process; all of it stays, since a program may use NVTX until its very end

struct Started {
  std::mutex mutex;
  std::map<u64, std::pair<std::string, std::string>> ranges;
  u64 next = 1;
};
Started& started() {
  static auto* all = new Started;
  return *all;
}

std::map<std::string, std::vector<std::string>>& pushed() {
  thread_local auto* own = new std::map<std::string, std::vector<std::string>>;
  return *own;
}

struct Attributes { // nvtxEventAttributes_t
  u16 version, size;
  u32 category;
  i32 colour_type;
  u32 colour;
  i32 payload_type, reserved;
  u64 payload;
  i32 message_type; // 1: char, 2: wchar_t, 3: registered
  const void* message;
};

std::string narrow(const wchar_t* wide) {
  std::string out;
  for (; wide != nullptr && *wide != 0; ++wide) {
    const auto c = static_cast<u32>(*wide);
    const auto tail = [&](u32 shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xc0 | c >> 6), tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xf0 | (c >> 18 & 7)), tail(12), tail(6), tail(0);
    }
  }
  return out;
}
std::string text(const char* name) { return name == nullptr ? "" : name; }

std::string name_of(const Attributes* attributes) {
  if (attributes == nullptr || attributes->message == nullptr) return {};
  switch (attributes->message_type) {
  case 1: return text(static_cast<const char*>(attributes->message));
  case 2: return narrow(static_cast<const wchar_t*>(attributes->message));
  case 3: return *static_cast<const std::string*>(attributes->message);
  default: return {};
  }
}

// Domains and registered strings are their names.
using Handle = const std::string*;
std::string domain_name(Handle domain) { return domain == nullptr ? "" : *domain; }

int push(const std::string& domain, std::string name) {
  std::vector<std::string>& stack = pushed()[domain];
  stack.push_back(std::move(name));
  return static_cast<int>(stack.size()) - 1;
}
int pop(const std::string& domain) {
  std::vector<std::string>& stack = pushed()[domain];
  if (stack.empty()) return -2; // NVTX_NO_PUSH_POP_TRACKING
  stack.pop_back();
  return static_cast<int>(stack.size());
}
u64 start(std::string domain, std::string name) {
  std::lock_guard lock(started().mutex);
  started().ranges.emplace(started().next, std::pair(std::move(domain), std::move(name)));
  return started().next++;
}
void end(u64 id) {
  std::lock_guard lock(started().mutex);
  started().ranges.erase(id);
}

using Function = void (*)();
template <class F> Function as_function(F* f) { return reinterpret_cast<Function>(f); }

struct Entry {
  u32 module, number;
  Function function;
};
constexpr u32 core = 1, core2 = 5; // NVTX_CB_MODULE_…

std::span<const Entry> entries() {
  static const Entry all[] = {
      {core, 4, as_function(+[](const Attributes* a) { return start("", name_of(a)); })},
      {core, 5, as_function(+[](const char* name) { return start("", text(name)); })},
      {core, 6, as_function(+[](const wchar_t* name) { return start("", narrow(name)); })},
      {core, 7, as_function(+[](u64 id) { end(id); })},
      {core, 8, as_function(+[](const Attributes* a) { return push("", name_of(a)); })},
      {core, 9, as_function(+[](const char* name) { return push("", text(name)); })},
      {core, 10, as_function(+[](const wchar_t* name) { return push("", narrow(name)); })},
      {core, 11, as_function(+[]() { return pop(""); })},
      {core2, 2,
       as_function(+[](Handle d, const Attributes* a) { return start(domain_name(d), name_of(a)); })},
      {core2, 3, as_function(+[](Handle, u64 id) { end(id); })},
      {core2, 4,
       as_function(+[](Handle d, const Attributes* a) { return push(domain_name(d), name_of(a)); })},
      {core2, 5, as_function(+[](Handle d) { return pop(domain_name(d)); })},
      {core2, 10, as_function(+[](Handle, const char* s) -> Handle { return new std::string(text(s)); })},
      {core2, 11,
       as_function(+[](Handle, const wchar_t* s) -> Handle { return new std::string(narrow(s)); })},
      {core2, 12, as_function(+[](const char* name) -> Handle { return new std::string(text(name)); })},
      {core2, 13, as_function(+[](const wchar_t* name) -> Handle { return new std::string(narrow(name)); })},
  };
  return all;
}

struct Callbacks { // NvtxExportTableCallbacks
  std::size_t size;
  int (*table_of)(u32 module, Function*** table, unsigned* size);
};

} // namespace

bool matches(std::string_view expression, const Open& open) {
  while (!expression.empty())
    if (!matches_part(next_part(expression, ','), open)) return false;
  return true;
}

Open open_ranges() {
  Open out{pushed(), {}};
  std::lock_guard lock(started().mutex);
  for (const auto& [_, range] : started().ranges) out.started.push_back(range);
  return out;
}

std::string name(const Open& open) {
  std::string out;
  auto add = [&](const std::string& domain, const std::string& what) {
    if (what.empty()) return;
    if (!out.empty()) out += ", ";
    if (!domain.empty()) out += domain + '@';
    out += what;
  };
  for (const auto& [domain, stack] : open.pushed) add(domain, fmt::format("{}", fmt::join(stack, "/")));
  for (const auto& [domain, range] : open.started) add(domain, range);
  return out;
}

bool is_wanted(std::string_view include, std::string_view exclude) {
  if (include.empty() && exclude.empty()) return true;
  const Open open = open_ranges();
  return (include.empty() || matches_any(include, open)) && !matches_any(exclude, open);
}

} // namespace warplens::runtime::nvtx

// Called by the program's NVTX, once for each copy of it in the process. 1: the functions are there.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void* (*export_table)(warplens::u32)) {
  using namespace warplens::runtime::nvtx;
  const auto* callbacks = static_cast<const Callbacks*>(export_table(1)); // NVTX_ETID_CALLBACKS
  if (callbacks == nullptr) return 0;
  for (const Entry& entry : entries()) {
    Function** table = nullptr;
    unsigned size = 0;
    if (callbacks->table_of(entry.module, &table, &size) != 0 && entry.number < size &&
        table[entry.number] != nullptr)
      *table[entry.number] = entry.function;
  }
  return 1;
}
// Of version 2, a library of its own, which calls nothing of domains differently.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx(const void* (*export_table)(warplens::u32)) {
  return InitializeInjectionNvtx2(export_table);
}
