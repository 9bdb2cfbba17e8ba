// Looks for a file as the compiler named it, then in each folder, by its path and by its name alone. Each is
// read once.
#include "report/source.h"
#include <filesystem>
#include <fstream>

namespace warplens::report {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t largest_file = 64u << 20; // a generated file beyond that is not what a person reads

std::optional<std::vector<std::string>> read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > largest_file) return {};
  std::ifstream in(path);
  if (!in) return {};
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(std::move(line));
  return out;
}

} // namespace

const std::vector<std::string>& SourceFiles::lines_of(const std::string& file) {
  auto [found, fresh] = files_.try_emplace(file);
  if (!fresh || file.empty()) return found->second;
  fs::path path(file);
  std::vector<fs::path> candidates{path};
  for (const std::string& folder : folders_) {
    if (path.is_relative()) candidates.push_back(fs::path(folder) / path);
    candidates.push_back(fs::path(folder) / path.filename());
  }
  for (const fs::path& candidate : candidates)
    if (auto lines = read(candidate)) {
      found->second = std::move(*lines);
      break;
    }
  return found->second;
}

std::optional<std::string> SourceFiles::line(const std::string& file, u32 number) {
  const std::vector<std::string>& lines = lines_of(file);
  if (number == 0 || number > lines.size()) return {};
  const std::string& text = lines[number - 1];
  std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? std::string() : text.substr(begin, end - begin + 1);
}

} // namespace warplens::report
