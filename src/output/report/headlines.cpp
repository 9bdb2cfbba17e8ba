// The answer: what is wrong, where, how much it costs and what to change, worst cause first; then the kernels that have
// nothing to fix (verdicts.cpp), and the worst lines of the whole program.
//
//    1. 55% of the waste: 60 accesses of x8n, y8n, z8n and 6 more (fb, hgc)
//       lulesh.cu:875-880 (hgc), 932-950 (fb) and 12 more lines
//       worst: load global 8 B, stride 64 bytes (8 doubles)
//       31.25 sectors per request where 7.81 would do: 17.2 MB of 23.0 MB (75%) for nothing
//       fix: …
#include "arch/table.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "source/places.h"
#include "summary/findings.h"
#include "summary/rows.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace warplens::report {
namespace {

using access::Space;

// Below this share of what a kernel moves, waste is not worth a headline.
constexpr double worth_naming = 0.01;

// Of what the program moves from and to device memory, what the advice saves where it is given. Passes of shared memory are
// no traffic.
double share_saved(const Model& model, u64 saved) {
  u64 all = 0;
  for (const auto& [space, counters] : model.totals)
    if (!counters.empty() && space != Space::shared && space != Space::constant)
      all += measure::bytes_moved(counters[0], space);
  return all == 0 ? 0 : static_cast<double>(saved) / static_cast<double>(all);
}

// "fix: …", with what that gives over all accesses of the finding.
std::string fix_of(const Page& page, const Finding& finding, const Row& worst) {
  if (page.model.input.measured)
    return "fix: counters do not tell what the lanes do; warplens run has advice";
  const advise::Advice* advice = main_advice(worst);
  if (advice == nullptr && source::is_library_code(worst.site))
    return "fix: none in a library's own lines; what the program can change is what it calls, with which "
           "data and how often";
  if (advice == nullptr) return "fix: none that WarpLens knows";
  std::string text = "fix: " + advice->change;
  if (!finding.predicted) return text;
  const auto& [metric, before, after, saved_bytes] = *finding.predicted;
  const double gain = static_cast<double>(before) / static_cast<double>(std::max<u64>(after, 1));
  if (gain <= 1.05) return text;
  text += fmt::format(" (predicted: {:.1f} times fewer {}", gain,
                      metric == advise::Metric::threads ? "updates" : advise::name(metric)); // of atomics
  if (const double saved = share_saved(page.model, saved_bytes); saved >= 0.005)
    text += fmt::format(", which saves {} of the traffic", percent(saved));
  return text + ")";
}

// "32.00 sectors per request where 4.00 would do: 402 MB of 537 MB (75%) for nothing"
std::string waste_text(const Finding& finding, Space space) {
  std::string_view per = space == Space::shared || space == Space::constant ? "instruction" : "request";
  std::string text = fmt::format("{:.2f} {} per {} where {:.2f} would do", finding.cost.actual,
                                 finding.cost.unit, per, finding.cost.ideal);
  u64 moved = measure::bytes_moved(finding.counts, space);
  if (space == Space::shared)
    text += fmt::format(": {} of {} wavefronts", human(measure::excess(finding.counts, space)),
                        human(finding.counts.wavefronts));
  else if (space == Space::constant)
    text += fmt::format(": {} of {} requests", human(measure::excess(finding.counts, space)),
                        human(finding.counts.requests));
  else
    text += fmt::format(": {} of {}", human_bytes(measure::excess_bytes(finding.counts, space)),
                        human_bytes(moved));
  u64 excess = measure::excess_bytes(finding.counts, space);
  return text +
         fmt::format(" ({}) for nothing",
                     percent(moved == 0 ? 0 : static_cast<double>(excess) / static_cast<double>(moved)));
}

// Launches of one kernel whose costs differ: "; 4.00 in 1 launch, 5.00 in 1 launch". Else empty.
std::string by_launch(const Page& page, const Finding::Access& access, bool alone) {
  constexpr std::size_t most = 4;
  const auto costs =
      costs_by_launch(page.model.input.launches, kernel_of(page, access), row_of(page, access));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, costs.size()); ++i)
    words.push_back(fmt::format("{:.2f} in {}", costs[i].cost.actual, human(costs[i].launches, "launch")));
  if (costs.size() > most) words.push_back("…");
  return words.empty() ? "" : fmt::format("; {}{}", alone ? "" : "the worst ", fmt::join(words, ", "));
}

// Atomics that wait for one another: what is updated how often, and why there is no share.
//
//    1.05 M updates where 32.8 k would do. L2 performs those of one word one after the other, which no stage of an SM
//    shows: …
std::string wait_text(const Page& page, const Finding& finding) {
  u64 updates = 0, would_do = 0;
  for (const Finding::Access& access : finding.accesses)
    for (const advise::Advice& advice : row_of(page, access).advice)
      if (advice.wait_cycles != 0) updates += advice.before.threads, would_do += advice.after.threads;
  std::string_view where = row_of(page, finding.accesses[0]).space == Space::shared
                               ? "A loop of compare-and-swap performs those of one word one after the other"
                               : "L2 performs those of one word one after the other";
  return fmt::format(
      "{} updates where {} would do. {}, which no stage of an SM shows: there is no share, and the "
      "place in this list is what it takes if all warps meet",
      human(updates), human(would_do), where);
}

// Where it is ranked by what the assembler makes of it: what the pattern is of. Else empty.
std::string combined_note(const Page& page, const Finding& finding) {
  arch::Counts written;
  bool combined = false;
  for (const Finding::Access& access : finding.accesses) {
    const Row& row = row_of(page, access);
    written += row.counters[0];
    combined |=
        std::ranges::any_of(row.advice, [](const advise::Advice& a) { return a.by_itself.has_value(); });
  }
  if (!combined || written.instructions == 0) return "";
  return fmt::format("; this takes lanes of one word together, as the assembler makes it: {:.2f} as written",
                     static_cast<double>(written.wavefronts) / static_cast<double>(written.instructions));
}

// Launches with other blocks are other kernels of the report, but the access is one.
std::size_t accesses_in_source(const Page& page, const Finding& finding) {
  std::set<std::tuple<std::string, std::string, u32>> sites;
  for (const Finding::Access& access : finding.accesses) {
    const Kernel& kernel = kernel_of(page, access);
    sites.emplace(kernel.mangled, kernel.module, row_of(page, access).site.id.value);
  }
  return sites.size();
}

// Nobody's to edit: said beside the places, with the library's line where it is another.
std::string library_note(const Page& page, const Finding& finding) {
  const access::Site& worst = row_of(page, finding.accesses[0]).site;
  if (!source::is_library_code(worst)) return "";
  if (worst.frames.empty() || source::is_library_file(line_of(page, finding.accesses[0]).place.file))
    return " (a library's code)";
  const access::SourceFrame& own = worst.frames.front();
  return fmt::format(" (in a library's code: {}:{})", file_name(page, own.file), own.line);
}

std::string headline(const Page& page, const Finding& finding, u32 number) {
  const u32 width = page.options.width;
  const Finding::Access& worst = finding.accesses[0];
  const Row& row = row_of(page, worst);
  std::vector<std::string> arrays;
  std::set<std::string> kinds;
  for (const Finding::Access& access : finding.accesses) {
    add_new(arrays, array_name(row_of(page, access).site.array));
    kinds.insert(access_name(row_of(page, access)) + pattern_text(row_of(page, access)));
  }
  const std::vector<std::string> kernels = kernel_names(page, finding);
  const std::size_t accesses = accesses_in_source(page, finding);
  const bool waits = finding.wait_cycles > finding.excess_cycles,
             served = finding.rule == findings::Rule::halo_access ||
                      (finding.excess_cycles == 0 && row.from_l2 < 1);
  std::string what = fmt::format("{}, {}", access_name(row), pattern_text(row));
  std::string start = fmt::format("{:>2}. ", number),
              share = waits ? "Atomics that wait for one another: "
                            : fmt::format("{} of the waste{}: ", percent(finding.share),
                                          served ? ", which the L1 serves" : "");
  std::string out;
  if (accesses == 1) {
    const Line& line = line_of(page, worst);
    const bool told = line.place.line == 0 && line.function == kernel_of(page, worst).short_name;
    const std::string place = !told                    ? ", " + place_name(page, line)
                              : page.model.lines_known ? ", no source line (the compiler merged or moved it)"
                                                       : "";
    out +=
        page.style.bold(wrap(share + listed(kernels, 2) + place + library_note(page, finding), start, width));
    if (!arrays.empty()) what = arrays[0] + ": " + what;
  } else {
    std::string whose = arrays.empty() ? "" : " of " + listed(arrays, 4);
    out += page.style.bold(
        wrap(fmt::format("{}{}{} ({})", share, human(accesses, "access"), whose, listed(kernels, 2)), start,
             width));
    out += wrap(places_text(page, finding) + library_note(page, finding), "    ", width);
    if (kinds.size() > 1) what = "worst: " + what;
  }
  out += page.style.bad(wrap(what, "    ", width));
  std::string costs = waits ? wait_text(page, finding) : waste_text(finding, row.space);
  if (!waits && row.space == Space::shared) costs += combined_note(page, finding);
  if (!waits) costs += by_launch(page, worst, accesses == 1);
  out += wrap(costs, "    ", width);
  return out + page.style.bold(wrap(fix_of(page, finding, row), "    ", width));
}

// What the order of so many headlines rests on.
std::string weights_line(const Page& page, u32 headlines) {
  const arch::Architecture* row = page.model.input.sm.empty() ? nullptr : arch::find(page.model.input.sm[0]);
  if (headlines < 2 || row == nullptr) return "";
  const arch::StageCosts& costs = row->costs;
  const bool served = page.model.findings.back().rule == findings::Rule::halo_access;
  bool tables = false;
  for (const Kernel& kernel : page.model.kernels)
    for (const Line& line : kernel.lines)
      tables |= std::ranges::any_of(line.rows, [](const Row& row) { return row.from_l2 != 1; });
  return '\n' +
         page.style.faint(wrap(
             fmt::format(
                 "Ranked by the cycles lost at an SM's busiest stage: a pass of shared memory or the L1 "
                 "takes {}, a sector {} ({}).{}{}",
                 costs.wavefront, costs.sector, arch::name(costs.source.grade),
                 tables ? " Of what stays in the L1 while it is read again, each sector counts once." : "",
                 served ? " What the L1 serves comes last." : ""),
             "", page.options.width));
}

} // namespace

std::string headline_section(const Page& page) {
  const u32 top = page.options.top_lines;
  std::string out;
  std::set<u32> found; // kernels
  u32 number = 0, left = 0;
  double longest_wait = 1;
  for (const Finding& finding : page.model.findings)
    longest_wait = std::max(
        {longest_wait, static_cast<double>(finding.wait_cycles), static_cast<double>(finding.excess_cycles)});
  double left_share = 0;
  for (const Finding& finding : page.model.findings) {
    const Kernel& kernel = kernel_of(page, finding.accesses[0]);
    const bool waits = finding.wait_cycles > finding.excess_cycles;
    if (!waits && finding.excess_bytes != 0 && waste_of(kernel, kernel.excess_bytes) < worth_naming) continue;
    for (const Finding::Access& access : finding.accesses) found.insert(access.kernel);
    const double part = waits ? static_cast<double>(finding.wait_cycles) / longest_wait : finding.share;
    const bool little = number != 0 && part < worth_naming;
    if (top != 0 && (number == top || little)) {
      ++left;
      left_share += finding.share;
      continue;
    }
    out += '\n' + headline(page, finding, ++number);
  }
  if (left != 0)
    out += '\n' + wrap(fmt::format("and {} with {} of the waste (--top-lines 0 shows all)",
                                   human(left, "cause"), percent(left_share)),
                       "    ", page.options.width);
  return out + verdict_section(page, found) + weights_line(page, number);
}

std::string line_section(const Page& page) {
  const Model& model = page.model;
  std::set<u32> kernels;
  for (const ProgramLine& line : model.lines) kernels.insert(line.lines[0].first);
  // The headlines say it all where each is of one line; so does its table where there is one kernel.
  if (model.lines.size() <= model.findings.size() || (kernels.size() < 2 && !page.options.summary)) return "";
  std::string out = '\n' + page.style.bold("Lines with the most waste") + '\n';
  const u32 top = page.options.top_lines;
  std::size_t shown = top == 0 ? model.lines.size() : std::min<std::size_t>(top, model.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [k, l] = model.lines[i].lines[0];
    const Line& line = model.kernels[k].lines[l];
    std::string text = fmt::format("  {:>4}  {}  ", percent(model.lines[i].share), place_name(page, line));
    std::vector<std::string> labels;
    for (const auto& [kernel, index] : model.lines[i].lines)
      add_new(labels, clip_middle(model.kernels[kernel].label, 30));
    text += listed(labels, 2);
    if (!line.text.empty()) text += "  " + source_text(line);
    out += clip(text, page.options.width) + '\n';
  }
  if (shown < model.lines.size())
    out +=
        fmt::format("  and {} more (--top-lines 0 shows all)\n", human(model.lines.size() - shown, "line"));
  return out;
}

} // namespace warplens::report
