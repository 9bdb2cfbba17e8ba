// Counters of whole launches, as a profiler counted them: what is left of a report without counters by instruction, and with
// --details of any. Those that are numbers of WarpLens come first.
#include "arch/profiler_counters.h"
#include "report/sections.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warplens::report {
namespace {

constexpr std::size_t first_rows = 20, first_launches = 8; // without --details

// 4194304 → "4,194,304"
std::string value_text(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e15) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

struct CounterRow {
  std::string name, value, per;
  int rank; // what is no number of ours comes later, zeros last
};

std::vector<CounterRow> rows_of(const std::map<std::string, double>& counters,
                                std::vector<std::string>& left_out) {
  std::vector<CounterRow> out;
  for (const auto& [name, value] : counters) {
    const std::optional<arch::CounterMeaning> meaning = arch::counter_meaning(name);
    if (!meaning || !meaning->memory) {
      left_out.push_back(name);
      continue;
    }
    const bool first = !meaning->ours.empty() && name.find("Triage") == name.npos;
    CounterRow& row = out.emplace_back(name, value_text(value) + (meaning->percent ? "%" : ""), std::string(),
                                       value == 0 ? 2
                                       : first    ? 0
                                                  : 1);
    if (name == "gpu__time_duration.sum") row.value = human_time(value / 1e9);
    const std::string per = arch::counter_per(name);
    if (auto of = counters.find(per); of != counters.end() && of->second > 0)
      row.per = fmt::format("{:.2f} per {}", value / of->second,
                            per.find("request") != per.npos ? "request" : "instruction");
  }
  std::ranges::stable_sort(out, {}, &CounterRow::rank);
  return out;
}

std::string launch_text(const Page& page, const Launch& launch) {
  const bool all = page.options.details;
  std::vector<std::string> left_out;
  std::vector<CounterRow> rows = rows_of(launch.counters, left_out);
  const std::size_t shown = all ? rows.size() : std::min(rows.size(), first_rows);
  const std::string& kernel = launch.record.name.empty() ? launch.record.kernel : launch.record.name;
  std::string out = page.style.bold(clip_middle(kernel, page.options.width - 20)) +
                    (launch.count() == 1 ? fmt::format("  launch {}", launch.when.front().first)
                                         : "  " + plural(launch.count(), "launch")) +
                    '\n';
  u32 width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, width_of(rows[i].value));
  for (std::size_t i = 0; i < shown; ++i)
    out += wrap(rows[i].name + (rows[i].per.empty() ? "" : fmt::format(" ({})", rows[i].per)),
                "  " + pad_left(rows[i].value, width) + "  ", page.options.width);
  if (rows.empty()) out += "  none of memory\n";
  if (shown < rows.size())
    out += wrap(fmt::format("{} more: --details shows them, --json has them", rows.size() - shown), "  ",
                page.options.width);
  if (!left_out.empty())
    out += wrap(fmt::format("left out, not of memory: {}", listed(left_out, all ? left_out.size() : 3)), "  ",
                page.options.width);
  return out;
}

} // namespace

std::string counter_section(const Page& page) {
  if (!page.model.input.measured) return "";
  std::string out;
  std::size_t shown = 0, others = 0;
  for (const Launch& launch : page.model.input.launches) {
    if (launch.counters.empty() || (!launch.record.sites.empty() && !page.options.details)) continue;
    if (!page.options.details && shown == first_launches) {
      ++others;
      continue;
    }
    ++shown;
    out += launch_text(page, launch);
  }
  if (out.empty()) return "";
  if (others != 0)
    out += wrap(fmt::format("and {}: --details shows them", plural(others, "other launch")), "",
                page.options.width);
  return '\n' +
         page.style.bold(
             wrap("Counters of the profiler, of whole launches (`warplens explain --counter NAME` says "
                  "what one means)",
                  "", page.options.width)) +
         out;
}

} // namespace warplens::report
