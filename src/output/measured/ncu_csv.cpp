// See ncu_csv.h. The pages are told apart by their first row.
#include "measured/ncu_csv.h"
#include "measured/csv.h"
#include "measured/ncu_source_page.h"
#include "measured/ncu_text.h"
#include <algorithm>

namespace warplens::measured {
namespace {

struct Columns {
  Cells names;
  std::optional<std::size_t> find(std::string_view name) const {
    auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - names.begin()));
  }
  // Empty where there is no such column.
  static const std::string& cell(const Cells& row, std::optional<std::size_t> column) {
    static const std::string none;
    return column && *column < row.size() ? row[*column] : none;
  }
  const std::string& of(const Cells& row, std::string_view name) const { return cell(row, find(name)); }
};

void take_machine(const Columns& columns, const Cells& row, Machine& machine) {
  if (machine.gpu.empty()) machine.gpu = columns.of(row, "device__attribute_display_name");
  const std::string& capability = columns.of(row, "CC"); // "9.0"
  if (machine.sm == 0)
    if (std::optional<double> value = number_of(capability); value && *value >= 1 && *value < 100)
      machine.sm = static_cast<u32>(*value * 10 + 0.5);
}

Launch launch_of(const Columns& columns, const Cells& row) {
  Launch out;
  name_kernel(out, columns.of(row, "Kernel Name"));
  out.grid = dim_of(columns.of(row, "Grid Size")), out.block = dim_of(columns.of(row, "Block Size"));
  out.process = static_cast<i64>(whole_of(columns.of(row, "Process ID")).value_or(0));
  return out;
}

// Columns of the raw page that say which launch it is.
bool is_description(std::string_view column) {
  static constexpr std::string_view names[] = {
      "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
      "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
  return std::ranges::find(names, column) != std::end(names);
}

Result<void> read_raw(Lines& lines, const Columns& columns, const std::string& name, Measured& out) {
  Cells units;
  while (lines.next()) {
    Cells row = cells_of(lines.line());
    const bool is_units = row.size() > 1 && row[0].empty(); // the row under the names
    if (!is_units && (row == columns.names || row.empty() || !whole_of(row[0])))
      continue; // the program's, or another page
    if (row.size() < columns.names.size()) return failure(cut_row(name, lines.number()));
    if (is_units) {
      units = std::move(row);
      continue;
    }
    take_machine(columns, row, out.machine);
    Launch& launch = out.launches.emplace_back(launch_of(columns, row));
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      if (!is_description(columns.names[i]))
        if (std::optional<double> value = value_of(row[i], i < units.size() ? units[i] : ""))
          launch.counters[columns.names[i]] = *value;
  }
  return {};
}

Result<void> read_details(Lines& lines, const Columns& columns, const std::string& name, Measured& out) {
  const std::size_t last = columns.find("Metric Value").value_or(0); // what rules say stands behind it
  std::map<std::string, std::size_t> launches;                       // by ID
  while (lines.next()) {
    Cells row = cells_of(lines.line());
    if (row == columns.names || row.empty() || !whole_of(row[0])) continue;
    if (row.size() <= last) return failure(cut_row(name, lines.number()));
    take_machine(columns, row, out.machine);
    auto [place, fresh] = launches.try_emplace(row[0], out.launches.size());
    if (fresh) out.launches.push_back(launch_of(columns, row));
    add_counter(out.launches[place->second], columns.of(row, "Metric Name"), columns.of(row, "Metric Unit"),
                columns.of(row, "Metric Value"));
  }
  return {};
}

diag::Diagnostic empty(const std::string& name, std::string message, std::string help) {
  return diag::error("measured-empty", std::move(message), {name}, std::move(help));
}

std::string_view first_row(std::string_view text) {
  Lines lines(text);
  return lines.next() ? lines.line() : std::string_view();
}

} // namespace

bool is_ncu_csv(std::string_view text) {
  const std::string_view row = first_row(text);
  return row.starts_with("\"ID\",\"Process ID\"") || is_source_page(row);
}

Result<Measured> read_ncu_csv(std::string_view text, const std::string& name) {
  Measured out;
  out.machine.tool = "Nsight Compute";
  if (is_source_page(first_row(text))) {
    if (Result<void> read = read_source_page(text, name, out); !read) return failure(read.error());
    return out;
  }
  Lines lines(text);
  lines.next();
  const Columns columns{cells_of(lines.line())};
  if (!columns.find("Kernel Name"))
    return failure(diag::error("measured-malformed", "the page has no column 'Kernel Name'",
                               {name, lines.number(), 1, 1}, "print it with 'ncu --csv --page raw'"));
  Result<void> read = columns.find("Metric Name") ? read_details(lines, columns, name, out)
                                                  : read_raw(lines, columns, name, out);
  if (!read) return failure(read.error());
  if (out.launches.empty())
    return failure(empty(name, "the page has names of columns, but no launch",
                         "was a kernel launched, and the file written whole?"));
  return out;
}

} // namespace warplens::measured
