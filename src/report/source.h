// Lines of source files for the report: each file is read once, looked for where the compiler saw it, then
// relative to the given folders (the working directory, the program's folder) by its path and by its name
// alone.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"

namespace warplens::report {

class SourceFiles {
public:
  explicit SourceFiles(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  // The line without surrounding blanks; nothing when the file or the line does not exist.
  std::optional<std::string> line(const std::string& file, u32 number);

private:
  const std::vector<std::string>& lines_of(const std::string& file);
  std::vector<std::string> folders_;
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace warplens::report
