// What a kernel's memory, instructions and waiting take, launch by launch, and which of them limits it. See bottleneck.h.
#include "summary/bottleneck.h"
#include "arch/waits.h"
#include "base/bits.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include <algorithm>

namespace warplens::summary {
namespace {

using access::Kind;
using access::Space;

// What sectors take from memory when those of a line come together; `alone`: at what each costs by itself.
double together(const arch::Counts& counts, u64 alone, const arch::Architecture& row) {
  const double each = static_cast<double>(alone);
  const u64 all = counts.sectors * row.costs.sector;
  if (all == 0 || counts.tags == 0) return each;
  const arch::LineCosts costs = arch::line_costs(row);
  const double by_line =
      costs.line * static_cast<double>(counts.tags) + costs.sector * static_cast<double>(counts.sectors);
  return std::min(each, by_line * each / static_cast<double>(all)); // of those that come from there
}

// Somebody needs what comes back.
bool answers(const measure::SiteRecord& site) {
  switch (site.site.kind) {
  case Kind::load:
  case Kind::ldmatrix: return true;
  case Kind::atomic: return !site.result_unused;
  default: return false;
  }
}

// How often the warps that an SM holds at a time are replaced by others.
u64 rounds(const measure::LaunchContent& launch, u64 multiprocessors, const arch::Architecture& row) {
  return ceil_div(ceil_div(launch.grid.count(), multiprocessors), measure::resident_blocks(launch, row));
}

} // namespace

void add(Bottleneck& sum, const measure::LaunchContent& launch, u64 times, const arch::Architecture& row) {
  u64 tag = 0, data = 0, constant = 0, loads = 0, shared_loads = 0;
  double sectors = 0;
  const measure::Reuse reuse(launch, row);
  for (const measure::SiteRecord& site : launch.sites) {
    if (site.counters.empty() || site.site.timing_dependent != access::Timing::none) continue;
    const arch::Counts& counts = site.counters[0];
    const double from_l2 = reuse.share_from_l2(site);
    const measure::StageCycles cycles = measure::cycles(counts, site.space, row, from_l2);
    if (site.space == Space::constant) {
      constant += cycles.busiest();
      continue;
    }
    tag += cycles.tag, data += cycles.data;
    if (site.space != Space::shared) sectors += together(counts, cycles.sectors, row);
    if (answers(site)) (site.space == Space::shared ? shared_loads : loads) += counts.instructions;
  }
  const u64 warps = launch.grid.count() * ceil_div(std::max<u64>(1, launch.block.count()), warp_size);
  const u64 multiprocessors = std::clamp<u64>(launch.grid.count(), 1, row.part.multiprocessors);
  const arch::Latencies latency = arch::latencies(row);
  const u64 chain = (loads * latency.l2 + shared_loads * latency.shared) / std::max<u64>(1, warps);
  sum.memory += std::max(ceil_div(std::max({tag, data, constant}), multiprocessors),
                         ceil_div(static_cast<u64>(sectors), row.part.multiprocessors)) *
                times; // memory is one for all
  sum.issue += ceil_div(launch.warp_instructions, multiprocessors * row.limits.warp_schedulers) * times;
  sum.waiting += chain * rounds(launch, multiprocessors, row) * times;
  sum.loads += (loads + shared_loads) * times, sum.warps += warps * times;
}

Bottleneck bottleneck(const Model& model, const Kernel& kernel) {
  Bottleneck out;
  for (u32 n : kernel.alike) {
    const Launch& launch = model.input.launches[n];
    const arch::Architecture* row = launch.record.sm.empty() ? nullptr : arch::find(launch.record.sm[0]);
    if (row != nullptr && measure::is_counted(launch.record.status))
      add(out, launch.record, launch.count(), *row);
  }
  return out;
}

namespace {

// What the profiler says, as its "GPU Speed Of Light" does: the unit that is at 60 % of its peak or above. Below that for both
// units, latency limits the kernel, and more than these two numbers would be needed.
Limiter as_measured(const Model& model, const Kernel& kernel) {
  constexpr double busy = 60; // percent
  for (u32 n : kernel.alike) {
    const std::map<std::string, double>& counters = model.input.launches[n].counters;
    const auto memory = counters.find("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
               compute = counters.find("sm__throughput.avg.pct_of_peak_sustained_elapsed");
    if (memory == counters.end() || compute == counters.end()) continue;
    if (memory->second >= busy && memory->second >= compute->second) return Limiter::memory;
    if (compute->second >= busy) return Limiter::arithmetic;
    break;
  }
  return Limiter::unclear;
}

} // namespace

// Held against what an H100's profiler saw of 237 kernels (tests/summary/limiter_test.cpp).
Limiter limiter(const Bottleneck& sum, u64 launches) {
  constexpr u64 start = 4000;             // cycles: the two microseconds that an empty kernel takes
  const u64 overlapped = sum.waiting / 4; // compilers unroll loops by four: so many loads wait together
  if (std::max({sum.memory, sum.issue, sum.atomics, overlapped}) < start * launches) return Limiter::none;
  if (sum.atomics != 0 && sum.atomics >= std::max(2 * sum.issue, overlapped)) return Limiter::memory;
  if (2 * sum.issue > 3 * sum.memory && sum.issue >= overlapped) return Limiter::arithmetic;
  return sum.memory >= 2 * sum.issue && sum.memory >= overlapped ? Limiter::memory : Limiter::unclear;
}

Limiter limiter(const Model& model, const Kernel& kernel) {
  if (kernel.measured) return as_measured(model, kernel);
  if (!measure::is_counted(kernel.status)) return Limiter::unclear;
  bool atomics = false;
  u64 known = 0, waits = 0; // cycles of the whole GPU; known: of words whose updates were counted
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows) {
      atomics = atomics || is_atomic(row.site.kind), waits = std::max(waits, row.wait_cycles);
      if (!wait_is_bound(row)) known = std::max(known, row.wait_cycles);
    }
  Bottleneck sum = bottleneck(model, kernel);
  const arch::Architecture* device = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  const u64 multiprocessors = device == nullptr ? 1 : device->part.multiprocessors;
  sum.atomics = known / multiprocessors;
  const Limiter out = limiter(sum, kernel.launches);
  sum.atomics = waits / multiprocessors;
  if (limiter(sum, kernel.launches) != out) return Limiter::unclear; // a bound alone tells nothing
  return out == Limiter::arithmetic && atomics ? Limiter::unclear
                                               : out; // their waits are in none of the three
}

bool wait_is_bound(const AccessRow& row) {
  return row.space == access::Space::global &&
         (row.distribution.busiest_word == 0 || row.distribution.busiest_is_bound);
}

std::string_view name(Limiter limiter) {
  switch (limiter) {
  case Limiter::none: return "launch overhead";
  case Limiter::memory: return "memory";
  case Limiter::arithmetic: return "arithmetic";
  case Limiter::unclear: return "not clear";
  }
  return {};
}

std::string_view meaning(Limiter limiter) {
  switch (limiter) {
  case Limiter::none: return "too short to matter: launch overhead is longer than its accesses";
  case Limiter::memory: return "costs time: memory limits this kernel";
  case Limiter::arithmetic: return "hidden behind arithmetic, which limits this kernel";
  case Limiter::unclear: return "cannot be told without a GPU: latency may hide it";
  }
  return {};
}

} // namespace warplens::summary
