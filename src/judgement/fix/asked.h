// What the program warplens-edits is asked, and what it answers: the edits that findings in one source file want. Both travel
// as JSON, in files.
#pragma once
#include "findings/finding.h"
#include <optional>
#include <string>
#include <vector>

namespace warplens::fix {

// An edit that a finding wants.
struct Wish {
  findings::Remedy remedy{};
  std::string array;        // that is accessed, as the source calls it
  u32 line = 0, column = 0; // of the access
};

struct Asked {
  std::vector<std::vector<std::string>> commands; // of clang, one for each pass; the last word is the file
  std::string file;                               // absolute
  std::string text;                               // what the file is taken to hold
  std::vector<Wish> wishes;
};

// The edits of one wish, in that file. Where there are none: why, and the place that shows it.
struct Made {
  std::vector<findings::Edit> edits{};
  std::string why{};
  u32 line = 0, column = 0; // 0: no place
};

struct Answered {
  std::string problem{};    // why clang cannot parse the file; then nothing is made
  std::vector<Made> made{}; // as many as wishes
};

std::string json(const Asked&);
std::string json(const Answered&);
// Nothing where the text is not what json() writes.
std::optional<Asked> read_asked(const std::string& text);
std::optional<Answered> read_answered(const std::string& text);

} // namespace warplens::fix
