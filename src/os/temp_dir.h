// A private folder (mode 0700) under $TMPDIR that is removed with everything in it when its owner goes.
#pragma once
#include "diag/diagnostic.h"
#include <string>

namespace warplens::os {

// $TMPDIR, or /tmp: where files go that nobody keeps.
std::string temporary_folder();

class TempDir {
public:
  static Result<TempDir> create();
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  const std::string& path() const { return path_; }

private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  std::string path_; // empty: nothing to remove
};

} // namespace warplens::os
