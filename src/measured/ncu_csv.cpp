// See ncu_csv.h. The pages are told apart by their first row.
#include "measured/ncu_csv.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace warplens::measured {
namespace {

using Cells = std::vector<std::string>;

// One line's cells. Quotes within a cell are doubled, but for lines of source, which are printed as they are: of these no cell but
// the first is used.
Cells cells_of(std::string_view line) {
  Cells out;
  std::size_t at = 0;
  while (at < line.size()) {
    std::string& cell = out.emplace_back();
    if (line[at] != '"') {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = line.substr(at, end - at);
      at = end + 1;
      continue;
    }
    for (++at; at < line.size(); ++at) {
      if (line[at] != '"') {
        cell += line[at];
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        cell += line[++at];
      } else {
        break;
      }
    }
    at = std::min(line.find(',', at), line.size()) + 1;
  }
  return out;
}

// Lines of the page; what the profiler says of itself, and what the program prints, stands between them.
class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (line_.starts_with('"')) return true;
    }
    return false;
  }
  std::string_view line() const { return line_; }
  u32 number() const { return number_; }

private:
  std::string_view rest_, line_;
  u32 number_ = 0;
};

// "1,234.5"; nothing where it is no number.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double out = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end && !text.empty() ? std::optional(out) : std::nullopt;
}

std::optional<u64> whole_of(const std::string& text) {
  std::optional<double> value = number_of(text);
  if (!value || *value < 0 || *value > 9e18) return {};
  return static_cast<u64>(*value);
}

// Counters are kept in units, times in nanoseconds.
double factor_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit units[] = {{"us", 1e3},     {"usecond", 1e3}, {"ms", 1e6},     {"msecond", 1e6}, {"s", 1e9},
                                   {"second", 1e9}, {"Kbyte", 1e3},   {"Mbyte", 1e6},  {"Gbyte", 1e9},   {"Tbyte", 1e12},
                                   {"Ksector", 1e3}, {"Msector", 1e6}, {"Kinst", 1e3}, {"Minst", 1e6}};
  auto known = std::ranges::find(units, unit, &Unit::name);
  return known == std::end(units) ? 1 : known->factor;
}

// "(256, 1, 1)"
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

struct Columns {
  Cells names;
  std::optional<std::size_t> find(std::string_view name) const {
    auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
  }
  // Empty where there is no such column.
  static const std::string& cell(const Cells& row, std::optional<std::size_t> column) {
    static const std::string none;
    return column && *column < row.size() ? row[*column] : none;
  }
  const std::string& of(const Cells& row, std::string_view name) const { return cell(row, find(name)); }
};

// --- pages raw and details ---------------------------------------------------

void name_kernel(Launch& launch, const std::string& name) {
  (name.starts_with("_Z") ? launch.kernel : launch.name) = name; // --print-kernel-base
}

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

void read_raw(Lines& lines, const Columns& columns, Measured& out) {
  Cells units;
  while (lines.next()) {
    Cells row = cells_of(lines.line());
    if (row.size() > 1 && row[0].empty()) { // the row under the names
      units = std::move(row);
      continue;
    }
    if (row == columns.names || !whole_of(row[0])) continue; // the program's, or another page
    take_machine(columns, row, out.machine);
    Launch& launch = out.launches.emplace_back(launch_of(columns, row));
    for (std::size_t i = 0; i < columns.names.size() && i < row.size(); ++i)
      if (is_launch_counter(columns.names[i]))
        if (std::optional<double> value = number_of(row[i]))
          launch.counters[columns.names[i]] = *value * factor_of(i < units.size() ? units[i] : "");
  }
}

// Names that the details page gives counters.
std::string counter_called(const std::string& name) { return name == "Duration" ? "gpu__time_duration.sum" : name; }

void read_details(Lines& lines, const Columns& columns, Measured& out) {
  std::map<std::string, std::size_t> launches; // by ID
  while (lines.next()) {
    Cells row = cells_of(lines.line());
    if (row == columns.names || row.empty() || !whole_of(row[0])) continue;
    take_machine(columns, row, out.machine);
    auto [place, fresh] = launches.try_emplace(row[0], out.launches.size());
    if (fresh) out.launches.push_back(launch_of(columns, row));
    const std::string name = counter_called(columns.of(row, "Metric Name"));
    if (std::optional<double> value = number_of(columns.of(row, "Metric Value")); value && is_launch_counter(name))
      out.launches[place->second].counters[name] = *value * factor_of(columns.of(row, "Metric Unit"));
  }
}

// --- page source -------------------------------------------------------------

// What the page calls a counter, if not by its metric.
std::optional<u64> Counters::*labelled(std::string_view label) {
  struct Label {
    std::string_view text;
    std::optional<u64> Counters::*counter;
  };
  static constexpr Label labels[] = {{"Instructions Executed", &Counters::instructions},
                                     {"Predicated-On Thread Instructions Executed", &Counters::threads},
                                     {"L1 Tag Requests Global", &Counters::tags},
                                     {"L2 Theoretical Sectors Global", &Counters::sectors},
                                     {"L2 Theoretical Sectors Global Ideal", &Counters::ideal_sectors},
                                     {"L2 Theoretical Sectors Local", &Counters::local_sectors},
                                     {"L1 Wavefronts Shared", &Counters::wavefronts},
                                     {"L1 Wavefronts Shared Ideal", &Counters::ideal_wavefronts}};
  auto known = std::ranges::find(labels, label, &Label::text);
  return known == std::end(labels) ? counter_of(label) : known->counter;
}

class SourcePage {
public:
  explicit SourcePage(Measured& out) : out_(out) {}

  void row(const Cells& cells) {
    if (cells.size() >= 2 && (cells[0] == "Kernel Name" || cells[0] == "Function Name")) return begin(cells[1]);
    if (cells.size() >= 2 && (cells[0] == "File Path" || cells[0] == "File Name")) {
      file_ = cells[1], line_ = 0;
      return;
    }
    if (cells[0] == "Address" || cells[0] == "Line No" || cells[0] == "#") return header(cells);
    if (std::optional<u64> line = whole_of(cells[0]); line && by_line_) {
      line_ = static_cast<u32>(std::min<u64>(*line, ~u32{0})); // the sums of a line: its instructions follow
      return;
    }
    instruction(cells);
  }

  bool counted() const { return counted_; }

  // Versions of the profiler print each kernel of the view of machine code twice.
  void drop_twins() {
    std::vector<Launch>& all = out_.launches;
    if (all.size() % 2 != 0) return;
    for (std::size_t i = 0; i < all.size(); i += 2)
      if (!same(all[i], all[i + 1])) return;
    for (std::size_t i = 0; i < all.size(); i += 2) all[i / 2] = std::move(all[i]);
    all.resize(all.size() / 2);
  }

private:
  static bool same(const Launch& a, const Launch& b) {
    auto alike = [](const Instruction& x, const Instruction& y) {
      return x.offset == y.offset && x.sass == y.sass && x.counters.instructions == y.counters.instructions &&
             x.counters.sectors == y.counters.sectors && x.counters.wavefronts == y.counters.wavefronts;
    };
    return a.name == b.name && std::ranges::equal(a.instructions, b.instructions, alike);
  }

  // A launch has a part for each file; the same part again is another launch.
  void begin(const std::string& name) {
    by_line_ = false;
    counters_.clear();
    const bool again = out_.launches.empty() || name != name_ || !files_.insert(file_).second;
    if (!again) return;
    name_ = name;
    files_ = {file_};
    known_.clear();
    name_kernel(out_.launches.emplace_back(), name);
  }

  void header(const Cells& cells) {
    by_line_ = cells[0] == "Line No";
    counters_.clear();
    address_ = sass_ = cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == "Address") address_ = i;
      if (cells[i] == "Source") sass_ = i; // the last of them: the first is the line's text
      std::optional<u64> Counters::*counter = labelled(cells[i]);
      const bool first = std::ranges::find(counters_, counter, &Column::counter) == counters_.end();
      if (counter != nullptr && first) counters_.push_back({i, counter});
    }
    counted_ = counted_ || !counters_.empty();
  }

  void instruction(const Cells& cells) {
    if (out_.launches.empty() || address_ >= cells.size() || sass_ >= cells.size()) return;
    const std::string& address = cells[address_];
    u64 at = 0;
    if (!address.starts_with("0x") ||
        std::from_chars(address.data() + 2, address.data() + address.size(), at, 16).ec != std::errc())
      return;
    std::vector<Instruction>& all = out_.launches.back().instructions;
    auto [place, fresh] = known_.try_emplace(at, all.size());
    if (fresh) {
      Instruction& one = all.emplace_back();
      one.offset = at;
      one.sass = cells[sass_];
      for (const Column& column : counters_)
        if (column.index < cells.size()) one.counters.*column.counter = whole_of(cells[column.index]);
    }
    if (line_ != 0) add_frame(all[place->second]);
  }

  // An instruction of an inlined function is shown at each line on its way.
  void add_frame(Instruction& instruction) {
    std::vector<access::SourceFrame> frames = instruction.frames.all();
    access::SourceFrame frame{file_, line_, 0, {}};
    if (std::ranges::find(frames, frame) != frames.end()) return;
    frames.push_back(std::move(frame));
    instruction.frames = std::move(frames);
  }

  struct Column {
    std::size_t index;
    std::optional<u64> Counters::*counter;
  };
  Measured& out_;
  std::string file_, name_;
  u32 line_ = 0;
  std::set<std::string> files_;            // of this launch so far
  std::map<u64, std::size_t> known_;       // by address
  std::vector<Column> counters_;
  std::size_t address_ = 0, sass_ = 0;
  bool by_line_ = false, counted_ = false;
};

// Offsets from the kernel's first instruction.
void make_offsets(Measured& out) {
  for (Launch& launch : out.launches) {
    u64 first = ~u64{0};
    for (const Instruction& instruction : launch.instructions) first = std::min(first, instruction.offset);
    for (Instruction& instruction : launch.instructions) instruction.offset -= first;
  }
}

diag::Diagnostic empty(const std::string& name, std::string message, std::string help) {
  return diag::error("measured-empty", std::move(message), {name}, std::move(help));
}

Result<void> read_source(std::string_view text, const std::string& name, Measured& out) {
  SourcePage page(out);
  for (Lines lines(text); lines.next();) {
    const Cells cells = cells_of(lines.line());
    if (!cells.empty()) page.row(cells);
  }
  page.drop_twins();
  std::erase_if(out.launches, [](const Launch& launch) { return launch.instructions.empty(); });
  if (out.launches.empty() || !page.counted())
    return failure(empty(name, "the page has lines of source, but no counters of instructions",
                         "print it with '--page source --print-source cuda,sass'"));
  make_offsets(out);
  out.messages.push_back(diag::warning(
      "measured-source-page", "a source page does not say how kernels were launched, nor on which GPU: compute capability 9.0 is assumed",
      {name}, "give the .ncu-rep file itself"));
  out.machine.sm = 90;
  return {};
}

std::string_view first_row(std::string_view text) {
  Lines lines(text);
  return lines.next() ? lines.line() : std::string_view();
}

bool is_source_page(std::string_view row) {
  for (std::string_view begin : {"\"Kernel Name\",\"", "\"File Path\",\"", "\"File Name\",\"", "\"Function Name\",\""})
    if (row.starts_with(begin)) return true;
  return false;
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
    if (Result<void> read = read_source(text, name, out); !read) return failure(read.error());
    return out;
  }
  Lines lines(text);
  lines.next();
  const Columns columns{cells_of(lines.line())};
  if (!columns.find("Kernel Name"))
    return failure(diag::error("measured-malformed", "the page has no column 'Kernel Name'", {name, lines.number(), 1, 1},
                               "print it with 'ncu --csv --page raw'"));
  if (columns.find("Metric Name"))
    read_details(lines, columns, out);
  else
    read_raw(lines, columns, out);
  if (out.launches.empty())
    return failure(empty(name, "the page has names of columns, but no launch", "was a kernel launched, and the file written whole?"));
  return out;
}

} // namespace warplens::measured
