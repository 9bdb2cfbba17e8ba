// The built-in cases as text and JSON: the words around the pictures of their accesses.
#include "explain/view/theme.h"
#include "text/words.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace warplens::explain {

std::string terminal_list(const TextStyle& style) {
  Theme ink(style);
  std::string out = "Built-in cases; draw one with `warplens explain --case NAME`:\n";
  std::string_view group;
  for (const Case& c : cases()) {
    if (c.group != std::exchange(group, c.group)) out += fmt::format("\n{}\n", c.group);
    out += fmt::format("  {}  {}\n", ink.bold(pad_right(c.name, 20)), c.title);
  }
  return out;
}

std::string terminal(const Case& c, const TextStyle& style) {
  Theme ink(style);
  std::string out = ink.bold(c.title) + "\n" + text::wrap(c.words, 98) + "\n";
  for (const Frame& shot : c.shots()) {
    const Question& q = shot.explanation.question;
    out += fmt::format("\n{}   {}, compute capability {}", ink.bold(q.access), q.type,
                       text::compute_capability(q.sm));
    if (q.base != 0) out += fmt::format(", starting at byte {}", q.base);
    out += fmt::format("\n  {}\n", shot.caption) + terminal_picture(shot.explanation, style);
  }
  return style.unicode ? out : ascii(out);
}

nlohmann::json json(const Case& c) {
  nlohmann::json out = {
      {"schema", 1}, {"case", c.name}, {"title", c.title}, {"shots", nlohmann::json::array()}};
  for (const Frame& shot : c.shots()) {
    nlohmann::json entry = json(shot.explanation);
    entry["caption"] = shot.caption;
    out["shots"].push_back(entry);
  }
  return out;
}

} // namespace warplens::explain
