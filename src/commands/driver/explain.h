// `warplens explain`: one access or one built-in case, from the words of the command line to what is printed.
#pragma once
#include "driver/options/output.h"
#include "explain/model/words.h"
#include <string>
#include <vector>

namespace warplens::driver {

struct ExplainOptions {
  warplens::explain::Words asked;
  std::string sm = "90";            // "70" or "7.0"
  std::vector<std::string> counter; // --counter NAME [VALUE]
  bool list_cases = false;
  std::string case_name;
  std::string pool;    // --pool 'float a[100]; double b[10]'
  std::string svg;     // file name; empty: none
  std::string html;    // likewise; "-": standard output, instead of the words
  std::string version; // of WarpLens, for the page
  bool json = false;
  bool unicode = true, colour = false;
};

Output explain(const ExplainOptions& options);

} // namespace warplens::driver
