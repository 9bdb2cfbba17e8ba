// See rows.h.
#include "summary/rows.h"
#include "arch/count.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include "summary/findings.h"
#include <algorithm>
#include <cmath>

namespace warplens::summary {

using access::Space;
using arch::Counts;
using measure::SiteRecord;

namespace {

// Rows that start inside a sector are told by that, not by their distance.
Look look_of(const measure::Pattern& pattern) {
  measure::Shape shape = pattern.shape;
  if (shape.offset != 0) shape.gap = 0;
  return {shape, pattern.lanes, pattern.units, pattern.most_units};
}

// What the caller of a library can change about an access in its code.
struct LibraryChange {
  std::string_view file, change;
};
constexpr LibraryChange library_changes[] = {
    {"block_load.cuh", "let cub::BlockLoad exchange what it loads in shared memory: its template argument "
                       "BLOCK_LOAD_WARP_TRANSPOSE, or BLOCK_LOAD_VECTORIZE where the data are aligned"},
    {"block_store.cuh", "let cub::BlockStore exchange what it stores in shared memory: its template argument "
                        "BLOCK_STORE_WARP_TRANSPOSE, or BLOCK_STORE_VECTORIZE where the data are aligned"},
};

// Where the user's own code calls it: what a library calls inside is not the user's to choose.
const LibraryChange* library_change(const access::Site& site) {
  if (std::ranges::all_of(site.frames.all(), [](const access::SourceFrame& frame) {
        return source::is_library_file(frame.file);
      }))
    return nullptr;
  for (const access::SourceFrame& frame : site.frames.all())
    for (const LibraryChange& one : library_changes)
      if (frame.file.ends_with(one.file)) return &one;
  return nullptr;
}

// What a library's access costs, and why, is still to be said; who calls the library cannot change its lines.
void withdraw(const access::Site& site, advise::Advice& advice) {
  if (const LibraryChange* known = library_change(site); known != nullptr &&
                                                         advice.rule != findings::Rule::halo_access &&
                                                         advice.metric == advise::Metric::sectors) {
    advice.change = known->change, advice.example.clear();
    return;
  }
  advice.change.clear(), advice.example.clear();
  advice.after = advice.before;
  advice.lanes.reset();
}

Effect effect_of(const advise::Advice& advice) {
  return {advise::value(advice.metric, advice.before), advise::value(advice.metric, advice.after)};
}

// Classes are made by what warps cost on the device. Where their examples, each as often as its class has warps, give what
// was counted for another architecture, too, what a change makes of them holds there.
bool classes_hold(const SiteRecord& record, const arch::Architecture& architecture, std::size_t column,
                  advise::Metric metric) {
  if (record.distribution.other_warps != 0) return false;
  Counts sum;
  for (const measure::WarpClass& c : record.distribution.classes)
    sum += arch::count(architecture, c.example) * c.warps;
  return advise::value(metric, sum) == advise::value(metric, record.counters[column]);
}

std::vector<std::vector<std::optional<Effect>>> effects_of(const SiteRecord& record,
                                                           const advise::Launch& launch,
                                                           const std::vector<advise::Advice>& advice) {
  std::vector<std::vector<std::optional<Effect>>> out(advice.size());
  for (std::size_t i = 0; i < advice.size(); ++i) out[i].push_back(effect_of(advice[i]));
  const std::vector<u32>& sm = launch.record().sm;
  for (std::size_t a = 1; a < sm.size() && a < record.counters.size(); ++a) {
    const arch::Architecture* row = arch::find(sm[a]);
    const std::vector<advise::Advice> there =
        row == nullptr ? std::vector<advise::Advice>() : advise::advise(record, {row, a, &launch});
    for (std::size_t i = 0; i < advice.size(); ++i) {
      const advise::Advice* same = advise::same_advice(there, advice[i]);
      const bool known = same != nullptr && !source::is_library_code(record.site) &&
                         classes_hold(record, *row, a, same->metric);
      out[i].push_back(known ? std::optional(effect_of(*same)) : std::nullopt);
    }
  }
  return out;
}

} // namespace

void add_counters(std::vector<Counts>& sum, const std::vector<Counts>& other) {
  if (sum.size() < other.size()) sum.resize(other.size());
  for (std::size_t a = 0; a < other.size(); ++a) sum[a] += other[a];
}

bool ran(const std::vector<Counts>& counters) { return !counters.empty() && counters[0].instructions != 0; }

void Merge::note_pattern(const SiteRecord& other) {
  if (other.pattern.shape.form == measure::Form::none || !ran(other.counters)) return;
  Seen& seen = patterns.try_emplace(look_of(other.pattern), Seen{other.pattern}).first->second;
  double share = other.pattern.share;
  seen.warps += share * static_cast<double>(other.counters[0].instructions);
  seen.excess +=
      share * static_cast<double>(measure::excess_bytes(other.counters[0], other.space, other.site));
  seen.pattern.ways = std::max(seen.pattern.ways, other.pattern.ways);
}

void Merge::settle_pattern() {
  if (!record.distribution.classes.empty()) {
    record.pattern = measure::pattern_of(record.distribution);
    return;
  }
  auto best = std::max_element(patterns.begin(), patterns.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.excess, a.second.warps) < std::pair(b.second.excess, b.second.warps);
  });
  if (best == patterns.end()) return;
  u32 ways = 0;
  for (const auto& [look, seen] : patterns) ways = std::max(ways, seen.pattern.ways);
  record.pattern = best->second.pattern;
  record.pattern.ways = ways;
  double all = static_cast<double>(record.counters[0].instructions);
  record.pattern.share = all == 0 ? 0 : std::min(1.0, best->second.warps / all);
}

// As if the counts of both were off in the same direction.
static void add_record(SiteRecord& sum, const SiteRecord& other) {
  const auto requests = [](const SiteRecord& record) {
    return ran(record.counters) ? static_cast<double>(record.counters[0].instructions) : 0;
  };
  if (const double all = requests(sum) + requests(other); all != 0)
    sum.spread = (sum.spread * requests(sum) + other.spread * requests(other)) / all;
  sum.predicated_off += other.predicated_off;
  add_counters(sum.counters, other.counters);
  measure::add(sum.distribution, other.distribution);
}

void add_launch(SiteSums& sums, const measure::LaunchContent& launch) {
  for (const SiteRecord& site : launch.sites) {
    auto [found, fresh] = sums.try_emplace({site.site.id.value, site.space});
    Merge& merge = found->second;
    if (fresh) {
      merge.record = site;
    } else {
      add_record(merge.record, site);
    }
    merge.note_pattern(site);
  }
}

PlaceKey place_of(const access::Site& site, bool columns) {
  PlaceKey out;
  for (const access::SourceFrame& frame : source::user_frames(site))
    out.emplace_back(frame.file, frame.line, columns ? frame.column : 0);
  if (out.empty() || std::get<1>(out.back()) == 0) out = {{site.function, 0, 0}};
  return out;
}

SiteSums merge_rows(SiteSums sites) {
  using ArrayKey = std::tuple<access::ArrayKind, std::string, u32, u32, bool>;
  using Key = std::tuple<PlaceKey, Space, std::string, Look, ArrayKey, access::Timing,
                         std::pair<u8, access::AtomicForm>>;
  std::map<Key, SiteKey> first;
  SiteSums out;
  for (auto& [key, merge] : sites) {
    merge.settle_pattern();
    const access::Site& site = merge.record.site;
    const access::Array& array = site.array;
    Key row{place_of(site, true),
            merge.record.space,
            site.opcode,
            look_of(merge.record.pattern),
            ArrayKey{array.kind, array.name, array.parameter, array.offset, array.indirect},
            site.timing_dependent,
            {site.bytes, site.atomic}};
    auto [found, fresh] = first.try_emplace(row, key);
    if (fresh) {
      out.emplace(key, std::move(merge));
      continue;
    }
    Merge& sum = out.at(found->second);
    sum.record.result_unused &= merge.record.result_unused, sum.record.adds_one &= merge.record.adds_one;
    sum.record.loads_index &= merge.record.loads_index;
    sum.record.follows_links |= merge.record.follows_links; // the first step is of the thread's own number
    add_record(sum.record, merge.record);
    sum.record.pattern.ways = std::max(sum.record.pattern.ways, merge.record.pattern.ways);
    sum.sites += merge.sites;
  }
  return out;
}

Cost cost_of(const Counts& counts, Space space, const access::Site& site, const arch::Architecture* device) {
  auto per = [](u64 value, u64 count) {
    return count == 0 ? 0 : static_cast<double>(value) / static_cast<double>(count);
  };
  const auto needed = [&](u64 sectors) { return is_spill(site) ? 0 : sectors; };
  switch (space) {
  case Space::shared:
    return {per(counts.wavefronts, counts.instructions), per(counts.ideal_wavefronts, counts.instructions),
            "wavefronts"};
  case Space::constant: return {per(counts.requests, counts.instructions), 1, "requests"};
  default: break;
  }
  bool sectors = device == nullptr ||
                 arch::moves_sectors(*device, {.space = space, .kind = site.kind, .cache = site.cache});
  if (!sectors)
    return {per(counts.transaction_bytes, counts.requests),
            per(needed(counts.ideal_sectors) * 32, counts.requests), "bytes"};
  return {per(counts.sectors, counts.requests), per(needed(counts.ideal_sectors), counts.requests),
          "sectors"};
}

AccessRow make_row(Merge merge, const advise::Launch& launch, const measure::Reuse& reuse, bool by_l1) {
  AccessRow row{std::move(merge.record), merge.sites};
  const std::vector<u32>& sm = launch.record().sm;
  const arch::Architecture* architecture = sm.empty() ? nullptr : arch::find(sm[0]);
  if (ran(row.counters)) {
    row.excess_bytes = measure::excess_bytes(row.counters[0], row.space, row.site);
    row.efficiency = measure::efficiency(row.counters[0], row.space);
    row.cost = cost_of(row.counters[0], row.space, row.site, architecture);
    row.from_l2 = reuse.share_from_l2(row);
    if (architecture != nullptr) {
      row.excess_cycles = measure::excess_cycles(row.counters[0], row.space, row.site, *architecture,
                                                 by_l1 && row.from_l2 != 1 ? 0 : row.from_l2);
      row.cycles = measure::cycles(row.counters[0], row.space, *architecture, row.from_l2).busiest();
    }
    if (architecture != nullptr && !row.is_rare())
      row.advice = advise::advise(row, {architecture, 0, &launch});
    if (source::is_library_code(row.site))
      for (advise::Advice& advice : row.advice) withdraw(row.site, advice);
    for (const advise::Advice& advice : row.advice)
      row.wait_cycles = std::max(row.wait_cycles, advice.wait_cycles);
    if (row.wait_cycles > row.excess_cycles) // what makes it wait comes first
      std::ranges::stable_partition(row.advice, [](const advise::Advice& a) { return a.wait_cycles != 0; });
    row.effects = effects_of(row, launch, row.advice);
    for (const advise::Advice& advice : row.advice) {
      if (!advice.by_itself) continue;
      row.excess_bytes = measure::excess_bytes(*advice.by_itself, row.space);
      row.excess_cycles = measure::excess_cycles(*advice.by_itself, row.space, *architecture);
      row.cycles = measure::cycles(*advice.by_itself, row.space, *architecture).busiest();
    }
    if (row.excess_bytes == 0) row.excess_cycles = 0; // passes of bytes that are all needed
    if (row.is_rare()) row.excess_bytes = row.excess_cycles = 0;
  }
  return row;
}

std::vector<LaunchCost> costs_by_launch(const std::vector<Launch>& launches, const Kernel& kernel,
                                        const AccessRow& row) {
  constexpr double same = 0.005; // shown with two digits
  std::vector<LaunchCost> out;
  for (u32 index : kernel.alike) {
    const measure::LaunchRecord& record = launches[index].record;
    Counts sum;
    for (const SiteRecord& site : record.sites)
      if (site.space == row.space && site.site.opcode == row.site.opcode &&
          site.site.bytes == row.site.bytes && site.site.array == row.site.array &&
          site.site.frames == row.site.frames && ran(site.counters))
        sum += site.counters[0];
    if (sum.instructions == 0) continue;
    const Cost cost =
        cost_of(sum, row.space, row.site, record.sm.empty() ? nullptr : arch::find(record.sm[0]));
    auto known = std::ranges::find_if(
        out, [&](const LaunchCost& other) { return std::abs(other.cost.actual - cost.actual) < same; });
    if (known == out.end())
      out.push_back({cost, launches[index].count()});
    else
      known->launches += launches[index].count();
  }
  if (out.size() < 2) out.clear();
  return out;
}

} // namespace warplens::summary
