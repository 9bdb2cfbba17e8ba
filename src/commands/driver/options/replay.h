// What `replay` is asked for.
#pragma once
#include <string>

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

} // namespace warplens::driver
