// The comparison for people: the layout is that of the report of a run (report/tables.cpp), with "before → after" where that
// has one number.
#include "base/characters.h"
#include "diff/words.h"
#include "diff/writers.h"
#include "text/style.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::diff {
namespace {

using text::clip;
using text::pad_left;
using text::pad_right;
using text::width_of;
using text::wrap;

constexpr u32 access_width = 22, cost_width = 26, cycles_width = 18, change_width = 7;
constexpr u32 narrow = 4 + access_width + 1 + cost_width + change_width,
              wide = narrow + 1 + cycles_width; // of a row with its cycles

struct Page {
  const Model& model;
  Shape shape;
  text::Style style;

  bool cycles() const { return model.counted && shape.width >= wide; }

  std::string coloured(Change change, const std::string& text) const {
    switch (change) {
    case Change::worse: return style.bad(text);
    case Change::better: return style.good(text);
    case Change::added:
    case Change::removed: return style.poor(text);
    case Change::same: break;
    }
    return style.faint(text);
  }
};

std::string cycles_of(const ComparedAccess& access) {
  auto of = [](const std::optional<ComparedAccess::Side>& side) {
    return side ? amount(side->cost.cycles, side->cost.spread != 0) : std::string();
  };
  if (!access.before) return "+" + of(access.after);
  return access.after ? from_to(of(access.before), of(access.after)) : "-" + of(access.before);
}

std::string row_line(const Page& page, const ComparedAccess& access) {
  const ComparedAccess::Side& shown = access.after ? *access.after : *access.before;
  const std::string cost = cost_text(access), pattern = pattern_text(access);
  u32 over = width_of(cost) > cost_width ? width_of(cost) - cost_width : 0; // what is beside it gives way
  const u32 name_width = access_width - std::min(over, 10u);
  std::string out =
      "    " + pad_right(clip(shown.what, name_width), name_width) + ' ' + pad_right(cost, cost_width);
  over -= std::min(over, 10u);
  if (page.cycles()) {
    const std::string cycles = cycles_of(access);
    const u32 room = cycles_width + 1 > over ? cycles_width + 1 - over : 1;
    out += width_of(cycles) < room ? pad_left(cycles, room) : ' ' + cycles;
    const u32 used = std::max(room, width_of(cycles) + 1);
    over = over + used > cycles_width + 1 ? over + used - cycles_width - 1 : 0;
  }
  const std::string change = change_text(access, page.model.counted);
  const u32 room = change_width > over ? change_width - over : 1;
  out += page.coloured(access.change, width_of(change) < room ? pad_left(change, room) : ' ' + change) + '\n';
  if (!pattern.empty()) out += page.style.faint(wrap(pattern, "      ", page.shape.width));
  return out;
}

std::string line_block(const Page& page, const Line& line) {
  const u32 width = page.shape.width;
  std::string place = "  " + place_name(line);
  if (line.edited) place += " (edited)";
  if (!line.before) place += " (new)";
  if (!line.after) place += " (gone)";
  const u32 room = width - std::min(width, width_of(place) + 2);
  std::string out = page.style.bold(clip(place, width));
  if (const std::string& text = text_of(line); !text.empty() && room >= 8) out += "  " + clip(text, room);
  out += '\n';
  for (const ComparedAccess& access : line.accesses)
    if (access.change != Change::same || page.shape.top_lines == 0) out += row_line(page, access);
  return out;
}

// What the kernel as a whole became: "262 k → 61.4 k cycles of the busiest SM; for nothing 88% → 0%".
std::string kernel_costs(const Kernel& kernel) {
  auto waste = [](const std::optional<Kernel::Side>& side) {
    return side ? text::percent(side->cost.waste()) : std::string();
  };
  std::string out = fmt::format("{}; for nothing {}", cycles_text(kernel.cycles),
                                from_to(waste(kernel.before), waste(kernel.after)));
  if (!kernel.before || !kernel.after) return out;
  if (kernel.before->stage != kernel.after->stage && kernel.cycles.of_busiest)
    out += fmt::format("; busiest: {} → {}", kernel.before->stage, kernel.after->stage);
  if (kernel.before->too_short && kernel.after->too_short) out += "; too short to matter: launch overhead";
  return out;
}

// Of the largest launch.
u64 blocks(const Kernel::Side& side) {
  u64 out = 0;
  for (const auto& [grid, launches] : side.grids) out = std::max(out, grid.count());
  return out;
}

std::string kernel_head(const Page& page, const Kernel& kernel) {
  const u32 width = page.shape.width;
  const std::string change = fmt::format("{:<8}", name(kernel.change));
  std::string out = page.coloured(kernel.change, change) +
                    page.style.bold(text::clip_middle(kernel_name(kernel), width - 2 * width_of(change)));
  if (page.model.counted && kernel.before && kernel.after)
    out += "  " + page.coloured(kernel.change, change_text(kernel));
  out += '\n';
  if (kernel.asked)
    out += "  taken for one kernel, as --match says\n";
  else if (kernel.renamed)
    out += "  taken for one kernel, because their lines are alike\n";
  if (kernel.change == Change::same && kernel.cycles.before == kernel.cycles.after && kernel.before &&
      kernel.after && kernel.after->cost.cycles < kernel.before->cost.cycles)
    out += wrap(fmt::format("no faster: its busiest stage, {}, takes {} cycles as before",
                            kernel.after->stage, amount(kernel.after->busiest)),
                "  ", width);
  if (page.model.counted && kernel.change == Change::better && kernel.before && kernel.after &&
      kernel.after->cost.cycles >= kernel.before->cost.cycles)
    out +=
        blocks(*kernel.after) > blocks(*kernel.before)
            ? "  faster because more SMs share the work, not because there is less of it\n"
            : wrap(fmt::format("faster because its busiest stage, {}, has less to do", kernel.before->stage),
                   "  ", width);
  if (!page.model.counted) return out;
  return out + wrap(kernel_costs(kernel), "  ", width) + wrap(launches_text(kernel), "  ", width);
}

std::string kernel_section(const Page& page, const Kernel& kernel) {
  std::string out = '\n' + kernel_head(page, kernel);
  const bool one_sided = !kernel.before || !kernel.after; // its report says more
  if (one_sided && page.shape.top_lines != 0) return out;
  std::size_t shown = 0, left = 0, same = 0;
  for (const Line& line : kernel.lines) {
    if (line.change == Change::same && page.shape.top_lines != 0 &&
        std::ranges::all_of(line.accesses,
                            [](const ComparedAccess& a) { return a.change == Change::same; })) {
      ++same;
      continue;
    }
    if (page.shape.top_lines != 0 && shown == page.shape.top_lines) {
      ++left;
      continue;
    }
    out += line_block(page, line);
    ++shown;
  }
  if (left != 0)
    out += wrap(fmt::format("and {} that changed less (--top-lines 0 shows all)", text::human(left, "line")),
                "  ", page.shape.width);
  if (same != 0) out += fmt::format("  {} as before\n", text::human(same, "line"));
  return out;
}

std::string head(const Page& page) {
  const Model& model = page.model;
  const u32 width = page.shape.width;
  std::string title =
      fmt::format("WarpLens diff: {} → {}", clip(model.before.name, 200), clip(model.after.name, 200));
  if (model.sm != 0) title += ", compute capability " + text::compute_capability(model.sm);
  std::string out = page.style.bold(wrap(title, "", width));
  out += page.coloured(model.change, wrap(verdict(model), "", width));
  for (const std::string& text : traffic_texts(model)) out += wrap("Moved for nothing: " + text, "", width);
  for (const std::string& text : model.warnings)
    out += page.style.poor(wrap("Careful: " + text + '.', "", width));
  return out;
}

std::string column_titles(const Page& page) {
  std::string out = "    " + pad_right("", access_width) + ' ' + pad_right("cost of each", cost_width);
  if (page.cycles()) out += pad_left("cycles of all SMs", cycles_width + 1);
  return '\n' + page.style.faint(out + pad_left("change", change_width)) + '\n';
}

} // namespace

std::string terminal(const Model& model, const Shape& shape) {
  Page page{model, shape, {shape.colour}};
  page.shape.width = std::max(narrow, shape.width);
  std::string out = head(page), sections;
  std::vector<std::string> same;
  std::size_t shown = 0, left = 0;
  for (const Kernel& kernel : model.kernels) {
    if (kernel.change == Change::same && shape.top_kernels != 0 &&
        std::ranges::all_of(kernel.lines, [](const Line& line) { return line.change == Change::same; })) {
      same.push_back(kernel_name(kernel));
      continue;
    }
    if (shape.top_kernels != 0 && shown == shape.top_kernels) {
      ++left;
      continue;
    }
    sections += kernel_section(page, kernel);
    ++shown;
  }
  if (shown != 0) out += column_titles(page) + sections.substr(1);
  if (left != 0)
    out += '\n' + wrap(fmt::format("and {} that changed less (--top-kernels 0 shows all)",
                                   text::human(left, "kernel")),
                       "", page.shape.width);
  if (!same.empty()) {
    constexpr std::size_t most = 8;
    const std::size_t names = std::min(same.size(), most);
    std::string text =
        fmt::format("{}", fmt::join(same.begin(), same.begin() + static_cast<std::ptrdiff_t>(names), ", "));
    if (same.size() > most) text += fmt::format(" and {} more", same.size() - most);
    out += '\n' + text::hanging("As before: " + text, page.shape.width);
  }
  for (const std::string& note : model.notes)
    out += '\n' + page.style.faint(wrap(note + '.', "", page.shape.width));
  return without_commands(text::with_plain_blanks(out));
}

} // namespace warplens::diff
