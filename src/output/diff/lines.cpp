// See lines.h. A line is told from others by its text, one without line information by its function. Accesses of a line are
// summed up by space, operation and array: loops that a compiler unrolls otherwise are the same accesses.
#include "diff/lines.h"
#include "access/site.h"
#include "arch/table.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "summary/findings.h"
#include "text/lines.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

using summary::AccessRow;

bool is_compared(const AccessRow& row) { return row.site.timing_dependent == access::Timing::none; }

std::string shown_file(const summary::Model& model, const std::string& file) {
  auto known = model.files.find(file);
  return known == model.files.end() ? file : known->second;
}

LinePlace place_of(const summary::Model& model, const summary::Line& line) {
  LinePlace out;
  out.function = line.function;
  if (line.place.line == 0) return out;
  out.file = shown_file(model, line.place.file);
  out.line = line.place.line;
  out.text = line.text;
  for (const access::SourceFrame& call : line.calls)
    out.calls.push_back(fmt::format("{}:{}", shown_file(model, call.file), call.line));
  return out;
}

std::string key_of(const summary::Line& line) {
  if (line.place.line == 0) return "function " + line.function;
  return line.text.empty() ? fmt::format("line {}", line.place.line) : text::line_key(line.text);
}

// Lines in the order of their source, those of timing alone left out.
std::vector<const summary::Line*> in_order(const summary::Kernel* kernel) {
  std::vector<const summary::Line*> out;
  if (kernel == nullptr) return out;
  for (const summary::Line& line : kernel->lines)
    if (std::ranges::any_of(line.rows, is_compared)) out.push_back(&line);
  auto order = [](const summary::Line* line) {
    std::vector<std::pair<std::string, u32>> path;
    for (const access::SourceFrame& call : line->calls) path.emplace_back(call.file, call.line);
    path.emplace_back(line->place.line == 0 ? line->function : line->place.file, line->place.line);
    return path;
  };
  std::ranges::stable_sort(out, {}, order);
  return out;
}

std::vector<text::Item> items_of(const std::vector<const summary::Line*>& lines) {
  std::vector<text::Item> out;
  for (const summary::Line* line : lines) {
    text::Item& item = out.emplace_back(text::Item{key_of(*line), {}});
    for (const AccessRow& row : line->rows)
      item.has.push_back(fmt::format("{} {}", access::name(row.site.kind), access::name(row.space)));
  }
  return out;
}

// Accesses of one line as one: see above.
struct Sum {
  access::Space space{};
  access::Kind kind{};
  std::string array;
  arch::Counts counts{};
  Cost cost;
  const AccessRow* worst = nullptr;
  double worst_cycles = -1;
};

std::vector<Sum> sums_of(const View& view, const summary::Kernel& kernel, const summary::Line* line) {
  std::vector<Sum> out;
  if (line == nullptr) return out;
  for (const AccessRow& row : line->rows) {
    if (!is_compared(row) || view.architecture(kernel) >= row.counters.size()) continue;
    std::string array = summary::array_name(row.site.array);
    auto same = std::ranges::find_if(out, [&](const Sum& sum) {
      return sum.space == row.space && sum.kind == row.site.kind && sum.array == array;
    });
    if (same == out.end())
      same = out.insert(out.end(), Sum{.space = row.space, .kind = row.site.kind, .array = std::move(array)});
    const Cost cost = view.cost(kernel, row);
    same->counts += summary::done_of(row, view.architecture(kernel));
    same->cost += cost;
    if (cost.cycles > same->worst_cycles) same->worst = &row, same->worst_cycles = cost.cycles;
  }
  return out;
}

ComparedAccess::Side side_of(const View& view, const summary::Kernel& kernel, const Sum& sum,
                             double divisor) {
  const std::size_t a = view.architecture(kernel);
  ComparedAccess::Side out;
  out.what = summary::access_name(*sum.worst);
  out.array = sum.array;
  if (a == 0)
    out.pattern = summary::pattern_text(*sum.worst); // patterns are looked for under the first alone
  const summary::Cost cost = summary::cost_of(sum.counts, sum.space, sum.worst->site, arch::find(view.sm));
  out.unit = cost.unit, out.each = cost.actual, out.ideal = cost.ideal;
  out.requests = sum.space == access::Space::shared || sum.space == access::Space::constant
                     ? sum.counts.instructions
                     : sum.counts.requests;
  out.cost = scaled(sum.cost, divisor);
  return out;
}

double movement(const std::optional<ComparedAccess::Side>& before,
                const std::optional<ComparedAccess::Side>& after) {
  return std::abs((after ? after->cost.cycles : 0) - (before ? before->cost.cycles : 0));
}

// First those of one array, then those that are the only ones of their kind left.
std::vector<std::pair<const Sum*, const Sum*>> paired(const std::vector<Sum>& before,
                                                      const std::vector<Sum>& after) {
  std::vector<std::pair<const Sum*, const Sum*>> out;
  std::vector<const Sum*> left_before, left_after;
  for (const Sum& sum : before) left_before.push_back(&sum);
  for (const Sum& sum : after) left_after.push_back(&sum);
  for (const bool by_array : {true, false}) {
    auto alike = [&](const Sum& a, const Sum& b) {
      return a.space == b.space && a.kind == b.kind && (!by_array || a.array == b.array);
    };
    for (std::size_t b = 0; b < left_before.size();) {
      auto found = std::ranges::find_if(left_after, [&](const Sum* s) { return alike(*left_before[b], *s); });
      if (found == left_after.end()) {
        ++b;
        continue;
      }
      out.emplace_back(left_before[b], *found);
      left_before.erase(left_before.begin() + static_cast<std::ptrdiff_t>(b));
      left_after.erase(found);
    }
  }
  for (const Sum* sum : left_before) out.emplace_back(sum, nullptr);
  for (const Sum* sum : left_after) out.emplace_back(nullptr, sum);
  return out;
}

struct LinePair {
  const summary::Line *before = nullptr, *after = nullptr;
};

std::vector<LinePair> paired(const summary::Kernel* old_kernel, const summary::Kernel* new_kernel) {
  const std::vector<const summary::Line*> before = in_order(old_kernel), after = in_order(new_kernel);
  std::vector<LinePair> out;
  std::vector<bool> seen_before(before.size()), seen_after(after.size());
  for (const auto& [b, a] : text::match_lines(items_of(before), items_of(after))) {
    out.push_back({before[b], after[a]});
    seen_before[b] = seen_after[a] = true;
  }
  for (std::size_t b = 0; b < before.size(); ++b)
    if (!seen_before[b]) out.push_back({before[b], nullptr});
  for (std::size_t a = 0; a < after.size(); ++a)
    if (!seen_after[a]) out.push_back({nullptr, after[a]});
  return out;
}

template <class Side>
Change change_of_sides(const std::optional<Side>& before, const std::optional<Side>& after,
                       const Cost& old_cost, const Cost& new_cost) {
  if (!before) return Change::added;
  return after ? change_of(old_cost, new_cost) : Change::removed;
}

} // namespace

std::size_t View::architecture(const summary::Kernel& kernel) const {
  return static_cast<std::size_t>(std::ranges::find(kernel.sm, sm) - kernel.sm.begin());
}

Cost View::cost(const summary::Kernel& kernel, const AccessRow& row) const {
  const std::size_t a = architecture(kernel);
  const arch::Architecture* device = arch::find(sm);
  if (a >= row.counters.size() || device == nullptr || !is_compared(row)) return {};
  const arch::Counts& counts = summary::done_of(row, a);
  const double from_l2 = a == 0 ? row.from_l2 : 1;
  auto number = [](u64 value) { return static_cast<double>(value); };
  const double cycles = number(measure::cycles(counts, row.space, *device, from_l2).busiest());
  const bool moves =
      summary::is_traffic(row.space); // between warps and the L1, as a report's "for nothing" has it
  return {cycles, number(measure::excess_cycles(counts, row.space, row.site, *device, from_l2)),
          moves ? number(measure::bytes_moved(counts, row.space)) : 0,
          moves ? number(measure::excess_bytes(counts, row.space, row.site)) : 0,
          kernel.status == measure::Status::sampled ? row.spread * cycles : 0};
}

Cost View::cost(const summary::Kernel& kernel) const {
  Cost out;
  for (const summary::Line& line : kernel.lines)
    for (const AccessRow& row : line.rows) out += cost(kernel, row);
  return out;
}

std::vector<Line> compare_lines(const View& before, const summary::Kernel* old_kernel, const View& after,
                                const summary::Kernel* new_kernel, const Scale& scale) {
  std::vector<Line> out;
  for (const LinePair& pair : paired(old_kernel, new_kernel)) {
    Line& line = out.emplace_back();
    if (pair.before != nullptr) line.before = place_of(before.model, *pair.before);
    if (pair.after != nullptr) line.after = place_of(after.model, *pair.after);
    line.edited = line.before && line.after && key_of(*pair.before) != key_of(*pair.after) &&
                  !pair.before->text.empty() && !pair.after->text.empty();
    const std::vector<Sum> old_sums = pair.before == nullptr ? std::vector<Sum>()
                                                             : sums_of(before, *old_kernel, pair.before),
                           new_sums = pair.after == nullptr ? std::vector<Sum>()
                                                            : sums_of(after, *new_kernel, pair.after);
    for (const auto& [old_sum, new_sum] : paired(old_sums, new_sums)) {
      ComparedAccess& access = line.accesses.emplace_back();
      access.space = (new_sum != nullptr ? new_sum : old_sum)->space;
      if (old_sum != nullptr) access.before = side_of(before, *old_kernel, *old_sum, scale.before);
      if (new_sum != nullptr) access.after = side_of(after, *new_kernel, *new_sum, scale.after);
      const Cost old_cost = access.before ? access.before->cost : Cost{},
                 new_cost = access.after ? access.after->cost : Cost{};
      access.change = change_of_sides(access.before, access.after, old_cost, new_cost);
      line.old_cost += old_cost, line.new_cost += new_cost;
    }
    std::ranges::stable_sort(line.accesses, std::greater<>(), [](const ComparedAccess& access) {
      return movement(access.before, access.after);
    });
    line.change = change_of_sides(line.before, line.after, line.old_cost, line.new_cost);
  }
  std::ranges::stable_sort(out, [](const Line& a, const Line& b) {
    return std::abs(a.new_cost.cycles - a.old_cost.cycles) > std::abs(b.new_cost.cycles - b.old_cost.cycles);
  });
  return out;
}

std::vector<std::string> line_keys(const summary::Kernel& kernel) {
  std::vector<std::string> out;
  for (const summary::Line* line : in_order(&kernel)) out.push_back(key_of(*line));
  return out;
}

Cost scaled(Cost cost, double divisor) {
  for (double* value :
       {&cost.cycles, &cost.excess_cycles, &cost.moved_bytes, &cost.excess_bytes, &cost.spread})
    *value /= divisor;
  return cost;
}

bool comes_before(Change a, double by_a, Change b, double by_b) {
  return a != b ? a < b : std::abs(by_a) > std::abs(by_b);
}

} // namespace warplens::diff
