// Order of the report, its title and its headlines; the tables are in tables.cpp, details.cpp and
// problems.cpp.
#include "report/terminal.h"
#include "arch/table.h"
#include "measure/totals.h"
#include "report/pattern_text.h"
#include "report/sections.h"
#include "report/text.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace warplens::report {
namespace {

// Below this share of all bytes moved, waste is not worth a headline.
constexpr double worth_naming = 0.01;

double waste_of(const Kernel& kernel) {
  return kernel.moved_bytes == 0
             ? 0
             : static_cast<double>(kernel.excess_bytes) / static_cast<double>(kernel.moved_bytes);
}

// Of the accesses that are in no sum.
std::string but_for_timing(const Model& model) {
  u64 sites = 0;
  for (const Kernel& kernel : model.kernels) sites += kernel.timing_dependent;
  if (sites == 0) return "";
  return sites == 1 ? "1 access that depends on timing"
                    : fmt::format("{} accesses that depend on timing", human(sites));
}

std::string how_counted(const Model& model) {
  std::set<std::string_view> labels;
  for (const Kernel& kernel : model.kernels)
    if (measure::is_counted(kernel.status)) labels.insert(measure::name(kernel.status));
  if (labels.empty()) return "";
  if (std::string but = but_for_timing(model);
      !but.empty() && model.complete && labels.size() == 1 && model.input.left_out == 0)
    return fmt::format(", {} but for {}", *labels.begin(), but);
  if (model.complete && labels.size() == 1 && model.input.left_out == 0)
    return labels.contains("exact") ? ", exact: every warp counted" : ", proved: every warp accounted for";
  std::string out = ", ";
  for (std::string_view label : labels) out += fmt::format("{}{}", out.size() > 2 ? " and " : "", label);
  return out + (model.complete ? "" : " as far as it was counted");
}

// What this report does not hold, in the words that its first lines have room for.
std::string incomplete(const Page& page) {
  const Model& model = page.model;
  std::string out;
  auto say = [&](const std::string& text) { out += page.style.bad(wrap(text, "", page.options.width)); };
  u64 uncounted = 0, refused = 0;
  for (const Kernel& kernel : model.kernels) {
    if (kernel.status == measure::Status::refused)
      refused += kernel.launches;
    else if (!measure::is_counted(kernel.status))
      uncounted += kernel.launches;
  }
  if (uncounted != 0)
    say(fmt::format("{} of {} launches could not be counted to the end: see \"Not counted\" below.",
                    uncounted, count(model.input.launches)));
  if (refused != 0)
    say(fmt::format("{} with a CUDA error, as a GPU would: see \"Not counted\" below.",
                    refused == 1 ? "1 launch was refused"
                                 : fmt::format("{} launches were refused", refused)));
  if (u64 missing = model.input.missing.launches; missing != 0)
    say(fmt::format("{} missing: see \"Messages\" below.",
                    missing == 1 ? "1 more launch is" : fmt::format("{} more launches are", missing)));
  return out;
}

// "2000 launches, 1995 of them like an earlier one"
std::string launches_of(const Input& input) {
  const u64 counted = count(input.launches), alike = counted - input.launches.size();
  std::string out = plural(counted, "launch");
  if (input.left_out != 0) out = fmt::format("{} of {}", counted, plural(counted + input.left_out, "launch"));
  if (alike != 0) out += fmt::format(", {} of them like an earlier one", alike);
  return out;
}

// Of a report without a launch.
std::string nothing_counted(const Model& model) {
  if (model.input.left_out != 0) return "WarpLens: no kernel launch was to be counted";
  if (model.filtered_out != 0) return "WarpLens: no kernel launch is left by --kernel";
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
  if (outcome.signal != 0)
    return fmt::format("The program was killed by signal {} ({}){}.", outcome.signal,
                       strsignal(outcome.signal), running);
  if (!running.empty()) return "The program ended" + running + '.';
  if (outcome.exit_code != 0) return fmt::format("The program ended with exit code {}.", outcome.exit_code);
  return "";
}

std::string fix_of(const Row& row) {
  for (const advise::Advice& advice : row.advice) {
    if (advice.change.empty()) continue;
    std::string gain;
    if (advice.gain() > 1.05) {
      std::string predicted =
          fmt::format("{:.1f} times fewer {}", advice.gain(), advise::name(advice.metric));
      gain = fmt::format(" (predicted: {})", predicted);
    }
    return advice.change + gain;
  }
  return "";
}

// "32.00 sectors per request where 4.00 would do: 402 MB of 537 MB (75%) moved for nothing"
std::string waste_text(const Row& row) {
  std::string_view per =
      row.space == access::Space::shared || row.space == access::Space::constant ? "instruction" : "request";
  std::string text = fmt::format("{:.2f} {} per {} where {:.2f} would do", row.cost.actual, row.cost.unit,
                                 per, row.cost.ideal);
  u64 moved = measure::bytes_moved(row.counters[0], row.space);
  if (row.space == access::Space::shared) {
    text += fmt::format(": {} of {} wavefronts", human(measure::excess(row.counters[0], row.space)),
                        human(row.counters[0].wavefronts));
  } else if (row.space == access::Space::constant) {
    text += fmt::format(": {} of {} requests", human(measure::excess(row.counters[0], row.space)),
                        human(row.counters[0].requests));
  } else {
    text += fmt::format(": {} of {}", human_bytes(row.excess_bytes), human_bytes(moved));
  }
  text += fmt::format(" ({}) for nothing",
                      percent(static_cast<double>(row.excess_bytes) / static_cast<double>(moved)));
  if (row.share < 0.995) text += fmt::format(", {} of the kernel's waste", percent(row.share));
  return text;
}

std::string headline(const Page& page, const Kernel& kernel, u32 number) {
  u32 width = page.options.width;
  std::string first = fmt::format("{:>2}. ", number);
  std::string name = clip_middle(kernel.name, width - 4);
  if (waste_of(kernel) < worth_naming) {
    std::string verdict = kernel.moved_bytes == 0 ? "touches no memory that is counted"
                          : kernel.excess_bytes == 0
                              ? "nothing to fix: no access moves more than it needs"
                              : fmt::format("nothing worth fixing: {} wasted", percent(waste_of(kernel)));
    std::string out = first + page.style.bold(name);
    bool fits = 4 + width_of(name) + 2 + width_of(verdict) <= width;
    return out + (fits ? "  " : "\n    ") + page.style.good(verdict) + '\n';
  }
  const Line& line = kernel.lines.front();
  const Row& row = line.rows.front();
  std::string out = first + page.style.bold(name) + '\n';
  std::string what = fmt::format("{}  {}, {}", place_name(line), access_name(row), pattern_text(row));
  out += page.style.bad(wrap(what, "    ", width));
  out += wrap(waste_text(row), "    ", width);
  if (std::string fix = fix_of(row); !fix.empty()) out += page.style.bold(wrap("fix: " + fix, "    ", width));
  return out;
}

} // namespace

std::string place_name(const Line& line) {
  if (line.place.line == 0)
    return fmt::format("PTX line {}", line.rows.empty() ? 0 : line.rows[0].site.ptx_line);
  std::size_t slash = line.place.file.rfind('/');
  std::string base = slash == std::string::npos ? line.place.file : line.place.file.substr(slash + 1);
  return fmt::format("{}:{}", clip_middle(base, 40), line.place.line);
}

std::string pattern_text(const Row& row) {
  if (row.pattern.shape.form == measure::Form::none) return "pattern not sampled";
  std::string text = describe(row.pattern, row.site);
  if (row.pattern.share < 0.995) text += fmt::format(" in {} of warps", percent(row.pattern.share));
  return text;
}

std::string access_name(const Row& row) {
  std::string_view kind =
      row.site.kind == access::Kind::async_copy ? "async copy" : access::name(row.site.kind);
  return fmt::format("{} {} {} B", kind, access::name(row.space), row.site.bytes);
}

std::string title_section(const Page& page) {
  const Model& model = page.model;
  std::string sm;
  for (u32 value : model.input.sm) sm += (sm.empty() ? "" : ", ") + compute_capability(value);
  std::set<std::string> names;
  for (const Kernel& kernel : model.kernels) names.insert(kernel.mangled);
  std::string text =
      model.input.launches.empty()
          ? nothing_counted(model)
          : fmt::format("WarpLens: {}, {}, compute capability {}{}", plural(names.size(), "kernel"),
                        launches_of(model.input), sm, how_counted(model));
  std::string out = page.style.bold(wrap(text, "", page.options.width));
  if (std::string how = ended(model.input); !how.empty())
    out += page.style.poor(wrap(how, "", page.options.width));
  return out + incomplete(page);
}

namespace {

// What the order rests on, where there is something to put in order.
std::string weights_line(const Page& page) {
  bool any = std::ranges::any_of(page.model.kernels, [](const Kernel& k) { return k.excess_cycles != 0; });
  const arch::Architecture* row = page.model.input.sm.empty() ? nullptr : arch::find(page.model.input.sm[0]);
  if (!any || row == nullptr) return "";
  const arch::StageCosts& costs = row->costs;
  return '\n' +
         page.style.faint(
             wrap(fmt::format("Ranked by cycles of an SM's busiest stage beyond need: a pass of L1 or shared "
                              "memory {}, a sector {} ({}).",
                              costs.wavefront, costs.sector, arch::name(costs.source.grade)),
                  "", page.options.width));
}

} // namespace

std::string headline_section(const Page& page) {
  std::string out;
  u32 number = 0, left_out = 0;
  for (const Kernel& kernel : page.model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    if (page.options.top != 0 && number == page.options.top) {
      ++left_out;
      continue;
    }
    out += '\n' + headline(page, kernel, ++number);
  }
  if (left_out != 0)
    out += fmt::format("\n    and {} with less waste: --top 0 shows all\n", plural(left_out, "kernel"));
  return out + weights_line(page);
}

std::string terminal(const Model& model, const TerminalOptions& options) {
  Page page{model, options, {options.colour}};
  page.options.width = std::max(76u, options.width);
  std::string out = title_section(page);
  out += headline_section(page);
  u32 shown = 0;
  for (const Kernel& kernel : model.kernels) {
    bool room = options.top == 0 || shown < options.top;
    if (kernel.lines.empty() || !room) continue;
    out += '\n' + kernel_section(page, kernel);
    if (options.details) out += pearson_table(page, kernel);
    ++shown;
  }
  out += problem_section(page);
  if (options.details) out += legend_section(page);
  return out + closing_section(page);
}

} // namespace warplens::report
