// The edits of findings, made in files: what is left of them where two meet, a diff, and files that are written whole and only
// where they still are what was read.
#pragma once
#include "findings/finding.h"
#include "findings/writers.h"
#include "os/temp_dir.h"
#include <functional>

namespace warplens::driver {

// One change of the source, for every finding that it answers.
struct FixGroup {
  std::vector<findings::Edit> edits;
  std::vector<const findings::Finding*> findings; // of the list
};
// Those of findings that are neither suppressed nor in the baseline, the worst first. `said`: of edits that would meet others,
// which are left for the next time.
std::vector<FixGroup> fix_groups(const findings::List&, std::string& said);

struct Patch {
  struct File {
    std::string name, path; // as findings call it, and where it is
    std::string before, after;
  };
  std::vector<File> files;

  bool empty() const { return files.empty(); }
  std::string diff() const; // of all files, for `patch -p1` in folder()
  // The working directory, said as nothing, where all files lie below it; else the nearest that they all lie in.
  std::string folder() const;
  // For people who take the diff: the command, where it is not patch -p1 here; empty else.
  std::string diff_hint() const;
  // All files or, where one is not as it was read or may not be written, none. Errors: source-changed, report-unwritable.
  Result<void> write() const;
};

// `path_of`: where a file is, by its name in findings; empty: nothing is known of it, and it is left as it is.
Patch patch_of(const std::vector<FixGroup>&, const findings::SourceText&,
               const std::function<std::string(const std::string&)>& path_of);

// "2 fixes in a.cu and b.cuh"
std::string fixes_text(const std::vector<FixGroup>&, const Patch&);

// A folder with the files of a patch after it, and copies of the sources that are compiled, each below it at its whole path.
class Shadow {
public:
  // Errors: no-temporary-folder, report-unwritable.
  static Result<Shadow> create(const Patch&, const std::vector<std::string>& sources);
  std::string path_of(const std::string& original) const;
  // Back: what compilers and programs say of files below the folder, as of the files themselves.
  std::string original(std::string text) const;

private:
  explicit Shadow(os::TempDir folder) : folder_(std::move(folder)) {}
  os::TempDir folder_;
};

} // namespace warplens::driver
