// Accesses of one place over all launches added up, weighed, and worded. See access_findings.h.
#include "summary/access_findings.h"
#include "advise/remedy.h"
#include "base/check_kinds.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "summary/broken_rule.h"
#include "summary/findings.h"
#include "summary/pattern_text.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace warplens::summary {

using namespace text;
namespace {

using arch::Counts;

// Rows of one place with one rule, or with any, added up.
struct Group {
  const AccessRow* worst = nullptr;
  Broken broken; // of the worst
  const Line* line = nullptr;
  const Kernel* kernel = nullptr;
  std::vector<const AccessRow*> rows;
  std::vector<std::string> kernels;
  std::vector<u32> sm;
  std::vector<Counts> counts; // by architecture
  u64 excess_cycles = 0, wait_cycles = 0;
  bool sampled = false; // one of its kernels
};
using Key = std::tuple<std::vector<std::tuple<std::string, u32, u32>>, access::Space, access::Kind, u32,
                       std::string, std::optional<findings::Rule>>;
using PlaceGroups = std::map<Key, Group>;

// Innermost first.
access::SourceStack named_place(const access::Site& site, const NameOfFile& name) {
  std::vector<access::SourceFrame> frames = source::user_frames(site);
  std::reverse(frames.begin(), frames.end());
  if (!frames.empty() && frames.front().line == 0) frames.clear();
  for (access::SourceFrame& frame : frames) frame.file = name(frame.file);
  return frames;
}

Key key_of(const AccessRow& row, const Line& line, std::optional<findings::Rule> rule) {
  std::vector<std::tuple<std::string, u32, u32>> place;
  for (const access::SourceFrame& frame : source::user_frames(row.site))
    place.emplace_back(frame.file, frame.line, frame.column);
  if (line.place.line == 0) place = {{line.function, 0, 0}};
  return {std::move(place), row.space, row.site.kind, row.site.bytes, array_name(row.site.array), rule};
}

void add(PlaceGroups& groups, Key key, const Kernel& kernel, const Line& line, const AccessRow& row,
         Broken broken) {
  Group& group = groups[std::move(key)];
  const auto weight = [](const AccessRow& r) {
    return std::pair(std::max(r.excess_cycles, r.wait_cycles), r.excess_bytes);
  };
  if (group.worst == nullptr || weight(row) > weight(*group.worst)) {
    group.worst = &row;
    group.broken = broken;
    group.line = &line;
    group.kernel = &kernel;
  }
  group.rows.push_back(&row);
  add_new(group.kernels, kernel.label);
  group.sampled |= kernel.status == measure::Status::sampled;
  if (group.sm.empty()) group.sm = kernel.sm;
  group.counts.resize(std::max(group.counts.size(), row.counters.size()));
  for (std::size_t a = 0; a < row.counters.size(); ++a) group.counts[a] += done_of(row, a);
  group.excess_cycles += row.excess_cycles;
  group.wait_cycles += row.wait_cycles;
}

// From the best warp to the worst, on the device.
void set_range(findings::Cost& cost, const Group& group, const arch::Architecture* device) {
  cost.least = cost.most = *cost.average;
  for (const AccessRow* row : group.rows)
    for (const measure::WarpClass& c : row->distribution.classes) {
      const double one = cost_of(c.counts, row->space, row->site, device).actual;
      cost.least = std::min(cost.least, one);
      cost.most = std::max(cost.most, one);
    }
}

// What the advice makes of all rows under one architecture; nothing where it lowers another count, or is not known there.
std::optional<double> fixed_cost(const Group& group, std::size_t architecture, const Cost& now) {
  const advise::Advice* advice = group.broken.advice;
  if (advice == nullptr || advise::name(advice->metric) != now.unit || now.actual == 0) return {};
  u64 before = 0, after = 0;
  for (const AccessRow* row : group.rows) {
    const advise::Advice* same = advise::same_advice(row->advice, *advice);
    const u64 done = advise::value(advice->metric, done_of(*row, architecture));
    before += done;
    if (same == nullptr) {
      after += done;
      continue;
    }
    const auto& effects = row->effects[static_cast<std::size_t>(same - row->advice.data())];
    if (architecture >= effects.size() || !effects[architecture]) return {};
    after += effects[architecture]->after;
  }
  return before == 0 ? 0 : now.actual * static_cast<double>(after) / static_cast<double>(before);
}

std::vector<findings::Cost> costs_of(const Group& group) {
  std::vector<findings::Cost> out;
  for (std::size_t a = 0; a < group.counts.size() && a < group.sm.size(); ++a) {
    const arch::Architecture* device = arch::find(group.sm[a]);
    const Cost cost = cost_of(group.counts[a], group.worst->space, group.worst->site, device);
    findings::Cost one{group.sm[a], std::string(cost.unit), cost.actual, cost.actual, cost.actual, cost.ideal,
                       {}};
    if (a == 0) set_range(one, group, device);
    one.fixed = fixed_cost(group, a, cost);
    out.push_back(std::move(one));
  }
  return out;
}

findings::Weight weight_of(const Group& group, const Model& model) {
  findings::Weight out;
  const access::Space space = group.worst->space;
  out.moved_bytes = measure::bytes_moved(group.counts[0], space);
  out.excess_bytes = measure::excess_bytes(group.counts[0], space, group.worst->site);
  out.share = share_of(group.excess_cycles, model.excess_cycles);
  out.sampled = group.sampled;
  if (group.broken.advice == nullptr) return out;
  if (!is_traffic(space)) return out;
  u64 saved = 0;
  for (const AccessRow* row : group.rows)
    for (const advise::Advice& advice : row->advice)
      if (advice.rule == group.broken.advice->rule) {
        const u64 before = measure::bytes_moved(done_of(*row), space),
                  after = measure::bytes_moved(advice.after, space);
        saved += before - std::min(before, after + advice.lost_beside * measure::sector_bytes);
        break;
      }
  out.saved = share_of(saved, traffic(model).bytes);
  return out;
}

std::string array_of(const Group& group) { return array_name(group.worst->site.array); }

std::string what_is(const Group& group) {
  const AccessRow& row = *group.worst;
  return described(row.site, row.space, array_of(group),
                   row.site.kind == access::Kind::async_copy && row.space == access::Space::shared);
}

std::string listed_kernels(const Group& group) { return listed(group.kernels, 3); }

void add_notes(findings::Finding& finding, const Group& group) {
  auto note = [&](std::string text) { finding.notes.push_back({std::move(text), {}}); };
  const findings::Weight& weight = *finding.weight;
  if (weight.excess_bytes != 0)
    note(fmt::format("{} of {} are for nothing, {} of the program's waste",
                     findings::bytes(weight.excess_bytes, weight.sampled),
                     findings::bytes(weight.moved_bytes, weight.sampled), percent(weight.share)));
  note(fmt::format("in {}", listed_kernels(group)));
  if (group.broken.advice != nullptr) note(group.broken.advice->cause);
  if (weight.saved >= 0.005)
    note(fmt::format("the fix saves {} of what the program's accesses move", percent(weight.saved)));
}

// From the first launch with that access: rows of the report stand for several.
findings::Remedy remedy_of(const Group& group, const Model& model, const advise::Advice& advice) {
  const arch::Architecture* device = group.sm.empty() ? nullptr : arch::find(group.sm[0]);
  for (const Launch& launch : model.input.launches) {
    if (launch.record.kernel != group.kernel->mangled) continue;
    for (const measure::SiteRecord& site : launch.record.sites)
      if (site.site.id == group.worst->site.id && site.space == group.worst->space &&
          !site.counters.empty()) {
        const advise::Launch others(launch.record);
        return advise::remedy(advice, site, {device, 0, &others});
      }
  }
  return {};
}

findings::Finding finding_of(const Group& group, const Model& model, const NameOfFile& name) {
  const AccessRow& row = *group.worst;
  findings::Finding out{.rule = *group.broken.rule, .severity = findings::entry(*group.broken.rule).severity};
  out.certainty = findings::Certainty::measured;
  out.place = named_place(row.site, name);
  out.kernel = listed_kernels(group);
  out.array = array_of(group);
  out.message = fmt::format("{}: {}", what_is(group), pattern_text(row));
  out.costs = costs_of(group);
  out.source = group.line->text;
  out.weight = weight_of(group, model);
  // As in `check`, less than twice what would do is no warning, unless it makes a part of the waste that can be seen.
  constexpr double seen = 0.01;
  if (out.severity == findings::Severity::warning && out.weight->share < seen && !out.costs.empty() &&
      *out.costs[0].average < 2 * out.costs[0].needed)
    out.severity = findings::Severity::note;
  add_notes(out, group);
  if (const advise::Advice* advice = group.broken.advice)
    out.fix = findings::Fix{advice->change, advice->example, {}, remedy_of(group, model, *advice)};
  return out;
}

// What --check finds, and what stops a launch: by a rule of its own, if its kind has one.
std::optional<findings::Rule> rule_of(const diag::Diagnostic& d) {
  const bool looked_for = diag::check_of(d.kind) != diag::Check::none;
  const bool is_mistake =
      d.severity == diag::Severity::error || (looked_for && d.severity == diag::Severity::warning);
  const std::optional<findings::Rule> own = findings::rule_named(d.kind);
  return own || !is_mistake ? own : findings::Rule::program_mistake;
}

void add_mistakes(findings::List& list, const Model& model, const NameOfFile& name) {
  for (const Warning& warning : model.warnings) {
    const diag::Diagnostic& d = warning.diagnostic;
    const std::optional<findings::Rule> rule = rule_of(d);
    if (!rule) continue;
    findings::Finding out{.rule = *rule, .severity = findings::entry(*rule).severity};
    out.certainty = findings::Certainty::measured;
    if (d.span.line != 0) out.place = {{name(d.span.file), d.span.line, d.span.column, {}}};
    out.message = fmt::format("{} ({})", d.message, d.kind);
    for (const std::string& note : d.notes) out.notes.push_back({note, {}});
    out.source = warning.source;
    if (!d.help.empty()) out.fix = findings::Fix{d.help, {}, {}};
    list.findings.push_back(std::move(out));
  }
}

void add_uncounted(findings::List& list, const Model& model) {
  auto add = [&](const std::string& kernel, std::string message) {
    findings::Finding out{.rule = findings::Rule::uncounted_launch,
                          .severity = findings::entry(findings::Rule::uncounted_launch).severity};
    out.certainty = findings::Certainty::measured;
    out.kernel = kernel;
    out.message = std::move(message);
    list.findings.push_back(std::move(out));
  };
  for (const Kernel& kernel : model.kernels)
    if (!measure::is_whole(kernel.status))
      add(kernel.label,
          fmt::format("{}: {}{}{}", human(kernel.launches, "launch"), measure::name(kernel.status),
                      measure::is_part(kernel.status) ? ", " + blocks_of(kernel) : "",
                      kernel.reasons.empty() ? "" : ": " + kernel.reasons[0].text));
  for (const measure::LaunchStarted& launch : model.input.interrupted)
    add(launch.name, fmt::format("launch {} did not end before the program did", launch.index));
  if (const Missing& missing = model.input.missing;
      missing.launches + missing.events + missing.processes != 0)
    add("", "part of what the program did is missing in the report");
}

// Why findings that the program has may be missing: it, or its record, ended early.
void add_gaps(findings::List& list, const Model& model) {
  auto add = [&](std::string message, std::string help) {
    list.gaps.push_back(diag::error("run-incomplete", std::move(message), {}, std::move(help)));
  };
  const Input& input = model.input;
  if (input.outcome.signal != 0)
    add(fmt::format("the program was killed by signal {}", input.outcome.signal), "let it run completely");
  else if (input.outcome.exit_code != 0)
    add(fmt::format("the program ended with exit code {}", input.outcome.exit_code),
        "fix what it reports; launches after that are missing");
  else if (input.outcome.stopped == measure::Stop::at_budget)
    add("the program was ended to stay within its budget, so findings after that are missing",
        "raise the budget, or let the program launch less");
  else if (std::ranges::any_of(
               model.kernels, [](const Kernel& kernel) { return kernel.status == measure::Status::partial; }))
    add("the program was stopped in a launch, so findings after that are missing", "let it run completely");
  for (const measure::LaunchStarted& launch : input.interrupted)
    add(fmt::format("launch {} ({}) did not end before the program did", launch.index, launch.name), "");
  if (const Missing& missing = input.missing; missing.launches + missing.events + missing.processes != 0)
    add("part of what the program did is missing in the report", "its messages say why");
  if (input.launches.empty()) add("no kernel launch was counted", "the report says why");
  if (list.gaps.empty() && !model.complete)
    list.gaps.push_back(diag::warning("launches-uncounted", "not all launches were counted", {},
                                      "the report says which, and why"));
}

std::optional<u64> spills_of(const Model& model) {
  u64 out = 0;
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    if (!kernel.is_machine_code) return {};
    if (!kernel.spilled.empty()) out += kernel.spilled[0].instructions;
  }
  return out;
}

} // namespace

findings::List findings_of(const Model& model, const NameOfFile& name) {
  PlaceGroups broken, all;
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) {
        if (row.counters.empty() || row.site.timing_dependent != access::Timing::none) continue;
        add(all, key_of(row, line, {}), kernel, line, row, {});
        if (Broken rule = rule_of(row); rule.rule)
          add(broken, key_of(row, line, rule.rule), kernel, line, row, rule);
      }
  }
  std::vector<const Group*> worst_first;
  for (const auto& [_, group] : broken) worst_first.push_back(&group);
  std::ranges::stable_sort(worst_first, std::greater<>(), [](const Group* g) {
    return std::pair(std::max(g->excess_cycles, g->wait_cycles),
                     measure::excess_bytes(g->counts[0], g->worst->space, g->worst->site));
  });
  findings::List out;
  add_mistakes(out, model, name);
  add_uncounted(out, model);
  for (const Group* group : worst_first) out.findings.push_back(finding_of(*group, model, name));
  for (const auto& [_, group] : all)
    out.accesses.push_back({named_place(group.worst->site, name), listed_kernels(group), array_of(group),
                            group.line->text, what_is(group), costs_of(group)});
  add_gaps(out, model);
  out.spills = spills_of(model);
  const Traffic all_bytes = traffic(model);
  out.all = findings::Weight{all_bytes.bytes, all_bytes.excess_bytes, 1, 0, has_sampled(model)};
  return out;
}

} // namespace warplens::summary
