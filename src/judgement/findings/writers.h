// Findings in the forms that people and services read. Each is a pure function of the list; none reads a file.
#pragma once
#include "findings/finding.h"
#include <functional>

namespace warplens::findings {

// The text of a source file as findings name it; empty where it is not at hand.
using SourceText = std::function<std::string_view(const std::string& file)>;

// As compilers write them: "file:3:7: warning: message [rule]", the line with a caret, notes, and what to do. Without those
// that are suppressed or in the baseline. Ends with the totals where there is a finding, else empty.
std::string text(const List&, const SourceText&, bool colour);

// Each but text says what was not judged (List::gaps).

// Everything, by docs/schema/findings-1.schema.json.
std::string json(const List&, std::string_view version);

// SARIF 2.1.0 (OASIS standard, 27 March 2020): one run; rules with help; suppressions, baseline states and fixes; the way
// through inlined calls as a code flow. Paths are relative to SRCROOT where the findings' are relative. Columns are in UTF-16
// code units where the source is at hand, else bytes.
std::string sarif(const List&, std::string_view version, const SourceText& = {});

// GitHub's workflow commands, one line a finding: "::warning file=a.cu,line=3,col=7,title=rule::message". Of each severity
// GitHub shows the first ten of a step.
std::string github(const List&);

// JUnit's XML, as dashboards of builds read it: a test case for each finding, which is a failure where the command fails with it.
std::string junit(const List&);

// GitLab's Code Quality report, of what is neither suppressed nor in the baseline: a widget on merge requests.
std::string gitlab(const List&);

// A comment on a pull request: totals, then a table of the worst `most` findings.
std::string markdown(const List&, std::size_t most = 20);

} // namespace warplens::findings
