// What is said of kernels without a finding: few of their lanes work, the assembler has made the change
// by itself, they ask for the same again and again, hardly a thread runs, they move a byte or two at a time, or there is nothing to fix. And of any
// kernel: that registers are spilled.
#include "arch/table.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "source/places.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::report {
namespace {

using access::Space;

// Fewer active lanes than that, on average, and the lanes are the finding.
constexpr double few_lanes = 12;

arch::Counts sum_of(const Kernel& kernel) {
  arch::Counts sum;
  for (const auto& [space, counters] : kernel.totals) sum += counters[0];
  return sum;
}

// What their warps do, and of what a sector brings with it how much a lane alone uses. A change is of the access that most of it is.
std::string idle_text(const Kernel& kernel) {
  const AccessRow* most = nullptr;
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      if (most == nullptr || row.counters[0].instructions > most->counters[0].instructions) most = &row;
  std::string out = fmt::format("{}: only {:.1f} of 32 lanes are active in an access (divergence)",
                                clip_middle(kernel.label, 60), active_lanes(sum_of(kernel)));
  if (const auto global = kernel.totals.find(Space::global); global != kernel.totals.end())
    out += fmt::format(", so that of {} that move {} are asked for",
                       human_bytes(measure::bytes_moved(global->second[0], Space::global)),
                       percent(measure::efficiency(global->second[0], Space::global)));
  const advise::Advice* advice = most == nullptr ? nullptr : summary::main_advice(*most);
  if (advice != nullptr && advice->rule == findings::Rule::divergent_access)
    return fmt::format("{}. Change: {}", out, advice->change);
  if (most != nullptr && active_lanes(most->counters[0]) < 2)
    out +=
        ". Change: let all lanes of the warp take part, lane k with each 32nd element from the k-th on, and "
        "then combine what they found (__shfl_down_sync)";
  return out;
}

// A kernel without waste may still ask for the same again and again: the access that does most of it.
std::string repeated_text(const Page& page, const Kernel& kernel) {
  const auto global = kernel.totals.find(Space::global);
  if (global == kernel.totals.end()) return "";
  u64 most = global->second[0].sectors / 5; // of less it is not the kernel's trait
  std::string out;
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      for (const advise::Advice& advice : row.advice) {
        const bool by_thread = advice.rule == findings::Rule::missing_restrict;
        if (!(by_thread || advice.rule == findings::Rule::repeated_load) ||
            advice.before.sectors - advice.after.sectors <= most)
          continue;
        most = advice.before.sectors - advice.after.sectors;
        std::string array = array_name(row.site.array);
        out = fmt::format(
            "{} again and again: {}, {}: {}{}; {} {} times fewer sectors",
            row.site.kind == access::Kind::store ? "Written" : "Read", clip_middle(kernel.label, 60),
            place_name(page, line), array.empty() ? "" : array + ": ", advice.title,
            by_thread ? "kept in a register (__restrict__) it needs" : "a tile in shared memory needs",
            findings::times(advice.gain()));
        if (shows_all(page.options)) out += ". Change: " + advice.change;
      }
  return out;
}

// Atomics of a kernel that hardware does with fewer updates than are counted.
std::string combined_text(const Page& page, const Kernel& kernel) {
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      for (const advise::Advice& advice : row.advice)
        if (advice.by_itself) {
          const bool updates = advice.metric == advise::Metric::threads;
          return fmt::format("{}, {}: {}, as nobody uses the result: {} {}, not {}",
                             clip_middle(kernel.label, 60), place_name(page, line), advice.title,
                             human(advise::value(advice.metric, *advice.by_itself)),
                             updates ? "updates" : advise::name(advice.metric),
                             human(advise::value(advice.metric, advice.before)));
        }
  return "";
}

// Bytes or halves, one for each lane, where that is most of what the kernel does: the access that most of it is.
std::string narrow_text(const Page& page, const Kernel& kernel) {
  constexpr u32 narrow_bytes = 2;
  const auto global = kernel.totals.find(Space::global);
  if (global == kernel.totals.end()) return "";
  u64 all = 0, most = 0;
  std::string out;
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      for (const advise::Advice& advice : row.advice) {
        if (advice.rule != findings::Rule::narrow_access || row.site.bytes > narrow_bytes) continue;
        all += advice.before.instructions;
        if (advice.before.instructions <= most) continue;
        most = advice.before.instructions;
        out =
            fmt::format("{}, {}: {}. Change: {} ({} times fewer instructions)", clip_middle(kernel.label, 60),
                        place_name(page, line), advice.title, advice.change, findings::times(advice.gain()));
      }
  return 2 * all >= global->second[0].instructions ? out : "";
}

// All of it: who calls the library does not choose its blocks.
bool is_library_kernel(const Kernel& kernel) {
  for (const Line& line : kernel.lines)
    for (const AccessRow& row : line.rows)
      if (!source::is_library_code(row.site)) return false;
  return !kernel.lines.empty();
}

// A launch of one block, or of less than a warp in a block: nearly all of the GPU is idle.
std::string few_threads_text(const Kernel& kernel) {
  u64 blocks = 0;
  for (const auto& [grid, launches] : kernel.grids) blocks = std::max(blocks, grid.count());
  const arch::Architecture* row = kernel.sm.empty() ? nullptr : arch::find(kernel.sm[0]);
  if (row == nullptr || kernel.measured || (blocks > 1 && kernel.block.count() >= warp_size) ||
      is_library_kernel(kernel))
    return "";
  return fmt::format(
      "{}: no access moves more than it needs, but a launch of {} of {} uses little of the GPU. Change: "
      "launch more threads: it has {} SMs, each for {} threads, and a warp has {}",
      clip_middle(kernel.label, 60), human(blocks, "block"), human(kernel.block.count(), "thread"),
      row->part.multiprocessors, row->limits.threads_per_sm, warp_size);
}

std::string spill_text(const Kernel& kernel) {
  if (!kernel.local_use || kernel.is_machine_code) return "";
  const u64 stores = kernel.local_use->spill_store_bytes, loads = kernel.local_use->spill_load_bytes;
  if (stores + loads == 0) return "";
  return fmt::format(
      "{}: each thread writes {} B of registers to local memory and reads {} B back. The "
      "counts here leave that out. Change: allow more registers (__launch_bounds__ with fewer threads or "
      "blocks, --maxrregcount), or keep fewer values alive",
      clip_middle(kernel.label, 60), stores, loads);
}

// The lines that depend on timing, of kernels of which nothing else is to be said.
std::string timing_places(const Page& page, const std::vector<const Kernel*>& kernels) {
  std::vector<std::string> places;
  for (const Kernel* kernel : kernels)
    for (const Line& line : kernel->lines)
      if (std::ranges::any_of(line.rows, [](const AccessRow& row) {
            return row.site.timing_dependent != access::Timing::none;
          }))
        add_new(places, place_name(page, line));
  return listed(places, 3);
}

// What is said of several kernels: of the first ones in full.
struct Told {
  std::string_view what; // "Idle lanes"
  std::size_t most;
  std::vector<std::string> texts{};
  std::vector<const Kernel*> others{};
  void add(const std::string& text, const Kernel* kernel) {
    if (texts.size() < most)
      texts.push_back(fmt::format("{}: {}", what, text));
    else
      others.push_back(kernel);
  }
};

} // namespace

bool has_idle_lanes(const Kernel& kernel) {
  return measure::is_counted(kernel.status) && kernel.moved_bytes != 0 && kernel.block.count() >= warp_size &&
         active_lanes(sum_of(kernel)) < few_lanes;
}

bool has_mistake(const Page& page, const Kernel& kernel) {
  return std::ranges::any_of(kernel.alike, [&](u32 launch) {
    return std::ranges::any_of(
        page.model.input.launches[launch].record.diagnostics,
        [](const diag::Diagnostic& said) { return said.severity != diag::Severity::note; });
  });
}

std::string verdict_section(const Page& page, const std::set<u32>& found) {
  std::vector<const Kernel*> fine, timed,
      untouched; // timed: with accesses that are in no sum, and so in no verdict
  std::vector<std::string> little;
  const std::size_t most = page.leaves_out(Spared::verdicts) ? 0
                           : page.options.top_lines == 0     ? page.model.kernels.size()
                                                             : 2;
  Told idle{"Idle lanes", most}, few{"Few threads", most}, narrow{"Narrow accesses", most};
  std::string out;
  for (u32 k = 0; k < page.model.kernels.size(); ++k) {
    const Kernel& kernel = page.model.kernels[k];
    if (std::string text = spill_text(kernel); !text.empty() && measure::is_counted(kernel.status))
      out += page.style.poor(hanging("Spilled registers: " + text, page.options.width));
    if (!measure::is_counted(kernel.status) || found.contains(k) || has_mistake(page, kernel)) continue;
    if (kernel.measured && kernel.lines.empty()) continue; // nothing is known by instruction
    std::string label = clip_middle(kernel.label, 60);
    if (kernel.moved_bytes == 0) {
      (kernel.timing_dependent == 0 ? untouched : timed).push_back(&kernel);
    } else if (has_idle_lanes(kernel)) {
      idle.add(idle_text(kernel), &kernel);
    } else if (std::string text = combined_text(page, kernel); !text.empty()) {
      out += page.style.good(hanging("Nothing to do: " + text, page.options.width));
    } else if (std::string text = repeated_text(page, kernel); !text.empty()) {
      out += page.style.poor(hanging(text, page.options.width));
    } else if (std::string text = few_threads_text(kernel); !text.empty() && kernel.excess_bytes == 0) {
      // A helper beside the program's work is none.
      constexpr double worth_naming = 0.01;
      if (page.options.top_lines == 0 ||
          static_cast<double>(kernel.cycles) >= worth_naming * static_cast<double>(page.model.cycles))
        few.add(text, &kernel);
      else
        fine.push_back(&kernel);
    } else if (std::string text = narrow_text(page, kernel); !text.empty()) {
      narrow.add(text, &kernel);
    } else if (kernel.excess_bytes == 0) {
      (kernel.timing_dependent == 0 ? fine : timed).push_back(&kernel);
    } else {
      little.push_back(fmt::format("{} ({})", label, percent(waste_of(kernel, kernel.excess_bytes))));
    }
  }
  for (const Told* told : {&idle, &few, &narrow}) {
    for (const std::string& text : told->texts) out += page.style.poor(hanging(text, page.options.width));
    if (!told->others.empty())
      out += page.style.poor(
          hanging(fmt::format("{}{}", told->texts.empty() ? fmt::format("{}: ", told->what) : "The same of ",
                              listed(names_of(told->others), 8)),
                  page.options.width));
  }
  auto say = [&](const std::string& what, const std::vector<std::string>& labels) {
    if (!labels.empty()) out += page.style.good(hanging(what + listed(labels, 8), page.options.width));
  };
  if (page.leaves_out(Spared::fine_kernels)) return out.empty() ? out : '\n' + out;
  say("Nothing to fix, no access moves more than it needs: ", names_of(fine));
  if (!timed.empty())
    say(fmt::format("Nothing to fix but for what depends on timing, which is not judged ({}): ",
                    timing_places(page, timed)),
        names_of(timed));
  say("Nothing worth fixing: ", little);
  say("No memory that is counted: ", names_of(untouched));
  return out.empty() ? out : '\n' + out;
}

} // namespace warplens::report
