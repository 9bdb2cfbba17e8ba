// Texts of the lines of both sides, matched file by file as `diff` does it, where they are not the same. See moved.h.
#include "compare/moved.h"
#include "text/lines.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::compare {
namespace {

struct Source {
  std::string text; // empty: not known
  std::vector<std::string> has;
};
using File = std::map<u32, Source>;

std::map<std::string, File> files_of(const Side& side, const summary::SourceLines& source) {
  std::map<std::string, File> out;
  for (const summary::Launch& launch : side.input->launches)
    for (const auto& [key, sum] : lines_of(launch.record)) {
      if (key.line == 0) continue;
      Source& line = out[key.file][key.line];
      if (line.has.empty()) line.text = source(sum.place.file, key.line).value_or("");
      line.has.push_back(fmt::format("{} {}", access::name(key.space), access::name(key.kind)));
    }
  return out;
}

// Another text at the same number; or lines of which no number is on both sides. What has no texts is taken to be the same.
bool differ(const File& a, const File& b) {
  bool common = false, known = true;
  for (const auto& [number, line] : a) {
    auto other = b.find(number);
    known = known && !line.text.empty();
    if (other == b.end() || line.text.empty() || other->second.text.empty()) continue;
    if (text::line_key(line.text) != text::line_key(other->second.text)) return true;
    common = true;
  }
  for (const auto& [number, line] : b) known = known && !line.text.empty();
  return known && !common;
}

std::vector<text::Item> items_of(const File& file) {
  std::vector<text::Item> out;
  for (const auto& [number, line] : file)
    out.push_back({line.text.empty() ? fmt::format("line {}", number) : text::line_key(line.text), line.has});
  return out;
}

std::map<u32, u32> matched(const File& base, const File& other) {
  std::map<u32, u32> out;
  for (const auto& [b, o] : text::match_lines(items_of(base), items_of(other)))
    out.emplace(std::next(other.begin(), static_cast<std::ptrdiff_t>(o))->first,
                std::next(base.begin(), static_cast<std::ptrdiff_t>(b))->first);
  return out;
}

} // namespace

MovedLines::MovedLines(const std::vector<Side>& sides, const std::vector<summary::SourceLines>& sources,
                       std::size_t base) {
  const std::map<std::string, File> first = files_of(sides[base], sources[base]);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    if (s == base) continue;
    for (const auto& [name, file] : files_of(sides[s], sources[s]))
      if (auto same = first.find(name); same != first.end() && differ(same->second, file))
        changed_[s].emplace(name, matched(same->second, file));
  }
}

Lines MovedLines::place(std::size_t side, Lines lines) const {
  if (changed_[side].empty()) return lines;
  Lines out;
  for (auto& [key, sum] : lines) {
    LineKey placed = key;
    if (auto file = changed_[side].find(key.file); file != changed_[side].end() && key.line != 0) {
      auto number = file->second.find(key.line);
      if (number != file->second.end())
        placed.line = number->second;
      else
        placed.only_of = side;
    }
    out.emplace(std::move(placed), std::move(sum));
  }
  return out;
}

bool MovedLines::changed(std::size_t side, const Lines& lines) const {
  return std::ranges::any_of(lines,
                             [&](const auto& line) { return changed_[side].contains(line.first.file); });
}

} // namespace warplens::compare
