// Which comment is for which finding or access, and what is said of those that hold no longer. See expectations.h.
#include "gates/expectations.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "gates/own_rules.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warplens::gates {
namespace {

using findings::Finding;

// Whether an access stands at the comment's lines, or was inlined there.
bool stands_at(const access::SourceStack& place, const Comment& comment) {
  return std::ranges::any_of(place, [&](const access::SourceFrame& frame) {
    return frame.line >= comment.line && frame.line <= comment.last_line && frame.file == comment.place.file;
  });
}

Finding finding_at(const diag::Span& place, findings::Rule rule, std::string message) {
  Finding out{.rule = rule, .severity = findings::entry(rule).severity};
  out.certainty = findings::Certainty::measured;
  out.place = {{place.file, place.line, place.column, {}}};
  out.message = std::move(message);
  return out;
}

Finding missed(const Comment& comment, const findings::JudgedAccess& access, const findings::Cost& cost,
               Verdict verdict) {
  const bool unknown = verdict == Verdict::unknown;
  Finding out = finding_at(comment.place,
                           unknown ? findings::Rule::unchecked_comment : findings::Rule::failed_expectation,
                           fmt::format("{}: expected {}{}", access.what, comment.expect->text,
                                       unknown ? ", which is not known to hold" : ""));
  out.kernel = access.kernel;
  out.array = access.array;
  out.source = access.source;
  out.notes.push_back({"expected here", out.place.front()});
  out.place = access.place;
  out.costs = {cost};
  return out;
}

void expect(findings::List& list, const Comment& comment) {
  bool there = false, counted = false;
  std::vector<Finding> failed;
  std::set<const findings::JudgedAccess*> broken;
  for (const findings::JudgedAccess& access : list.accesses) {
    if (!stands_at(access.place, comment)) continue;
    there = true;
    for (const findings::Cost& cost : access.costs) {
      if (cost.counter != counter(comment.expect->measure)) continue;
      counted = true;
      if (Verdict verdict = judge(*comment.expect, cost); verdict != Verdict::holds) {
        failed.push_back(missed(comment, access, cost, verdict));
        broken.insert(&access);
      }
    }
  }
  if (!failed.empty()) { // the gravest stands for all accesses of the comment
    Finding& worst = *std::ranges::max_element(failed, {}, [](const Finding& one) {
      return std::pair(one.severity, one.costs[0].average.value_or(one.costs[0].most));
    });
    if (const std::size_t others = broken.size() - 1; others != 0)
      worst.notes.push_back({fmt::format("{} more access{} of this comment {} not known to hold to it either",
                                         others, others == 1 ? "" : "es", others == 1 ? "is" : "are"),
                             {}});
    list.findings.push_back(std::move(worst));
  }
  if (!counted)
    list.findings.push_back(finding_at(
        comment.place, findings::Rule::unchecked_comment,
        there ? fmt::format("no access of this line has {}, which '{}' is about",
                            counter(comment.expect->measure), comment.expect->text)
              : fmt::format("nothing was counted at the line that '{}' is about", comment.expect->text)));
}

void ignore(findings::List& list, const std::vector<Finding>& hidden, const Comment& comment) {
  auto is_meant = [&](const Finding& finding) {
    return comment.ignore == finding.rule && stands_at(finding.place, comment);
  };
  bool used = std::ranges::any_of(hidden, is_meant);
  for (Finding& finding : list.findings)
    if (is_meant(finding)) {
      finding.standing.suppressed = comment.reason;
      used = true;
    }
  if (used) return;
  bool there = false, known = true;
  for (const findings::JudgedAccess& access : list.accesses) {
    if (!stands_at(access.place, comment)) continue;
    there = true;
    known &= access.is_decided;
  }
  list.findings.push_back(
      there && known
          ? finding_at(comment.place, findings::Rule::unused_suppression,
                       fmt::format("there is no '{}' to ignore", findings::name(*comment.ignore)))
          : finding_at(comment.place, findings::Rule::unchecked_comment,
                       fmt::format("nothing was {} at the line where '{}' is ignored",
                                   there ? "decided" : "counted", findings::name(*comment.ignore))));
}

} // namespace

void hold_to_comments(findings::List& list, const std::vector<Finding>& hidden, const Comments& comments) {
  for (const Comment& comment : comments.all)
    comment.expect ? expect(list, comment) : ignore(list, hidden, comment);
  for (const diag::Diagnostic& malformed : comments.malformed) {
    Finding one = finding_at(malformed.span, findings::Rule::malformed_comment, malformed.message);
    one.fix = findings::Fix{malformed.help, {}, {}};
    list.findings.push_back(std::move(one));
  }
}

} // namespace warplens::gates
