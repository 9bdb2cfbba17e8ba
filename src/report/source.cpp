// Looks for a file as the compiler named it, then in each folder, by its path and by its name alone. Each is
// read once.
#include "report/source.h"
#include "os/file.h"
#include <filesystem>

namespace warplens::report {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = 64u << 20; // a generated file beyond that is not what a person reads

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The regular file that a path leads to; empty where there is none.
std::string file_behind(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::canonical(path, error);
  return !error && fs::is_regular_file(out, error) ? out.string() : std::string();
}

} // namespace

const SourceFiles::File& SourceFiles::file_at(const std::string& file) {
  auto [found, fresh] = files_.try_emplace(file);
  if (!fresh || file.empty()) return found->second;
  fs::path path(file);
  std::vector<fs::path> candidates{path};
  for (const std::string& folder : folders_) {
    if (path.is_relative()) candidates.push_back(fs::path(folder) / path);
    candidates.push_back(fs::path(folder) / path.filename());
  }
  std::string withheld;
  for (const fs::path& candidate : candidates) {
    std::string real = file_behind(candidate);
    if (real.empty()) continue;
    if (!roots_.contains(real)) {
      if (withheld.empty()) withheld = real;
    } else if (std::optional<std::string> text = os::read_file(real, largest_file)) {
      std::error_code error;
      found->second.lines = lines_in(*text);
      found->second.text = std::move(*text);
      found->second.path = real;
      if (fs::file_time_type time = fs::last_write_time(real, error); !error) found->second.written = time;
      return found->second;
    }
  }
  if (!withheld.empty()) withheld_.insert(withheld);
  return found->second;
}

std::optional<std::string> line_in(std::string_view text, u32 number) {
  for (u32 line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

std::optional<std::string> SourceFiles::line(const std::string& file, u32 number) {
  const std::vector<std::string>& lines = file_at(file).lines;
  if (number == 0 || number > lines.size()) return {};
  const std::string& text = lines[number - 1];
  std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::optional<fs::file_time_type> SourceFiles::written(const std::string& file) {
  return file_at(file).written;
}

} // namespace warplens::report
