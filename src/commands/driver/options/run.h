// What `run` is asked for, and where its text goes.
#pragma once
#include "base/run_options.h"
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::driver {

// Findings, and the gates that they must pass (driver/findings/gates.h).
struct GateOptions {
#define OPTION_gates(type, member, initial, ...) type member = initial;
#include "base/run_options.def"
};

// The members that are options, and what they are for, are rows of base/run_options.def.
struct RunOptions : ProgramOptions {
  // The program or .cu file, then its arguments; or a file with a kernel, then the words of its launch (launcher/plan.h).
  std::vector<std::string> command;
  std::vector<std::string> more_sources; // compiled with the .cu file; run() takes them from `command`
#define OPTION_compiler(type, member, initial, ...) type member = initial;
#define OPTION_filter(type, member, initial, ...) type member = initial;
#define OPTION_report(type, member, initial, ...) type member = initial;
#define OPTION_pager(type, member, initial, ...) type member = initial;
#define OPTION_only_run(type, member, initial, ...) type member = initial;
#include "base/run_options.def"
  bool sm_given = false, compiler_given = false; // else .warplens.toml may say others
  bool colour = false;                           // of the report on standard error
  bool colour_of_file = false;                   // of a report that goes elsewhere
  u32 width = 80;                                // of the terminal
  std::string version;
  GateOptions gates;
};

constexpr const char* nowhere = "/dev/null"; // as --report: no text

// Writes text to standard output or standard error; false when it could not.
struct RunOutput {
  std::function<bool(std::string_view)> out, err;
  // Shows a text that people read screen by screen; false where it did not, and where it is empty nobody does.
  std::function<bool(std::string_view)> page{};
  bool paged(std::string_view text) const { return page && page(text); }
};

} // namespace warplens::driver
