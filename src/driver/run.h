// `run`: starts the user's program with the emulating runtime preloaded, and reports what its kernels did.
#pragma once
#include "diag/diagnostic.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::driver {

// Findings, and the gates that they must pass (driver/findings/gates.h). Files: empty: none; "-": standard output.
struct GateOptions {
  std::string sarif, markdown, findings; // files; findings: JSON
  bool warnings = false, github = false; // beside the text report
  std::vector<std::string> fail_on;      // conditions (gates/condition.h)
  std::vector<std::string> levels;       // "RULE=SEVERITY"
  std::string baseline, write_baseline;  // files
  std::string config;                    // file; empty: the nearest .warplens.toml
  bool no_config = false;
  bool fix = false, fix_dry_run = false; // what is mechanical: written to the source, or shown as a diff
  bool verify_fix = false;               // of a .cu file: run before and after, and compared
};

struct RunOptions {
  std::vector<std::string>
      command; // the program or .cu file, then its arguments; or a file with a kernel, then
               // the words of its launch (launcher/plan.h)
  std::vector<std::string> more_sources; // compiled with the .cu file; run() takes them from `command`
  std::string sm = "90";                 // the device, then others to count for
  bool sm_given = false, compiler_given = false; // else .warplens.toml may say others
  std::string json;                              // file, "-" for standard output, empty: none
  std::string html;                              // likewise
  std::string report;                            // file for the text report, empty: standard error
  std::vector<std::string> source_roots;         // folders whose files may be quoted, wherever they are
  bool details = false;
  u32 top_lines = 5, top_kernels = 5; // 0: all
  bool summary = false;               // no tables of kernels
  bool annotate = false;              // the source with counts in the margin instead
  std::string group_by;               // "line", "kernel", "file", "array": one table instead; empty: none
  std::string kernel;                 // regular expression, as report's filter
  std::string compiler = "auto";      // of a .cu file: nvcc, clang
  std::string compile_options;        // as one would write them in a shell
  u32 workers = 0;                    // 0: one per core
  std::string memory = "gpu";         // or "strict"
  std::optional<u64> launches,
      per_kernel;                  // count so many of each process, and of each kernel; others just run
  u64 launch_skip = 0;             // of each process
  std::vector<std::string> checks; // what else to look for: "sync", "memory", "race"
  double timeout = 0;              // seconds that a launch may take; 0: no limit
  bool count_only = false;         // results only where somebody looks
  bool no_results = false;         // then the program is ended there instead
  std::string count_as =
      "auto"; // machine code's accesses where it can be read, else PTX's; or "ptx", "machine-code"
  bool strict = false;
  bool keep_going = false;     // launches that fail are a success to the program
  bool no_cache = false;       // compile and parse anew, keep nothing
  bool progress = false;       // nobody said --no-progress
  bool colour = false;         // of the report on standard error
  bool colour_of_file = false; // of a report that goes elsewhere
  u32 width = 80;              // of the terminal
  bool no_pager = false;       // of long reports on a terminal
  std::string version;
  GateOptions gates;
};

// Writes text to standard output or standard error; false when it could not.
struct RunOutput {
  std::function<bool(std::string_view)> out, err;
  // Shows a text that people read screen by screen; false where it did not, and where it is empty nobody does.
  std::function<bool(std::string_view)> page{};
  bool paged(std::string_view text) const { return page && page(text); }
};

// The exit code: the program's own (128 + signal); 2 when it could not be started or the report not be
// written; where that would be 0, 1 when a finding fails, and with `strict` when the report is not complete
// (report::Model), or `checks` found something.
int run(const RunOptions&, const RunOutput&);

// Runs a program for its JSON report alone, held to no gate; what the program writes to standard output goes to standard error.
// Errors: program-not-run; `err` has then been told why.
Result<std::string> run_for_json(RunOptions, const RunOutput&);

bool is_launch_option(std::string_view word); // of those that follow a file with a kernel

} // namespace warplens::driver
