#include "source/places.h"
#include <algorithm>
#include <array>
#include <filesystem>

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

// "b.cu" and "a/b.cu" end "/x/a/b.cu"; ".cu" does not.
bool is_end_of(std::string_view end, std::string_view path) {
  if (!path.ends_with(end)) return false;
  return end.size() == path.size() || end.front() == '/' || path[path.size() - end.size() - 1] == '/';
}

std::string shortest_end(const std::string& path, const std::set<std::string>& all) {
  for (std::size_t slash = path.size(); slash > 0;) {
    slash = path.rfind('/', slash - 1);
    if (slash == path.npos) break;
    std::string end = path.substr(slash + 1);
    bool alone = std::none_of(all.begin(), all.end(), [&](const std::string& other) {
      return other != path && is_end_of(end, other);
    });
    if (alone && !end.empty()) return end;
  }
  return path;
}

} // namespace

bool is_library_file(std::string_view file) {
  static constexpr std::array<std::string_view, 5> marks{"/usr/include/", "/usr/lib/",
                                                         "/targets/x86_64-linux/include", "/cuda/include/",
                                                         "/share/warplens/cuda/"};
  if (std::size_t version = file.find("/cuda-");
      version != file.npos && file.find("/include/", version) != file.npos)
    return true;
  return file.empty() || std::any_of(marks.begin(), marks.end(),
                                     [&](std::string_view mark) { return file.find(mark) != file.npos; });
}

bool is_kernel_file(std::string_view file) {
  return file.ends_with(".ptx") || file.ends_with(".fatbin") || file.ends_with(".cubin");
}

bool is_library_code(const access::Site& site) {
  if (site.frames.empty())
    return site.function.starts_with("_ZN3cub") || site.function.starts_with("_ZN6thrust");
  const std::string& inner = site.frames.front().file;
  if (std::ranges::all_of(site.frames, [](const access::SourceFrame& f) { return is_library_file(f.file); }))
    return !inner.empty();
  return is_library_file(inner) &&
         (inner.find("/cub/") != inner.npos || inner.find("/thrust/") != inner.npos);
}

std::vector<access::SourceFrame> user_frames(const access::Site& site) {
  std::vector<access::SourceFrame> out;
  for (const access::SourceFrame& frame : site.frames)
    if (!is_library_file(frame.file) && frame.line != 0) out.push_back(frame);
  if (out.empty() && !site.frames.empty()) out.push_back(site.frames.front());
  std::reverse(out.begin(), out.end());
  return out;
}

access::SourceFrame user_frame(const access::Site& site) {
  std::vector<access::SourceFrame> frames = user_frames(site);
  return frames.empty() ? access::SourceFrame{} : frames.back();
}

std::map<std::string, std::string> file_names(const std::set<std::string>& files, const std::string& root) {
  std::map<std::string, std::string> normal;
  std::set<std::string> all;
  for (const std::string& file : files) all.insert(normal[file] = fs::path(file).lexically_normal().string());
  std::string below = root.empty() || root.ends_with('/') ? root : root + '/';
  std::map<std::string, std::string> out;
  for (const auto& [file, path] : normal)
    out[file] =
        !below.empty() && path.starts_with(below) ? path.substr(below.size()) : shortest_end(path, all);
  return out;
}

} // namespace warplens::source
