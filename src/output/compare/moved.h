// Which line of the first source is which of another's, where the program was changed in between. Internal to the room.
#pragma once
#include "compare/lines.h"

namespace warplens::compare {

class MovedLines {
public:
  // Of every side's lines with accesses; the base's keep their numbers. A side's source has what the side itself brought along: a file
  // on disk may have been changed since.
  MovedLines(const std::vector<Side>&, const std::vector<summary::SourceLines>&, std::size_t base);

  // Gives lines of a side the number that they have on the base's; one that the base has not gets a key of its own.
  Lines place(std::size_t side, Lines) const;
  // Whether a file of these lines is another on that side than on the base's: a line's text is.
  bool changed(std::size_t side, const Lines&) const;

private:
  using Numbers = std::map<u32, u32>;                              // a side's line → the base's
  std::array<std::map<std::string, Numbers>, most_sides> changed_; // of files that differ
};

} // namespace warplens::compare
