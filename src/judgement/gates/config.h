// .warplens.toml: what a project asks of every command, so that nobody repeats it. The command line wins.
//
//   sm = ["90", "70"]                                 # architectures, as --sm
//   fail-on = ["warning", "sectors-per-request>8"]    # as --fail-on
//   baseline = "ci/warplens.json"                     # as --baseline; from this file's folder
//   least-excess = "5%"                               # an access that wastes less is no finding
//   compiler = "clang"                                # as --compiler
//   compile-options = "-Iinclude -DFAST"              # as --compile-options
//   block = [32, 8]                                   # of check: as --block; a number stands for a row
//   [set]                                             # of check: as --set, for the kernels that have such a parameter
//   n = 1024
//   [diff]
//   fail-on = "worse>1%"                              # as --fail-on of diff
//   [severity]
//   bank-conflict = "error"                           # note, warning, error, or off
//   [paths]                                           # from this file's folder (gates/glob.h)
//   include = ["src/**"]
//   exclude = ["third_party"]
#pragma once
#include "base/types.h"
#include "gates/condition.h"
#include <map>

namespace warplens::gates {

enum class Level : u8 { off, note, warning, error };
// "off", "note", "warning", "error"
std::optional<Level> level(std::string_view word);

struct Config {
  std::string file;   // where it was read; empty: there was none
  std::string folder; // that holds it, absolute
  std::vector<std::string> sm;
  std::optional<std::vector<Condition>> fail_on;
  std::vector<std::pair<std::string, diag::Span>>
      diff_fail_on;                       // words that diff reads, and where each stands
  std::string baseline;                   // absolute; empty: none
  std::optional<double> least_excess;     // 0…1
  std::map<findings::Rule, Level> levels; // by rule
  std::string compiler;                   // "auto", "nvcc", "clang"; empty: not said
  std::string compile_options;            // as one would write them in a shell
  diag::Span compile_options_place;       // of the text, for who splits it into words
  std::optional<Dim3> block;
  std::map<std::string, i64> set; // parameters' values, by name
  std::vector<std::string> include, exclude;
};

// The nearest .warplens.toml in `folder` and those above it; empty where there is none.
std::string find_config(const std::string& folder);
// `file`: absolute. Errors: bad-config, with the place in the text.
Result<Config> parse_config(std::string_view text, const std::string& file);
// Reads and parses. Errors: config-unreadable, bad-config.
Result<Config> read_config(const std::string& file);
// "bank-conflict=error", as --rule has it. Errors: bad-option.
Result<void> add_level(std::string_view text, std::map<findings::Rule, Level>&);

} // namespace warplens::gates
