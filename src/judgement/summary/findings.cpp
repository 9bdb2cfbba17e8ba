// See findings.h. Two rows have one cause where the same kind of change is advised for the same pattern with the same stride; or
// where they go to the same array of the same kernel and that kind is advised, or any of one rule on one line; or where a warp is to
// take the rows of the kernel's threads, which changes all that the threads read; or, in shared memory,
// where they go to the same array on one line, as the instructions of an unrolled loop do whose conflicts differ from turn to turn.
// Atomics that wait for one another are found whether or not they move anything in vain.
#include "summary/findings.h"
#include "arch/count.h"
#include "findings/rules.h"
#include "measure/totals.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <tuple>

namespace warplens::summary {
namespace {

using Access = Finding::Access;

const AccessRow& row_at(const Model& model, const Access& access) {
  return model.kernels[access.kernel].lines[access.line].rows[access.row];
}

std::optional<findings::Rule> advised_rule(const AccessRow& row) {
  const advise::Advice* advice = main_advice(row);
  return advice == nullptr ? std::nullopt : std::optional(advice->rule);
}

template <class F> void each_counted_row(const Model& model, F&& f) {
  for (u32 k = 0; k < model.kernels.size(); ++k) {
    if (!measure::is_counted(model.kernels[k].status)) continue;
    for (u32 l = 0; l < model.kernels[k].lines.size(); ++l)
      for (u32 r = 0; r < model.kernels[k].lines[l].rows.size(); ++r) f(Access{k, l, r});
  }
}

void sum_up(Model& model) {
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    model.excess_bytes += kernel.excess_bytes;
    model.moved_bytes += kernel.moved_bytes;
    model.excess_cycles += kernel.excess_cycles;
    model.cycles += kernel.cycles;
    for (const auto& [space, counters] : kernel.totals) {
      std::vector<arch::Counts>& sum = model.totals[space];
      sum.resize(std::max(sum.size(), counters.size()));
      for (std::size_t a = 0; a < counters.size(); ++a) sum[a] += counters[a];
    }
  }
  for (Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status))
      kernel.share = share_of(kernel.excess_cycles, model.excess_cycles);
}

// Sets of rows that grow together.
class Groups {
public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }
  u32 find(u32 i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(u32 a, u32 b) { parent_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

private:
  std::vector<u32> parent_;
};

Groups group_by_cause(const Model& model, const std::vector<Access>& accesses) {
  using Rule = std::optional<findings::Rule>;
  using Cause =
      std::tuple<access::Space, std::string_view, Rule, measure::PatternKind, u64, bool, advise::Way>;
  using OneArray =
      std::tuple<access::Space, std::string_view, Rule, advise::Way, u32, std::string, u32, bool>;
  std::map<Cause, u32> by_cause;
  std::map<OneArray, u32> by_array, by_line;
  std::map<std::tuple<u32, std::string_view, std::optional<findings::Rule>>, u32> by_threads;
  Groups groups(accesses.size());
  for (u32 i = 0; i < accesses.size(); ++i) {
    const AccessRow& row = row_at(model, accesses[i]);
    Rule rule = advised_rule(row);
    if (rule) rule = findings::of_any_kind(*rule);
    const advise::Advice* advice = main_advice(row);
    const advise::Way way = advice == nullptr ? advise::Way::other : advice->way;
    const u64 stride = row.pattern.kind() == measure::PatternKind::strided ? row.pattern.shape.distance() : 0;
    // Conflicts of different arrays are mended one by one, however alike, and so are atomics of different operations.
    bool one_by_one = row.space == access::Space::shared || row.wait_cycles != 0;
    if (!one_by_one)
      groups.join(i, by_cause
                         .try_emplace({row.space, row.cost.unit, rule, row.pattern.kind(), stride,
                                       source::is_library_code(row.site), way},
                                      i)
                         .first->second);
    // What becomes a warp instead of a thread does so for all that it reads.
    if (way == advise::Way::row_per_warp)
      groups.join(i, by_threads.try_emplace({accesses[i].kernel, row.cost.unit, rule}, i).first->second);
    std::string array = array_name(row.site.array);
    if (array.empty() && !one_by_one) continue;
    const bool copies =
        row.site.kind == access::Kind::async_copy; // mended on the other side, in global memory
    const u32 kernel = accesses[i].kernel, line = accesses[i].line + 1;
    groups.join(i, by_line
                       .try_emplace({row.space, row.cost.unit, one_by_one ? Rule() : rule, advise::Way::other,
                                     kernel, array, line, copies},
                                    i)
                       .first->second);
    groups.join(
        i, by_array
               .try_emplace(
                   {row.space, row.cost.unit, rule, way, kernel, array, array.empty() ? line : 0, copies}, i)
               .first->second);
  }
  return groups;
}

std::optional<Finding::Prediction> predict(const Model& model, const std::vector<Access>& accesses) {
  const advise::Advice* main = main_advice(row_at(model, accesses[0]));
  if (main == nullptr) return {};
  Finding::Prediction out{main->metric};
  u64 lost_beside = 0; // by accesses that do not belong to it
  for (const Access& access : accesses) {
    const AccessRow& row = row_at(model, access);
    auto same = std::ranges::find_if(row.advice, [&](const advise::Advice& advice) {
      return findings::of_any_kind(advice.rule) == findings::of_any_kind(main->rule) &&
             advice.way == main->way && advice.metric == main->metric && !advice.change.empty();
    });
    const bool changes = same != row.advice.end();
    out.before += advise::value(main->metric, changes ? same->before : done_of(row));
    out.after += advise::value(main->metric, changes ? same->after : done_of(row));
    if (!changes) continue;
    lost_beside += same->lost_beside;
    if (!is_traffic(row.space)) continue;
    const u64 moved = measure::bytes_moved(done_of(row), row.space);
    out.saved_bytes += moved - std::min(moved, measure::bytes_moved(same->after, row.space));
  }
  if (is_traffic(row_at(model, accesses[0]).space))
    out.saved_bytes -= std::min(out.saved_bytes, lost_beside * measure::sector_bytes);
  else
    out.after = std::min(out.before, out.after + lost_beside);
  return out;
}

Finding finding_of(const Model& model, std::vector<Access> accesses) {
  std::ranges::stable_sort(accesses, std::greater<>(), [&](const Access& a) {
    const AccessRow& row = row_at(model, a);
    return std::pair(std::max(row.excess_cycles, row.wait_cycles), row.excess_cycles);
  });
  Finding out;
  const AccessRow& worst = row_at(model, accesses[0]);
  const Kernel& kernel = model.kernels[accesses[0].kernel];
  for (const Access& access : accesses) {
    const AccessRow& row = row_at(model, access);
    out.excess_bytes += row.excess_bytes;
    out.excess_cycles += row.excess_cycles;
    out.wait_cycles += row.wait_cycles;
    out.counts += done_of(row);
  }
  out.rule = advised_rule(worst);
  out.predicted = predict(model, accesses);
  out.cost =
      cost_of(out.counts, worst.space, worst.site, kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]));
  out.accesses = std::move(accesses);
  return out;
}

void find_findings(Model& model) {
  std::vector<Access> accesses;
  each_counted_row(model, [&](const Access& access) {
    const AccessRow& row = row_at(model, access);
    if (row.excess_cycles != 0 || row.excess_bytes != 0 || row.wait_cycles != 0) accesses.push_back(access);
  });
  Groups groups = group_by_cause(model, accesses);
  std::map<u32, std::vector<Access>> sets;
  for (u32 i = 0; i < accesses.size(); ++i) sets[groups.find(i)].push_back(accesses[i]);
  for (auto& [first, set] : sets) model.findings.push_back(finding_of(model, std::move(set)));
  // One scale for the order: cycles, those of atomics that may wait for one another too. The shares are of what is lost for certain.
  auto lost = [](const Finding& finding) { return std::max(finding.excess_cycles, finding.wait_cycles); };
  u64 all = 0;
  for (const Finding& finding : model.findings) all += finding.excess_cycles;
  for (Finding& finding : model.findings) finding.share = share_of(finding.excess_cycles, all);
  // Sectors that neighbouring warps read too, and that L1 serves, cost little, however many they are.
  auto order = [&](const Finding& finding) {
    return std::tuple(finding.rule == findings::Rule::halo_access, ~lost(finding), ~finding.excess_bytes);
  };
  std::stable_sort(model.findings.begin(), model.findings.end(),
                   [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
}

void rank_lines(Model& model) {
  using Place = std::vector<std::pair<std::string, u32>>;
  std::map<Place, ProgramLine> lines;
  for (u32 k = 0; k < model.kernels.size(); ++k) {
    if (!measure::is_counted(model.kernels[k].status)) continue;
    for (u32 l = 0; l < model.kernels[k].lines.size(); ++l) {
      const Line& line = model.kernels[k].lines[l];
      if (line.excess_bytes == 0 && line.excess_cycles == 0) continue;
      Place place;
      for (const access::SourceFrame& call : line.calls) place.emplace_back(call.file, call.line);
      place.emplace_back(line.place.line == 0 ? line.function : line.place.file, line.place.line);
      ProgramLine& sum = lines[place];
      sum.lines.emplace_back(k, l);
      sum.excess_bytes += line.excess_bytes;
      sum.excess_cycles += line.excess_cycles;
    }
  }
  for (auto& [place, line] : lines) {
    line.share = share_of(line.excess_cycles, model.excess_cycles);
    std::stable_sort(line.lines.begin(), line.lines.end(), [&](const auto& a, const auto& b) {
      return model.kernels[a.first].lines[a.second].excess_cycles >
             model.kernels[b.first].lines[b.second].excess_cycles;
    });
    model.lines.push_back(std::move(line));
  }
  std::stable_sort(model.lines.begin(), model.lines.end(), [](const ProgramLine& a, const ProgramLine& b) {
    return std::pair(a.excess_cycles, a.excess_bytes) > std::pair(b.excess_cycles, b.excess_bytes);
  });
}

} // namespace

u64 excess_bytes(const Model& model, access::Space space, std::size_t architecture) {
  u64 out = 0;
  for (const Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status)) out += excess_bytes(kernel, space, architecture);
  return out;
}

u64 excess_bytes(const Kernel& kernel, access::Space space, std::size_t architecture) {
  const auto totals = kernel.totals.find(space);
  if (totals == kernel.totals.end() || architecture >= totals->second.size()) return 0;
  u64 out = measure::excess_bytes(totals->second[architecture], space);
  if (space == access::Space::local && architecture < kernel.spilled.size())
    out += measure::bytes_needed(kernel.spilled[architecture], space); // nobody asked for it
  return out;
}

bool is_traffic(access::Space space) {
  return space != access::Space::shared && space != access::Space::constant;
}

Traffic traffic(const Kernel& kernel) {
  Traffic out;
  for (const auto& [space, counters] : kernel.totals)
    if (is_traffic(space)) {
      out.bytes += measure::bytes_moved(counters[0], space);
      out.excess_bytes += excess_bytes(kernel, space);
    }
  return out;
}

Traffic traffic(const Model& model) {
  Traffic out;
  for (const Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status)) {
      const Traffic one = traffic(kernel);
      out.bytes += one.bytes, out.excess_bytes += one.excess_bytes;
    }
  return out;
}

double share_of(u64 part, u64 all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

const arch::Counts& done_of(const AccessRow& row, std::size_t architecture) {
  if (architecture == 0)
    for (const advise::Advice& advice : row.advice)
      if (advice.by_itself) return *advice.by_itself;
  return row.counters[architecture];
}

const advise::Advice* main_advice(const AccessRow& row) {
  for (const advise::Advice& advice : row.advice)
    if (!advice.change.empty()) return &advice;
  return nullptr;
}

void find_causes(Model& model) {
  sum_up(model);
  find_findings(model);
  rank_lines(model);
}

} // namespace warplens::summary
