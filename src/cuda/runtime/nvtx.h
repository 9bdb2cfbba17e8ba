// NVTX ranges, by which programs name their phases, and the filters of Nsight Compute for them: --nvtx-include, --nvtx-exclude.
//
// NVTX is in headers: the program's own copy loads the library that NVTX_INJECTION64_PATH names, which is this one where a filter is
// given, and takes functions from it. Ranges that are pushed belong to a thread, those that are started to the process.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::runtime::nvtx {

// What the calling thread is in. The default domain is "".
struct Open {
  std::map<std::string, std::vector<std::string>> pushed;   // by domain, outermost first
  std::vector<std::pair<std::string, std::string>> started; // domain and name
};
Open open_ranges();

// Is a launch there in what the expression names?
//   S          a range that was started            A/     one that was pushed, at any depth
//   A/B        B right within A                    A/*/B  with any number between
//   A/+/B      with one between                    [A     A is the outermost
//   A]         A is the innermost                  D@A/   of the domain D
//   S,A/       in both
// Measured with Nsight Compute 2025.3.1 (tests/runtime/data/nvtx_filters.tsv).
bool matches(std::string_view expression, const Open&);

// The ranges as one name: "epoch/forward", "copies@upload", "epoch/forward, whole".
std::string name(const Open&);

// Whether a launch of the calling thread is to be counted. Expressions are lines; one of `include` is enough, and none of
// `exclude` may match.
bool is_wanted(std::string_view include, std::string_view exclude);

} // namespace warplens::runtime::nvtx
