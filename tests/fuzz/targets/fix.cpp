// Source text that findings are in, and answers of whoever makes edits: notes can be made, edits can be applied, stay on their
// lines, and are shown as a diff.
#include "fix/edits.h"
#include "fix/propose.h"
#include "fuzz/target.h"
#include "source/tokens.h"
#include <algorithm>

FUZZ_TARGET(fix) {
  using namespace warplens;
  using Kind = findings::Remedy::Kind;
  const std::string text(input.substr(0, 4096));
  if (const std::optional<fix::Answered> answered = fix::read_answered(text))
    for (const fix::Made& made : answered->made) fix::applied(text, made.edits);
  const source::Tokens tokens(text);
  findings::List list;
  for (u32 i = 0; i < tokens.size() && list.findings.size() < 32; ++i) {
    if (!tokens.at(i).word() || !tokens.at(i + 1).is("[")) continue;
    for (Kind kind : {Kind::longer_rows, Kind::other_order, Kind::aligned, Kind::restricted}) {
      findings::Finding& one =
          list.findings.emplace_back(findings::Finding{.rule = findings::Rule::bank_conflict});
      one.array = tokens.at(i).text;
      one.place = {{"a.cu", tokens.line_of(tokens.at(i).begin), tokens.column_of(tokens.at(i).begin), {}}};
      one.fix = findings::Fix{"words", "", {}, {kind, kind == Kind::aligned ? 16u : 4u, 128}};
    }
  }
  const auto text_of = [&](const std::string&) { return std::string_view(text); };
  fix::show(list, text_of);
  fix::propose(list, text_of, [](const std::string&, const std::vector<fix::Wish>& wishes) {
    fix::Answered out;
    for (const fix::Wish& w : wishes)
      out.made.push_back({{{{}, w.line, w.column, w.line, w.column + 1, "x"},
                           {{}, w.line, w.column + 1, w.line, w.column + 1, " + 1"}}});
    return out;
  });
  for (const findings::Finding& one : list.findings) {
    if (one.fix->edits.empty()) continue;
    const std::optional<std::string> after = fix::applied(text, one.fix->edits);
    fuzz::require(after.has_value(), "edits can be applied");
    fuzz::require(std::ranges::count(*after, '\n') == std::ranges::count(text, '\n'),
                  "edits stay on their lines");
    fuzz::require(*after == text || !fix::unified_diff("a.cu", text, *after).empty(),
                  "what differs is shown");
  }
}
