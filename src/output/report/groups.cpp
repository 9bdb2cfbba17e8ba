// --group-by: the accesses of the whole program in one table, by line, kernel, file, array or NVTX range, worst first.
#include "measure/totals.h"
#include "report/sections.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace warplens::report {
namespace {

using access::Space;

constexpr u32 group_share_width = 7, group_bytes_width = 22, group_count_width = 10;

struct GroupRow {
  std::string name;
  u64 excess_cycles = 0, excess_bytes = 0, moved_bytes = 0, sectors = 0, wavefronts = 0;
  std::size_t accesses = 0;
  std::vector<std::string> kernels;
};

// What the group is called; equal names are one group.
std::string group_name(const Page& page, const Kernel& kernel, const Line& line, const AccessRow& row) {
  switch (page.options.group_by) {
  case Grouping::line: return place_name(page, line) + (line.text.empty() ? "" : "  " + line.text);
  case Grouping::kernel: return kernel.label;
  case Grouping::file: return line.place.line == 0 ? "no source line" : file_name(page, line.place.file);
  case Grouping::array: {
    const std::string array = array_name(row.site.array);
    const std::string whose =
        row.site.array.kind == access::ArrayKind::device || row.site.array.kind == access::ArrayKind::constant
            ? ""
            : " of " + kernel.short_name;
    return array.empty() ? fmt::format("{} memory{}, array not known", access::name(row.space), whose)
                         : array + whose;
  }
  case Grouping::range: return kernel.range.empty() ? "no range" : kernel.range;
  case Grouping::none: break;
  }
  return {};
}

std::vector<GroupRow> groups_of(const Page& page) {
  std::map<std::string, GroupRow> groups;
  for (const Kernel& kernel : page.model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) {
        if (row.site.timing_dependent != access::Timing::none) continue;
        GroupRow& group = groups[group_name(page, kernel, line, row)];
        const arch::Counts& counts = row.counters[0];
        group.excess_cycles += row.excess_cycles;
        group.excess_bytes += row.excess_bytes;
        group.moved_bytes += measure::bytes_moved(counts, row.space);
        (row.space == Space::shared ? group.wavefronts : group.sectors) +=
            row.space == Space::shared ? counts.wavefronts : counts.sectors;
        group.accesses += row.sites;
        add_new(group.kernels, kernel.label);
      }
  }
  std::vector<GroupRow> out;
  for (auto& [name, group] : groups) {
    group.name = name;
    out.push_back(std::move(group));
  }
  std::ranges::stable_sort(out, [](const GroupRow& a, const GroupRow& b) {
    return std::tuple(a.excess_cycles, a.excess_bytes, a.moved_bytes) >
           std::tuple(b.excess_cycles, b.excess_bytes, b.moved_bytes);
  });
  return out;
}

std::string title_of(Grouping grouping) {
  switch (grouping) {
  case Grouping::line: return "line";
  case Grouping::kernel: return "kernel";
  case Grouping::file: return "file";
  case Grouping::array: return "array";
  case Grouping::range: return "NVTX range";
  case Grouping::none: break;
  }
  return {};
}

} // namespace

std::string group_section(const Page& page) {
  const u32 width = page.options.width, top = page.options.top_lines;
  const bool counts = width >= least_table_width;
  const std::string title = title_of(page.options.group_by);
  const u32 before_name = group_share_width + group_bytes_width + (counts ? 2 * group_count_width : 0) + 2,
            room = width - before_name;
  std::string out = pad_left("waste", group_share_width) + pad_left("for nothing", group_bytes_width);
  if (counts) out += pad_left("sectors", group_count_width) + pad_left("wavefr.", group_count_width);
  out = '\n' + page.style.faint(out + "  " + title) + '\n';
  const std::vector<GroupRow> groups = groups_of(page);
  const std::size_t shown = top == 0 ? groups.size() : std::min<std::size_t>(top, groups.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const GroupRow& group = groups[i];
    const double share = page.model.excess_cycles == 0 ? 0
                                                       : static_cast<double>(group.excess_cycles) /
                                                             static_cast<double>(page.model.excess_cycles);
    const std::string waste = pad_left(group.excess_cycles == 0 ? "-" : percent(share), group_share_width);
    out += share >= 0.5 ? page.style.bad(waste) : share >= 0.1 ? page.style.poor(waste) : waste;
    out += pad_left(fmt::format("{} of {}", human_bytes(group.excess_bytes), human_bytes(group.moved_bytes)),
                    group_bytes_width);
    auto number = [](u64 value) { return pad_left(value == 0 ? "-" : human(value), group_count_width); };
    if (counts) out += number(group.sectors) + number(group.wavefronts);
    std::string name = group.name;
    if (page.options.group_by != Grouping::kernel && page.options.group_by != Grouping::array &&
        group.kernels.size() > 1)
      name += fmt::format(" ({})", human(group.kernels.size(), "kernel"));
    out +=
        "  " + (page.options.group_by == Grouping::line ? clip(name, room) : clip_middle(name, room)) + '\n';
  }
  if (shown < groups.size())
    out +=
        wrap(fmt::format("and {} (--top-lines 0 shows all)", human(groups.size() - shown, "more " + title)),
             "  ", width);
  return out;
}

} // namespace warplens::report
