// `run`: starts the user's program with the emulating runtime preloaded, and reports what its kernels did.
#pragma once
#include "base/diagnostic.h"
#include "base/run_options.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::report {
struct Saved;
}

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

// The exit code: the program's own (128 + signal); 2 when it could not be started or the report not be
// written; where that would be 0, 1 when a finding fails, and with `strict` when the report is not complete
// (summary::Model), or `checks` found something.
int run(const RunOptions&, const RunOutput&);

// Runs a program for what a report of it would hold, with no gate; what the program writes to standard output goes to standard
// error. Errors: those of run().
Result<report::Saved> run_saved(RunOptions, const RunOutput&);

bool is_launch_option(std::string_view word); // of those that follow a file with a kernel

} // namespace warplens::driver
