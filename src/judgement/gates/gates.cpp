// The order matters: thresholds hold for accesses whose finding is off; what is left out is not compared; what comments
// ignore is not counted as new; and what fails is asked last, of all that is left.
#include "gates/gates.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "gates/expectations.h"
#include "gates/glob.h"
#include "gates/own_rules.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

namespace warplens::gates {
namespace {

using findings::Rule;

using findings::Finding;
using findings::List;
namespace fs = std::filesystem;

findings::Severity severity_of(Level level) {
  switch (level) {
  case Level::off:
  case Level::note: return findings::Severity::note;
  case Level::warning: return findings::Severity::warning;
  case Level::error: return findings::Severity::error;
  }
  return {};
}

bool is_off(const Finding& finding, const Settings& settings) {
  auto chosen = settings.levels.find(finding.rule);
  if (chosen != settings.levels.end()) return chosen->second == Level::off;
  return !findings::entry(finding.rule).shown;
}

bool is_little(const Finding& finding, const Settings& settings) { // what waits, or is narrow, has no excess
  return finding.weight && finding.weight->excess_bytes != 0 &&
         static_cast<double>(finding.weight->excess_bytes) <
             settings.least_excess * static_cast<double>(finding.weight->moved_bytes);
}

// Gives findings the severity that the user chose. Those that are off go, and are returned.
std::vector<Finding> set_severities(List& list, const Settings& settings) {
  auto gone = std::ranges::stable_partition(list.findings, [&](const Finding& finding) {
    return !is_off(finding, settings) && !is_little(finding, settings);
  });
  std::vector<Finding> out(gone.begin(), gone.end());
  list.findings.erase(gone.begin(), gone.end());
  for (Finding& finding : list.findings)
    if (auto chosen = settings.levels.find(finding.rule); chosen != settings.levels.end())
      finding.severity = severity_of(chosen->second);
  return out;
}

// Returns the findings among them.
std::vector<Finding> leave_out_paths(List& list, const Settings& settings) {
  auto elsewhere = [&](const auto& one) {
    return !one.place.empty() && !covers(settings, one.place.front().file);
  };
  std::erase_if(list.accesses, elsewhere);
  auto gone = std::ranges::stable_partition(list.findings, std::not_fn(elsewhere));
  std::vector<Finding> out(gone.begin(), gone.end());
  list.findings.erase(gone.begin(), gone.end());
  return out;
}

// Do all warps break the limit, or is one known that does?
bool breaks(const Comparison& limit, const findings::Cost& cost) {
  if (cost.counter != counter(limit.measure)) return false;
  return judge(limit, cost) == Verdict::holds || (!cost.average && cost.reached && holds(limit, cost.most));
}

bool breaks(const Comparison& limit, const std::vector<findings::Cost>& costs) {
  return std::ranges::any_of(costs, [&](const findings::Cost& cost) { return breaks(limit, cost); });
}

// What is not known to break it, and might: the cost.
const findings::Cost* undecided(const Comparison& limit, const std::vector<findings::Cost>& costs) {
  auto found = std::ranges::find_if(costs, [&](const findings::Cost& cost) {
    return cost.counter == counter(limit.measure) && judge(limit, cost) == Verdict::unknown;
  });
  return breaks(limit, costs) || found == costs.end() ? nullptr : &*found;
}

Finding over_threshold(const Comparison& limit, std::string message) {
  Finding out{.rule = Rule::over_threshold, .severity = findings::entry(Rule::over_threshold).severity};
  out.message = fmt::format("{}: {}", message, limit.text);
  out.threshold = limit.text;
  return out;
}

// A threshold finds accesses that no rule did. `compares`: there is a baseline.
void add_threshold(List& list, const Comparison& limit, bool compares) {
  if (limit.measure == Measure::spills) {
    if (!list.spills)
      list.gaps.push_back(
          diag::error("spills-unknown",
                      fmt::format("'{}' cannot be told: kernels ran as PTX, and registers are spilled in "
                                  "machine code",
                                  limit.text),
                      {}, "build for the GPU of --sm (-arch=sm_90), and run without --code ptx"));
    if (!list.spills || !holds(limit, static_cast<double>(*list.spills))) return;
    list.findings.push_back(over_threshold(
        limit,
        fmt::format("warps save registers in local memory, or bring them back, {} times", *list.spills)));
    list.findings.back().certainty = findings::Certainty::measured;
    return;
  }
  if (limit.measure == Measure::excess) {
    const double share =
        !list.all || list.all->moved_bytes == 0
            ? 0
            : static_cast<double>(list.all->excess_bytes) / static_cast<double>(list.all->moved_bytes);
    if (!holds(limit, share)) return;
    list.findings.push_back(
        over_threshold(limit, fmt::format("{}% of the traffic between warps and the L1 is for nothing",
                                          findings::number(share * 100))));
    list.findings.back().certainty = findings::Certainty::measured;
    if (compares)
      list.findings.back().notes.push_back({"the share also rises where needed bytes become fewer; `warplens "
                                            "diff --fail-on worse` compares what two runs cost",
                                            {}});
    return;
  }
  std::vector<Finding> found;
  for (const findings::JudgedAccess& access : list.accesses) {
    if (!breaks(limit, access.costs)) continue;
    auto told = [&](const Finding& f) { return f.place == access.place && breaks(limit, f.costs); };
    if (std::ranges::any_of(list.findings, told) || std::ranges::any_of(found, told)) continue;
    Finding one = over_threshold(limit, access.what);
    one.place = access.place;
    one.kernel = access.kernel;
    one.array = access.array;
    one.source = access.source;
    one.costs = access.costs;
    const bool measured = !access.costs.empty() && access.costs.front().average;
    one.certainty = measured ? findings::Certainty::measured : findings::Certainty::proved;
    found.push_back(std::move(one));
  }
  list.findings.insert(list.findings.end(), found.begin(), found.end());
}

// Fails though it is not known to break the limit: it is bad for sure, and may be that bad.
bool may_break(const Comparison& limit, const Finding& finding) {
  return finding.severity >= findings::Severity::warning && !is_about_comments(finding.rule) &&
         undecided(limit, finding.costs) != nullptr;
}

// "'sectors-per-request>8' is not decided for 3 lines, as at a.cu:9: 1 to 32 sectors per request"; empty where it is, or fails.
std::string undecided(const List& list, const Comparison& limit) {
  std::set<std::string> lines;
  std::string first;
  for (const findings::JudgedAccess& access : list.accesses) {
    const findings::Cost* cost = undecided(limit, access.costs);
    const auto told = [&](const Finding& f) { return f.place == access.place && may_break(limit, f); };
    if (cost == nullptr || std::ranges::any_of(list.findings, told)) continue;
    const access::SourceFrame at = access.place.empty() ? access::SourceFrame{} : access.place.front();
    const std::string line = at.file.empty() ? access.kernel : fmt::format("{}:{}", at.file, at.line);
    if (lines.insert(line).second && lines.size() == 1)
      first = fmt::format("{}: {}", line, findings::cost_text(*cost));
  }
  if (lines.empty()) return {};
  return fmt::format("'{}' is not decided for {} line{}, as at {}", limit.text, lines.size(),
                     lines.size() == 1 ? "" : "s", first);
}

// Costs on a GPU that the baseline has no costs of are compared with nothing: whether they are worse is not known.
void want_costs_of_all(List& list, const Baseline& baseline) {
  std::set<u32> known;
  std::set<std::string> missing;
  for (const Known& one : baseline.findings)
    for (const Known::Value& value : one.values) known.insert(value.sm);
  for (const Finding& finding : list.findings)
    for (const findings::Cost& cost : finding.costs)
      if (!known.contains(cost.sm)) missing.insert(fmt::format("{}.{}", cost.sm / 10, cost.sm % 10));
  if (!known.empty() && !missing.empty())
    list.gaps.push_back(diag::error(
        "bad-baseline",
        fmt::format("the baseline has no costs for compute capability {}", fmt::join(missing, ", ")), {},
        "give the --sm that it was written with, or --write-baseline makes it anew"));
}

bool meets(const Condition& condition, const Finding& finding) {
  if (const auto* severity = std::get_if<findings::Severity>(&condition.what))
    return finding.severity >= *severity;
  if (const auto* rule = std::get_if<Rule>(&condition.what)) return finding.rule == *rule;
  if (const auto* limit = std::get_if<Comparison>(&condition.what)) {
    if (is_of_run(limit->measure)) return finding.costs.empty() && finding.threshold == limit->text;
    return !is_about_comments(finding.rule) && breaks(*limit, finding.costs);
  }
  return false;
}

// "2 known findings exceed 'sectors-per-request>8' and pass"; empty where none does.
std::string waived(const List& list, const Condition& condition) {
  const auto count = std::ranges::count_if(list.findings, [&](const Finding& finding) {
    return finding.standing.baseline == findings::Standing::Baseline::unchanged &&
           !finding.standing.suppressed && meets(condition, finding);
  });
  if (count == 0) return {};
  return count == 1 ? fmt::format("1 known finding exceeds '{}' and passes", condition.text)
                    : fmt::format("{} known findings exceed '{}' and pass", count, condition.text);
}

// Why the command fails with the finding; empty where it does not.
std::string reason(const Finding& finding, const Settings& settings) {
  using Baseline = findings::Standing::Baseline;
  if (finding.standing.suppressed) return {};
  const bool about_comments = is_about_comments(finding.rule);
  if (about_comments && finding.severity == findings::Severity::error) return "comments hold, or fail";
  if (finding.standing.baseline == Baseline::unchanged || (settings.accepts && !about_comments)) return {};
  for (const Condition& condition : settings.fail_on) {
    if (meets(condition, finding)) return condition.text;
    if (const auto* limit = std::get_if<Comparison>(&condition.what); limit && may_break(*limit, finding))
      return fmt::format("{}, which is not decided", condition.text);
  }
  if (settings.fail_on.empty() && settings.baseline && !about_comments &&
      finding.severity >= findings::Severity::warning)
    return finding.standing.baseline == Baseline::worse ? "worse than in the baseline"
                                                        : "not in the baseline";
  return {};
}

} // namespace

bool covers(const Settings& settings, const std::string& file) {
  const fs::path whole = (fs::path(settings.here) / file).lexically_normal();
  const std::string path = whole.lexically_relative(settings.folder).generic_string();
  auto matches = [&](const std::string& pattern) { return path_matches(pattern, path); };
  if (std::ranges::any_of(settings.exclude, matches)) return false;
  return settings.include.empty() || std::ranges::any_of(settings.include, matches);
}

Outcome apply(List& list, const Settings& settings, const std::vector<Comments>& comments) {
  const std::vector<Finding> elsewhere = leave_out_paths(list, settings);
  const std::vector<Finding> hidden = set_severities(list, settings);
  Outcome out;
  for (const Condition& condition : settings.fail_on)
    if (const auto* limit = std::get_if<Comparison>(&condition.what)) {
      if (std::string open = undecided(list, *limit); !open.empty()) out.undecided.push_back(std::move(open));
      add_threshold(list, *limit, settings.baseline.has_value());
    }
  for (const Comments& of_file : comments) hold_to_comments(list, hidden, of_file);
  set_severities(list, settings); // of what came since
  if (settings.baseline) {
    if (!settings.accepts) want_costs_of_all(list, *settings.baseline);
    const Baseline rest{compare(list, *settings.baseline)};
    List left_out{hidden};
    left_out.findings.insert(left_out.findings.end(), elsewhere.begin(), elsewhere.end());
    out.gone = compare(left_out, rest);
    out.left_out = rest.findings.size() - out.gone.size();
  }
  for (const Condition& condition : settings.fail_on)
    if (std::holds_alternative<Comparison>(condition.what))
      if (std::string some = waived(list, condition); !some.empty()) out.waived.push_back(std::move(some));
  for (Finding& finding : list.findings) {
    finding.standing.fails = reason(finding, settings);
    out.failing += !finding.standing.fails.empty();
  }
  std::ranges::stable_sort(list.findings, std::greater<>(), &Finding::severity);
  return out;
}

} // namespace warplens::gates
