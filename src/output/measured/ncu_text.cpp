// Tables are told by the dashes above and below them, which also say where each column is. See ncu_text.h.
#include "measured/ncu_text.h"
#include "base/blanks.h"
#include "measured/csv.h"
#include "measured/ncu_source_page.h"
#include "text/lines.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warplens::measured {
namespace {

// "  name(float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0"; older versions print a date instead of the
// sizes, and summaries (--print-summary) how many launches there were instead of the stream.
std::optional<Launch> launch_line(std::string_view line, Machine& machine) {
  if (!line.starts_with("  ") || line.starts_with("   ")) return {};
  std::size_t end = line.find(", Context ");
  if (end == line.npos && line.find("nvocations") != line.npos)
    end = std::min(line.find(", Device "), line.find(", Block Size "));
  if (end == line.npos) return {};
  std::string_view name = trimmed(line.substr(0, end));
  Launch out;
  if (const std::size_t sizes = name.rfind(")x("); sizes != name.npos) {
    const std::size_t begin = name.rfind(" (", sizes);
    out.block = dim_of(name.substr(sizes + 2));
    if (begin != name.npos)
      out.grid = dim_of(name.substr(begin, sizes - begin)), name = name.substr(0, begin);
  } else if (const std::size_t date = name.rfind(", ");
             date != name.npos && date + 2 < name.size() && name[date + 2] >= '0' && name[date + 2] <= '9') {
    name = name.substr(0, date);
  }
  name_kernel(out, std::string(name));
  if (const std::size_t cc = line.find(", CC "); cc != line.npos && machine.sm == 0)
    if (std::optional<double> value =
            number_of(std::string(trimmed(line.substr(cc + 5, line.find(',', cc + 5) - cc - 5))));
        value && *value >= 1 && *value < 100)
      machine.sm = static_cast<u32>(*value * 10 + 0.5);
  return out;
}

// Where dashes are, if there is nothing else: the columns of a table.
std::vector<std::pair<std::size_t, std::size_t>> columns_of(std::string_view line) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  if (line.find_first_not_of(" -\r") != line.npos) return out;
  for (std::size_t at = line.find('-'); at != line.npos; at = line.find('-', out.back().second)) {
    const std::size_t end = std::min(line.find_first_not_of('-', at), line.size());
    out.emplace_back(at, end);
  }
  return out;
}

bool is_head(std::string_view line) { return line.starts_with("Metric Name"); } // of a table

} // namespace

Dim3 dim_of(std::string_view text) {
  u32 of[3] = {1, 1, 1};
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size() && n < 3;) {
    at = std::min(text.find_first_of("0123456789", at), text.size());
    auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), of[n]);
    if (error != std::errc()) break;
    ++n, at = static_cast<std::size_t>(stop - text.data());
  }
  return {of[0], of[1], of[2]};
}

bool add_counter(Launch& launch, const std::string& name, const std::string& unit, std::string_view value) {
  const std::optional<double> number = value_of(value, unit);
  if (!number || name.empty()) return false;
  auto [place, fresh] =
      launch.counters.try_emplace(name == "Duration" ? "gpu__time_duration.sum" : name, *number);
  if (!fresh && place->second != *number && !unit.empty())
    launch.counters.try_emplace(fmt::format("{} ({})", name, unit), *number);
  return true;
}

bool is_ncu_text(std::string_view text) {
  return text.find("Metric Name ") != text.npos &&
         (text.find("Metric Value") != text.npos || text.find("Average") != text.npos) &&
         (text.find(", Context ") != text.npos || text.find("nvocations") != text.npos);
}

Result<Measured> read_ncu_text(std::string_view text, const std::string& name) {
  Measured out;
  out.machine.tool = "Nsight Compute";
  std::vector<std::pair<std::size_t, std::size_t>> columns;
  i64 process = 0;
  bool open = false; // a table that has rows: dashes or an empty line end it
  std::string_view last;
  for (std::string_view line : text::lines_of(text)) {
    const std::string_view before = std::exchange(last, trimmed(line));
    if (line.starts_with('[')) { // "[1138] app@host"
      i64 number = 0;
      auto [stop, error] = std::from_chars(line.data() + 1, line.data() + line.size(), number);
      if (error == std::errc() && stop != line.data() + line.size() && *stop == ']') process = number;
    }
    if (std::optional<Launch> launch = launch_line(line, out.machine)) {
      launch->process = process;
      out.launches.push_back(std::move(*launch));
      columns.clear();
      continue;
    }
    if (auto found = columns_of(line); !found.empty()) {
      columns = std::move(found);
      open = is_head(before);
      continue;
    }
    if (out.launches.empty() || columns.empty() || trimmed(line).empty()) {
      if (trimmed(line).empty()) columns.clear(), open = false; // a table has no empty line
      continue;
    }
    // Older versions draw one line of dashes under the whole table: columns are then told by blanks between them.
    std::string_view metric, unit, value;
    if (columns.size() >= 3) {
      auto cell = [&](std::size_t i) {
        const std::size_t begin = std::min(columns[i].first, line.size());
        const std::size_t end =
            i + 1 < columns.size() ? std::min(columns[i].second, line.size()) : line.size();
        return trimmed(line.substr(begin, end - begin));
      };
      metric = cell(0), unit = cell(1), value = cell(columns.size() - 1); // of a summary: the mean
    } else {
      const std::string_view whole = trimmed(line);
      const std::size_t last = whole.rfind(' ');
      if (last == whole.npos) continue;
      value = whole.substr(last + 1);
      metric = trimmed(whole.substr(0, last));
      if (const std::size_t gap = metric.rfind("  "); gap != metric.npos)
        unit = trimmed(metric.substr(gap)), metric = trimmed(metric.substr(0, gap));
    }
    open |= add_counter(out.launches.back(), std::string(metric), std::string(unit), value) || is_head(last);
  }
  if (open)
    return failure(diag::error("measured-malformed", "the text ends within a table",
                               {name, static_cast<u32>(text::lines_of(text).size()), 0, 0},
                               "give all that 'ncu' printed"));
  std::erase_if(out.launches, [](const Launch& launch) { return launch.counters.empty(); });
  if (out.launches.empty())
    return failure(diag::error("measured-empty", "the text has no metric of a launch", {name},
                               "give what 'ncu' printed, from the line with the kernel's name on"));
  if (text.find("nvocations") != text.npos)
    out.messages.push_back(diag::warning(
        "measured-means", "a summary has means of several launches: they stand here as one", {name}));
  return out;
}

} // namespace warplens::measured
