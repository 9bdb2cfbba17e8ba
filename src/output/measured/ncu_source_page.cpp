// Columns by their labels, rows by launch and function, offsets from the first instruction on. See ncu_source_page.h.
#include "measured/ncu_source_page.h"
#include "measured/csv.h"
#include <algorithm>
#include <charconv>
#include <set>

namespace warplens::measured {
namespace {

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
    if (cells.size() >= 2 && (cells[0] == "Kernel Name" || cells[0] == "Function Name"))
      return begin(cells[1]);
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
  // Of instructions; a line's text may have quotes of its own.
  bool is_cut(const Cells& cells) const {
    const bool of_instruction =
        cells[0].empty() || cells[0].starts_with("0x") || (!by_line_ && whole_of(cells[0]));
    return of_instruction && cells.size() < columns_;
  }

  // Versions of the profiler print each kernel of the view of machine code twice.
  void drop_twins() {
    std::vector<Launch>& all = out_.launches;
    if (all.size() % 2 != 0) return;
    for (std::size_t i = 0; i < all.size(); i += 2)
      if (!same(all[i], all[i + 1])) return;
    for (std::size_t i = 2; i < all.size(); i += 2) all[i / 2] = std::move(all[i]);
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
    address_ = sass_ = columns_ = cells.size();
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
  std::set<std::string> files_;      // of this launch so far
  std::map<u64, std::size_t> known_; // by address
  std::vector<Column> counters_;
  std::size_t address_ = 0, sass_ = 0, columns_ = 0;
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

} // namespace

bool is_source_page(std::string_view row) {
  for (std::string_view begin :
       {"\"Kernel Name\",\"", "\"File Path\",\"", "\"File Name\",\"", "\"Function Name\",\""})
    if (row.starts_with(begin)) return true;
  return false;
}

void name_kernel(Launch& launch, const std::string& name) {
  (name.starts_with("_Z") ? launch.kernel : launch.name) = name; // --print-kernel-base
}

Result<void> read_source_page(std::string_view text, const std::string& name, Measured& out) {
  SourcePage page(out);
  for (Lines lines(text); lines.next();) {
    const Cells cells = cells_of(lines.line());
    if (cells.empty()) continue;
    if (page.is_cut(cells)) return failure(cut_row(name, lines.number()));
    page.row(cells);
  }
  page.drop_twins();
  std::erase_if(out.launches, [](const Launch& launch) { return launch.instructions.empty(); });
  if (out.launches.empty() || !page.counted())
    return failure(diag::error("measured-empty",
                               "the page has lines of source, but no counters of instructions", {name},
                               "print it with '--page source --print-source cuda,sass'"));
  make_offsets(out);
  out.messages.push_back(diag::warning("measured-source-page",
                                       "a source page does not say how kernels were launched, nor on which "
                                       "GPU: compute capability 9.0 is assumed",
                                       {name}, "give the .ncu-rep file itself"));
  out.machine.sm = 90;
  return {};
}

} // namespace warplens::measured
