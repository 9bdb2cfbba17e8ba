// Order of the report and its title; the answer is in headlines.cpp, the tables are in tables.cpp, details.cpp and
// problems.cpp.
#include "report/terminal.h"
#include "base/characters.h"
#include "findings/words.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "source/places.h"
#include "summary/findings.h"
#include "text/words.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace warplens::report {
namespace {

// Of the accesses that are in no sum.
std::string but_for_timing(const Model& model) {
  u64 sites = 0;
  for (const Kernel& kernel : model.kernels) sites += kernel.timing_dependent;
  if (sites == 0) return "";
  return sites == 1 ? "1 access that depends on timing"
                    : fmt::format("{} accesses that depend on timing", human(sites));
}

// ", made by ptxas 13.0 from the program's PTX"
std::string who_made_it(const std::vector<summary::Launch>& launches) {
  std::string by;
  bool some_came = false;
  for (const summary::Launch& launch : launches) {
    some_came |= launch.record.machine_code != 0 && launch.record.assembler.empty();
    if (by.empty()) by = launch.record.assembler;
  }
  return by.empty() ? ""
                    : fmt::format(", {}made by {} from the program's PTX", some_came ? "partly " : "", by);
}

// ", PTX for 9.0", ", machine code for 9.0", ", machine code for 9.0, counted for 9.0, 2.0", ", PTX for 9.0 (shown), 10.0"
std::string what_for(const Model& model) {
  std::string sm;
  for (u32 value : model.input.sm)
    if (value != 0) // 0: nobody said
      sm += (sm.empty() ? "" : ", ") + compute_capability(value) +
            (sm.empty() && model.input.sm.size() > 1 ? " (shown)" : "");
  const u32 code = machine_code_of(model.input.launches);
  if (code == 0)
    return sm.empty()
               ? ""
               : (model.kernels.empty() || model.input.measured ? ", compute capability " : ", PTX for ") +
                     sm;
  const std::string one = compute_capability(code);
  return fmt::format(", machine code for {}{}{}", one, sm.empty() || sm == one ? "" : ", counted for " + sm,
                     who_made_it(model.input.launches));
}

std::string how_exactly(const Model& model) {
  std::set<std::string_view> labels;
  for (const Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status)) labels.insert(measure::name(kernel.status));
  if (labels.empty()) return "";
  if (std::string but = but_for_timing(model);
      !but.empty() && model.complete && labels.size() == 1 && model.input.left_out == 0)
    return fmt::format(", {} but for {}", *labels.begin(), but);
  if (model.complete && labels.size() == 1 && model.input.left_out == 0)
    return labels.contains("exact") ? ", exact (every warp)" : ", proved (every warp)";
  std::string out = ", ";
  for (std::string_view label : labels) out += fmt::format("{}{}", out.size() > 2 ? " and " : "", label);
  return out + (model.complete || labels.contains("sampled") ? "" : " as far as it was counted");
}

std::string how_counted(const Model& model) {
  if (model.input.measured) return ", " + text_of(*model.input.measured);
  return how_exactly(model);
}

// What this report does not hold, in the words that its first lines have room for.
std::string incomplete(const Page& page) {
  const Model& model = page.model;
  std::string out;
  auto say = [&](const std::string& text) { out += page.style.bad(wrap(text, "", page.options.width)); };
  u64 uncounted = 0, refused = 0;
  for (const Kernel& kernel : model.kernels) {
    if (kernel.status == measure::Status::partial)
      say(fmt::format("{}: {} partial: {}.", kernel.short_name,
                      kernel.launches == 1 ? fmt::format("launch {} is", kernel.first_launch)
                                           : fmt::format("{} launches are", kernel.launches),
                      blocks_of(kernel)));
    if (kernel.status == measure::Status::refused)
      refused += kernel.launches;
    else if (!measure::is_counted(kernel.status))
      uncounted += kernel.launches;
  }
  if (uncounted != 0)
    say(fmt::format("{} could not be counted completely: see \"Not counted\" below.",
                    count(model.input.launches) == 1
                        ? "The launch"
                        : fmt::format("{} of {} launches", uncounted, count(model.input.launches))));
  if (refused != 0)
    say(fmt::format("{} with a CUDA error, as a GPU would: see \"Not counted\" below.",
                    refused == 1 ? "1 launch was refused"
                                 : fmt::format("{} launches were refused", refused)));
  if (u64 missing = model.input.missing.launches; missing != 0)
    say(fmt::format("{} missing: see \"Messages\" below.",
                    human(missing, model.input.launches.empty() ? "launch" : "more launch") +
                        (missing == 1 ? " is" : " are")));
  return out;
}

// "2000 launches, 1995 of them like an earlier one"
std::string launches_of(const Input& input) {
  const u64 counted = count(input.launches);
  u64 alike = 0;
  for (const summary::Launch& launch : input.launches)
    if (measure::is_counted(launch.record.status)) alike += launch.count() - 1;
  std::string out = human(counted, "launch");
  if (input.left_out != 0) out = fmt::format("{} of {}", counted, human(counted + input.left_out, "launch"));
  if (const std::size_t there = input.ranks.processes.size(); input.ranks.of > 1)
    out += there < input.ranks.of ? fmt::format(" in {} of {} ranks", there, input.ranks.of)
                                  : fmt::format(" in {} ranks", there);
  if (alike != 0) out += fmt::format(", {} of them like an earlier one", alike);
  return out;
}

// Of a report without a launch.
std::string nothing_counted(const Model& model) {
  if (model.input.left_out != 0) return "WarpLens: the options leave out every kernel launch";
  if (model.filtered_out != 0) return "WarpLens: no kernel that was launched matches --kernel";
  if (!model.input.interrupted.empty() || model.input.missing.launches != 0)
    return "WarpLens: no kernel launch was counted";
  return "WarpLens: no kernel launch was seen";
}

std::string ended(const Input& input) {
  const Outcome& outcome = input.outcome;
  std::string running;
  if (!input.interrupted.empty()) {
    const measure::LaunchStarted& last = input.interrupted.back();
    running = fmt::format(" while launch {} ({}) was running", last.index, last.name);
  }
  if (outcome.stopped == measure::Stop::at_results)
    return "The program was ended where it waited for results (--no-results).";
  if (outcome.stopped == measure::Stop::at_budget)
    return outcome.seconds == 0 // of a saved report
               ? "The program was ended to stay within its budget."
               : fmt::format("The program was ended to stay within its budget: {} in launches and libraries, "
                             "{} in its own code or waiting for a processor.",
                             human_time(outcome.launch_seconds),
                             human_time(std::max(0.0, outcome.seconds - outcome.launch_seconds)));
  if (outcome.signal != 0)
    return fmt::format("The program was killed by signal {} ({}){}.", outcome.signal,
                       strsignal(outcome.signal), running);
  if (!running.empty()) return "The program ended" + running + '.';
  if (outcome.exit_code != 0) return fmt::format("The program ended with exit code {}.", outcome.exit_code);
  return "";
}

// Passes of shared memory that the assembler does away with, as it combines lanes of one word.
u64 combined_wavefronts(const Model& model) {
  u64 out = 0;
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows)
        if (row.space == access::Space::shared && !row.counters.empty())
          out += row.counters[0].wavefronts - done_of(row).wavefronts;
  }
  return out;
}

// "74% of the traffic between warps and the L1 is for nothing: 59.2 of 80.3 MB": a sentence for each kind of memory that
// moves something for nothing.
std::string program_totals(const Page& page) {
  const Model& model = page.model;
  const u64 combined = combined_wavefronts(model);
  const bool sampled = summary::has_sampled(model);
  std::string out;
  auto say = [&](u64 part, u64 whole, std::string_view of, std::string (*words)(u64, bool)) {
    if (part == 0 || whole == 0) return;
    const std::string share = percent(static_cast<double>(part) / static_cast<double>(whole));
    out += wrap(fmt::format("{} of the {} for nothing: {} of {}.", share, of, words(part, sampled),
                            words(whole, sampled)),
                "", page.options.width);
  };
  const summary::Traffic all = summary::traffic(model);
  say(all.excess_bytes, all.bytes, "traffic between warps and the L1 is", shown_bytes);
  for (const auto& [space, counters] : model.totals) {
    arch::Counts sum = counters[0];
    if (space == access::Space::shared) {
      sum.wavefronts -= combined;
      say(measure::excess(sum, space), sum.wavefronts, "shared-memory wavefronts are", shown);
    }
    if (space == access::Space::constant)
      say(measure::excess(sum, space), sum.requests, "constant-memory requests are", shown);
  }
  return out;
}

// What is in no total, as another run counts it differently: what it moved in this one, and where most of that was beyond need.
//
//    In no total, as it depends on timing: 2.86 MB in this run, most of it for nothing at scatter.cu:38 (scatter): 21.8 sectors …
std::string timing_text(const Page& page) {
  const Model& model = page.model;
  const Kernel* whose = nullptr;
  const Line* where = nullptr;
  const AccessRow* worst = nullptr;
  u64 moved = 0, most = 0;
  for (const Kernel& kernel : model.kernels)
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) {
        if (row.site.timing_dependent == access::Timing::none || row.space == access::Space::shared) continue;
        moved += measure::bytes_moved(row.counters[0], row.space);
        const u64 excess = measure::excess_bytes(row.counters[0], row.space, row.site);
        if (excess > most) most = excess, whose = &kernel, where = &line, worst = &row;
      }
  constexpr u64 worth_naming = 20; // a twentieth of what the totals have
  if (moved == 0 || moved * worth_naming < model.moved_bytes) return "";
  std::string text = fmt::format("In no total, as it depends on timing: {} in this run", human_bytes(moved));
  if (worst != nullptr)
    text += fmt::format(". Most for nothing: {} at {} ({}), {}", human_bytes(most), place_name(page, *where),
                        whose->short_name,
                        findings::cost_text(worst->cost.actual, worst->cost.unit, worst->cost.ideal));
  return page.style.poor(wrap(text + '.', "", page.options.width));
}

// The first warning, which must not wait for the end of the report, and how many there are.
std::string first_warning(const Page& page) {
  const Warning* first = nullptr;
  std::size_t count = 0;
  for (const Warning& warning : page.model.warnings) {
    if (warning.diagnostic.severity == diag::Severity::note) continue;
    if (count++ == 0) first = &warning;
  }
  if (first == nullptr || page.model.input.launches.empty()) return "";
  const std::string place = place_prefix(page, first->diagnostic);
  std::string text =
      first->diagnostic.message; // an assertion's, which is the runtime's own, begins with the place
  if (!text.starts_with(place)) text = place + text;
  if (text.ends_with('.')) text.pop_back();
  text += count == 1 ? ": see \"Messages\" below."
                     : fmt::format("; {} in all: see \"Messages\" below.", human(count, "message"));
  return page.style.poor(wrap(text, "", page.options.width));
}

// Then that what it did was right is not to be read between the lines.
bool has_mistakes(const Page& page) {
  const Model& model = page.model;
  return model.input.outcome.signal != 0 ||
         std::ranges::any_of(model.kernels, [&](const Kernel& k) { return has_mistake(page, k); }) ||
         std::ranges::any_of(model.warnings, [](const Warning& warning) {
           return warning.diagnostic.severity == diag::Severity::error;
         });
}

// A kernel that was launched with several blocks has one table where these make no difference.
std::string kernel_sections(const Page& page) {
  const TerminalOptions& options = page.options;
  std::string out;
  std::vector<const Kernel*> shown;
  u32 left = 0;
  for (const Kernel& kernel : page.model.kernels) {
    if (kernel.lines.empty()) continue;
    auto alike =
        std::ranges::find_if(shown, [&](const Kernel* other) { return reads_alike(page, *other, kernel); });
    if (options.top_kernels != 0 && !options.details && alike != shown.end()) {
      out += '\n' + alike_kernel_section(page, kernel, **alike);
      continue;
    }
    if (options.top_kernels != 0 && shown.size() == options.top_kernels) {
      ++left;
      continue;
    }
    out += '\n' + kernel_section(page, kernel);
    if (options.details) out += instruction_table(page, kernel);
    shown.push_back(&kernel);
  }
  if (left != 0)
    out +=
        '\n' + wrap(fmt::format("and {} with less waste (--top-kernels 0 shows all)", human(left, "kernel")),
                    "", options.width);
  return out;
}

constexpr std::size_t screen = 25; // lines

// Title, causes and kernels: on the first screen, as much of them as it has room for.
std::string answer(Page& page) {
  auto text = [&] { return title_section(page) + headline_section(page) + kernel_list(page); };
  const TerminalOptions usual;
  const bool fits = !shows_all(page.options) && page.options.top_lines == usual.top_lines &&
                    page.options.top_kernels == usual.top_kernels;
  std::string out = text();
  while (fits && page.spared != Spared::last && lines_in(out) + lines_in(closing_section(page)) > screen) {
    page.spared = Spared{static_cast<u8>(static_cast<u8>(page.spared) + 1)};
    out = text();
  }
  return out;
}

std::vector<std::string> changed_files(const Page& page) {
  std::vector<std::string> out;
  for (const Kernel& kernel : page.model.kernels)
    for (const Line& line : kernel.lines)
      if (line.changed) add_new(out, file_name(page, line.place.file));
  return out;
}

} // namespace

std::string title_section(const Page& page) {
  const Model& model = page.model;
  const u32 width = page.options.width;
  std::set<std::string> names;
  for (const Kernel& kernel : model.kernels) names.insert(kernel.mangled);
  std::string text = model.input.launches.empty()
                         ? nothing_counted(model)
                         : fmt::format("WarpLens: {}, {}{}{}", human(names.size(), "kernel"),
                                       launches_of(model.input), what_for(model), how_counted(model));
  std::string out = page.style.bold(wrap(text, "", width));
  if (!model.lines_known && !model.input.measured)
    out += page.style.poor(wrap(
        !model.input.command.empty() && source::is_kernel_file(model.input.command[0])
            ? "Source lines are not known: the file has none. nvcc -lineinfo, clang -gline-tables-only and "
              "numba.cuda.jit(lineinfo=True) write them."
            : "Source lines are not known. Rebuild with nvcc -lineinfo, or with NVCC_APPEND_FLAGS=-lineinfo "
              "in the environment of a build.",
        "", width));
  if (std::vector<std::string> files = changed_files(page); !files.empty())
    out += page.style.poor(wrap(
        listed(files, 3) + " changed after the program was built: other lines may have run.", "", width));
  const std::string totals = program_totals(page) + timing_text(page);
  if (!totals.empty())
    out += totals;
  else if (model.moved_bytes != 0 && model.complete && !model.input.measured &&
           std::ranges::none_of(model.kernels, has_idle_lanes) && !has_mistakes(page))
    out +=
        page.style.good(wrap("Nothing is wasted: no access moves more than its lanes ask for.", "", width));
  if (std::string how = ended(model.input); !how.empty()) out += page.style.poor(wrap(how, "", width));
  return out + incomplete(page) + first_warning(page);
}

std::string terminal(const Model& model, const TerminalOptions& options) {
  Page page{model, options, {options.colour}};
  constexpr u32 least_width = 60; // of anything
  page.options.width = std::max(options.details ? least_table_width : least_width, options.width);
  const bool tables = options.lines || options.details, program = options.group_by != Grouping::none;
  std::string out = program || options.annotate ? title_section(page) + headline_section(page) : answer(page);
  const std::string problems = problem_section(page), closing = closing_section(page);
  if (program)
    out += group_section(page);
  else if (options.annotate)
    out += annotated_section(page);
  else if (tables)
    out += kernel_sections(page);
  else if (const std::size_t used = lines_in(out) + lines_in(problems) + lines_in(closing); used < screen)
    out += access_list(page, screen - used);
  if (tables || model.input.measured) out += counter_section(page);
  out += problems;
  if (options.details) out += legend_section(page);
  return without_commands(with_plain_blanks(out + closing));
}

} // namespace warplens::report
