// The kernels of a report and their lines: see kernels.h.
#include "summary/kernels.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include "source/names.h"
#include "summary/bottleneck.h"
#include "summary/layouts.h"
#include "summary/rows.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>

namespace warplens::summary {

using namespace text;
namespace {

using measure::LaunchRecord;
using measure::Status;

// Launches whose counts are of the whole grid add up; others each stay among themselves.
Status group_of(Status status) { return status <= Status::sampled ? Status::exact : status; }

auto row_order(const AccessRow& row) {
  u64 moved = measure::bytes_moved(row.counters[0], row.space);
  return std::tuple(~row.excess_cycles, ~row.excess_bytes, ~moved, row.site.ptx_line, row.space);
}

auto line_order(const Line& line) {
  u64 moved = 0;
  for (const AccessRow& row : line.rows) moved += measure::bytes_moved(row.counters[0], row.space);
  // What depends on timing is in no sum, and no less worth a look than lines without waste.
  const bool judged = std::ranges::none_of(
      line.rows, [](const AccessRow& row) { return row.site.timing_dependent != access::Timing::none; });
  return std::tuple(~line.excess_cycles, ~line.excess_bytes, judged, ~moved, line.place.file, line.place.line,
                    line.rows[0].site.ptx_line);
}

Line line_at(const access::Site& site, const SourceLines& source, const Options& options) {
  Line line;
  line.calls = source::user_frames(site);
  if (!line.calls.empty()) line.place = line.calls.back(), line.calls.pop_back();
  if (line.place.line == 0) {
    line.function = source::function_name(site.function);
    return line;
  }
  line.text = source(line.place.file, line.place.line).value_or("");
  line.changed = options.changed && options.changed(line.place.file); // whatever stands there now
  return line;
}

// Rows of one source line together; without line information those of one function.
std::vector<Line> make_lines(std::vector<AccessRow> rows, u64 all_excess, const SourceLines& source,
                             const Options& options) {
  std::map<PlaceKey, Line> lines;
  for (AccessRow& row : rows) {
    auto [found, fresh] = lines.try_emplace(place_of(row.site, false));
    Line& line = found->second;
    if (fresh) line = line_at(row.site, source, options);
    row.share =
        all_excess == 0 ? 0 : static_cast<double>(row.excess_cycles) / static_cast<double>(all_excess);
    line.excess_bytes += row.excess_bytes;
    line.excess_cycles += row.excess_cycles;
    line.share += row.share;
    line.rows.push_back(std::move(row));
  }
  std::vector<Line> out;
  for (auto& [key, line] : lines) {
    std::sort(line.rows.begin(), line.rows.end(),
              [](const AccessRow& a, const AccessRow& b) { return row_order(a) < row_order(b); });
    out.push_back(std::move(line));
  }
  std::sort(out.begin(), out.end(),
            [](const Line& a, const Line& b) { return line_order(a) < line_order(b); });
  return out;
}

void add_reason(Kernel& kernel, const std::string& reason, u64 times) {
  if (reason.empty()) return;
  for (Reason& known : kernel.reasons)
    if (known.text == reason) {
      known.launches += times;
      return;
    }
  kernel.reasons.push_back({reason, times});
}

void add_grid(Kernel& kernel, Dim3 grid, u64 times) {
  for (auto& [known, launches] : kernel.grids)
    if (known == grid) {
      launches += times;
      return;
    }
  kernel.grids.emplace_back(grid, times);
}

u64 all_blocks(const Kernel& kernel) {
  u64 sum = 0;
  for (const auto& [grid, launches] : kernel.grids) sum += grid.count() * launches;
  return sum;
}

// The remainder of an unrolled loop that had none is no news: only lines of which nothing ran are.
void keep_idle_lines(std::vector<AccessRow>& never, const std::vector<AccessRow>& rows) {
  std::set<std::pair<std::string, u32>> ran;
  for (const AccessRow& row : rows)
    for (const access::SourceFrame& frame : row.site.frames) ran.emplace(frame.file, frame.line);
  std::erase_if(never, [&](const AccessRow& row) {
    access::SourceFrame place = source::user_frame(row.site);
    return place.line == 0 || ran.contains({place.file, place.line});
  });
}

void add_alike(Kernel& kernel, SiteSums& sums, const measure::LaunchContent& launch, u64 times) {
  kernel.launches += times;
  kernel.status = std::max(kernel.status, launch.status); // the worst of what is added up
  add_grid(kernel, launch.grid, times);
  kernel.blocks.ended +=
      (measure::is_whole(launch.status) ? launch.grid.count() : launch.blocks.ended) * times;
  kernel.blocks.running += launch.blocks.running * times;
  add_reason(kernel, launch.reason, times);
  kernel.shared_bytes = std::max(kernel.shared_bytes, launch.shared_bytes);
  kernel.local_bytes = std::max(kernel.local_bytes, launch.local_bytes);
  kernel.registers = std::max(kernel.registers, launch.registers);
  if (kernel.local_arrays.empty()) kernel.local_arrays = launch.local_arrays;
  kernel.warp_instructions += launch.warp_instructions * times;
  if (const arch::Architecture* row = launch.sm.empty() ? nullptr : arch::find(launch.sm[0]);
      row != nullptr && measure::is_counted(launch.status))
    add(kernel.limit, launch, times, *row);
  if (times == 1)
    add_launch(sums, launch);
  else
    add_launch(sums, measure::repeated(launch, times));
}

// Nothing where one launch was not timed.
std::optional<double> time_of(std::span<const Launch* const> launches) {
  double out = 0;
  for (const Launch* launch : launches) {
    auto time = launch->counters.find("gpu__time_duration.sum");
    if (time == launch->counters.end()) return {};
    out += time->second * 1e-9 * static_cast<double>(launch->count());
  }
  return out;
}

// Of launches of one kernel, the one that advice looks at: its neighbours and rows are those that waste most.
const LaunchRecord& most_wasteful(std::span<const Launch* const> launches) {
  auto waste = [](const Launch* launch) {
    u64 out = 0;
    for (const measure::SiteRecord& site : launch->record.sites)
      if (ran(site.counters)) out += measure::excess_bytes(site.counters[0], site.space, site.site);
    return out;
  };
  if (launches.size() == 1) return launches.front()->record;
  return (*std::ranges::max_element(launches, {}, waste))->record;
}

u64 all_blocks(std::span<const Launch* const> launches) {
  u64 sum = 0;
  for (const Launch* launch : launches) sum += launch->record.grid.count() * launch->count();
  return sum;
}

// Do the passes of the L1 limit the kernel? Then what the L1 serves is lost in them.
bool limited_by_l1(const Kernel& kernel, std::span<const Launch* const> launches,
                   const arch::Architecture& device) {
  const std::vector<Stage> busiest = stages(kernel.limit);
  if (busiest.empty() || (busiest.front().id != "tag" && busiest.front().id != "data")) return false;
  Bottleneck sum;
  for (const Launch* launch : launches)
    if (measure::is_counted(launch->record.status)) add(sum, launch->record, launch->count(), device);
  return limiter(sum, kernel.launches) == Limiter::memory;
}

Kernel make_kernel(std::span<const Launch* const> launches, const advise::Launch& launch, const Input& input,
                   const SourceLines& source, const Options& options) {
  const LaunchRecord& first = launches.front()->record;
  Kernel kernel;
  kernel.mangled = first.kernel, kernel.name = first.name.empty() ? first.kernel : first.name;
  kernel.module = first.module, kernel.status = first.status, kernel.sm = first.sm,
  kernel.block = first.block;
  kernel.first_launch = first.index, kernel.range = first.range;
  kernel.is_machine_code = first.machine_code != 0;
  kernel.measured = input.measured.has_value();
  kernel.measured_time = time_of(launches);
  SiteSums sums;
  for (const Launch* launch : launches) {
    kernel.alike.push_back(static_cast<u32>(launch - input.launches.data()));
    if (const std::string& place = launch->record.called_from; !place.empty())
      text::add_new(kernel.called_from, place.substr(place.rfind('/') + 1));
    add_alike(kernel, sums, launch->record, launch->count());
  }
  if (auto found = input.local_use.find(kernel.mangled); found != input.local_use.end())
    kernel.local_use = found->second;
  for (const auto& [key, merge] : sums)
    if (ran(merge.record.counters) && merge.record.site.timing_dependent == access::Timing::none) {
      add_counters(kernel.totals[key.second], merge.record.counters);
      if (is_spill(merge.record.site)) add_counters(kernel.spilled, merge.record.counters);
    }
  std::vector<AccessRow> rows;
  const arch::Architecture* device = first.sm.empty() ? nullptr : arch::find(first.sm[0]);
  const measure::Reuse reuse = device != nullptr ? measure::Reuse(first, *device) : measure::Reuse();
  const bool by_l1 = device != nullptr && limited_by_l1(kernel, launches, *device);
  for (auto& [key, merge] : merge_rows(std::move(sums))) {
    AccessRow row = make_row(std::move(merge), launch, reuse, by_l1);
    if (!ran(row.counters)) {
      kernel.never_executed.push_back(std::move(row));
      continue;
    }
    if (row.site.timing_dependent != access::Timing::none) {
      kernel.timing_dependent += row.sites;
      row.excess_bytes = row.excess_cycles = 0;
    } else {
      const u64 moved = measure::bytes_moved(row.counters[0], row.space);
      kernel.excess_bytes += row.excess_bytes;
      kernel.excess_cycles += row.excess_cycles;
      kernel.cycles += row.cycles;
      kernel.moved_bytes += moved;
      kernel.spread += row.spread * static_cast<double>(moved);
    }
    rows.push_back(std::move(row));
  }
  if (kernel.moved_bytes != 0) kernel.spread /= static_cast<double>(kernel.moved_bytes);
  keep_idle_lines(kernel.never_executed, rows);
  kernel.lines = make_lines(std::move(rows), kernel.excess_cycles, source, options);
  return kernel;
}

// Short names, the block's shape where one kernel was launched with several, and NVTX ranges.
void label(std::vector<Kernel>& kernels) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::tuple<u32, u32, u32>>> blocks; // by kernel
  std::set<std::string> counted;
  for (const Kernel& kernel : kernels) {
    names.push_back(kernel.name);
    blocks[kernel.name].emplace(kernel.block.x, kernel.block.y, kernel.block.z);
    if (measure::is_counted(kernel.status)) counted.insert(kernel.name);
  }
  names = source::short_names(names);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].short_name = kernels[i].label = names[i];
    if (blocks[kernels[i].name].size() > 1)
      kernels[i].label += fmt::format(" [block {}]", dimensions(kernels[i].block));
    if (!kernels[i].range.empty()) kernels[i].label += " in " + kernels[i].range;
    if (const Status status = kernels[i].status;
        status == Status::partial || (!measure::is_counted(status) && counted.contains(kernels[i].name)))
      kernels[i].label += fmt::format(" [{}]", measure::name(status));
  }
}

} // namespace

bool has_sampled(const Model& model) {
  return std::ranges::any_of(model.kernels,
                             [](const Kernel& kernel) { return kernel.status == Status::sampled; });
}

std::string blocks_of(const Kernel& kernel) { return measure::in_words(kernel.blocks, all_blocks(kernel)); }

std::vector<Kernel> make_kernels(const Input& input, const SourceLines& source, const Options& options) {
  using Key = std::tuple<std::string, std::string, std::string, u32, u32, u32, Status, std::vector<u32>>;
  std::map<Key, std::vector<const Launch*>> groups;
  for (const Launch& launch : input.launches) {
    const LaunchRecord& l = launch.record;
    groups[{l.kernel, l.module, l.range, l.block.x, l.block.y, l.block.z, group_of(l.status), l.sm}]
        .push_back(&launch);
  }
  std::vector<Kernel> out;
  std::deque<advise::Launch> advised;
  for (const auto& [key, launches] : groups) {
    advised.emplace_back(most_wasteful(launches), all_blocks(launches));
    out.push_back(make_kernel(launches, advised.back(), input, source, options));
  }
  agree_on_layouts(out, advised);
  auto order = [](const Kernel& k) {
    return std::tuple(k.status == Status::refused, k.status == Status::unknown, k.status == Status::failed,
                      ~k.excess_cycles, ~k.excess_bytes, ~k.moved_bytes, k.first_launch, k.name);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Kernel& a, const Kernel& b) { return order(a) < order(b); });
  label(out);
  return out;
}

} // namespace warplens::summary
