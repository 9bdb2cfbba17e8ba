// See output_file.h. A symbolic link stays one: what it leads to is replaced.
#include "os/output_file.h"
#include "os/file.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::os {
namespace {

namespace fs = std::filesystem;

tl::unexpected<diag::Diagnostic> cannot(const std::string& path, int error) {
  const std::string full = full_disk_help(error);
  return failure(diag::error("report-unwritable", fmt::format("cannot write '{}': {}", path, strerror(error)),
                             {}, full.empty() ? "give another path" : full));
}

std::string behind_links(const std::string& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error); // of a dangling link: what it names
  return error || target.empty() ? path : target.string();
}

// Nobody may write to it, whatever the user may do as root.
bool is_read_only(const std::string& path) {
  struct stat status;
  constexpr mode_t writing = S_IWUSR | S_IWGRP | S_IWOTH;
  return stat(path.c_str(), &status) == 0 && (status.st_mode & writing) == 0;
}

// Another file in its place would not be the same to its other names.
bool has_other_names(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && status.st_nlink > 1;
}

// A file of our own in the same folder, with the rights and the owner that the old one has or a new one would get; none where
// it cannot have them.
class Aside {
public:
  explicit Aside(const std::string& target) {
    fs::path path(target);
    name_ = (path.parent_path() / ("." + path.filename().string().substr(0, 200) + ".XXXXXX")).string();
    file_ = Descriptor(mkostemp(name_.data(), O_CLOEXEC));
    if (!file_) return;
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    const bool replaces = stat(target.c_str(), &status) == 0;
    const bool owned = !replaces || fchown(file_.get(), status.st_uid, status.st_gid) == 0 ||
                       (status.st_uid == geteuid() && status.st_gid == getegid());
    if (!owned) {
      unlink(name_.c_str());
      file_.reset();
      return;
    }
    if (fchmod(file_.get(), replaces ? status.st_mode & 0777 : 0666 & ~mask) != 0)
      return; // a file system without rights
  }
  ~Aside() {
    if (file_) unlink(name_.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  bool exists() const { return static_cast<bool>(file_); }
  bool write_and_rename(std::string_view text, const std::string& target) {
    if (!write_all(file_.get(), std::as_bytes(std::span(text)))) return false;
    if (rename(name_.c_str(), target.c_str()) != 0) return false;
    file_.reset();
    return true;
  }

private:
  std::string name_;
  Descriptor file_;
};

// Whether `path` is there and no regular file, or stands for one that somebody has open (/dev/stdout, /proc/self/fd/3).
bool is_device(const std::string& path) {
  struct stat status;
  bool opened = path.starts_with("/dev/") || path.starts_with("/proc/");
  return stat(path.c_str(), &status) == 0 && (opened || !S_ISREG(status.st_mode));
}

// What identifies a file: device, inode and, for one that does not exist, its name in that folder.
struct Identity {
  dev_t device;
  ino_t inode;
  std::string name;
  bool operator==(const Identity&) const = default;
};

std::optional<Identity> identity_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return {};
    return Identity{status.st_dev, status.st_ino, {}};
  }
  fs::path target = behind_links(path);
  std::string folder = target.parent_path().empty() ? "." : target.parent_path().string();
  if (stat(folder.c_str(), &status) != 0) return {};
  return Identity{status.st_dev, status.st_ino, target.filename().string()};
}

} // namespace

Result<OutputFile> OutputFile::prepare(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return cannot(path, EISDIR);
  if (is_device(path)) {
    if (access(path.c_str(), W_OK) != 0) return cannot(path, errno);
    return OutputFile(path);
  }
  std::string target = behind_links(path);
  if (fs::exists(target, error) && access(target.c_str(), W_OK) != 0) return cannot(path, errno);
  if (is_read_only(target)) return cannot(path, EACCES);
  if (access(target.c_str(), F_OK) != 0 && errno == ENAMETOOLONG) return cannot(path, errno);
  if (!Aside(target).exists()) {
    int reason = errno;
    if (!fs::exists(target, error)) return cannot(path, reason);
  }
  return OutputFile(path);
}

Result<void> OutputFile::write(std::string_view text) const {
  std::string target = behind_links(path_);
  if (!is_device(path_) && !has_other_names(target)) {
    if (Aside aside(target); aside.exists()) {
      if (aside.write_and_rename(text, target)) return {};
      return cannot(path_, errno);
    }
  }
  Descriptor file(open(path_.c_str(), O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file || !write_all(file.get(), std::as_bytes(std::span(text))))
    if (errno != EPIPE) return cannot(path_, errno); // a pipe that nobody reads any more is not an error
  return {};
}

std::string full_disk_help(int error) {
  if (error == ENOSPC || error == EDQUOT) return "check the space on the disk";
  return error == EFBIG ? "raise the limit on the size of files (ulimit -f)" : "";
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::optional<Identity> first = identity_of(a);
  return first && first == identity_of(b);
}

} // namespace warplens::os
