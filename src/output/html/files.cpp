// The source that the page shows: whole files where they are at hand and are those that were measured; else the lines that
// the report itself holds.
#include "html/report_data.h"
#include "text/lines.h"
#include <algorithm>

namespace warplens::html {
namespace {

// Of generated files beyond that, only the lines with accesses are shown.
constexpr std::size_t longest_file = 1 << 20;

using Lines = std::map<u32, std::string>; // that the report holds, without blanks around

// Do these lines stand in the text, at these numbers?
bool agrees(std::string_view file, const Lines& lines) {
  const std::vector<std::string_view> all = text::lines_of(file);
  return std::ranges::all_of(lines,
                             [&](const auto& one) { return text::line_at(all, one.first) == one.second; });
}

} // namespace

int Scribe::file(const std::string& file) {
  if (file.empty()) return -1;
  auto [found, fresh] = file_numbers_.try_emplace(file, static_cast<int>(file_names_.size()));
  if (fresh) file_names_.push_back(file);
  return found->second;
}

Json Scribe::files() const {
  std::map<std::string, Lines> held;
  std::set<std::string> changed;
  for (const summary::Kernel& kernel : model.kernels)
    for (const summary::Line& line : kernel.lines) {
      if (!line.text.empty()) held[line.place.file].emplace(line.place.line, line.text);
      if (line.changed) changed.insert(line.place.file);
    }
  Json out = Json::array();
  for (const std::string& file : file_names_) {
    Json one{{"name", report::file_name(words, file)}};
    const Lines& lines = held[file];
    const std::string text = source_ ? source_(file) : std::string();
    const bool whole = !text.empty() && text.size() <= longest_file && agrees(text, lines);
    if (whole)
      one["text"] = text;
    else
      one["lines"] = lines;
    if (changed.contains(file))
      one["note"] = "This file is newer than the program: its lines may not be those that ran.";
    else if (!whole && text.size() > longest_file)
      one["note"] = "This file is long: only the lines with accesses are shown.";
    else if (!whole && !text.empty())
      one["note"] = "The file has changed since the run: only the lines that the report holds are shown.";
    else if (!whole)
      one["note"] = lines.empty()
                        ? "The text of this file was not found, or lies outside the program's folders: "
                          "--source-root DIR of "
                          "run adds one."
                        : "The file was not at hand: only the lines that the report holds are shown.";
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace warplens::html
