// One kernel: its totals, what limits it, and what its launches counted one after the other.
#include "html/report_data.h"
#include "measure/totals.h"
#include "summary/bottleneck.h"
#include "summary/findings.h"
#include "summary/kernel_occupancy.h"
#include "text/words.h"

namespace warplens::html {
namespace {

using summary::Kernel;

// More stretches of alike launches than that are no plot that a person reads.
constexpr std::size_t most_stretches = 4000;

Json spaces_json(const Scribe& scribe, const Kernel& kernel) {
  Json out = Json::object();
  for (const auto& [space, counters] : kernel.totals)
    out[std::string(access::name(space))] = counts_by_device(scribe, counters, space, {});
  return out;
}

// Bytes moved and moved for nothing, of device memory; passes of shared memory, and those for nothing.
struct Sums {
  u64 moved = 0, excess = 0, passes = 0, excess_passes = 0;
};

Sums sums_of(const measure::LaunchRecord& launch) {
  Sums out;
  for (const measure::SiteRecord& site : launch.sites) {
    if (site.counters.empty() || site.site.timing_dependent != access::Timing::none) continue;
    const arch::Counts& counts = site.counters[0];
    if (site.space == access::Space::shared) {
      out.passes += counts.wavefronts;
      out.excess_passes += measure::excess(counts, site.space);
    } else if (summary::is_traffic(site.space)) {
      out.moved += measure::bytes_moved(counts, site.space);
      out.excess += measure::excess_bytes(counts, site.space, site.site);
    }
  }
  return out;
}

// Of each launch that differs from the others: its sums, its grid, and when it ran: [process, first, count, step], ….
Json launches_json(Scribe& scribe, const Kernel& kernel) {
  Json out = Json::array();
  std::size_t stretches = 0;
  for (u32 index : kernel.alike) {
    const summary::Launch& launch = scribe.model.input.launches[index];
    const Sums sums = sums_of(launch.record);
    Json when = Json::array();
    for (const summary::Occurrences& some : launch.when)
      some.each_process([&](i64 process) {
        if (stretches++ < most_stretches)
          when.push_back({scribe.process(process), some.first, some.count, some.step});
      });
    out.push_back({sums.moved, sums.excess, sums.passes, sums.excess_passes,
                   text::dimensions(launch.record.grid), std::move(when)});
  }
  return out;
}

Json limit_json(const Kernel& kernel) {
  const std::vector<summary::Stage> used = summary::stages(kernel.limit);
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  if (used.empty() || row == nullptr) return {};
  Json out{{"by", std::string(summary::name(kernel.limiter))},
           {"meaning", std::string(summary::meaning(kernel.limiter))},
           {"bound", text::human_time(summary::seconds(kernel.limit.bound, *row))},
           {"part", std::string(row->part.name)}};
  for (const summary::Stage& stage : used) out["stages"].push_back({std::string(stage.words), stage.cycles});
  return out;
}

Json idle_json(Scribe& scribe, const Kernel& kernel) {
  Json out = Json::array();
  for (const summary::AccessRow& row : kernel.never_executed) {
    const access::SourceFrame place = source::user_frame(row.site);
    if (place.line != 0)
      out.push_back({scribe.file(place.file), place.line, scribe.text(summary::access_name(row))});
  }
  return out;
}

// How much of it was counted, where that was not all: "64 of 8192 blocks, ±3%".
std::string extent_of(const Kernel& kernel) {
  if (kernel.status == measure::Status::sampled)
    return summary::blocks_of(kernel) + ", " + text::plus_minus(kernel.spread);
  return kernel.status == measure::Status::partial ? summary::blocks_of(kernel) : "";
}

} // namespace

Json kernel_data(Scribe& scribe, const Kernel& kernel) {
  Json out{{"label", kernel.label},
           {"name", kernel.name},
           {"module", kernel.module},
           {"status", std::string(measure::name(kernel.status))},
           {"extent", extent_of(kernel)},
           {"block", text::dimensions(kernel.block)},
           {"launches", kernel.launches},
           {"share", rounded(kernel.share)},
           {"moved", kernel.moved_bytes},
           {"excess", kernel.excess_bytes},
           {"cycles", kernel.excess_cycles},
           {"shared", kernel.shared_bytes},
           {"timing", kernel.timing_dependent}};
  out["grids"] = Json::array();
  for (const auto& [grid, launches] : kernel.grids)
    out["grids"].push_back({text::dimensions(grid), launches});
  out["reasons"] = Json::array();
  for (const summary::Reason& reason : kernel.reasons)
    out["reasons"].push_back({reason.text, reason.launches});
  if (kernel.local_use)
    out["spills"] = {kernel.local_use->stack_bytes, kernel.local_use->spill_store_bytes,
                     kernel.local_use->spill_load_bytes};
  if (const auto fits = summary::occupancy_of(kernel)) out["occupancy"] = in_words(*fits, kernel);
  if (Json parts = parts_json(kernel.ranks, kernel.devices); !parts.empty()) out["parts"] = std::move(parts);
  out["spaces"] = spaces_json(scribe, kernel);
  out["limit"] = limit_json(kernel);
  out["runs"] = launches_json(scribe, kernel);
  out["idle"] = idle_json(scribe, kernel);
  return out;
}

} // namespace warplens::html
