// Text that may be anybody's: names of files and kernels, lines of source, what other tools print. What of it a terminal or
// continuous integration would obey is shown as escapes.
#pragma once
#include "base/types.h"
#include <string>
#include <string_view>

namespace warplens {

struct Character {
  std::size_t bytes = 1; // of its UTF-8 sequence; 1 where there is none
  u32 point = 0;         // its number in Unicode
  // False for control characters (line ends and tabs, too), separators of lines, controls of the writing direction, which
  // show text in another place, and bytes that are not UTF-8.
  bool shown = false;
};
Character first_character(std::string_view text); // of a text that is not empty

// "\x0a" for each byte.
std::string escaped(std::string_view bytes);

// The text with what is not shown as escapes; tabs stay, and line ends where it may have several lines.
std::string visible(std::string_view text, bool line_ends);
// GitHub obeys a line that begins with "::error::", blanks before it or not, and "##[error]" anywhere in a line. Of lines
// that would be obeyed one character is escaped; others stay as they are.
std::string without_commands(std::string_view lines);

// Of what must be one line, as a name: neither is in it.
std::string one_line(std::string_view text);

} // namespace warplens
