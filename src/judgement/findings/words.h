// What the writers have in common: the words for a finding's place and costs, and which findings they show.
#pragma once
#include "findings/finding.h"

namespace warplens::findings {

// Of a finding's place; all members empty or 0 where it is not known.
access::SourceFrame place_of(const Finding&);
// "32", "31.25", "0.5": at most so many digits behind the point.
std::string number(double value, int digits = 2);
// How many times fewer, or more often: "8", "17.3", "1,170". Three digits that mean something.
std::string times(double factor);
// "1.2 MB", units of 1000; "~1.2 MB" of an estimate
std::string bytes(u64 value, bool is_estimate = false);
// "32 sectors per request where 4 would do": what each of an access's requests costs, and would cost at best, if that is less. Instructions
// are what wavefronts and requests are counted by.
std::string cost_text(double actual, std::string_view counter, double needed);
// "32 sectors per request where 4 would do (9.0); 4 after the fix"
std::string cost_text(const Cost&);
// The message, conditions, costs and what to do, in one paragraph.
std::string paragraph(const Finding&);
// "3 findings (1 error, 2 warnings), 1 new, 2 known, 1 ignored"; what there is none of is left out.
std::string totals_text(const List&);
bool is_of_run(const List&); // else of code that was judged
// Is what it lacks not there? Not with an error among the gaps: then nothing is known of findings that are missing.
bool is_conclusive(const List&);
// "2 of 3 files were not judged", "the run was not counted to its end"; empty where the list is conclusive.
std::string gaps_text(const List&);
// The message, notes and what to do, in one paragraph.
std::string gap_text(const diag::Diagnostic&);
// Foreign text in a cell of a Markdown table: nothing in it is markup, and it stays on its line.
std::string markdown_cell(std::string_view text);

// Findings that nobody asked to leave alone: neither suppressed nor in the baseline as they are.
bool is_open(const Finding&);
// A hash of the finding's rule, file and line text, and of how many others before it in the list have the same: it stays
// when lines move. 16 hexadecimal digits; in the order of the list.
std::vector<std::string> fingerprints(const std::vector<Finding>&);

} // namespace warplens::findings
