// The table of one kernel: its launches, its lines with their accesses, worst first, and its totals.
//
// Per access: requests, what one request (shared, constant: one instruction) cost and would cost at best,
// bandwidth efficiency, and the access's share of the kernel's waste. The pattern goes at the end of the line
// where there is room, else on a line of its own. With several architectures, a second table puts their bytes
// side by side.
#include "arch/table.h"
#include "base/bits.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "summary/bottleneck.h"
#include "summary/kernel_occupancy.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warplens::report {
namespace {

using access::Space;
using arch::Counts;
using measure::Status;

constexpr u32 access_width = 24, number_width = 9, cost_width = 26, percent_width = 6;
// On a narrow page without requests and efficiency.
constexpr u32 row_width = 2 + access_width + number_width + 2 + cost_width + 2 * percent_width;

std::string grids_of(const Kernel& kernel) {
  if (kernel.grids.size() == 1) return "grid " + dimensions(kernel.grids[0].first);
  std::string out = "grids";
  std::size_t shown = std::min<std::size_t>(3, kernel.grids.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += fmt::format("{} {} (x{})", i == 0 ? "" : ",", dimensions(kernel.grids[i].first),
                       kernel.grids[i].second);
  if (kernel.grids.size() > shown) out += fmt::format(" and {} more", kernel.grids.size() - shown);
  return out;
}

std::string label_of(const Kernel& kernel) {
  if (kernel.measured) return "measured";
  switch (kernel.status) {
  case Status::exact: return "exact";
  case Status::sampled: return fmt::format("sampled: {}, {}", blocks_of(kernel), plus_minus(kernel.spread));
  case Status::partial: return "partial: " + blocks_of(kernel);
  case Status::failed: return "failed: counts up to the fault";
  case Status::unknown: return "unknown: counts as far as it came";
  case Status::proved: return "proved";
  case Status::refused: return "refused";
  }
  return {};
}

// Too few blocks leave SMs without work, and too few warps leave them waiting, which no count of accesses shows. Empty where
// there are enough: blocks for half of the SMs, a quarter of the warps that these can hold.
std::string few_threads(const Kernel& kernel) {
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  u64 most = 0;
  for (const auto& [grid, launches] : kernel.grids) most = std::max(most, grid.count());
  if (row == nullptr || most == 0) return "";
  const u64 multiprocessors = row->part.multiprocessors, room = row->limits.threads_per_sm / warp_size;
  const char* at_most = kernel.grids.size() == 1 ? "" : "at most ";
  if (2 * most < multiprocessors)
    return fmt::format("; blocks for {}{} of {} SMs", at_most, most, multiprocessors);
  const u64 warps = most * ceil_div(kernel.block.count(), warp_size);
  if (4 * warps >= room * multiprocessors) return "";
  return fmt::format("; {}{:.1f} of {} warps on an SM", at_most,
                     static_cast<double>(warps) / static_cast<double>(multiprocessors), room);
}

std::string launch_line(const Kernel& kernel) {
  std::string text = fmt::format("{}, {}, block {}", human(kernel.launches, "launch"), grids_of(kernel),
                                 dimensions(kernel.block));
  if (kernel.shared_bytes != 0)
    text += fmt::format(", {} shared per block", human_bytes(kernel.shared_bytes));
  if (!kernel.called_from.empty()) text += "; called from " + listed(kernel.called_from, 3);
  return text + few_threads(kernel) + "; " + label_of(kernel);
}

// What takes the kernel's time, and what each part takes of it.
//
//    costs time: memory limits this kernel
//    cycles per SM: the L1's data stage 34.0 k, L1 tags 9280, instructions 12.1 k, waiting for loads at most 73.7 k
std::string limit_lines(const Page& page, const Kernel& kernel) {
  if (kernel.measured_time) {
    const double each = *kernel.measured_time / static_cast<double>(kernel.launches);
    return wrap(
        fmt::format("took {}{}", human_time(each), kernel.launches == 1 ? "" : " a launch, on average"), "  ",
        page.options.width);
  }
  const std::vector<Stage> used = stages(kernel.limit);
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  if (used.empty() || row == nullptr || kernel.measured) return "";
  std::string text = fmt::format("cycles per SM: {} {}", used[0].words, human(used[0].cycles));
  if (used.size() > 1) text += fmt::format(", {} {}", used[1].brief, human(used[1].cycles));
  const Bottleneck limit = bottleneck(page.model, kernel);
  if (limit.issue != 0) text += ", instructions " + human(limit.issue);
  if (limit.waiting != 0) text += ", waiting for loads at most " + human(limit.waiting);
  std::string out = wrap(std::string(meaning(kernel.limiter)), "  ", page.options.width) +
                    wrap(text, "  ", page.options.width);
  if (kernel.limit.bound == 0 || !page.options.details) return out;
  const double least = seconds(kernel.limit.bound, *row) / static_cast<double>(kernel.launches);
  std::string each = kernel.launches == 1       ? ""
                     : kernel.grids.size() == 1 ? " a launch"
                                                : " a launch, on average";
  return out + wrap(fmt::format("at least {}{} if all data are in the L1 ({}: {} SMs, {:.2f} GHz)",
                                human_time(least), each, row->part.name, row->part.multiprocessors,
                                row->part.clock_khz / 1e6),
                    "  ", page.options.width);
}

// Proved: which blocks stand for how many; and, where launches had to be emulated, why.
std::string proof_lines(const Page& page, const Kernel& kernel) {
  if (!measure::is_counted(kernel.status)) return "";
  constexpr std::size_t most_shown = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(kernel.reasons.size(), most_shown); ++i) {
    std::string text = kernel.reasons[i].text;
    if (kernel.reasons.size() > 1) text += fmt::format(" ({})", human(kernel.reasons[i].launches, "launch"));
    out += wrap(text, "  ", page.options.width);
  }
  if (kernel.reasons.size() > most_shown)
    out += wrap(fmt::format("and {} more", kernel.reasons.size() - most_shown), "  ", page.options.width);
  return out;
}

std::string occupancy_lines(const Page& page, const Kernel& kernel) {
  const std::optional<summary::Occupancy> fits = summary::occupancy_of(kernel);
  return fits ? wrap(in_words(*fits, kernel), "  ", page.options.width) : "";
}

std::string local_lines(const Page& page, const Kernel& kernel) {
  std::string out;
  if (!kernel.local_arrays.empty())
    out += wrap(fmt::format("local memory: {} per thread, for {}", human_bytes(kernel.local_bytes),
                            access::text_of(kernel.local_arrays)),
                "  ", page.options.width);
  if (kernel.local_use && kernel.local_use->stack_bytes + kernel.local_use->spill_store_bytes +
                                  kernel.local_use->spill_load_bytes !=
                              0)
    out += wrap(fmt::format("ptxas: {} B stack frame, {} B spill stores, {} B spill loads per thread",
                            kernel.local_use->stack_bytes, kernel.local_use->spill_store_bytes,
                            kernel.local_use->spill_load_bytes),
                "  ", page.options.width);
  return out;
}

// What a request moves beyond need: of a broadcast nothing, however few bytes it asks for.
double badness(const Cost& cost) {
  return cost.actual == 0 ? 0 : std::max(0.0, 1 - cost.ideal / cost.actual);
}

std::string coloured(const Style& style, double badness, const std::string& text) {
  return badness >= 0.5 ? style.bad(text) : badness >= 0.1 ? style.poor(text) : text;
}

// A copy whose size is 0 is performed, and asks for nothing.
bool copies_nothing(const AccessRow& row) {
  return row.site.kind == access::Kind::async_copy && row.space != Space::shared &&
         row.counters[0].requests == 0;
}

std::string row_line(const Page& page, const Kernel& kernel, const AccessRow& row) {
  const Counts& counters = row.counters[0];
  const bool whole = page.options.width >= least_table_width;
  if (copies_nothing(row)) {
    const std::string text = "    " + pad_right(access_name(row), access_width - 2) +
                             (whole ? pad_left("0", number_width) : "") + "  ";
    return text + page.style.faint("copies nothing: its sizes are 0") + '\n';
  }
  u64 requests =
      row.space == Space::shared || row.space == Space::constant ? counters.instructions : counters.requests;
  std::string waste = kernel.excess_cycles == 0 ? "-" : percent(row.share);
  std::string out = "    " + pad_right(access_name(row), access_width - 2);
  const bool sampled = kernel.status == Status::sampled;
  out += whole ? pad_left(sampled ? about(requests) : human(requests), number_width) + "  " : "  ";
  out += pad_right(pad_left(fmt::format("{:.2f}", row.cost.actual), 6) +
                       fmt::format(" ({:.2f}) {}", row.cost.ideal, row.cost.unit),
                   cost_width);
  if (whole) out += coloured(page.style, badness(row.cost), pad_left(percent(row.efficiency), percent_width));
  out += coloured(page.style, row.share, pad_left(waste, percent_width));
  std::string pattern = pattern_text(row), array = array_name(row.site.array);
  if (!array.empty()) pattern = array + ": " + pattern;
  if (row.excess_bytes == 0 && row.excess_cycles != 0 && counters.requests != 0)
    pattern += fmt::format(", {:.1f} passes through the L1",
                           static_cast<double>(l1_passes(counters)) / static_cast<double>(counters.requests));
  if (row.pattern.shape.form == measure::Form::conflict && row.cost.actual <= row.cost.ideal)
    pattern += " as written: the assembler takes lanes of one word together";
  if (row.site.timing_dependent != access::Timing::none) pattern = "depends on timing, " + pattern;
  if (sampled)
    pattern = (row.is_rare() ? "rare in the sample, not judged; " : plus_minus(row.spread) + "; ") + pattern;
  bool fits = row_width + 2 + width_of(pattern) <= page.options.width;
  return out + (fits ? "  " : "\n      ") + page.style.faint(clip(pattern, page.options.width - 6)) + '\n';
}

// A line's rows, worst first; empty where there is none. Unrolled loops make many of one statement: those that matter least are summed up.
std::string line_block(const Page& page, const Kernel& kernel, const Line& line) {
  constexpr std::size_t most_rows = 4;
  std::vector<const AccessRow*> rows;
  for (const AccessRow& row : line.rows)
    if (!is_parameter_read(row)) rows.push_back(&row);
  if (rows.empty()) return "";
  std::string place = "  " + place_name(page, line);
  if (rows.size() > 1 && rows[1]->excess_cycles != 0) place += fmt::format("  [{}]", percent(line.share));
  u32 room = page.options.width - std::min(page.options.width, width_of(place) + 2);
  std::string out = page.style.bold(clip(place, page.options.width));
  if (!line.text.empty() && room >= 8) out += "  " + clip(source_text(line), room);
  out += '\n';
  bool all = page.options.top_lines == 0 || page.options.details || rows.size() <= most_rows + 1;
  std::size_t shown = all ? rows.size() : most_rows;
  double rest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < shown)
      out += row_line(page, kernel, *rows[i]);
    else
      rest += rows[i]->share;
  }
  if (shown < rows.size())
    out += fmt::format("    and {} of this line with {} of the waste\n", human(rows.size() - shown, "access"),
                       percent(rest));
  return out;
}

// How much of what warps ask of the L1 they have asked for before, as far as the first block tells: the traffic of memory
// behind the caches can be less by as much. "; its first block asks for each 9.0 times"
std::string asked_again(const Kernel& kernel) {
  u64 asked = 0, distinct = 0;
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      if (row.space == Space::global && row.site.timing_dependent == access::Timing::none) {
        asked += row.distribution.first_block.sectors;
        distinct += row.distribution.first_block.distinct_sectors;
      }
  constexpr double worth_saying = 1.5;
  const double times = distinct == 0 ? 1 : static_cast<double>(asked) / static_cast<double>(distinct);
  return times < worth_saying ? "" : fmt::format("; its first block asks for each {:.1f} times", times);
}

std::string total_line(const Page& page, const Kernel& kernel) {
  if (kernel.totals.empty()) return ""; // it failed, or all depends on timing
  std::string text;
  for (const auto& [space, counters] : kernel.totals) {
    const Counts& sum = counters[0];
    std::string part;
    if (space == Space::shared)
      part =
          fmt::format("shared {} wavefronts (ideal {})", human(sum.wavefronts), human(sum.ideal_wavefronts));
    else if (space == Space::constant)
      part = fmt::format("constant {} requests (ideal {})", human(sum.requests), human(sum.instructions));
    else
      part = fmt::format("{} {} sectors (ideal {}{})", access::name(space), human(sum.sectors),
                         human(sum.ideal_sectors), space == Space::global ? asked_again(kernel) : "");
    text += (text.empty() ? "" : "; ") + part;
  }
  return wrap(text, "  total: ", page.options.width);
}

// What one architecture's column of the comparison shows for a row, and how to write it.
u64 compared(const AccessRow& row, std::size_t architecture) {
  return measure::bytes_moved(row.counters[architecture], row.space);
}

double spread(const AccessRow& row) {
  u64 least = ~u64{0}, most = 0;
  for (std::size_t a = 0; a < row.counters.size(); ++a)
    least = std::min(least, compared(row, a)), most = std::max(most, compared(row, a));
  return least == 0 ? (most == 0 ? 1 : 1e9) : static_cast<double>(most) / static_cast<double>(least);
}

std::string comparison(const Page& page, const Kernel& kernel) {
  constexpr u32 column = 9, widest_name = 40, narrowest_name = 30;
  // Names give way so that five architectures fit on a line of 80.
  u32 columns = column * static_cast<u32>(kernel.sm.size());
  u32 name_width = page.options.width < columns + narrowest_name
                       ? widest_name
                       : std::min(widest_name, page.options.width - columns);
  std::vector<std::pair<const Line*, const AccessRow*>> rows;
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows) rows.emplace_back(&line, &row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return spread(*a.second) > spread(*b.second); });
  std::size_t per_band = std::max<std::size_t>(1, (page.options.width - name_width) / column);
  const u32 top = page.options.top_lines;
  std::size_t limit = top == 0 ? rows.size() : std::min<std::size_t>(rows.size(), std::size_t{2} * top);
  std::string out = "  Bytes moved by compute capability, worst differences first:\n";
  for (std::size_t first = 0; first < kernel.sm.size(); first += per_band) {
    std::size_t end = std::min(kernel.sm.size(), first + per_band);
    out += std::string(name_width, ' ');
    for (std::size_t a = first; a < end; ++a) out += pad_left(compute_capability(kernel.sm[a]), column);
    out += '\n';
    for (std::size_t i = 0; i < limit; ++i) {
      const auto& [line, row] = rows[i];
      out +=
          pad_right(clip(fmt::format("  {}  {}", place_name(page, *line), access_name(*row)), name_width - 1),
                    name_width);
      for (std::size_t a = first; a < end; ++a) out += pad_left(human_bytes(compared(*row, a)), column);
      out += '\n';
    }
  }
  if (limit < rows.size())
    out += wrap(fmt::format("and {} with smaller differences (--top-lines 0 shows all)",
                            human(rows.size() - limit, "access")),
                "  ", page.options.width);
  return out;
}

// All that is said of a kernel before its rows.
std::string kernel_head(const Page& page, const Kernel& kernel) {
  std::string share;
  if (kernel.share > 0 && kernel.share < 1)
    share = fmt::format("  {} of the program's waste", percent(kernel.share));
  std::string out =
      page.style.bold(clip_middle(kernel.label, page.options.width - width_of(share))) + share + '\n';
  if (page.options.details && kernel.name != kernel.label) out += wrap(kernel.name, "  ", page.options.width);
  if (page.options.details && !kernel.module.empty())
    out += wrap("PTX: " + kernel.module, "  ", page.options.width);
  out += wrap(launch_line(kernel), "  ", page.options.width);
  return out + limit_lines(page, kernel) + proof_lines(page, kernel) + occupancy_lines(page, kernel) +
         local_lines(page, kernel);
}

// What a reader sees of a row, but for how often it ran.
std::string appearance(const Page& page, const Line& line, const AccessRow& row) {
  return fmt::format("{} {} {} {} {:.2f} {:.2f} {}", place_name(page, line), access_name(row),
                     array_name(row.site.array), pattern_text(row), row.cost.actual, row.cost.ideal,
                     percent(row.efficiency));
}

} // namespace

bool reads_alike(const Page& page, const Kernel& a, const Kernel& b) {
  auto rows_of = [&](const Kernel& kernel) {
    std::multiset<std::string> out;
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) out.insert(appearance(page, line, row));
    return out;
  };
  return a.mangled == b.mangled && a.module == b.module && a.status == b.status && rows_of(a) == rows_of(b);
}

std::string alike_kernel_section(const Page& page, const Kernel& kernel, const Kernel& as) {
  return kernel_head(page, kernel) + total_line(page, kernel) +
         fmt::format("  lines as of block {} above (--top-kernels 0 shows them)\n", dimensions(as.block));
}

std::string kernel_section(const Page& page, const Kernel& kernel) {
  std::string out = kernel_head(page, kernel);
  const bool whole = page.options.width >= least_table_width;
  out += page.style.faint(
             "  " + pad_right("", access_width) + (whole ? pad_left("requests", number_width) : "") + "  " +
             pad_right("cost of each (ideal)", cost_width) + (whole ? pad_left("effic", percent_width) : "") +
             pad_left("waste", percent_width)) +
         '\n';
  const u32 top = page.options.top_lines;
  std::size_t shown = top == 0 ? kernel.lines.size() : std::min<std::size_t>(top, kernel.lines.size());
  double left_share = 0;
  for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
    if (i < shown)
      out += line_block(page, kernel, kernel.lines[i]);
    else
      left_share += kernel.lines[i].share;
  }
  if (shown < kernel.lines.size())
    out += wrap(fmt::format("and {} with {} of the waste (--top-lines 0 shows all)",
                            human(kernel.lines.size() - shown, "line"), percent(left_share)),
                "  ", page.options.width);
  out += total_line(page, kernel);
  if (!kernel.never_executed.empty() && !page.options.details)
    out += fmt::format("  never executed: {} (--details lists them)\n",
                       human(kernel.never_executed.size(), "access"));
  if (kernel.sm.size() > 1) out += comparison(page, kernel);
  return out;
}

} // namespace warplens::report
