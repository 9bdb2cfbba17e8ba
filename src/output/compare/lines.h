// What a launch did, line by line: the part of a side that is compared. Internal to the room.
#pragma once
#include "compare/compare.h"
#include <set>
#include <tuple>

namespace warplens::compare {

// Files are told apart by their names alone: one side may have been built in another folder.
struct LineKey {
  std::string file; // or the function, where there is no line
  u32 line = 0;
  access::Space space{};
  access::Kind kind{};
  std::size_t only_of =
      most_sides; // the side that alone has the line, of a changed source (moved.h); else most_sides
  auto operator<=>(const LineKey&) const = default;
};

struct LineSum {
  access::SourceFrame place;
  std::string function;
  arch::Counts counts;
  u64 bytes = 0;  // that lanes move: threads · bytes of each
  u32 widest = 0; // bytes per lane
  bool timing = false;
  std::set<std::string> opcodes;
};

using Lines = std::map<LineKey, LineSum>;

access::Kind joined(access::Kind); // reductions count as atomics
Lines lines_of(const measure::LaunchRecord&);

// The counts that are compared in a space: all that profilers have by instruction.
struct LineCount {
  std::string_view name;
  u64 arch::Counts::*value;
  double cycles; // that one of them is worth
};
std::vector<LineCount> counts_of(access::Space, access::Kind);

} // namespace warplens::compare
