// See temp_dir.h.
#include "os/temp_dir.h"
#include "os/environment.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace warplens::os {

std::string temporary_folder() {
  std::string folder = variable("TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

Result<TempDir> TempDir::create() {
  std::string path = temporary_folder() + "/warplens-XXXXXX";
  if (!mkdtemp(path.data()))
    return failure(diag::error("no-temporary-folder",
                               fmt::format("cannot create a folder '{}': {}", path, std::strerror(errno)), {},
                               "set TMPDIR to a folder with free space that you may write to"));
  return TempDir(std::move(path));
}

TempDir::~TempDir() {
  std::error_code ignored; // a file that cannot be removed is not worth failing for
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

} // namespace warplens::os
