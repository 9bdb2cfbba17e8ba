// See source_roots.h. Paths are compared by their parts, in canonical form: a symbolic link counts as what it leads to.
#include "source/source_roots.h"
#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

constexpr const char* version_control[] = {".git", ".hg", ".svn", ".jj"};
constexpr const char* build_files[] = {"CMakeLists.txt", "Makefile",       "makefile",     "GNUmakefile",
                                       "meson.build",    "BUILD.bazel",    "MODULE.bazel", "WORKSPACE",
                                       "setup.py",       "pyproject.toml", "configure",    "SConstruct"};
constexpr const char* system_folders[] = {"/bin",   "/boot", "/dev", "/etc",  "/home", "/lib", "/lib64",
                                          "/media", "/mnt",  "/opt", "/proc", "/root", "/run", "/sbin",
                                          "/srv",   "/sys",  "/tmp", "/usr",  "/var"};

std::string canonical(const std::string& path) {
  std::error_code error;
  fs::path out = fs::canonical(path.empty() ? "." : path, error);
  return error ? "" : out.string();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return in_folder == folder.end() && in_path != path.end();
}

bool is_or_is_above(const fs::path& folder, const fs::path& path) {
  return folder == path || is_below(path, folder);
}

template <std::size_t n> bool holds_one_of(const fs::path& folder, const char* const (&names)[n]) {
  std::error_code error;
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return fs::exists(folder / name, error); });
}

// Whether a folder may be taken for a project because of what lies in it.
bool can_be_project(const fs::path& folder, const fs::path& home) {
  struct stat status;
  if (folder == folder.root_path() || (!home.empty() && is_or_is_above(folder, home))) return false;
  for (const char* system : system_folders)
    if (folder == system) return false;
  for (const char* tree : {"/etc", "/proc", "/sys", "/dev", "/boot"})
    if (is_below(folder, tree)) return false;
  return stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) == 0;
}

// The project that `folder` is in; empty where there is none.
fs::path project_of(const fs::path& folder, const fs::path& home) {
  fs::path topmost;
  for (fs::path at = folder; can_be_project(at, home); at = at.parent_path()) {
    if (holds_one_of(at, version_control)) return at;
    if (holds_one_of(at, build_files)) topmost = at;
  }
  if (!topmost.empty()) return topmost;
  return can_be_project(folder.parent_path(), home) ? folder.parent_path() : fs::path();
}

bool has_hidden_part(const fs::path& path, const fs::path& folder) {
  fs::path rest = path.lexically_relative(folder);
  return std::any_of(rest.begin(), rest.end(),
                     [](const fs::path& part) { return part.string().starts_with('.'); });
}

} // namespace

SourceRoots::SourceRoots(const std::string& current, const std::string& program, const std::string& home,
                         const std::vector<std::string>& named) {
  const std::string at_home = canonical(home.empty() ? "/" : home);
  for (const std::string& start : {canonical(current), canonical(program)}) {
    if (start.empty()) continue;
    add(start);
    add(project_of(start, at_home).string());
  }
  for (const std::string& folder : named)
    if (std::string root = canonical(folder); !root.empty()) named_.push_back(std::move(root));
}

void SourceRoots::add(const std::string& folder) {
  struct stat status;
  if (folder.empty() || folder == "/" || stat(folder.c_str(), &status) != 0) return;
  roots_.push_back({folder, status.st_uid});
}

bool SourceRoots::contains(const std::string& path) const {
  for (const std::string& folder : named_)
    if (is_below(path, folder)) return true;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return false;
  return std::any_of(roots_.begin(), roots_.end(), [&](const Root& root) {
    return is_below(path, root.folder) && !has_hidden_part(path, root.folder) &&
           (status.st_uid == geteuid() || status.st_uid == root.owner);
  });
}

} // namespace warplens::source
