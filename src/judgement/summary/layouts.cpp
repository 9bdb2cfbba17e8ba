// See layouts.h.
#include "summary/layouts.h"
#include "advise/rules/triton.h"
#include "arch/table.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "source/names.h"
#include "source/places.h"
#include "summary/array_names.h"
#include "summary/findings.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace warplens::summary {
namespace {

using advise::Way;

struct Use {
  std::size_t kernel = 0;
  AccessRow* row = nullptr;
};

// Those whose change is about which lane goes where, and whose array the program can lay out.
bool may_change(const AccessRow& row) {
  const advise::Advice* advice = main_advice(row);
  if (advice == nullptr || findings::of_any_kind(advice->rule) != findings::Rule::uncoalesced_load ||
      row.pattern.kind() != measure::PatternKind::strided || row.site.array.indirect ||
      source::is_library_code(row.site) || advise::is_triton(row.site))
    return false;
  return advice->way == Way::layout || advice->way == Way::index_order || advice->way == Way::row_per_warp;
}

std::optional<advise::Advice> other_order(const AccessRow& row, const advise::Launch& launch,
                                          std::size_t column) {
  const std::vector<u32>& sm = launch.record().sm;
  const arch::Architecture* device = column < sm.size() ? arch::find(sm[column]) : nullptr;
  if (device == nullptr) return {};
  return advise::other_order(row, {device, column, &launch});
}

void say(AccessRow& row, const advise::Launch& launch, advise::Advice advice) {
  const std::size_t n = static_cast<std::size_t>(main_advice(row) - row.advice.data());
  for (std::size_t a = 0; n < row.effects.size() && a < row.effects[n].size(); ++a)
    if (std::optional<Effect>& effect = row.effects[n][a]; effect) {
      const std::optional<advise::Advice> there = other_order(row, launch, a);
      effect.reset();
      if (there)
        effect = {advise::value(there->metric, there->before), advise::value(there->metric, there->after)};
    }
  row.advice[n] = std::move(advice);
}

bool differ(const std::vector<Use>& uses) {
  const Way first = main_advice(*uses.front().row)->way;
  return std::ranges::any_of(uses, [&](const Use& use) { return main_advice(*use.row)->way != first; });
}

// All of them, or none.
bool say_other_order(const std::vector<Use>& uses, const std::deque<advise::Launch>& launches) {
  std::vector<advise::Advice> others;
  for (const Use& use : uses) {
    std::optional<advise::Advice> other = other_order(*use.row, launches[use.kernel], 0);
    if (!other) return false;
    others.push_back(std::move(*other));
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    say(*uses[i].row, launches[uses[i].kernel], std::move(others[i]));
  return true;
}

// Would the change put what lanes of other kernels find side by side elsewhere? Of structures whole ones would be apart, too.
bool changes_layout(const AccessRow& row) {
  const advise::Advice* advice = main_advice(row);
  return advice != nullptr && findings::of_any_kind(advice->rule) == findings::Rule::uncoalesced_load &&
         (advice->way == Way::layout || advice->way == Way::turns) &&
         advice->metric == advise::Metric::sectors && row.space == access::Space::global &&
         !source::is_library_code(row.site) && !advise::is_triton(row.site);
}

// Sectors that such a row moves more where neighbours along its rows are far apart.
u64 lost_in_other_order(const AccessRow& row) {
  const measure::PatternKind kind = row.pattern.kind();
  if (kind != measure::PatternKind::contiguous && kind != measure::PatternKind::misaligned) return 0;
  const arch::Counts& counts = row.counters[0];
  return counts.threads - std::min(counts.threads, counts.sectors);
}

u64 spared_by(const advise::Advice& advice) {
  return advice.before.sectors - std::min(advice.before.sectors, advice.after.sectors);
}

// Other accesses move `lost` sectors more, of the `spared` that all that change move less.
void say_loss(AccessRow& row, u64 lost, u64 spared, const std::string& readers) {
  advise::Advice& advice = row.advice[static_cast<std::size_t>(main_advice(row) - row.advice.data())];
  const u64 own = spared_by(advice);
  advice.lost_beside +=
      static_cast<u64>(static_cast<double>(lost) * static_cast<double>(own) / static_cast<double>(spared));
  advice.change +=
      fmt::format(". {} then moves {} more", readers, findings::bytes(lost * measure::sector_bytes));
}

// Nothing where that is a change of another kind than the one that is wanted.
void say_same_layout(const Use& use, const std::deque<advise::Launch>& launches, std::optional<Way> wanted,
                     std::string_view reason) {
  AccessRow& row = *use.row;
  const advise::Launch& launch = launches[use.kernel];
  const std::vector<u32>& sm = launch.record().sm;
  const std::size_t n = static_cast<std::size_t>(main_advice(row) - row.advice.data());
  const advise::Advice was = row.advice[n];
  auto in_column = [&](std::size_t a) {
    return advise::with_same_layout(was, row, {arch::find(sm[a]), a, &launch});
  };
  advise::Advice advice = in_column(0);
  if (wanted && advice.way != *wanted) return;
  for (std::size_t a = 0; n < row.effects.size() && a < row.effects[n].size(); ++a)
    if (std::optional<Effect>& effect = row.effects[n][a]; effect) {
      const advise::Advice there = in_column(a);
      effect = {advise::value(there.metric, there.before), advise::value(there.metric, there.after)};
    }
  row.advice[n] = std::move(advice);
  row.advice[n].change += reason;
}

// What an array's other order spares, in the kernels that go across its rows, and costs, in those that go along them on the other side:
// that read what these write, or write what these read.
void weigh_layout(const std::vector<Use>& uses, const std::vector<Kernel>& kernels,
                  const std::deque<advise::Launch>& launches) {
  std::vector<Use> changed;
  for (const Use& use : uses)
    if (changes_layout(*use.row)) changed.push_back(use);
  u64 spared = 0, lost = 0;
  std::vector<std::string> readers;
  for (const Use& use : changed) spared += spared_by(*main_advice(*use.row));
  for (const Use& use : uses) {
    const bool other_side = std::ranges::any_of(changed, [&](const Use& one) {
      return one.kernel != use.kernel && one.row->site.kind != use.row->site.kind &&
             one.row->site.bytes == use.row->site.bytes;
    });
    const u64 more = other_side ? lost_in_other_order(*use.row) : 0;
    lost += more;
    if (more != 0) text::add_new(readers, kernels[use.kernel].name);
  }
  if (lost == 0) return;
  const std::string names = fmt::format("{}", fmt::join(source::short_names(readers), ", "));
  for (const Use& use : changed)
    if (lost < spared)
      say_loss(*use.row, lost, spared, names);
    else
      say_same_layout(use, launches, {}, fmt::format(". Leave the array's layout, which {} needs", names));
}

void keep_layouts(std::vector<Kernel>& kernels, const std::deque<advise::Launch>& launches) {
  std::map<std::pair<access::ArrayKind, std::string>, std::vector<Use>> arrays;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (Line& line : kernels[k].lines)
      for (AccessRow& row : line.rows)
        if (const std::string name = array_name(row.site.array); !name.empty() && !row.site.array.indirect)
          arrays[{row.site.array.kind, name}].push_back({k, &row});
  for (const auto& [array, uses] : arrays) weigh_layout(uses, kernels, launches);
}

// Loads of one loop change together: what a warp is given of one array it is given of the others.
void agree_on_threads(std::vector<Kernel>& kernels, const std::deque<advise::Launch>& launches) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::vector<Use> turns;
    std::set<u64> loops; // how often their loads are performed
    const auto times = [](const AccessRow& row) { return row.counters[0].instructions / row.sites; };
    for (Line& line : kernels[k].lines)
      for (AccessRow& row : line.rows) {
        const advise::Advice* advice = main_advice(row);
        if (advice == nullptr || row.site.kind != access::Kind::load || advise::is_triton(row.site)) continue;
        if (advice->way == Way::turns) turns.push_back({k, &row});
        if (advice->way == Way::row_per_warp) loops.insert(times(row));
      }
    for (const Use& use : turns)
      if (loops.contains(times(*use.row)))
        say_same_layout(use, launches, Way::row_per_warp, ", as the other loads of the loop");
  }
}

} // namespace

void agree_on_layouts(std::vector<Kernel>& kernels, const std::deque<advise::Launch>& launches) {
  using Key = std::tuple<access::ArrayKind, std::string, u64>; // and how far apart lanes are
  std::map<Key, std::vector<Use>> arrays;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (Line& line : kernels[k].lines)
      for (AccessRow& row : line.rows)
        if (const std::string name = array_name(row.site.array); !name.empty() && may_change(row))
          arrays[{row.site.array.kind, name, row.pattern.shape.distance()}].push_back({k, &row});
  std::set<std::pair<std::size_t, u64>> changed; // kernels, and how far apart lanes are in them
  for (const auto& [key, uses] : arrays)
    if (differ(uses) && say_other_order(uses, launches))
      for (const Use& use : uses) changed.emplace(use.kernel, std::get<u64>(key));
  // Arrays that a kernel walks alike have one layout, too.
  for (const auto& [key, uses] : arrays)
    if (std::ranges::any_of(uses, [&](const Use& use) {
          return changed.contains({use.kernel, std::get<u64>(key)});
        }))
      say_other_order(uses, launches);
  keep_layouts(kernels, launches);
  agree_on_threads(kernels, launches);
}

} // namespace warplens::summary
