// Lines and cells of what `ncu --csv` prints.
#pragma once
#include "base/diagnostic.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::measured {

using Cells = std::vector<std::string>;

// One line's cells. Quotes within a cell are doubled, but for lines of source, which are printed as they are: of these no
// cell but the first is used. What begins with a quote and has none at its end is no cell.
Cells cells_of(std::string_view line);
// Of a row that has fewer cells than its table.
diag::Diagnostic cut_row(const std::string& file, u32 line);

// Lines of the page; what the profiler says of itself, and what the program prints, stands between them.
class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next();
  std::string_view line() const { return line_; }
  u32 number() const { return number_; }

private:
  std::string_view rest_, line_;
  u32 number_ = 0;
};

// "1,234.5"; nothing where it is no number.
std::optional<double> number_of(std::string text);
// The same where it is a whole number, or the whole part of one that is not negative.
std::optional<u64> whole_of(const std::string& text);

} // namespace warplens::measured
