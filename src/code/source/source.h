// Lines of source files for the report: each file is read once, looked for where the compiler saw it, then
// relative to the given folders (the working directory, the program's folder) by its path and by ever shorter
// ends of it. Only files that belong to the program are read (source_roots.h); of the others the names are kept.
#pragma once
#include "source/source_roots.h"
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/types.h"

namespace warplens::source {

class SourceFiles {
public:
  SourceFiles(std::vector<std::string> folders, SourceRoots roots)
      : folders_(std::move(folders)), roots_(std::move(roots)) {}
  // The line without surrounding blanks; nothing when the file or the line does not exist, or is not to be shown.
  std::optional<std::string> line(const std::string& file, u32 number);
  // The whole file; empty where it was not found, or is not to be shown. Where it lies: its canonical path.
  const std::string& text(const std::string& file) { return file_at(file).text; }
  const std::string& path(const std::string& file) { return file_at(file).path; }
  // When the file that lines come from was last written; nothing where none was found.
  std::optional<std::filesystem::file_time_type> written(const std::string& file);
  // Files that lines were asked of and that exist, but only where they do not belong to the program.
  const std::set<std::string>& withheld() const { return withheld_; }

private:
  struct File {
    std::string text, path;
    std::vector<std::string_view> lines; // of `text`
    std::optional<std::filesystem::file_time_type> written;
  };
  const File& file_at(const std::string& file);
  std::vector<std::string> folders_;
  SourceRoots roots_;
  std::map<std::string, File> files_;
  std::set<std::string> withheld_;
};

} // namespace warplens::source
