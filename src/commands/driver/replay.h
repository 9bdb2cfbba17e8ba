// `replay`: counts the accesses of a pattern or trace file, one after the other, in constant memory.
#pragma once
#include "base/types.h"
#include <functional>
#include <string>
#include <string_view>

namespace warplens::driver {

struct ReplayOptions {
  std::string path;        // "-" is standard input
  std::string sm = "90";   // one compute capability or several, separated by commas
  bool json = false;       // one object a line instead of a table
  std::string html;        // a page, too; "-" instead of the table; empty: none
  std::string version;     // of WarpLens, for the page
  bool keep_going = false; // count the lines after a malformed one
  bool colour = false;     // of diagnostics
};

// Where text goes; each is called with whole lines. `out` returns false when nothing more can be written.
struct TextSinks {
  std::function<bool(std::string_view)> out;
  std::function<void(std::string_view)> diagnostics;
};

// The exit code: 0 when every line was counted, 1 when `keep_going` passed over malformed lines, 2 on an
// error.
int replay(const ReplayOptions&, const TextSinks&);

} // namespace warplens::driver
