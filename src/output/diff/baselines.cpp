// Two baselines: findings, of which a baseline keeps the rule, the line and averages per request. Those of one rule are
// matched like lines of one source; a line of the model is a finding, and its accesses are its counters.
#include "diff/model.h"
#include "text/lines.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace warplens::diff {
namespace {

using gates::Known;

std::vector<u32> architectures_of(const gates::Baseline& baseline) {
  std::vector<u32> out;
  for (const Known& known : baseline.findings)
    for (const Known::Value& value : known.values)
      if (std::ranges::find(out, value.sm) == out.end()) out.push_back(value.sm);
  return out;
}

LinePlace place_of(const Known& known) {
  LinePlace out;
  if (known.line == 0) {
    out.function = known.kernel;
    return out;
  }
  out.file = known.file, out.line = known.line, out.text = known.source;
  return out;
}

std::string key_of(const Known& known) {
  return known.source.empty() ? "function " + known.kernel : text::line_key(known.source);
}

ComparedAccess::Side side_of(const Known& known, const Known::Value& value) {
  ComparedAccess::Side out;
  out.what = known.rule, out.unit = value.counter, out.each = value.value;
  return out;
}

Change change_of_values(double before, double after) {
  constexpr double same = 1 + 1e-6; // as gates/baseline.cpp has it
  return after > before * same ? Change::worse : before > after * same ? Change::better : Change::same;
}

void add_accesses(Line& line, const Known* before, const Known* after, u32 sm) {
  std::map<std::string, ComparedAccess> by_counter;
  for (const auto& [known, member] :
       {std::pair(before, &ComparedAccess::before), std::pair(after, &ComparedAccess::after)})
    if (known != nullptr)
      for (const Known::Value& value : known->values)
        if (value.sm == sm) by_counter[value.counter].*member = side_of(*known, value);
  bool worse = false, better = false;
  for (auto& [counter, access] : by_counter) {
    access.change = !access.before  ? Change::added
                    : !access.after ? Change::removed
                                    : change_of_values(access.before->each, access.after->each);
    worse |= access.change == Change::worse || access.change == Change::added;
    better |= access.change == Change::better || access.change == Change::removed;
    line.accesses.push_back(std::move(access));
  }
  line.change = before == nullptr  ? Change::added
                : after == nullptr ? Change::removed
                : worse            ? Change::worse
                : better           ? Change::better
                                   : Change::same;
}

using Pairs = std::vector<std::pair<const Known*, const Known*>>;

Pairs paired(const gates::Baseline& before, const gates::Baseline& after) {
  std::map<std::string, std::pair<std::vector<const Known*>, std::vector<const Known*>>> rules;
  for (const Known& known : before.findings) rules[known.rule].first.push_back(&known);
  for (const Known& known : after.findings) rules[known.rule].second.push_back(&known);
  Pairs out;
  for (auto& [rule, sides] : rules) {
    std::vector<text::Item> items[2];
    std::size_t at = 0;
    for (std::vector<const Known*>* side : {&sides.first, &sides.second}) {
      std::ranges::stable_sort(*side, {},
                               [](const Known* known) { return std::tie(known->file, known->line); });
      for (const Known* known : *side) items[at].push_back({key_of(*known), {rule}});
      ++at;
    }
    std::vector<bool> seen_before(sides.first.size()), seen_after(sides.second.size());
    for (const auto& [b, a] : text::match_lines(items[0], items[1])) {
      out.emplace_back(sides.first[b], sides.second[a]);
      seen_before[b] = seen_after[a] = true;
    }
    for (std::size_t b = 0; b < seen_before.size(); ++b)
      if (!seen_before[b]) out.emplace_back(sides.first[b], nullptr);
    for (std::size_t a = 0; a < seen_after.size(); ++a)
      if (!seen_after[a]) out.emplace_back(nullptr, sides.second[a]);
  }
  return out;
}

} // namespace

Result<Model> compare(const Findings& before, const Findings& after, u32 sm) {
  Model out;
  out.counted = false;
  out.before.name = before.name, out.after.name = after.name;
  out.before.sm = architectures_of(before.baseline), out.after.sm = architectures_of(after.baseline);
  if (out.before.sm.empty() || out.after.sm.empty()) { // no finding with a cost on that side
    const std::vector<u32>& known = out.before.sm.empty() ? out.after.sm : out.before.sm;
    out.sm = sm != 0 ? sm : known.empty() ? 0 : known[0];
  } else {
    Result<u32> common = common_architecture(out.before.sm, out.after.sm, sm);
    if (!common) return failure(common.error());
    out.sm = *common;
  }
  std::map<std::string, std::size_t> by_kernel;
  for (const auto& [old_known, new_known] : paired(before.baseline, after.baseline)) {
    const std::string& name = new_known != nullptr ? new_known->kernel : old_known->kernel;
    auto [found, fresh] = by_kernel.try_emplace(name, out.kernels.size());
    if (fresh) out.kernels.emplace_back();
    Kernel& kernel = out.kernels[found->second];
    Kernel::Side side;
    side.label = side.name = name;
    kernel.before = kernel.after = side;
    Line& line = kernel.lines.emplace_back();
    if (old_known != nullptr) line.before = place_of(*old_known);
    if (new_known != nullptr) line.after = place_of(*new_known);
    line.edited = line.before && line.after && key_of(*old_known) != key_of(*new_known);
    add_accesses(line, old_known, new_known, out.sm);
  }
  for (Kernel& kernel : out.kernels) {
    std::ranges::stable_sort(kernel.lines, {}, &Line::change);
    kernel.change =
        kernel.lines.front().change == Change::added ? Change::worse : kernel.lines.front().change;
    if (kernel.change == Change::removed) kernel.change = Change::better;
  }
  std::ranges::stable_sort(out.kernels, {}, &Kernel::change);
  out.change = out.kernels.empty() ? Change::same : out.kernels.front().change;
  return out;
}

} // namespace warplens::diff
