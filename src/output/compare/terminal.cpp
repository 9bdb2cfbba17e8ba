// A comparison for people: how much agrees, why the rest does not, then kernel by kernel the lines with the largest residuals.
//
//   a.json: predicted from PTX
//   a.ncu-rep: measured by Nsight Compute 2025.3.1 on NVIDIA H200, driver 580.159.04
//   5 launches: 118 of 126 counts are equal (94%); 3 launches without a difference
//     6 predicated: counted for warps in which no lane performs it, too
//
//   histogram_shared, 1 launch
//     histogram.cu:24  atomicAdd(&local[data[i]], 1u);
//       shared atomic         wavefronts        7202       6400  -11.1%
//         contended: the hardware combines or repeats lanes of one word
#include "base/characters.h"
#include "compare/compare.h"
#include "text/style.h"
#include "text/words.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::compare {
namespace {

using text::clip;
using text::human;
using text::pad_left;
using text::pad_right;
using text::plural;
using text::wrap;

constexpr u32 name_width = 20;

struct Page {
  const Model& model;
  u32 width;
  text::Style style;
  u32 top_lines;
};

std::string how(const Side& side) {
  if (!side.measured())
    return side.code() == Code::ptx ? "predicted from PTX" : "predicted from machine code";
  return text_of(*side.input->measured);
}

std::string share(u64 equal, u64 all) {
  if (equal == all) return all == 1 ? "is equal" : "are equal";
  return fmt::format("{} equal ({})", equal == 1 ? "is" : "are",
                     text::percent(static_cast<double>(equal) / static_cast<double>(all)));
}

std::string title(const Page& page) {
  const Model& model = page.model;
  std::string out;
  for (const Side& side : model.sides) out += wrap(side.name + ": " + how(side), "", page.width);
  u64 different = 0;
  for (const auto& [reason, count] : model.different) different += count;
  const u64 all = model.equal + different;
  if (all == 0) {
    out += page.style.poor(
        wrap("There is nothing to compare: no kernel was launched on both sides with counts that both have.",
             "", page.width));
  } else {
    out += page.style.bold(wrap(fmt::format("{}: {} of {} counts {}; {} without a difference",
                                            plural(model.launches, "launch"), human(model.equal), human(all),
                                            share(model.equal, all), plural(model.launches_equal, "launch")),
                                "", page.width));
  }
  for (const auto& [reason, count] : model.different)
    out += wrap(fmt::format("{} {}", human(count), words(reason)), "  ", page.width);
  if (model.sums != 0)
    out += wrap(fmt::format("Sums of whole launches, by the hardware's counters: {} of {} {}",
                            human(model.sums_equal), human(model.sums), share(model.sums_equal, model.sums)),
                "", page.width);
  for (const std::string& note : model.notes) out += wrap("note: " + note, "", page.width);
  return out;
}

std::string value_text(const std::optional<double>& value) {
  return value ? human(static_cast<u64>(std::llround(std::max(0.0, *value)))) : "-";
}

// From the one side to the other, as a share of the one; "new" where it had none.
std::string change_text(const Model& model, const Count& count) {
  if (count.residual == 0) return "=";
  const double from = count.values[model.base].value_or(0), to = count.values[model.other].value_or(0);
  return from == 0 ? "new" : fmt::format("{:+.1f}%", 100 * (to - from) / from);
}

// "wavefronts  7202  6400  -11.1%"
std::string count_line(const Page& page, std::string_view what, std::string_view name, const Count& count) {
  std::string out = "      " + pad_right(clip(what, name_width), name_width) + pad_right(name, 18);
  for (std::size_t s = 0; s < page.model.sides.size(); ++s)
    out += pad_left(value_text(count.values[s]), page.model.sides.size() == 2 ? 12 : 9);
  return clip(out + pad_left(change_text(page.model, count), 9), page.width) + '\n';
}

// "a.cu:20", "a.cu:20 (24 in after.json)"
std::string place_text(const Model& model, const Line& line) {
  if (line.place.line == 0) return line.function.empty() ? "without a line" : "function " + line.function;
  std::string out =
      fmt::format("{}:{}", std::filesystem::path(line.place.file).filename().string(), line.place.line);
  std::vector<std::string> elsewhere;
  for (std::size_t s = 0; s < model.sides.size(); ++s)
    if (line.numbers[s] != 0 && line.numbers[s] != line.place.line)
      elsewhere.push_back(fmt::format("{} in {}", line.numbers[s], model.sides[s].name));
  return elsewhere.empty() ? out : fmt::format("{} ({})", out, fmt::join(elsewhere, ", "));
}

std::string line_block(const Page& page, const Line& line) {
  std::string out = "    " + place_text(page.model, line);
  if (!line.text.empty()) out += "  " + line.text;
  out = page.style.bold(clip(out, page.width)) + '\n';
  std::string what = fmt::format("{} {}", access::name(line.space), access::name(line.kind));
  for (const Count& count : line.counts) {
    if (count.reason == Reason::none) continue;
    out += count_line(page, what, count.name, count);
    what.clear();
  }
  return out + page.style.faint(wrap(std::string(words(line.reason)), "        ", page.width));
}

// Of a sum by the profiler's name what it is of: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum".
std::string sum_lines(const Page& page, const Launches& launches) {
  std::string out;
  for (const Count& count : launches.sums) {
    if (count.reason == Reason::none) continue;
    if (out.empty()) out = "    " + page.style.bold("whole launch") + '\n';
    out += "      " + clip(count.name, page.width - 6) + '\n' + count_line(page, "", "", count);
  }
  return out;
}

std::string times_line(const Page& page, const Launches& launches) {
  if (!launches.took) return "";
  std::string text = "took " + text::human_time(*launches.took);
  if (launches.bound)
    text += fmt::format("; its accesses alone take at least {}", text::human_time(*launches.bound));
  const bool wrong = launches.bound && *launches.bound > *launches.took;
  if (wrong) text += ": the bound is wrong";
  text = wrap(text, "    ", page.width);
  return wrong ? page.style.bad(text) : text;
}

std::string shape_of(const Page& page, const Launches& launches) {
  std::string out;
  std::vector<std::string> shapes;
  for (std::size_t s = 0; s < page.model.sides.size(); ++s) {
    if (!launches.grid[s]) continue;
    std::string shape = fmt::format("grid {}, block {}", text::dimensions(*launches.grid[s]),
                                    text::dimensions(*launches.block[s]));
    if (shapes.empty() || shapes.back() != shape) shapes.push_back(std::move(shape));
  }
  return fmt::format("{}", fmt::join(shapes, " / "));
}

std::string launches_block(const Page& page, const Launches& launches) {
  if (!launches.grid[page.model.base] || !launches.grid[page.model.other]) return "";
  std::vector<const Line*> different;
  for (const Line& line : launches.lines)
    if (line.reason != Reason::none) different.push_back(&line);
  const std::string sums = sum_lines(page, launches), times = times_line(page, launches);
  std::string out = wrap(fmt::format("{} from launch {}: {}", plural(launches.count, "launch"),
                                     launches.first, shape_of(page, launches)),
                         "  ", page.width);
  for (const std::string& problem : launches.problem)
    if (!problem.empty()) out += page.style.poor(wrap(problem, "    ", page.width));
  out += times;
  if (different.empty() && sums.empty())
    return out + (launches.lines.empty() ? "" : "    all counts equal\n");
  const std::size_t shown =
      page.top_lines == 0 ? different.size() : std::min<std::size_t>(page.top_lines, different.size());
  for (std::size_t i = 0; i < shown; ++i) out += line_block(page, *different[i]);
  if (shown < different.size())
    out +=
        fmt::format("    and {} (--top-lines 0 shows all)\n", plural(different.size() - shown, "more line"));
  return out + sums;
}

} // namespace

std::string terminal(const Model& model, u32 width, bool colour, u32 top_lines) {
  Page page{model, std::max(76u, width), {colour}, top_lines};
  std::string out = title(page);
  u64 equal = 0;
  for (const Kernel& kernel : model.kernels) {
    constexpr std::size_t most_groups = 3;
    bool any = kernel.weight != 0;
    for (const Launches& launches : kernel.groups)
      any =
          any || std::ranges::any_of(launches.sums, [](const Count& c) { return c.reason != Reason::none; });
    if (!any && top_lines != 0) {
      ++equal;
      continue;
    }
    out += '\n' + page.style.bold(clip(kernel.name, page.width)) + '\n';
    const std::size_t shown =
        top_lines == 0 ? kernel.groups.size() : std::min(most_groups, kernel.groups.size());
    for (std::size_t i = 0; i < shown; ++i) out += launches_block(page, kernel.groups[i]);
    if (shown < kernel.groups.size())
      out += fmt::format("  and {} with smaller residuals\n",
                         plural(kernel.groups.size() - shown, "kind of launch"));
  }
  if (equal != 0)
    out += fmt::format("\n{} without a difference (--top-lines 0 shows them)\n", plural(equal, "kernel"));
  return without_commands(text::with_plain_blanks(out));
}

} // namespace warplens::compare
