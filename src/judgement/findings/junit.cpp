// A test case for each finding: <failure> where the command fails with it, <skipped> where a comment or the baseline lets it pass, and
// nothing where it passes. What was not judged is an <error>. Dashboards refuse a suite without a case, so that nothing found is one.
#include "base/diagnostic.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <fmt/format.h>

namespace warplens::findings {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : diag::without_controls(text)) switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  return out;
}

std::string test_case(std::string_view suite, const std::string& name, std::string_view result = {}) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", suite, escaped(name),
                     result);
}

std::string result_of(const Finding& finding) {
  const Standing& standing = finding.standing;
  if (!standing.fails.empty())
    return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", name(finding.severity),
                       escaped(finding.message), escaped(standing.fails));
  if (!is_open(finding))
    return fmt::format("<skipped message=\"{}\"/>", escaped(standing.suppressed.value_or("in the baseline")));
  return fmt::format("<system-out>{}</system-out>", escaped(finding.message));
}

} // namespace

std::string junit(const List& list) {
  std::string cases;
  std::size_t failures = 0, skipped = 0, errors = 0;
  for (const Finding& finding : list.findings) {
    std::string at = finding.kernel;
    if (!finding.place.empty()) at = fmt::format("{}:{}", finding.place[0].file, finding.place[0].line);
    cases +=
        test_case(name(finding.rule), finding.array.empty() ? at : fmt::format("{} ({})", at, finding.array),
                  result_of(finding));
    failures += !finding.standing.fails.empty();
    skipped += finding.standing.fails.empty() && !is_open(finding);
  }
  for (const diag::Diagnostic& gap : list.gaps)
    if (gap.severity == diag::Severity::error) {
      cases += test_case("not-judged", gap.span.file.empty() ? gap.kind : gap.span.file,
                         fmt::format("<error message=\"{}\"/>", escaped(gap.message)));
      ++errors;
    }
  if (cases.empty()) cases = test_case("findings", "none");
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"warplens\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      std::max<std::size_t>(1, list.findings.size() + errors), failures, errors, skipped, cases);
}

} // namespace warplens::findings
