// Findings as the protocol's diagnostics, with related places and the data that code actions need. See views.h.
#include "findings/words.h"
#include "lsp/uri.h"
#include "lsp/views.h"
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::lsp {
namespace {

using findings::Finding;
using nlohmann::json;

int severity_number(findings::Severity severity) {
  switch (severity) {
  case findings::Severity::error: return 1;
  case findings::Severity::warning: return 2;
  case findings::Severity::note: return 3;
  }
  return 3;
}

// The message and what it rests on, a line each.
std::string message_of(const Finding& finding) {
  std::string out = finding.message;
  for (const std::string& condition : finding.conditions) out += "\nif " + condition;
  for (const findings::Cost& cost : finding.costs) out += "\n" + findings::cost_text(cost);
  for (const findings::Note& note : finding.notes)
    if (!note.place) out += "\n" + note.text;
  if (!finding.standing.fails.empty()) out += "\nfails: " + finding.standing.fails;
  if (finding.fix) out += "\nfix: " + finding.fix->text;
  return out;
}

Range range_at(const Text& text, u32 line, u32 column, Encoding encoding) {
  const std::string_view words = text.line(line);
  std::size_t begin = column == 0 ? std::min(words.find_first_not_of(" \t"), words.size()) : column - 1;
  begin = std::min(begin, words.size());
  std::size_t end = column == 0 ? words.size() : end_of_expression(words, begin);
  const std::size_t assigned = words.find_last_not_of(" \t", begin == 0 ? 0 : begin - 1);
  if (column > 1 && assigned != words.npos &&
      std::string_view("=+-*/%&|^<>").find(words[begin]) != words.npos) {
    begin = words.find_first_not_of(" \t"); // where a store points at its '=': what is stored to
    end = assigned + 1;
  }
  return {text.position(line, begin, encoding), text.position(line, end, encoding)};
}

// The texts of an answer, whose lines are found once.
class Texts {
public:
  explicit Texts(const Answer& answer) : answer_(answer) {}
  const Text* find(const std::string& file) {
    auto text = answer_.texts.find(file);
    return text == answer_.texts.end() ? nullptr : &known_.try_emplace(file, text->second).first->second;
  }

private:
  const Answer& answer_;
  std::map<std::string, Text> known_;
};

json related_at(const access::SourceFrame& at, const Range& range, const std::string& words) {
  return {{"location", {{"uri", uri_of(at.file)}, {"range", range_json(range)}}}, {"message", words}};
}

// A place in whichever file: where nothing is known of its text, columns are taken for characters.
json related(Texts& texts, const access::SourceFrame& at, const std::string& words, Encoding encoding) {
  const u32 line = at.line == 0 ? 0 : at.line - 1;
  Range range{{line, at.column == 0 ? 0 : at.column - 1}, {line, at.column}};
  if (const Text* text = texts.find(at.file); text != nullptr)
    range = range_at(*text, line, at.column, encoding);
  return related_at(at, range, words);
}

// `there`: related() of a place.
template <class Related> json diagnostic(const Finding& finding, const Range& range, const Related& there) {
  json out{{"range", range_json(range)},
           {"severity", severity_number(finding.severity)},
           {"code", findings::name(finding.rule)},
           {"source", "warplens"},
           {"message", message_of(finding)}};
  json others = json::array();
  auto add = [&](const access::SourceFrame& at, const std::string& words) {
    if (std::optional<json> one = there(at, words)) others.push_back(std::move(*one));
  };
  for (std::size_t i = 1; i < finding.place.size(); ++i) add(finding.place[i], "inlined here");
  for (const findings::Note& note : finding.notes)
    if (note.place) add(*note.place, note.text);
  if (!others.empty()) out["relatedInformation"] = std::move(others);
  return out;
}

} // namespace

json range_json(const Range& range) {
  auto position = [](Position at) { return json{{"line", at.line}, {"character", at.character}}; };
  return {{"start", position(range.start)}, {"end", position(range.end)}};
}

json diagnostics(const View& view) {
  json out = json::array();
  std::set<std::string> known; // a header is judged with each source that includes it
  for (const std::shared_ptr<const Answer>& answer : view.answers) {
    Texts texts(*answer);
    const Text* then = texts.find(view.file);
    if (then == nullptr) continue;
    const LineMap lines(*then, *view.text);
    // Of the file itself where its line is now; nothing where that is gone.
    auto there = [&](const access::SourceFrame& at, const std::string& words) -> std::optional<json> {
      if (at.file != view.file || at.line == 0) return related(texts, at, words, view.encoding);
      const std::optional<u32> line = lines.now(at.line - 1);
      if (!line) return {};
      return related_at(at, range_at(*view.text, *line, at.column, view.encoding), words);
    };
    for (const Finding& finding : answer->list.findings) {
      const access::SourceFrame at = findings::place_of(finding);
      if (at.file != view.file || at.line == 0 || !findings::is_open(finding)) continue;
      const std::optional<u32> line = lines.now(at.line - 1);
      if (!line) continue;
      json one = diagnostic(finding, range_at(*view.text, *line, at.column, view.encoding), there);
      constexpr auto replace = json::error_handler_t::replace;
      if (known.insert(one.dump(-1, ' ', false, replace)).second) out.push_back(std::move(one));
    }
  }
  for (const Problem& problem : view.problems) {
    const u32 line = std::min(problem.line == 0 ? 0 : problem.line - 1, view.text->lines() - 1);
    out.push_back({{"range", range_json(range_at(*view.text, line, problem.column, view.encoding))},
                   {"severity", severity_number(findings::Severity::note)},
                   {"code", "not-checked"},
                   {"source", "warplens"},
                   {"message", "not checked: " + problem.message}});
  }
  return out;
}

} // namespace warplens::lsp
