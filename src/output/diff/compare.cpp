// Two reports of runs: which kernel is which, what each costs, and what makes the comparison doubtful.
#include "diff/doubts.h"
#include "diff/lines.h"
#include "measure/totals.h"
#include "source/names.h"
#include "summary/findings.h"
#include "text/lines.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace warplens::diff {
namespace {

using KernelPair = std::pair<const summary::Kernel*, const summary::Kernel*>;
using Kernels = std::vector<const summary::Kernel*>;

// Lines of two kernels that have other names must be that much alike, and no other two nearly so.
constexpr double clearly = 0.6, nearly = 0.8;

Kernels counted(const View& view) {
  Kernels out;
  for (const summary::Kernel& kernel : view.model.kernels)
    if ((measure::is_whole(kernel.status) || kernel.status == measure::Status::sampled) &&
        view.architecture(kernel) < kernel.sm.size())
      out.push_back(&kernel);
  return out;
}

// Takes out of both lists, in their order, the kernels whose keys are equal; with `alone` only where no other has the key.
template <class Key>
void pair_up(std::vector<KernelPair>& pairs, Kernels& before, Kernels& after, bool alone, Key&& key) {
  auto times = [&](const Kernels& kernels, const auto& wanted) {
    return std::ranges::count_if(kernels,
                                 [&](const summary::Kernel* kernel) { return key(*kernel) == wanted; });
  };
  for (std::size_t b = 0; b < before.size();) {
    const auto wanted = key(*before[b]);
    auto found = std::ranges::find_if(after, [&](const summary::Kernel* k) { return key(*k) == wanted; });
    if (found == after.end() || (alone && (times(before, wanted) > 1 || times(after, wanted) > 1))) {
      ++b;
      continue;
    }
    pairs.emplace_back(before[b], *found);
    before.erase(before.begin() + static_cast<std::ptrdiff_t>(b));
    after.erase(found);
  }
}

double resemblance(const summary::Kernel& a, const summary::Kernel& b) {
  std::vector<std::string> left = line_keys(a), right = line_keys(b);
  if (left.empty() || right.empty()) return 0;
  std::ranges::sort(left);
  std::ranges::sort(right);
  std::vector<std::string> both;
  std::ranges::set_intersection(left, right, std::back_inserter(both));
  return 2.0 * static_cast<double>(both.size()) / static_cast<double>(left.size() + right.size());
}

// Pairs of kernels of which each resembles the other clearly, and none else.
void pair_renamed(std::vector<KernelPair>& pairs, Kernels& before, Kernels& after) {
  constexpr std::size_t most = 64;
  if (before.size() > most || after.size() > most) return;
  std::vector<std::vector<double>> alike(before.size(), std::vector<double>(after.size()));
  for (std::size_t b = 0; b < before.size(); ++b)
    for (std::size_t a = 0; a < after.size(); ++a) alike[b][a] = resemblance(*before[b], *after[a]);
  std::set<const summary::Kernel*> gone;
  for (std::size_t b = 0; b < before.size(); ++b)
    for (std::size_t a = 0; a < after.size(); ++a) {
      const double score = alike[b][a];
      bool clear = score >= clearly;
      for (std::size_t other = 0; other < after.size(); ++other)
        clear &= other == a || alike[b][other] < nearly * score;
      for (std::size_t other = 0; other < before.size(); ++other)
        clear &= other == b || alike[other][a] < nearly * score;
      if (!clear) continue;
      pairs.emplace_back(before[b], after[a]);
      gone.insert({before[b], after[a]});
    }
  std::erase_if(before, [&](const summary::Kernel* kernel) { return gone.contains(kernel); });
  std::erase_if(after, [&](const summary::Kernel* kernel) { return gone.contains(kernel); });
}

// Known under the first architecture of a run.
summary::Stage busiest_of(const View& view, const summary::Kernel& kernel) {
  if (view.architecture(kernel) != 0 || view.model.input.measured) return {};
  const std::vector<summary::Stage> stages = summary::stages(kernel.limit);
  return stages.empty() ? summary::Stage{} : stages.front();
}

// "ns::sort<float, 4>".
std::string with_templates(const source::NameParts& parts, std::string_view name) {
  return fmt::format("{}<{}>", name, fmt::join(parts.templates, ", "));
}

bool is_called(const summary::Kernel& kernel, const std::string& name) {
  const source::NameParts parts = source::name_parts(kernel.name);
  return name == kernel.name || name == kernel.label || name == kernel.short_name || name == parts.base ||
         name == with_templates(parts, parts.base) || name == with_templates(parts, parts.qualified) ||
         name == kernel.mangled;
}

// What the user says is one kernel: by the block where both have several, in order otherwise.
Result<void> pair_as_asked(std::vector<KernelPair>& pairs, Kernels& before, Kernels& after,
                           const std::vector<Match>& matches) {
  for (const auto& [old_name, new_name] : matches) {
    Kernels old_ones, new_ones;
    for (const summary::Kernel* kernel : before)
      if (is_called(*kernel, old_name)) old_ones.push_back(kernel);
    for (const summary::Kernel* kernel : after)
      if (is_called(*kernel, new_name)) new_ones.push_back(kernel);
    for (const auto& [found, name, side] :
         {std::tuple(&old_ones, &old_name, "first"), std::tuple(&new_ones, &new_name, "second")})
      if (found->empty())
        return failure(diag::error("diff-match", fmt::format("the {} run has no kernel '{}'", side, *name),
                                   {}, "write --match OLD=NEW with names of kernels as the report has them"));
    const std::size_t begin = pairs.size();
    pair_up(pairs, old_ones, new_ones, false,
            [](const summary::Kernel& k) { return text::dimensions(k.block); });
    for (std::size_t i = 0; i < std::min(old_ones.size(), new_ones.size()); ++i)
      pairs.emplace_back(old_ones[i], new_ones[i]);
    for (std::size_t i = begin; i < pairs.size(); ++i) {
      std::erase(before, pairs[i].first);
      std::erase(after, pairs[i].second);
    }
  }
  return {};
}

// By name, block and NVTX range; by name and block; by name; by what is left of names without types; and renamed ones.
std::vector<KernelPair> paired(Kernels before, Kernels after, std::vector<KernelPair> out) {
  auto block_of = [](const summary::Kernel& k) {
    return fmt::format("{} {}", k.name, text::dimensions(k.block));
  };
  pair_up(out, before, after, false, [&](const summary::Kernel& k) { return block_of(k) + ' ' + k.range; });
  pair_up(out, before, after, false, block_of);
  pair_up(out, before, after, false, [](const summary::Kernel& k) { return k.name; });
  // What --match paired with another was not renamed, although the kernel of its own name is left over.
  std::set<std::string> old_names, new_names;
  for (const auto& [b, a] : out) old_names.insert(b->name), new_names.insert(a->name);
  const auto take_out = [](Kernels& side, const std::set<std::string>& taken) {
    const auto is_new = [&](const summary::Kernel* kernel) { return !taken.contains(kernel->name); };
    const auto others = std::ranges::stable_partition(side, is_new);
    Kernels kept(others.begin(), others.end());
    side.erase(others.begin(), others.end());
    return kept;
  };
  Kernels gone = take_out(before, new_names), added = take_out(after, old_names);
  pair_up(out, before, after, true, [](const summary::Kernel& k) {
    const source::NameParts parts = source::name_parts(k.name);
    return with_templates(parts, parts.qualified);
  });
  pair_up(out, before, after, true, [](const summary::Kernel& k) { return source::name_parts(k.name).base; });
  pair_renamed(out, before, after);
  gone.insert(gone.end(), before.begin(), before.end());
  added.insert(added.end(), after.begin(), after.end());
  for (const summary::Kernel* kernel : gone) out.emplace_back(kernel, nullptr);
  for (const summary::Kernel* kernel : added) out.emplace_back(nullptr, kernel);
  return out;
}

std::optional<Kernel::Side> side_of(const View& view, const summary::Kernel* kernel, double divisor) {
  if (kernel == nullptr) return {};
  Kernel::Side out{kernel->label,
                   kernel->name,
                   kernel->block,
                   kernel->grids,
                   kernel->launches,
                   scaled(view.cost(*kernel), divisor),
                   {},
                   0};
  if (const summary::Stage stage = busiest_of(view, *kernel); stage.cycles != 0)
    out.stage = stage.words, out.busiest = static_cast<double>(stage.cycles) / divisor;
  out.too_short = view.architecture(*kernel) == 0 && kernel->limiter == summary::Limiter::none;
  return out;
}

// A side that is not there has none.
Cycles cycles_of(const std::optional<Kernel::Side>& before, const std::optional<Kernel::Side>& after) {
  auto is_known = [](const std::optional<Kernel::Side>& side) { return !side || side->busiest != 0; };
  Cycles out{.of_busiest = is_known(before) && is_known(after)};
  auto take = [&](const std::optional<Kernel::Side>& side, double& cycles) {
    if (!side || side->cost.cycles == 0) return;
    cycles = out.of_busiest ? side->busiest : side->cost.cycles;
    out.spread += side->cost.spread * cycles / side->cost.cycles;
  };
  take(before, out.before);
  take(after, out.after);
  return out;
}

Kernel compare_kernels(const View& before, const View& after, const KernelPair& pair) {
  const auto& [old_kernel, new_kernel] = pair;
  Kernel out;
  Scale scale;
  if (old_kernel != nullptr && new_kernel != nullptr && old_kernel->launches != new_kernel->launches) {
    out.per_launch = true;
    scale = {static_cast<double>(old_kernel->launches), static_cast<double>(new_kernel->launches)};
  }
  out.before = side_of(before, old_kernel, scale.before);
  out.after = side_of(after, new_kernel, scale.after);
  out.lines = compare_lines(before, old_kernel, after, new_kernel, scale);
  out.cycles = cycles_of(out.before, out.after);
  if (!out.before || !out.after) {
    out.change = out.before ? Change::removed : Change::added;
    return out;
  }
  out.renamed = source::name_parts(out.before->name).base != source::name_parts(out.after->name).base;
  out.change = change_of(out.cycles, out.before->cost, out.after->cost);
  return out;
}

// The sum over the kernels; `as_often`: each launched as often as the second run does.
Cycles cycles_of(const std::vector<Kernel>& kernels, bool as_often) {
  auto is_known = [](const Kernel& kernel) { return kernel.cycles.of_busiest; };
  Cycles out{.of_busiest = std::ranges::all_of(kernels, is_known)};
  for (const Kernel& kernel : kernels) {
    // Costs of kernels that the sides launch another number of times are of one launch.
    auto times = [&](const Kernel::Side& side) {
      return !kernel.per_launch ? 1 : static_cast<double>((as_often ? *kernel.after : side).launches);
    };
    const bool mixed = kernel.cycles.of_busiest && !out.of_busiest;
    auto add = [&](const std::optional<Kernel::Side>& side, double& sum, double cycles) {
      if (side) sum += times(*side) * (mixed ? side->cost.cycles : cycles);
    };
    add(kernel.before, out.before, kernel.cycles.before);
    add(kernel.after, out.after, kernel.cycles.after);
    out.spread += (kernel.after ? times(*kernel.after) : 1) * kernel.cycles.spread;
  }
  return out;
}

std::vector<Traffic> traffic_of(const View& view, const Kernels& kernels) {
  std::map<access::Space, Traffic> sums;
  for (const summary::Kernel* kernel : kernels)
    for (const auto& [space, counters] : kernel->totals) {
      const std::size_t a = view.architecture(*kernel);
      if (a >= counters.size()) continue;
      const arch::Counts& counts = counters[a];
      Traffic& sum = sums.try_emplace(space, Traffic{space, "bytes"}).first->second;
      if (space == access::Space::shared)
        sum.unit = "wavefronts", sum.moved += counts.wavefronts, sum.excess += measure::excess(counts, space);
      else if (space == access::Space::constant)
        sum.unit = "requests", sum.moved += counts.requests, sum.excess += measure::excess(counts, space);
      else
        sum.moved += measure::bytes_moved(counts, space),
            sum.excess += summary::excess_bytes(*kernel, space, a);
    }
  std::vector<Traffic> out;
  for (const auto& [space, sum] : sums) out.push_back(sum);
  return out;
}

Side side_of(const Run& run, const View& view) {
  Side out{run.name, run.model.input.sm, run.model.complete, summary::count(run.model.input.launches), {},
           {}};
  const Kernels kernels = counted(view);
  for (const summary::Kernel* kernel : kernels) out.cost += view.cost(*kernel);
  out.traffic = traffic_of(view, kernels);
  return out;
}

} // namespace

std::string_view name(Change change) {
  switch (change) {
  case Change::worse: return "worse";
  case Change::better: return "better";
  case Change::added: return "added";
  case Change::removed: return "removed";
  case Change::same: return "same";
  }
  return "";
}

Cost& Cost::operator+=(const Cost& other) {
  cycles += other.cycles, excess_cycles += other.excess_cycles;
  moved_bytes += other.moved_bytes, excess_bytes += other.excess_bytes;
  spread += other.spread;
  return *this;
}

double Cost::waste() const { return moved_bytes == 0 ? 0 : excess_bytes / moved_bytes; }

Change change_of(const Cost& before, const Cost& after) {
  constexpr double same = 1 + 1e-9; // averages of launches are rounded
  const double spread = before.spread + after.spread;
  if (spread != 0 && std::abs(after.cycles - before.cycles) <= spread) return Change::same;
  for (const auto& [old_value, new_value] :
       {std::pair(before.cycles, after.cycles), std::pair(before.moved_bytes, after.moved_bytes)}) {
    if (new_value > old_value * same) return Change::worse;
    if (old_value > new_value * same) return Change::better;
  }
  return Change::same;
}

Change change_of(const Cycles& cycles, const Cost& before, const Cost& after) {
  if (!cycles.of_busiest) return change_of(before, after);
  return change_of(Cost{.cycles = cycles.before, .spread = cycles.spread}, Cost{.cycles = cycles.after});
}

double growth(double before, double after) {
  if (before == 0) return after == 0 ? 0 : std::numeric_limits<double>::infinity();
  return after / before - 1;
}

Result<u32> common_architecture(const std::vector<u32>& before, const std::vector<u32>& after, u32 asked) {
  auto names = [](const std::vector<u32>& all) {
    std::string out;
    for (u32 sm : all) out += (out.empty() ? "" : ", ") + text::compute_capability(sm);
    return out.empty() ? std::string("none") : out;
  };
  for (u32 sm : before)
    if (std::ranges::find(after, sm) != after.end() && (asked == 0 || asked == sm)) return sm;
  return failure(diag::error(
      "diff-architecture",
      asked == 0
          ? fmt::format(
                "nothing can be compared: one side was counted for compute capability {}, the other for {}",
                names(before), names(after))
          : fmt::format("compute capability {} is not in both: one side was counted for {}, the other for {}",
                        text::compute_capability(asked), names(before), names(after)),
      {}, "count both with the same --sm"));
}

Result<Model> compare(const Run& before, const Run& after, u32 sm, const std::vector<Match>& matches) {
  Result<u32> common = common_architecture(before.model.input.sm, after.model.input.sm, sm);
  if (!common) return failure(common.error());
  const View old_view{before.model, *common}, new_view{after.model, *common};
  Model out;
  out.sm = *common;
  out.before = side_of(before, old_view);
  out.after = side_of(after, new_view);
  Kernels old_kernels = counted(old_view), new_kernels = counted(new_view);
  std::vector<KernelPair> asked;
  if (Result<void> found = pair_as_asked(asked, old_kernels, new_kernels, matches); !found)
    return failure(found.error());
  const std::size_t first_other = asked.size();
  const std::vector<KernelPair> pairs =
      paired(std::move(old_kernels), std::move(new_kernels), std::move(asked));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    out.kernels.push_back(compare_kernels(old_view, new_view, pairs[i]));
    out.kernels.back().asked = i < first_other;
  }
  const bool ended = before.model.input.outcome.was_stopped() || after.model.input.outcome.was_stopped();
  out.cycles = cycles_of(out.kernels, ended);
  out.change = change_of(out.cycles, out.before.cost, out.after.cost);
  auto movement = [](const Kernel& kernel) { return kernel.cycles.after - kernel.cycles.before; };
  std::ranges::stable_sort(out.kernels, [&](const Kernel& a, const Kernel& b) {
    return comes_before(a.change, movement(a), b.change, movement(b));
  });
  add_doubts(out, before.model, after.model);
  return out;
}

} // namespace warplens::diff
