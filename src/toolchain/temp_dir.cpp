#include "toolchain/temp_dir.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace warplens::toolchain {

Result<TempDir> TempDir::create() {
  const char* root = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/warplens-XXXXXX", root && *root ? root : "/tmp");
  if (!mkdtemp(path.data()))
    return failure(diag::error("toolchain-no-temporary-folder",
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

} // namespace warplens::toolchain
