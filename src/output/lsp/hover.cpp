// What an access costs, in words: for the line under the cursor in full, behind each line in short.
#include "base/blanks.h"
#include "findings/words.h"
#include "lsp/views.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::lsp {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

void add_once(Words& words, std::string one) {
  if (std::ranges::find(words, one) == words.end()) words.push_back(std::move(one));
}

// One access of the line, and the kernels in which it is just so.
struct Paragraph {
  std::string title;
  Words lines, kernels;
};

void add(std::vector<Paragraph>& all, Paragraph one, const std::string& kernel) {
  auto same = std::ranges::find_if(
      all, [&](const Paragraph& p) { return p.title == one.title && p.lines == one.lines; });
  if (same == all.end()) same = all.insert(all.end(), std::move(one));
  if (!kernel.empty()) add_once(same->kernels, kernel);
}

std::string joined(const Words& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

Paragraph judged(const ShownAccess& access, const access::SourceFrame* elsewhere) {
  Paragraph out;
  out.title = access.what + ": " + access.verdict;
  if (!access.pattern.empty()) out.title += ", " + access.pattern;
  for (const findings::Cost& cost : access.costs) out.lines.push_back(findings::cost_text(cost));
  out.lines.insert(out.lines.end(), access.remarks.begin(), access.remarks.end());
  if (elsewhere != nullptr)
    out.lines.push_back(fmt::format("inlined from {}:{}", elsewhere->file, elsewhere->line));
  return out;
}

// What would be markup is none.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\\`*_{}[]<>#|!~&").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string text_of(const std::vector<Paragraph>& all, bool markdown) {
  constexpr std::size_t most_kernels = 3;
  std::string out;
  for (const Paragraph& one : all) {
    if (!out.empty()) out += '\n';
    out += markdown ? fmt::format("**{}**\n\n", escaped(one.title)) : one.title + '\n';
    for (const std::string& line : one.lines) out += "- " + (markdown ? escaped(line) : line) + '\n';
    if (one.kernels.empty()) continue;
    Words shown(one.kernels.begin(),
                one.kernels.begin() + static_cast<long>(std::min(one.kernels.size(), most_kernels)));
    if (markdown)
      for (std::string& kernel : shown) kernel = escaped(kernel);
    out += "- in " + joined(shown, ", ");
    if (one.kernels.size() > most_kernels)
      out += fmt::format(" and {} more", one.kernels.size() - most_kernels);
    out += '\n';
  }
  return out;
}

// The accesses that `answer` has on the line, or that were inlined there.
void add_judged(std::vector<Paragraph>& all, const Answer& answer, const View& view, u32 line) {
  auto then = answer.texts.find(view.file);
  if (then == answer.texts.end()) return;
  const std::optional<u32> judged_line = LineMap(Text(then->second), *view.text).then(line);
  if (!judged_line) return;
  for (const ShownAccess& access : answer.accesses)
    for (const access::SourceFrame& frame : access.place)
      if (frame.file == view.file && frame.line == *judged_line + 1) {
        const access::SourceFrame& innermost = access.place.front();
        add(all, judged(access, &frame == &innermost ? nullptr : &innermost), access.kernel);
        break;
      }
}

void add_measured(std::vector<Paragraph>& all, const View& view, u32 line) {
  for (const Run& run : view.runs)
    for (const findings::JudgedAccess& access : run.list->accesses) {
      if (access.place.empty() || access.place.front().file != view.file) continue;
      if (line_of_run(*view.text, access.place.front().line - 1, access.source) != line) continue;
      Paragraph one;
      one.title = run.name + ": " + access.what;
      for (const findings::Cost& cost : access.costs) one.lines.push_back(findings::cost_text(cost));
      add(all, std::move(one), access.kernel);
    }
}

// "load a: 32 sectors, 4 would do"; what is fine costs what it must, or next to it
std::string short_cost(std::string_view what, const std::string& array, const findings::Cost& cost,
                       bool fine) {
  const double paid = cost.average.value_or(cost.most);
  std::string out(what.substr(0, what.find(' ')));
  if (!array.empty()) out += ' ' + array;
  out += ": ";
  if (!cost.average && cost.least != cost.most) out += findings::number(cost.least) + "…";
  std::string_view counter = cost.counter;
  if (paid == 1 && counter.ends_with('s')) counter.remove_suffix(1);
  out += fmt::format("{} {}", findings::number(paid), counter);
  if (!fine && cost.needed != 0 && paid > cost.needed)
    out += fmt::format(", {} would do", findings::number(cost.needed));
  return out;
}

// What is shown behind one line; the cursor tells the rest.
struct LineHints {
  Words judged;
  std::map<std::string, Words> counted; // by the run's name
  Words details;
};

void add_hint(Words& shorts, LineHints& of_line, std::string_view what, const std::string& array,
              const std::vector<findings::Cost>& costs, bool fine) {
  if (costs.empty()) return;
  add_once(shorts, short_cost(what, array, costs.front(), fine));
  for (const findings::Cost& cost : costs)
    add_once(of_line.details, fmt::format("{}: {}", what, findings::cost_text(cost)));
}

std::string label(const Words& words) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) out += (i == 0 ? "" : " · ") + words[i];
  return words.size() > most ? out + " …" : out;
}

json hint(const View& view, u32 line, const std::string& words, const Words& details) {
  const Position end = view.text->position(line, view.text->line(line).size(), view.encoding);
  return {{"position", {{"line", end.line}, {"character", end.character}}},
          {"label", words},
          {"paddingLeft", true},
          {"tooltip", joined(details, "\n")}};
}

} // namespace

json hover(const View& view, Position at, bool markdown) {
  std::vector<Paragraph> all;
  for (const std::shared_ptr<const Answer>& answer : view.answers) add_judged(all, *answer, view, at.line);
  add_measured(all, view, at.line);
  if (all.empty()) return nullptr;
  return {{"contents", {{"kind", markdown ? "markdown" : "plaintext"}, {"value", text_of(all, markdown)}}}};
}

std::optional<u32> line_of_run(const Text& now, u32 line, std::string_view source) {
  source = trimmed(source);
  if (source.empty()) return {};
  if (trimmed(now.line(line)) == source) return line;
  std::optional<u32> found;
  for (u32 other = 0; other < now.lines(); ++other)
    if (trimmed(now.line(other)) == source) {
      if (found) return {}; // which of them it is cannot be known
      found = other;
    }
  return found;
}

json inlay_hints(const View& view, const Range& range) {
  std::map<u32, LineHints> lines;
  auto wanted = [&](std::optional<u32> line) {
    return line && *line >= range.start.line && *line <= range.end.line;
  };
  for (const std::shared_ptr<const Answer>& answer : view.answers) {
    auto then = answer->texts.find(view.file);
    if (then == answer->texts.end()) continue;
    const LineMap map(Text(then->second), *view.text);
    for (const ShownAccess& access : answer->accesses) {
      if (access.place.empty() || access.place.front().file != view.file || access.other_shape) continue;
      const std::optional<u32> line = map.now(access.place.front().line - 1);
      if (!wanted(line)) continue;
      add_hint(lines[*line].judged, lines[*line], access.what, access.array, access.costs, access.fine);
    }
  }
  for (const Run& run : view.runs)
    for (const findings::JudgedAccess& access : run.list->accesses) {
      if (access.place.empty() || access.place.front().file != view.file) continue;
      const std::optional<u32> line = line_of_run(*view.text, access.place.front().line - 1, access.source);
      if (!wanted(line)) continue;
      add_hint(lines[*line].counted[run.name], lines[*line], access.what, access.array, access.costs, false);
    }
  json out = json::array();
  for (const auto& [line, of_line] : lines) {
    if (!of_line.judged.empty()) out.push_back(hint(view, line, label(of_line.judged), of_line.details));
    for (const auto& [name, words] : of_line.counted)
      if (!words.empty()) out.push_back(hint(view, line, name + ": " + label(words), of_line.details));
  }
  return out;
}

} // namespace warplens::lsp
