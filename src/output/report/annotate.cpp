// --annotate: the source in its order, with what its lines cost in the margin.
//
//   waste  sectors    waves │    transpose.cu
//                           │    naive: 1 launch
//                           │ 12 __global__ void naive(float* out, const float* in, int n) {
//                           │  ⋮ 3 lines
// >   88%   1.18 M          │ 16   out[x * n + y] = in[y * n + x];
//                           │      32.00 (4.00) sectors: store global 4 B of out, stride 4096 bytes
//
// A line's numbers are those of all kernels that came there, of a function that was inlined from several places, too. Where
// such a call stands, what the callee's lines cost is repeated in parentheses.
#include "base/blanks.h"
#include "measure/totals.h"
#include "report/sections.h"
#include "source/functions.h"
#include "source/places.h"
#include "text/lines.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace warplens::report {
namespace {

using access::Space;

constexpr u32 share_width = 7, count_width = 9,
              context = 3;           // context: lines before and after one with counts
constexpr std::size_t most_rows = 2; // said of a line with waste

struct Counted {
  u64 sectors = 0, wavefronts = 0, constants = 0, excess_cycles = 0;
  std::vector<const AccessRow*> rows; // of the line itself, in the kernels' order
  std::vector<const Kernel*> kernels;
  std::string text; // as the report has it
  bool changed = false;

  void add(const AccessRow& row) {
    const arch::Counts& counts = row.counters[0];
    excess_cycles += row.excess_cycles;
    if (row.space == Space::shared)
      wavefronts += counts.wavefronts;
    else if (row.space == Space::constant)
      constants += counts.requests;
    else
      sectors += counts.sectors;
  }
};

struct File {
  std::map<u32, Counted> lines, calls; // by number; calls: of what was inlined there
  u64 excess_cycles = 0;
};

// A part of a file that is shown as a whole.
struct Part {
  u32 first, last;
};

class Annotation {
public:
  explicit Annotation(const Page& page) : page_(page) {
    const u32 top = page.options.top_kernels;
    for (const Kernel& kernel : page.model.kernels) {
      if (!measure::is_counted(kernel.status) || kernel.lines.empty()) continue;
      if (top != 0 && kernels_ == top) {
        ++left_;
        continue;
      }
      ++kernels_;
      for (const Line& line : kernel.lines) add(kernel, line);
    }
  }

  std::string text() const {
    std::vector<std::pair<const std::string*, const File*>> order;
    for (const auto& [name, file] : files_) order.emplace_back(&name, &file);
    std::ranges::stable_sort(order, std::greater<>(),
                             [](const auto& one) { return one.second->excess_cycles; });
    std::string out;
    for (const auto& [name, file] : order)
      if (const std::string text = file_text(*name, *file); !text.empty()) out += '\n' + text;
    if (unplaced_ != 0)
      out += fmt::format("\n{} without a source line: --details lists them\n", human(unplaced_, "access"));
    if (left_ != 0)
      out += fmt::format("\nwithout what {} with less waste did (--top-kernels 0: all)\n",
                         human(left_, "kernel"));
    return out;
  }

private:
  void add(const Kernel& kernel, const Line& line) {
    if (line.place.line == 0) {
      unplaced_ += line.rows.size();
      return;
    }
    File& file = files_[line.place.file];
    Counted& counted = file.lines[line.place.line];
    counted.text = line.text;
    counted.changed |= line.changed;
    if (std::ranges::find(counted.kernels, &kernel) == counted.kernels.end())
      counted.kernels.push_back(&kernel);
    for (const AccessRow& row : line.rows) {
      if (row.counters.empty()) continue;
      counted.rows.push_back(&row);
      counted.add(row);
      file.excess_cycles += row.excess_cycles;
      wavefronts_ |= row.space == Space::shared, constants_ |= row.space == Space::constant;
      for (const access::SourceFrame& call : line.calls) files_[call.file].calls[call.line].add(row);
    }
  }

  // The file's lines, where they are those that ran.
  std::vector<std::string> lines_of(const std::string& name, const File& file) const {
    std::vector<std::string> out;
    if (!page_.options.source) return out;
    for (std::string_view line : text::lines_of(page_.options.source(name))) out.emplace_back(line);
    for (const auto& [number, counted] : file.lines)
      if (number > out.size() || trimmed(out[number - 1]) != counted.text) return {};
    return out;
  }

  std::vector<Part> parts_of(const std::string& name, const File& file, std::size_t lines) const {
    std::vector<u32> numbers;
    for (const auto& [number, counted] : file.lines) numbers.push_back(number);
    for (const auto& [number, counted] : file.calls)
      if (number <= lines) numbers.push_back(number);
    std::ranges::sort(numbers);
    const std::vector<source::Extent> functions =
        source::functions_in(source::Tokens(page_.options.source(name)));
    std::vector<Part> out;
    for (u32 number : numbers) {
      if (!out.empty() && number <= out.back().last) continue;
      auto within = std::ranges::find_if(functions, [&](const source::Extent& function) {
        return function.first <= number && number <= function.last;
      });
      // Of what is no function of C++, as Python is, its surroundings.
      Part part = within != functions.end() ? Part{within->first, within->last}
                                            : Part{number - std::min(number - 1, context),
                                                   std::min(number + context, static_cast<u32>(lines))};
      if (!out.empty() && part.first <= out.back().last + 1)
        out.back().last = std::max(out.back().last, part.last);
      else
        out.push_back(part);
    }
    return out;
  }

  std::string file_text(const std::string& name, const File& file) const {
    const std::vector<std::string> lines = lines_of(name, file);
    if (lines.empty() && file.lines.empty()) return ""; // of calls alone, nothing is left to show
    std::string out = titles() + page_.style.bold(clip_middle(file_name(page_, name), room(0))) + '\n';
    if (lines.empty()) {
      out += margin() +
             page_.style.faint("its text was not found, or has changed: lines as the report has them") + '\n';
      const u32 digits = digits_of(file.lines.empty() ? 1 : file.lines.rbegin()->first);
      u32 before = 0;
      for (const auto& [number, counted] : file.lines) {
        if (before != 0 && number != before + 1) out += margin() + std::string(digits - 1, ' ') + "⋮\n";
        out += line_text(counted, nullptr, number, counted.text, digits);
        before = number;
      }
      return out;
    }
    const std::vector<Part> parts = parts_of(name, file, lines.size());
    const u32 digits = digits_of(parts.empty() ? 1 : parts.back().last);
    for (const Part& part : parts) {
      if (&part != &parts.front()) out += margin() + '\n';
      out += kernels_text(file, part) + part_text(file, part, lines, digits);
    }
    return out;
  }

  // Whose counts they are.
  std::string kernels_text(const File& file, const Part& part) const {
    std::vector<const Kernel*> kernels;
    for (auto it = file.lines.lower_bound(part.first); it != file.lines.end() && it->first <= part.last; ++it)
      for (const Kernel* kernel : it->second.kernels)
        if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
    if (kernels.empty()) return "";
    u64 launches = 0;
    for (const Kernel* kernel : kernels) launches += kernel->launches;
    const std::vector<std::string> names = names_of(kernels);
    std::string text = fmt::format("{}{}, {}", names.size() > 1 ? "added up over " : "", listed(names, 3),
                                   human(launches, "launch"));
    return margin() + page_.style.faint(clip(text, room(0))) + '\n';
  }

  std::string part_text(const File& file, const Part& part, const std::vector<std::string>& lines,
                        u32 digits) const {
    auto is_counted = [&](u32 number) { return file.lines.contains(number) || file.calls.contains(number); };
    auto is_near = [&](u32 number) {
      for (u32 other = number - std::min(number, context); other <= number + context; ++other)
        if (is_counted(other)) return true;
      return number == part.first || number == part.last;
    };
    std::string out;
    for (u32 number = part.first; number <= part.last; ++number) {
      u32 end = number;
      while (page_.options.top_lines != 0 && end <= part.last && !is_near(end)) ++end;
      if (end > number + 1) {
        out += margin() +
               page_.style.faint(std::string(digits - 1, ' ') + fmt::format("⋮ {} lines", end - number)) +
               '\n';
        number = end - 1;
        continue;
      }
      auto counted = file.lines.find(number);
      auto call = file.calls.find(number);
      out += line_text(counted == file.lines.end() ? Counted{} : counted->second,
                       call == file.calls.end() ? nullptr : &call->second, number, lines[number - 1], digits);
    }
    return out;
  }

  std::string line_text(const Counted& counted, const Counted* call, u32 number, const std::string& text,
                        u32 digits) const {
    const bool own = !counted.rows.empty();
    std::string numbers = own ? figures(counted) : call != nullptr ? figures(*call, true) : margin_blanks();
    std::string code = text;
    for (std::size_t tab; (tab = code.find('\t')) != code.npos;) code.replace(tab, 1, "    ");
    if (code.ends_with('\r')) code.pop_back();
    code = clip(code, room(digits + 1));
    const double share = share_of(counted);
    if (share >= least_share)
      numbers = share >= 0.2 ? page_.style.bad(numbers) : page_.style.poor(numbers),
      code = page_.style.bold(code);
    std::string out =
        numbers + " │ " + page_.style.faint(pad_left(fmt::format("{}", number), digits)) + ' ' + code + '\n';
    if (counted.changed)
      out += margin() + std::string(digits + 1, ' ') +
             page_.style.poor("changed after the program was built") + '\n';
    return share >= least_share ? out + notes(counted, digits) : out;
  }

  // What the worst accesses of the line look like.
  std::string notes(const Counted& counted, u32 digits) const {
    std::vector<const AccessRow*> rows;
    for (const AccessRow* row : counted.rows)
      if (row->excess_cycles != 0) rows.push_back(row);
    std::ranges::stable_sort(rows, std::greater<>(), &AccessRow::excess_cycles);
    std::vector<std::string> said;
    for (const AccessRow* row : rows) {
      const std::string array = array_name(row->site.array);
      add_new(said,
              fmt::format("{:.2f} ({:.2f}) {}: {}{}, {}", row->cost.actual, row->cost.ideal, row->cost.unit,
                          access_name(*row), array.empty() ? "" : " of " + array, pattern_text(*row)));
    }
    std::string out;
    for (std::size_t i = 0; i < std::min(said.size(), most_rows); ++i)
      out +=
          margin() + std::string(digits + 1, ' ') + page_.style.faint(clip(said[i], room(digits + 1))) + '\n';
    if (said.size() > most_rows)
      out += margin() + std::string(digits + 1, ' ') +
             page_.style.faint(fmt::format("and {} more", said.size() - most_rows)) + '\n';
    return out;
  }

  static constexpr double least_share = 0.01;
  double share_of(const Counted& counted) const {
    const u64 all = page_.model.excess_cycles;
    return all == 0 ? 0 : static_cast<double>(counted.excess_cycles) / static_cast<double>(all);
  }

  std::string figures(const Counted& counted, bool callee = false) const {
    auto number = [&](u64 value) {
      std::string text = value == 0 ? "" : human(value);
      return pad_left(callee && value != 0 ? '(' + text + ')' : text, count_width);
    };
    const double share = share_of(counted);
    std::string waste = counted.excess_cycles == 0 ? "" : percent(share);
    if (callee && !waste.empty()) waste = '(' + waste + ')';
    std::string out = (share >= least_share && !callee ? '>' : ' ') + pad_left(waste, share_width - 1) +
                      number(counted.sectors);
    if (wavefronts_) out += number(counted.wavefronts);
    if (constants_) out += number(counted.constants);
    return out;
  }

  static u32 digits_of(u32 number) { return static_cast<u32>(std::to_string(number).size()); }
  u32 margin_width() const { return share_width + count_width * (1 + u32{wavefronts_} + u32{constants_}); }
  std::string margin_blanks() const { return std::string(margin_width(), ' '); }
  std::string margin() const { return margin_blanks() + " │ "; }
  std::string titles() const {
    std::string out = pad_left("waste", share_width) + pad_left("sectors", count_width);
    if (wavefronts_) out += pad_left("wavefr.", count_width);
    if (constants_) out += pad_left("constant", count_width);
    return page_.style.faint(out) + " │ ";
  }
  // For text behind the margin.
  u32 room(u32 used) const {
    const u32 taken = margin_width() + 3 + used;
    return page_.options.width > taken + 8 ? page_.options.width - taken : 8;
  }

  const Page& page_;
  std::map<std::string, File> files_;
  std::size_t kernels_ = 0, left_ = 0, unplaced_ = 0;
  bool wavefronts_ = false, constants_ = false; // are there any?
};

} // namespace

std::string annotated_section(const Page& page) { return Annotation(page).text(); }

} // namespace warplens::report
