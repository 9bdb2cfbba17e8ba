#include "base/characters.h"
#include "base/diagnostic.h"
#include "findings/edit_text.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <fmt/format.h>

namespace warplens::findings {
namespace {

std::string row(const Finding& finding) {
  const access::SourceFrame place = place_of(finding);
  std::string where = markdown_cell(place.file.empty() ? finding.kernel : place.file);
  if (place.line != 0) where += fmt::format(":{}", place.line);
  std::string what = markdown_cell(finding.message);
  if (!finding.standing.fails.empty())
    what += fmt::format(" (**fails**: {})", markdown_cell(finding.standing.fails));
  std::string costs;
  for (const Cost& cost : finding.costs)
    costs += (costs.empty() ? "" : "<br>") + markdown_cell(cost_text(cost));
  std::string fix = finding.fix ? markdown_cell(finding.fix->text) : "";
  if (finding.fix && !finding.fix->edits.empty()) fix += "<br>" + markdown_cell(edit_text(*finding.fix));
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", where, name(finding.severity),
                     markdown_cell(name(finding.rule)), what, costs, fix);
}

} // namespace

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (char c : one_line(text)) {
    if (std::string_view("|\\`*_[]#~@").find(c) != std::string_view::npos) out += '\\';
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string markdown(const List& list, std::size_t most) {
  const std::string gaps = gaps_text(list);
  std::string out =
      fmt::format("### WarpLens: {}\n", gaps.empty() ? totals_text(list) : "not complete, " + gaps);
  if (!list.gaps.empty()) out += "\n| not judged | why |\n|---|---|\n";
  for (const diag::Diagnostic& gap : list.gaps)
    out += fmt::format("| {} | {} |\n", markdown_cell(gap.span.file), markdown_cell(gap_text(gap)));
  if (!gaps.empty()) out += fmt::format("\n{} in what was judged.\n", totals_text(list));
  if (list.all)
    out += fmt::format("\n{} of the {} that the accesses move are for nothing.\n",
                       bytes(list.all->excess_bytes, list.all->sampled),
                       bytes(list.all->moved_bytes, list.all->sampled));
  std::size_t shown = 0, left = 0;
  for (const Finding& finding : list.findings) {
    if (!is_open(finding)) continue;
    if (shown == most) {
      ++left;
      continue;
    }
    if (shown++ == 0) out += "\n| where | severity | rule | what | cost | fix |\n|---|---|---|---|---|---|\n";
    out += row(finding);
  }
  if (left != 0) out += fmt::format("\nand {} more\n", left);
  return out;
}

} // namespace warplens::findings
