// The answer: what is wrong, where, how much it costs and what to change, worst cause first; then the kernels that have
// nothing to fix (verdicts.cpp), and the worst lines of the whole program.
//
//    1. 55% of the waste: 60 accesses of x8n, y8n, z8n and 6 more (fb, hgc)
//       lulesh.cu:875-880 (hgc), 932-950 (fb) and 12 more lines
//       Why:    x8n: neighbouring threads are 64 bytes apart, load global 8 B. 31.25 sectors per request where 7.81 would do:
//               17.2 MB of 23.0 MB (75%) for nothing
//       Change: …
//       Gain:   4.0 times fewer sectors; saves 41% of the program's traffic
//       Time:   costs time: memory limits this kernel
#include "arch/table.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "source/places.h"
#include "summary/bottleneck.h"
#include "summary/findings.h"
#include "summary/rows.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace warplens::report {
namespace {

using access::Space;

// Below this share of what all accesses cost, a cause is not worth a headline.
constexpr double worth_naming = 0.01;

// Atomics that wait for one another are what it costs.
bool waits(const Finding& finding) { return finding.wait_cycles > finding.excess_cycles; }

// What only some ranks do is held against what these cost: the others wait for them.
bool costs_little(const Page& page, const Finding& finding) {
  const summary::Parts& ranks = line_of(page, finding.accesses[0]).ranks;
  const double share = ranks.count == 0 ? 1 : static_cast<double>(ranks.count) / ranks.of;
  return page.options.top_lines != 0 && !waits(finding) &&
         static_cast<double>(finding.excess_cycles) <
             worth_naming * share * static_cast<double>(page.model.cycles);
}

// Of what the program moves from and to device memory, what the advice saves where it is given. Passes of shared memory are
// no traffic.
double share_saved(const Model& model, u64 saved) {
  return summary::share_of(saved, summary::traffic(model).bytes);
}

// What to change; what one can do where there is no advice.
std::string change_of(const Page& page, const AccessRow& worst) {
  if (page.model.input.measured) return "counters do not show what the lanes do; warplens run has advice";
  const advise::Advice* advice = main_advice(worst);
  if (advice != nullptr) return advice->change;
  if (source::is_library_code(worst.site))
    return "none in the library's own lines. Change what the program calls, with which data, or how often";
  return "none that WarpLens knows";
}

// "8.0 times fewer sectors; saves 74% of the traffic", over all accesses of the finding. Empty where nothing is gained.
std::string gain_of(const Page& page, const Finding& finding) {
  if (!finding.predicted || page.model.input.measured) return "";
  auto [metric, before, after, saved_bytes] = *finding.predicted;
  std::string_view what = metric == advise::Metric::threads ? "updates" : advise::name(metric); // of atomics
  // Where transactions have several sizes, bytes tell what is saved, as they tell what it costs.
  if (finding.cost.unit == "bytes" && saved_bytes != 0) {
    before = measure::bytes_moved(finding.counts, row_of(page, finding.accesses[0]).space);
    after = before - std::min(before, saved_bytes), what = "bytes";
  }
  const double gain = static_cast<double>(before) / static_cast<double>(std::max<u64>(after, 1));
  if (gain <= 1.05) return "";
  const advise::Advice* advice = main_advice(row_of(page, finding.accesses[0]));
  const bool tried = advice == nullptr || advice->confidence != advise::Confidence::possible;
  std::string text = after == 0 ? fmt::format("{}none of these {} is left", tried ? "" : "at best ", what)
                                : fmt::format("{} times fewer {}", findings::times(gain), what);
  if (const double saved = share_saved(page.model, saved_bytes); saved >= 0.005)
    text += fmt::format("; saves {} of the program's traffic", percent(saved));
  return text;
}

// "32 sectors per request where 4 would do: 402 MB of 537 MB (75%) for nothing". Of several accesses, the numbers of the worst,
// which is named, and then what all of them move.
std::string waste_text(const Page& page, const Finding& finding, std::size_t accesses) {
  const AccessRow& worst = row_of(page, finding.accesses[0]);
  const Space space = worst.space;
  const bool sampled = std::ranges::any_of(finding.accesses, [&](const Finding::Access& access) {
    return kernel_of(page, access).status == measure::Status::sampled;
  });
  const Cost& cost = accesses == 1 ? finding.cost : worst.cost;
  std::string text = findings::cost_text(cost.actual, cost.unit, cost.ideal);
  text += accesses == 1 ? ": "
                        : fmt::format("; {}: ", accesses == 2 ? "both accesses"
                                                              : fmt::format("all {} accesses", accesses));
  const u64 moved = measure::bytes_moved(finding.counts, space),
            excess = measure::excess_bytes(finding.counts, space, worst.site);
  if (space == Space::shared)
    text += fmt::format("{} of {} wavefronts", shown(measure::excess(finding.counts, space), sampled),
                        shown(finding.counts.wavefronts, sampled));
  else if (space == Space::constant)
    text += fmt::format("{} of {} requests", shown(measure::excess(finding.counts, space), sampled),
                        shown(finding.counts.requests, sampled));
  else
    text += fmt::format("{} of {}", shown_bytes(excess, sampled), shown_bytes(moved, sampled));
  return text +
         fmt::format(" ({}) for nothing",
                     percent(moved == 0 ? 0 : static_cast<double>(excess) / static_cast<double>(moved)));
}

// What is wrong, in the words of the advice, with the pattern where that says more than its stride.
std::string problem_of(const Page& page, const AccessRow& row) {
  const advise::Advice* advice = page.model.input.measured ? nullptr : main_advice(row);
  if (advice != nullptr && is_spill(row.site)) return advice->cause;
  // "2 of 32 lanes are active" is not said twice, nor how far apart they are.
  const std::string pattern =
      pattern_text(row, advice == nullptr || advice->rule != findings::Rule::divergent_access);
  if (advice == nullptr || pattern.find(advice->title) != pattern.npos) return pattern;
  const measure::Shape& shape = row.pattern.shape;
  const bool told = advice->tells_stride && shape.form == measure::Form::strided && shape.rows == 0;
  return told ? advice->title + idle_lanes(row) : fmt::format("{} ({})", advice->title, pattern);
}

// Launches of one kernel whose costs differ: "; 4.00 in 1 launch, 5.00 in 1 launch". Else empty.
std::string by_launch(const Page& page, const Finding::Access& access, bool alone) {
  constexpr std::size_t most = 4;
  if (kernel_of(page, access).status == measure::Status::sampled) return ""; // they differ by chance
  const auto costs =
      costs_by_launch(page.model.input.launches, kernel_of(page, access), row_of(page, access));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, costs.size()); ++i)
    words.push_back(
        fmt::format("{} in {}", findings::number(costs[i].cost.actual), human(costs[i].launches, "launch")));
  if (costs.size() > most) words.push_back("…");
  return words.empty() ? "" : fmt::format("; {}{}", alone ? "" : "the worst ", fmt::join(words, ", "));
}

// Atomics that wait for one another: what is updated how often, and how long that may take.
//
//    1.05 M updates where 32.8 k would do. L2 performs those of one word one after the other: …
std::string wait_text(const Page& page, const Finding& finding) {
  u64 updates = 0, would_do = 0;
  for (const Finding::Access& access : finding.accesses)
    for (const advise::Advice& advice : row_of(page, access).advice)
      if (advice.wait_cycles != 0) updates += advice.before.threads, would_do += advice.after.threads;
  std::string_view where = row_of(page, finding.accesses[0]).space == Space::shared
                               ? "A loop of compare-and-swap performs those of one word one after the other"
                               : "L2 performs those of one word one after the other";
  const u32 sm = page.model.input.sm.empty() ? 0 : page.model.input.sm[0];
  const arch::Architecture* device = arch::find(sm);
  const u64 multiprocessors = device == nullptr ? 1 : std::max(1u, device->part.multiprocessors);
  const bool bound = std::ranges::any_of(
      finding.accesses, [&](const Finding::Access& access) { return wait_is_bound(row_of(page, access)); });
  return fmt::format("{} updates where {} would do. {}: {}{} cycles of the whole GPU, {}", human(updates),
                     human(would_do), where, bound ? "up to " : "",
                     human(finding.wait_cycles / multiprocessors),
                     bound ? "if all warps meet" : "at the word that has most");
}

// Where it is ranked by what the assembler makes of it: what the pattern is of. Else empty.
std::string combined_note(const Page& page, const Finding& finding) {
  arch::Counts written;
  bool combined = false;
  for (const Finding::Access& access : finding.accesses) {
    const AccessRow& row = row_of(page, access);
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

std::vector<std::string> arrays_of(const Page& page, const Finding& finding) {
  std::vector<std::string> out;
  for (const Finding::Access& access : finding.accesses)
    add_new(out, array_name(row_of(page, access).site.array));
  return out;
}

// Nobody's to edit: said beside the places, with the library's line where it is another.
std::string library_note(const Page& page, const Finding& finding) {
  const access::Site& worst = row_of(page, finding.accesses[0]).site;
  const std::vector<std::string>& calls = kernel_of(page, finding.accesses[0]).called_from;
  if (!source::is_library_code(worst))
    return worst.frames.empty() && !calls.empty() ? fmt::format(" (called from {})", listed(calls, 2)) : "";
  if (worst.frames.empty() || source::is_library_file(line_of(page, finding.accesses[0]).place.file))
    return calls.empty() ? " (a library's code)"
                         : fmt::format(" (a library's code, called from {})", listed(calls, 2));
  const access::SourceFrame& own = worst.frames.front();
  return fmt::format(" (in a library's code: {}:{})", file_name(page, own.file), own.line);
}

// "Why:    …": what each line of a cause begins with.
std::string labelled(const Page& page, std::string_view label, std::string text) {
  return wrap(text, fmt::format("    {:8}", label), page.options.width);
}

// Has it a share of the waste that is worth naming?
bool has_share(const Finding& finding) { return !waits(finding) || finding.share >= worth_naming; }

// Of a change what stands before its conditions, and before a second sentence.
std::string brief_change(const std::string& change) {
  return change.substr(0, std::min(change.find_first_of(";,:"), change.find(". ")));
}

// "54% of the waste", which is of cycles; with its share of what moves for nothing where that is quite another, and not all. What waits
// is in no share, and may move bytes for nothing besides.
std::string share_words(const Page& page, const Finding& finding) {
  constexpr double another = 0.25;
  if (!has_share(finding)) return "Atomics that wait";
  std::string out = percent(finding.share) + " of the waste";
  const Space space = row_of(page, finding.accesses[0]).space;
  const double bytes = share_of(finding.excess_bytes, excess_bytes(page.model, space, 0));
  if (space == Space::global && bytes < 1 && std::abs(bytes - finding.share) >= another)
    out += fmt::format(" ({} of the wasted bytes)", percent(bytes));
  return waits(finding) ? out + ", atomics that wait" : out;
}

// Where it is, and whose: "matmul, matmul.cu:15", "60 accesses of x, y (fb, hgc)".
std::string subject_of(const Page& page, const Finding& finding) {
  const Finding::Access& worst = finding.accesses[0];
  const std::size_t accesses = accesses_in_source(page, finding);
  if (accesses != 1) {
    const std::vector<std::string> arrays = arrays_of(page, finding);
    return fmt::format("{}{} ({})", human(accesses, "access"),
                       arrays.empty() ? "" : " of " + listed(arrays, 4),
                       listed(kernel_names(page, finding), 2));
  }
  const Line& line = line_of(page, worst);
  const bool told = line.place.line == 0 && line.function == kernel_of(page, worst).short_name;
  const std::string place = !told                    ? ", " + place_name(page, line)
                            : page.model.lines_known ? ", no source line (the compiler merged or moved it)"
                                                     : "";
  return listed(kernel_names(page, finding), 2) + place + library_note(page, finding);
}

// Of the kernels that it is in, the one whose accesses take longest: that one's time is worth a word.
const Kernel& longest_kernel(const Page& page, const Finding& finding) {
  const Kernel* out = &kernel_of(page, finding.accesses[0]);
  for (const Finding::Access& access : finding.accesses)
    if (const Kernel& kernel = kernel_of(page, access); kernel.cycles > out->cycles) out = &kernel;
  return *out;
}

// What it means for time. What another stage does while this one works is not waited for.
std::string time_text(const Page& page, const Finding& finding) {
  const Kernel& kernel = longest_kernel(page, finding);
  const Space space = row_of(page, finding.accesses[0]).space;
  const std::vector<summary::Stage> stages = summary::stages(kernel.limit);
  std::string out(meaning(kernel.limiter));
  if (page.model.input.measured || stages.empty() || (space != Space::constant && space != Space::shared))
    return out;
  const std::string_view busiest = stages.front().id;
  const bool here =
      space == Space::constant ? busiest == "constant" : busiest == "shared" || busiest == "data";
  return here || waits(finding) ? out : fmt::format("{}; an SM is busier with {}", out, stages.front().words);
}

std::string headline(const Page& page, const Finding& finding, u32 number) {
  const u32 width = page.options.width;
  const Finding::Access& worst = finding.accesses[0];
  const AccessRow& row = row_of(page, worst);
  const std::size_t accesses = accesses_in_source(page, finding);
  const bool alone = accesses == 1;
  std::string out =
      page.style.bold(wrap(fmt::format("{}: {}", share_words(page, finding), subject_of(page, finding)),
                           fmt::format("{:>2}. ", number), width));
  const std::size_t places = page.leaves_out(Spared::details) ? 2 : 4;
  if (!alone) out += wrap(places_text(page, finding, places) + library_note(page, finding), "    ", width);
  if (const Line& line = line_of(page, worst); !line.text.empty())
    out +=
        page.style.faint("    " + clip(fmt::format("{}{}", alone ? "" : fmt::format("{}: ", line.place.line),
                                                   source_text(line)),
                                       width - 4)) +
        '\n';
  const std::string what = described(row.site, row.space, array_name(row.site.array),
                                     row.site.kind == access::Kind::async_copy && row.space == Space::shared);
  std::string costs = has_share(finding) ? waste_text(page, finding, accesses) : "";
  if (!waits(finding) && row.space == Space::shared) costs += combined_note(page, finding);
  if (!waits(finding) && !page.leaves_out(Spared::details)) costs += by_launch(page, worst, alone);
  if (waits(finding)) costs += (costs.empty() ? "" : ". ") + wait_text(page, finding);
  out +=
      page.style.bad(labelled(page, "Why:", fmt::format("{}: {}. {}", what, problem_of(page, row), costs)));
  const std::string change = change_of(page, row);
  out += page.style.bold(
      labelled(page, "Change:", page.leaves_out(Spared::conditions) ? brief_change(change) : change));
  if (const std::string gain = gain_of(page, finding); !gain.empty()) out += labelled(page, "Gain:", gain);
  if (const Limiter limiter = longest_kernel(page, finding).limiter;
      !page.model.input.measured || limiter != Limiter::unclear)
    out += labelled(page, "Time:", time_text(page, finding));
  return out;
}

// " (8 times fewer sectors)": of what is gained, the factor.
std::string in_brackets(const std::string& gain) {
  return gain.empty() ? "" : fmt::format(" ({})", gain.substr(0, gain.find(';')));
}

// The same in two or three lines, where others take the room.
std::string brief_headline(const Page& page, const Finding& finding, u32 number) {
  const AccessRow& row = row_of(page, finding.accesses[0]);
  const std::string gain = gain_of(page, finding), change = change_of(page, row);
  const std::string place =
      accesses_in_source(page, finding) == 1 ? "" : ", " + places_text(page, finding, 1);
  const advise::Advice* advice = main_advice(row);
  const std::string problem =
      page.leaves_out(Spared::details) && advice != nullptr ? advice->title : problem_of(page, row);
  std::string text = fmt::format("{}: {}{}: {}. Change: {}", share_words(page, finding),
                                 subject_of(page, finding), place, problem, brief_change(change));
  return wrap(text + in_brackets(gain), fmt::format("{:>2}. ", number), page.options.width);
}

// Sectors that other warps read too, and that the L1 serves: what is asked for twice costs little. A neighbour's elements are
// said by their places, others with what would spare them.
std::string served_section(const Page& page, const std::vector<const Finding*>& served) {
  std::vector<std::string> halos, others;
  for (const Finding* finding : served) {
    const AccessRow& row = row_of(page, finding->accesses[0]);
    const std::string change = change_of(page, row);
    if (finding->rule == findings::Rule::halo_access)
      add_new(halos, subject_of(page, *finding));
    else
      add_new(others, fmt::format("{}: {}. Change: {}{}", subject_of(page, *finding), problem_of(page, row),
                                  shows_all(page.options) ? change : brief_change(change),
                                  in_brackets(gain_of(page, *finding))));
  }
  std::string out;
  if (!halos.empty()) others.push_back(listed(halos, 3));
  const std::size_t shown = shows_all(page.options) ? others.size() : std::min<std::size_t>(others.size(), 3);
  for (std::size_t i = 0; i < shown; ++i)
    out += hanging("Costs little, as the L1 serves it: " + others[i], page.options.width);
  return out.empty() ? out : '\n' + out;
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
      tables |= std::ranges::any_of(line.rows, [](const AccessRow& row) { return row.from_l2 != 1; });
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

bool is_served(const Page& page, const Finding& finding) {
  const bool little = finding.excess_cycles == 0 || costs_little(page, finding);
  return !waits(finding) && (finding.rule == findings::Rule::halo_access ||
                             (little && row_of(page, finding.accesses[0]).from_l2 < 1));
}

std::string headline_section(const Page& page) {
  const u32 top = page.leaves_out(Spared::causes)        ? 1
                  : page.leaves_out(Spared::more_causes) ? 3
                                                         : page.options.top_lines;
  std::string out;
  std::set<u32> found; // kernels
  std::vector<const Finding*> served;
  u32 number = 0, left = 0, small = 0;
  for (const Finding& finding : page.model.findings) {
    const Kernel& kernel = kernel_of(page, finding.accesses[0]);
    if (!waits(finding) && finding.excess_bytes != 0 && waste_of(kernel, kernel.excess_bytes) < worth_naming)
      continue;
    for (const Finding::Access& access : finding.accesses) found.insert(access.kernel);
    if (is_served(page, finding)) {
      served.push_back(&finding);
      continue;
    }
    const bool little = costs_little(page, finding);
    if (little || (top != 0 && number == top)) {
      ++(little ? small : left);
      continue;
    }
    // The first stands in full, and the others while the screen has room for them.
    constexpr u32 lines_of_causes = 12;
    std::string text = headline(page, finding, ++number);
    const bool whole =
        shows_all(page.options) || number == 1 || lines_in(out) + lines_in(text) <= lines_of_causes;
    if (!whole) text = brief_headline(page, finding, number);
    out += (whole || number == 2 ? "\n" : "") + text;
  }
  std::vector<std::string> others;
  if (left != 0) others.push_back(human(left, "cause"));
  if (small != 0) others.push_back(human(small, "cause") + " below 1% of what all accesses cost");
  if (!others.empty())
    out += wrap(
        fmt::format("{}{} (--top-lines 0 shows all)", number == 0 ? "" : "and ", fmt::join(others, ", ")),
        number == 0 ? "" : "    ", page.options.width);
  if (!page.leaves_out(Spared::served)) out += served_section(page, served);
  out += verdict_section(page, found);
  return shows_all(page.options) ? out + weights_line(page, number) : out;
}

} // namespace warplens::report
