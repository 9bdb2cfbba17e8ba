// Files that WarpLens writes: whole or not at all, and never over something that it reads.
#pragma once
#include "base/diagnostic.h"
#include <string>
#include <string_view>

namespace warplens::os {

class OutputFile {
public:
  // Finds out whether the file can be written, and leaves it as it is.
  static Result<OutputFile> prepare(const std::string& path);

  // Gives the file this content: written aside and renamed, so that a reader, a full disk or a killed process finds the
  // old content or the new. A device or a pipe is written to directly; so is a file in a folder where none can be made.
  Result<void> write(std::string_view text) const;

private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// What to do where a write failed with that errno; empty where that is not because there is no room.
std::string full_disk_help(int error);

// Whether both names mean one file, by whatever links and folders. Files that do not exist yet are compared by folder and
// name; devices and pipes are never the same, since nothing in them is lost.
bool is_same_file(const std::string& a, const std::string& b);

} // namespace warplens::os
