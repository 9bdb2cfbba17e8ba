// A private folder (mode 0700) under $TMPDIR that is removed with everything in it when its owner goes: by the
// owner, or, where that was killed outright, by the next that makes one there.
#pragma once
#include "base/diagnostic.h"
#include "os/file.h"
#include <string>

namespace warplens::os {

// $TMPDIR, or /tmp: where files go that nobody keeps.
std::string temporary_folder();

// From here on the folders of this process go with it, too, where one of DelayedSignals' (interrupt.h) ends it that nobody
// expects. For programs of our own.
void remove_temporary_folders_on_signals();

class TempDir {
public:
  // Errors: no-temporary-folder.
  static Result<TempDir> create();
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  const std::string& path() const { return path_; }

private:
  TempDir(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_; // empty: nothing to remove
  Descriptor lock_;  // held for as long as the owner lives, which the system sees to
};

} // namespace warplens::os
