// Building the model: see model.h for what is grouped and merged, and why.
#include "report/model.h"
#include "arch/count.h"
#include "measure/totals.h"
#include "report/findings.h"
#include "report/names.h"
#include "report/text.h"
#include "text/regex.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace warplens::report {
namespace {

using access::Space;
using arch::Counts;
using measure::LaunchRecord;
using measure::SiteRecord;
using measure::Status;

// Exact and proved launches of a kernel add up; failed, unknown and refused ones each stay among themselves.
Status group_of(Status status) { return status == Status::proved ? Status::exact : status; }

void add_counters(std::vector<Counts>& sum, const std::vector<Counts>& other) {
  if (sum.size() < other.size()) sum.resize(other.size());
  for (std::size_t a = 0; a < other.size(); ++a) sum[a] += other[a];
}

bool ran(const std::vector<Counts>& counters) { return !counters.empty() && counters[0].instructions != 0; }

// What a reader takes for one pattern: all that its words say. Rows that start inside a sector are told by that,
// not by their distance.
using Look = std::tuple<measure::Shape, u32, u32, u32>;

Look look_of(const measure::Pattern& pattern) {
  measure::Shape shape = pattern.shape;
  if (shape.offset != 0) shape.gap = 0;
  return {shape, pattern.lanes, pattern.units, pattern.most_units};
}

// Sites of several launches, or several sites of one line, as one row.
struct Merge {
  SiteRecord record;
  u32 sites = 1;
  struct Seen {
    measure::Pattern pattern;
    double warps = 0, excess = 0; // that it stands for
  };
  std::map<Look, Seen> patterns;

  void note_pattern(const SiteRecord& other) {
    if (other.pattern.shape.form == measure::Form::none || !ran(other.counters)) return;
    Seen& seen = patterns.try_emplace(look_of(other.pattern), Seen{other.pattern}).first->second;
    double share = other.pattern.share;
    seen.warps += share * static_cast<double>(other.counters[0].instructions);
    seen.excess += share * static_cast<double>(measure::excess_bytes(other.counters[0], other.space));
    seen.pattern.ways = std::max(seen.pattern.ways, other.pattern.ways);
  }
  // The pattern that explains the waste, else the most frequent: one launch in order and one shuffled are
  // "scattered in 50% of warps". Reports of earlier versions have patterns alone.
  void settle_pattern() {
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
};

using SiteKey = std::pair<u32, Space>; // PTX instruction of a module
using SiteSums = std::map<SiteKey, Merge>;

void add_launch(SiteSums& sums, const measure::LaunchContent& launch) {
  for (const SiteRecord& site : launch.sites) {
    auto [found, fresh] = sums.try_emplace({site.site.id.value, site.space});
    Merge& merge = found->second;
    if (fresh) {
      merge.record = site;
    } else {
      add_counters(merge.record.counters, site.counters);
      measure::add(merge.record.distribution, site.distribution);
    }
    merge.note_pattern(site);
  }
}

// What accesses have in common that a reader sees as one place: the line and the calls on the way to it; without line
// information the function.
using PlaceKey = std::vector<std::tuple<std::string, u32, u32>>; // file (or function), line, column

PlaceKey place_of(const access::Site& site, bool columns) {
  PlaceKey out;
  for (const access::SourceFrame& frame : user_frames(site))
    out.emplace_back(frame.file, frame.line, columns ? frame.column : 0);
  if (out.empty() || std::get<1>(out.back()) == 0) out = {{site.function, 0, 0}};
  return out;
}

// The accesses that a reader sees as one: `ld.global.f32` of an unrolled loop, eight times on one line.
SiteSums merge_rows(SiteSums sites) {
  using ArrayKey = std::tuple<access::ArrayKind, std::string, u32, u32, bool>;
  using Key = std::tuple<PlaceKey, Space, std::string, Look, ArrayKey, access::Timing>;
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
            site.timing_dependent};
    auto [found, fresh] = first.try_emplace(row, key);
    if (fresh) {
      out.emplace(key, std::move(merge));
      continue;
    }
    Merge& sum = out.at(found->second);
    add_counters(sum.record.counters, merge.record.counters);
    measure::add(sum.record.distribution, merge.record.distribution);
    sum.record.pattern.ways = std::max(sum.record.pattern.ways, merge.record.pattern.ways);
    sum.sites += merge.sites;
  }
  return out;
}

} // namespace

Cost cost_of(const Counts& counts, Space space, const access::Site& site, const arch::Architecture* device) {
  auto per = [](u64 value, u64 count) {
    return count == 0 ? 0 : static_cast<double>(value) / static_cast<double>(count);
  };
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
    return {per(counts.transaction_bytes, counts.requests), per(counts.ideal_sectors * 32, counts.requests),
            "bytes"};
  return {per(counts.sectors, counts.requests), per(counts.ideal_sectors, counts.requests), "sectors"};
}

namespace {

// Passes through the L1 that move no more bytes than needed, as of atomics on one address, are waste where something is
// known to save them. The assembler may have done so already.
bool can_save_passes(const Row& row) {
  return std::ranges::any_of(row.advice, [](const advise::Advice& advice) {
    return !advice.change.empty() && advice.confidence != advise::Confidence::possible &&
           advice.gain() > 1.05;
  });
}

Row make_row(Merge merge, const LaunchRecord& launch) {
  Row row;
  row.space = merge.record.space;
  row.sites = merge.sites;
  const arch::Architecture* architecture = launch.sm.empty() ? nullptr : arch::find(launch.sm[0]);
  if (ran(merge.record.counters)) {
    row.excess_bytes = measure::excess_bytes(merge.record.counters[0], row.space);
    row.efficiency = measure::efficiency(merge.record.counters[0], row.space);
    row.cost = cost_of(merge.record.counters[0], row.space, merge.record.site, architecture);
    if (architecture != nullptr)
      row.excess_cycles = measure::excess_cycles(merge.record.counters[0], row.space, *architecture);
    if (architecture != nullptr) row.advice = advise::advise(merge.record, {architecture, 0, &launch});
    for (const advise::Advice& advice : row.advice) {
      row.wait_cycles = std::max(row.wait_cycles, advice.wait_cycles);
      if (advice.by_itself)
        row.excess_cycles = measure::excess_cycles(*advice.by_itself, row.space, *architecture);
    }
    if (row.excess_bytes == 0 && !can_save_passes(row)) row.excess_cycles = 0;
  }
  row.site = std::move(merge.record.site);
  row.counters = std::move(merge.record.counters);
  row.pattern = std::move(merge.record.pattern);
  row.distribution = std::move(merge.record.distribution);
  return row;
}

auto row_order(const Row& row) {
  u64 moved = measure::bytes_moved(row.counters[0], row.space);
  return std::tuple(~row.excess_cycles, ~row.excess_bytes, ~moved, row.site.ptx_line, row.space);
}

auto line_order(const Line& line) {
  u64 moved = 0;
  for (const Row& row : line.rows) moved += measure::bytes_moved(row.counters[0], row.space);
  return std::tuple(~line.excess_cycles, ~line.excess_bytes, ~moved, line.place.file, line.place.line,
                    line.rows[0].site.ptx_line);
}

Line line_at(const access::Site& site, const SourceLines& source, const Options& options) {
  Line line;
  line.calls = user_frames(site);
  if (!line.calls.empty()) line.place = line.calls.back(), line.calls.pop_back();
  if (line.place.line == 0) {
    line.function = function_name(site.function);
    return line;
  }
  line.text = source(line.place.file, line.place.line).value_or("");
  line.changed = options.changed && options.changed(line.place.file); // whatever stands there now
  return line;
}

// Rows of one source line together; without line information those of one function.
std::vector<Line> make_lines(std::vector<Row> rows, u64 all_excess, const SourceLines& source,
                             const Options& options) {
  std::map<PlaceKey, Line> lines;
  for (Row& row : rows) {
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
              [](const Row& a, const Row& b) { return row_order(a) < row_order(b); });
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

// The remainder of an unrolled loop that had none is no news: only lines of which nothing ran are.
void keep_idle_lines(std::vector<Row>& never, const std::vector<Row>& rows) {
  std::set<std::pair<std::string, u32>> ran;
  for (const Row& row : rows)
    for (const access::SourceFrame& frame : row.site.frames) ran.emplace(frame.file, frame.line);
  std::erase_if(never, [&](const Row& row) {
    access::SourceFrame place = user_frame(row.site);
    return place.line == 0 || ran.contains({place.file, place.line});
  });
}

void add_alike(Kernel& kernel, SiteSums& sums, const measure::LaunchContent& launch, u64 times) {
  kernel.launches += times;
  kernel.status = std::max(kernel.status, launch.status); // proved where exact ones are among them
  add_grid(kernel, launch.grid, times);
  add_reason(kernel, launch.reason, times);
  kernel.shared_bytes = std::max(kernel.shared_bytes, launch.shared_bytes);
  kernel.local_bytes = std::max(kernel.local_bytes, launch.local_bytes);
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

Kernel make_kernel(std::span<const Launch* const> launches, const Input& input, const SourceLines& source,
                   const Options& options) {
  const LaunchRecord& first = launches.front()->record;
  Kernel kernel;
  kernel.mangled = first.kernel, kernel.name = first.name.empty() ? first.kernel : first.name;
  kernel.module = first.module, kernel.status = first.status, kernel.sm = first.sm,
  kernel.block = first.block;
  kernel.first_launch = first.index;
  SiteSums sums;
  for (const Launch* launch : launches) add_alike(kernel, sums, launch->record, launch->count());
  if (auto found = input.local_use.find(kernel.mangled); found != input.local_use.end())
    kernel.local_use = found->second;
  for (const auto& [key, merge] : sums)
    if (ran(merge.record.counters) && merge.record.site.timing_dependent == access::Timing::none)
      add_counters(kernel.totals[key.second], merge.record.counters);
  std::vector<Row> rows;
  for (auto& [key, merge] : merge_rows(std::move(sums))) {
    Row row = make_row(std::move(merge), first);
    if (!ran(row.counters)) {
      kernel.never_executed.push_back(std::move(row));
      continue;
    }
    if (row.site.timing_dependent != access::Timing::none) {
      kernel.timing_dependent += row.sites;
      row.excess_bytes = row.excess_cycles = 0;
    } else {
      kernel.excess_bytes += row.excess_bytes;
      kernel.excess_cycles += row.excess_cycles;
      kernel.moved_bytes += measure::bytes_moved(row.counters[0], row.space);
    }
    rows.push_back(std::move(row));
  }
  keep_idle_lines(kernel.never_executed, rows);
  kernel.lines = make_lines(std::move(rows), kernel.excess_cycles, source, options);
  return kernel;
}

// Short names, and the block's shape where one kernel was launched with several.
void label(std::vector<Kernel>& kernels) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::tuple<u32, u32, u32>>> blocks; // by kernel
  for (const Kernel& kernel : kernels) {
    names.push_back(kernel.name);
    blocks[kernel.name].emplace(kernel.block.x, kernel.block.y, kernel.block.z);
  }
  names = short_names(names);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].short_name = kernels[i].label = names[i];
    if (blocks[kernels[i].name].size() > 1)
      kernels[i].label += fmt::format(" [block {}]", dimensions(kernels[i].block));
  }
}

std::vector<Kernel> make_kernels(const Input& input, const SourceLines& source, const Options& options) {
  using Key = std::tuple<std::string, std::string, u32, u32, u32, Status, std::vector<u32>>;
  std::map<Key, std::vector<const Launch*>> groups;
  for (const Launch& launch : input.launches) {
    const LaunchRecord& l = launch.record;
    groups[{l.kernel, l.module, l.block.x, l.block.y, l.block.z, group_of(l.status), l.sm}].push_back(
        &launch);
  }
  std::vector<Kernel> out;
  for (const auto& [key, launches] : groups) out.push_back(make_kernel(launches, input, source, options));
  auto order = [](const Kernel& k) {
    return std::tuple(k.status == Status::refused, k.status == Status::unknown, k.status == Status::failed,
                      ~k.excess_cycles, ~k.excess_bytes, ~k.moved_bytes, k.first_launch, k.name);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Kernel& a, const Kernel& b) { return order(a) < order(b); });
  label(out);
  return out;
}

void name_files(Model& model, const std::string& root) {
  std::set<std::string> files;
  auto add = [&](const std::string& file) {
    if (!file.empty()) files.insert(file);
  };
  auto add_site = [&](const access::Site& site) {
    for (const access::SourceFrame& frame : site.frames) add(frame.file);
  };
  for (const Kernel& kernel : model.kernels) {
    for (const Line& line : kernel.lines)
      for (const Row& row : line.rows) add_site(row.site);
    for (const Row& row : kernel.never_executed) add_site(row.site);
  }
  for (const Warning& warning : model.warnings) {
    add(warning.diagnostic.span.file);
    for (const std::string& note : warning.diagnostic.notes) // "inlined at FILE:LINE"
      if (constexpr std::string_view inlined = "inlined at "; note.starts_with(inlined))
        add(note.substr(inlined.size(), note.rfind(':') - inlined.size()));
  }
  model.files = file_names(files, root);
}

bool lines_known(const std::vector<Kernel>& kernels) {
  bool any = false;
  for (const Kernel& kernel : kernels)
    for (const Line& line : kernel.lines) {
      if (line.place.line != 0) return true;
      any = true;
    }
  return !any;
}

// The same words about the same place once, with how often.
void add_warning(std::vector<Warning>& warnings, const diag::Diagnostic& diagnostic, u64 times,
                 const SourceLines& source) {
  for (Warning& known : warnings)
    if (known.diagnostic.message == diagnostic.message && known.diagnostic.span == diagnostic.span) {
      known.times += times;
      return;
    }
  std::string text;
  if (diagnostic.span.line != 0) text = source(diagnostic.span.file, diagnostic.span.line).value_or("");
  warnings.push_back({diagnostic, std::move(text), times});
}

Result<text::Regex> compile_filter(const std::string& pattern) {
  auto expression = text::Regex::compile(pattern);
  if (expression) return std::move(*expression);
  return failure(diag::error("bad-kernel-filter",
                             fmt::format("'{}' is not a regular expression: {}",
                                         pattern.size() <= 80 ? pattern : pattern.substr(0, 80) + "…",
                                         expression.error().substr(0, 80)),
                             {}, "give part of the kernel's name, e.g. --kernel 'matmul|transpose'"));
}

bool is_complete(const Input& input) {
  const Missing& missing = input.missing;
  return missing.launches == 0 && missing.events == 0 && missing.processes == 0 &&
         input.interrupted.empty() && input.unsupported.empty() && !input.launches.empty() &&
         std::all_of(input.launches.begin(), input.launches.end(),
                     [](const Launch& launch) { return measure::is_counted(launch.record.status); });
}

const std::string& name_of(const Launch& launch) {
  return launch.record.name.empty() ? launch.record.kernel : launch.record.name;
}

diag::Diagnostic nothing_matches(const std::string& pattern, const std::vector<Launch>& launches) {
  constexpr std::size_t most_named = 5;
  std::set<std::string> names;
  for (const Launch& launch : launches) names.insert(name_of(launch));
  diag::Diagnostic out = diag::warning(
      "no-kernel-matches", fmt::format("no kernel that was launched matches --kernel '{}'", pattern));
  std::size_t named = 0;
  for (const std::string& name : names)
    if (named++ < most_named) out.notes.push_back("launched: " + name);
  if (named > most_named) out.notes.push_back(fmt::format("and {} more", named - most_named));
  out.help = "give part of a kernel's name";
  return out;
}

Result<u64> filter_launches(Input& input, const std::string& pattern) {
  if (pattern.empty()) return 0;
  Result<text::Regex> expression = compile_filter(pattern);
  if (!expression) return failure(expression.error());
  std::vector<Launch> kept;
  for (const Launch& launch : input.launches)
    if (expression->matches_within(name_of(launch))) kept.push_back(launch);
  const u64 removed = count(input.launches) - count(kept);
  if (removed != 0 && kept.empty()) input.messages.push_back(nothing_matches(pattern, input.launches));
  input.launches = std::move(kept);
  return removed;
}

} // namespace

Result<void> check_kernel_filter(const std::string& pattern) {
  Result<text::Regex> expression = compile_filter(pattern);
  if (!expression) return failure(expression.error());
  return {};
}

Result<Model> build(Input input, const SourceLines& source, const Options& options) {
  Model model;
  const bool complete = is_complete(input);
  Result<u64> removed = filter_launches(input, options.kernel_filter);
  if (!removed) return failure(removed.error());
  model.filtered_out = *removed;
  model.complete = complete && !input.launches.empty();
  name_arrays(input.launches, source);
  model.kernels = make_kernels(input, source, options);
  model.lines_known = lines_known(model.kernels);
  find_causes(model);
  for (const Launch& launch : input.launches)
    for (const diag::Diagnostic& diagnostic : launch.record.diagnostics)
      add_warning(model.warnings, diagnostic, launch.count(), source);
  for (const diag::Diagnostic& diagnostic : input.messages)
    add_warning(model.warnings, diagnostic, 1, source);
  std::map<std::string, u64> calls;
  for (const measure::Unsupported& unsupported : input.unsupported)
    calls[unsupported.function] += unsupported.calls;
  model.unsupported.assign(calls.begin(), calls.end());
  model.input = std::move(input);
  name_files(model, options.root);
  return model;
}

bool passes_strict(const Model& model) {
  auto is_finding = [](const Warning& w) {
    const std::string& kind = w.diagnostic.kind;
    return (kind.starts_with("sync-") || kind.starts_with("memory-") || kind.starts_with("race-")) &&
           w.diagnostic.severity != diag::Severity::note;
  };
  return model.complete && std::none_of(model.warnings.begin(), model.warnings.end(), is_finding);
}

} // namespace warplens::report
