#include "base/characters.h"
#include "base/diagnostic.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <fmt/format.h>

namespace warplens::findings {
namespace {

diag::Severity severity_of(const Finding& finding) {
  switch (finding.severity) {
  case Severity::note: return diag::Severity::note;
  case Severity::warning: return diag::Severity::warning;
  case Severity::error: return diag::Severity::error;
  }
  return {};
}

diag::Span span_of(const access::SourceFrame& place) { return {place.file, place.line, place.column, 0}; }

// The notes that have places, as lines of their own.
std::string placed_notes(const Finding& finding, bool colour) {
  std::string out;
  auto note = [&](const access::SourceFrame& place, std::string text) {
    out += diag::render(diag::note("note", std::move(text), span_of(place)), {}, colour);
  };
  for (std::size_t i = 1; i < finding.place.size(); ++i) note(finding.place[i], "inlined here");
  for (const Note& one : finding.notes)
    if (one.place) note(*one.place, one.text);
  return out;
}

// As wide as what stands before that column, with tabs where it has tabs.
std::string indent(std::string_view text, u32 line, u32 column) {
  for (u32 i = 1; i < line && !text.empty(); ++i)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string out(column - 1, ' ');
  for (std::size_t i = 0; i < out.size() && i < text.size() && text[i] != '\n'; ++i)
    if (text[i] == '\t') out[i] = '\t';
  return out;
}

// What is written in place of what, below the line that it is on. Of edits that are many, the first.
std::string fix_its(const Finding& finding, const SourceText& source, bool colour) {
  constexpr std::size_t most = 4;
  std::string out;
  if (!finding.fix) return out;
  const std::vector<Edit>& edits = finding.fix->edits;
  for (std::size_t i = 0; i < std::min(edits.size(), most); ++i) {
    const Edit& edit = edits[i];
    const u32 replaced = edit.line == edit.end_line ? edit.end_column - edit.column : 0;
    const std::string more =
        i + 1 == most && edits.size() > most ? fmt::format(", and {} edits more", edits.size() - most) : "";
    out +=
        diag::render(diag::note("fix-it", (replaced == 0 ? "fix-it: insert" : "fix-it: write instead") + more,
                                {edit.file, edit.line, edit.column, replaced}),
                     source(edit.file), colour);
    out += fmt::format("    {}{}\n", indent(source(edit.file), edit.line, edit.column),
                       one_line(edit.replacement));
  }
  return out;
}

} // namespace

std::string text(const List& list, const SourceText& source, bool colour) {
  std::string out;
  for (const Finding& finding : list.findings) {
    if (!is_open(finding)) continue;
    const access::SourceFrame place = place_of(finding);
    std::string where =
        finding.place.empty() && !finding.kernel.empty() ? fmt::format("{}: ", finding.kernel) : "";
    diag::Diagnostic shown{std::string(name(finding.rule)),
                           severity_of(finding),
                           fmt::format("{}{} [{}]", where, finding.message, name(finding.rule)),
                           span_of(place),
                           {},
                           {}};
    for (const std::string& condition : finding.conditions) shown.notes.push_back("if " + condition);
    for (const Cost& cost : finding.costs) shown.notes.push_back(cost_text(cost));
    for (const Note& note : finding.notes)
      if (!note.place) shown.notes.push_back(note.text);
    if (!finding.standing.fails.empty()) shown.notes.push_back("fails: " + finding.standing.fails);
    if (finding.fix) shown.help = finding.fix->text;
    std::string_view file = place.file.empty() ? std::string_view() : source(place.file);
    out +=
        diag::render(shown, file, colour) + placed_notes(finding, colour) + fix_its(finding, source, colour);
  }
  return list.findings.empty() ? out : out + totals_text(list) + '\n';
}

} // namespace warplens::findings
