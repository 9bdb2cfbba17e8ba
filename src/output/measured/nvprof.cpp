// Rows of both forms go to one place, by kernel. See nvprof.h.
#include "measured/nvprof.h"
#include "base/blanks.h"
#include "measured/csv.h"
#include "measured/ncu_source_page.h"
#include "text/lines.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::measured {
namespace {

class NvprofPage {
public:
  explicit NvprofPage(Measured& out) : out_(out) {}

  // `of`: the mean; `launches`: how many there were.
  void row(const std::string& kernel, const std::string& counter, std::string_view of, u64 launches) {
    const std::optional<double> value = value_of(of);
    if (!value || kernel.empty() || counter.empty()) return;
    auto [place, fresh] = known_.try_emplace(kernel, out_.launches.size());
    if (fresh) name_kernel(out_.launches.emplace_back(), kernel);
    out_.launches[place->second].counters[counter] = *value;
    several_ = several_ || launches > 1;
  }

  void device(std::string_view text) { // "Tesla K40c (0)"
    if (out_.machine.gpu.empty()) out_.machine.gpu = text.substr(0, text.rfind(" ("));
  }

  bool several() const { return several_; }

private:
  Measured& out_;
  std::map<std::string, std::size_t> known_; // launches, by kernel
  bool several_ = false;
};

// "Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
Result<void> read_rows(std::string_view text, const std::string& file, NvprofPage& page) {
  Cells names;
  auto cell = [&](const Cells& row, std::string_view name) -> std::string {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    return at < row.size() ? row[at] : std::string();
  };
  for (Lines lines(text); lines.next();) {
    Cells row = cells_of(lines.line());
    if (row.size() > 3 && row[0] == "Device" && row[1] == "Kernel") {
      names = std::move(row);
      continue;
    }
    if (names.empty()) continue;
    if (row.size() < names.size()) return failure(cut_row(file, lines.number()));
    page.device(cell(row, "Device"));
    std::string counter = cell(row, "Metric Name");
    if (counter.empty()) counter = cell(row, "Event Name");
    page.row(cell(row, "Kernel"), counter, cell(row, "Avg"), whole_of(cell(row, "Invocations")).value_or(1));
  }
  return {};
}

// Under "Kernel: NAME" rows of: launches, counter, description, least, most, mean (events: and their sum). Cells stand two
// blanks apart or more.
void read_tables(std::string_view text, NvprofPage& page) {
  std::string kernel;
  bool events = false;
  for (std::string_view line : text::lines_of(text)) {
    if (line.find("Event Name") != line.npos) events = true;
    if (line.find("Metric Name") != line.npos) events = false;
    const std::string_view rest = trimmed(line);
    if (rest.empty()) continue;
    if (rest.starts_with("Device \"")) {
      page.device(rest.substr(8, rest.rfind('"') - 8));
      continue;
    }
    if (rest.starts_with("Kernel: ")) {
      kernel = rest.substr(8);
      continue;
    }
    std::vector<std::string> cells;
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = std::min(rest.find("  ", at), rest.size());
      cells.emplace_back(rest.substr(at, end - at));
      at = std::min(rest.find_first_not_of(' ', end), rest.size());
    }
    const std::size_t mean = events ? 4 : 5;
    if (kernel.empty() || cells.size() <= mean || !whole_of(cells[0])) continue;
    page.row(kernel, cells[1], cells[mean], whole_of(cells[0]).value_or(1));
  }
}

} // namespace

bool is_nvprof(std::string_view text) {
  const std::string_view begin = text.substr(0, std::size_t{1} << 16);
  const bool told = begin.find("NVPROF is profiling") != begin.npos ||
                    begin.find("Metric result:") != begin.npos || begin.find("Event result:") != begin.npos ||
                    begin.find("Profiling result:") != begin.npos;
  return told || begin.find("\"Device\",\"Kernel\",\"Invocations\"") != begin.npos ||
         (begin.find("Invocations ") != begin.npos && begin.find("Kernel: ") != begin.npos);
}

Result<Measured> read_nvprof(std::string_view text, const std::string& name) {
  Measured out;
  out.machine.tool = "nvprof";
  NvprofPage page(out);
  if (text.find("\"Device\",\"Kernel\",\"Invocations\"") == text.npos)
    read_tables(text, page);
  else if (Result<void> read = read_rows(text, name, page); !read)
    return failure(read.error());
  if (out.launches.empty())
    return failure(
        diag::error("measured-empty", "nvprof's output has no counter of a kernel", {name},
                    "profile with 'nvprof --metrics gld_efficiency,gld_transactions_per_request,…'"));
  out.messages.push_back(diag::warning(
      "measured-nvprof",
      fmt::format("nvprof does not say how kernels were launched{}",
                  page.several() ? ", and gives means of several launches: they stand here as one" : ""),
      {name}));
  return out;
}

} // namespace warplens::measured
