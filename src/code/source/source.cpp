// Looks for a file as the compiler named it, then in each folder, by its path and by its name alone. Each is
// read once.
#include "source/source.h"
#include "os/file.h"
#include "text/lines.h"
#include <filesystem>

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = 64u << 20; // a generated file beyond that is not what a person reads

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
    // /home/ann/app/src/a.cu of another machine is src/a.cu here: the longest end of the path that exists.
    for (fs::path end = path.relative_path(); !end.empty();
         end = end.lexically_relative(*end.begin()), end = end == "." ? fs::path() : end)
      candidates.push_back(fs::path(folder) / end);
  }
  std::string withheld;
  for (const fs::path& candidate : candidates) {
    std::string real = file_behind(candidate);
    if (real.empty()) continue;
    if (!roots_.contains(real)) {
      if (withheld.empty()) withheld = real;
      if (&candidate == &candidates.front()) break; // that it is; another of its name is another file
    } else if (std::optional<std::string> text = os::read_file(real, largest_file)) {
      std::error_code error;
      found->second.text = std::move(*text);
      found->second.lines = text::lines_of(found->second.text);
      found->second.path = real;
      if (fs::file_time_type time = fs::last_write_time(real, error); !error) found->second.written = time;
      return found->second;
    }
  }
  if (!withheld.empty()) withheld_.insert(withheld);
  return found->second;
}

std::optional<std::string> SourceFiles::line(const std::string& file, u32 number) {
  return text::line_at(file_at(file).lines, number);
}

std::optional<fs::file_time_type> SourceFiles::written(const std::string& file) {
  return file_at(file).written;
}

} // namespace warplens::source
