// GitLab's Code Quality report (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"): an array of objects, each
// with description, check_name, fingerprint, severity and location. Paths are relative to the repository.
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplens::findings {
namespace {

using issue_t = nlohmann::ordered_json;

std::string_view gitlab_severity(Severity severity) {
  switch (severity) {
  case Severity::note: return "info";
  case Severity::warning: return "major";
  case Severity::error: return "critical";
  }
  return "";
}

// A place is wanted of all: what has none is of the repository.
issue_t issue(std::string_view check, std::string_view severity, const std::string& description,
              const std::string& fingerprint, const std::string& file, u32 line) {
  issue_t out{{"description", description},
              {"check_name", check},
              {"fingerprint", fingerprint},
              {"severity", severity}};
  out["location"] = {{"path", file.empty() ? "." : file}, {"lines", {{"begin", std::max(line, 1u)}}}};
  return out;
}

} // namespace

std::string gitlab(const List& list) {
  issue_t out = issue_t::array();
  for (const diag::Diagnostic& gap : list.gaps)
    if (gap.severity == diag::Severity::error)
      out.push_back(issue("not-judged", "blocker", gap_text(gap),
                          fmt::format("{} {}", gap.kind, gap.span.file), gap.span.file, gap.span.line));
  const std::vector<std::string> prints = fingerprints(list.findings);
  for (std::size_t i = 0; i < prints.size(); ++i) {
    const Finding& finding = list.findings[i];
    if (!is_open(finding)) continue;
    const access::SourceFrame place = place_of(finding);
    out.push_back(issue(name(finding.rule), gitlab_severity(finding.severity), paragraph(finding), prints[i],
                        place.file, place.line));
  }
  return out.dump(1, ' ', false, issue_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::findings
