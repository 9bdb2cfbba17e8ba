#include "measured/csv.h"
#include <algorithm>
#include <charconv>

namespace warplens::measured {

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
    if (at >= line.size()) return out.pop_back(), out;
    at = std::min(line.find(',', at), line.size()) + 1;
  }
  return out;
}

diag::Diagnostic cut_row(const std::string& file, u32 line) {
  return diag::error("measured-malformed", "this row has fewer cells than its table", {file, line, 0, 0},
                     "copy the file again from the machine that made it");
}

bool Lines::next() {
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

} // namespace warplens::measured
