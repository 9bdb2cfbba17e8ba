// What a GPU counted, as the launches of a report: each machine instruction that accesses memory is a site.
#pragma once
#include "measure/record.h"
#include "measured/measured.h"
#include <span>

namespace warplens::measured {

// A launch of which there are counters per instruction has a site for each of its memory instructions. One of which there are
// sums alone has none: they do not say which accesses there were, nor what would have done.
//
// Requests are taken for executed instructions, and the bytes that lanes asked for, for those that the fewest sectors carry:
// nothing counts either by instruction.
struct Counted {
  measure::LaunchRecord record;
  std::map<std::string, double> counters; // as Launch has them
};
std::vector<Counted> launches(const Measured&);

// Counts that no instruction was measured of, by the names of arch::Counts; none where no launch has instructions.
std::vector<std::string> lacking(const Measured&);

// Some launches have no counters by instruction: what to measure instead.
std::optional<diag::Diagnostic> without_lines(const Measured&);

// A sum of the hardware, and the counts of one space and kind of access that add up to it.
struct Sum {
  std::string_view counter; // "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
  access::Space space{};
  access::Kind kind{};
  u64 arch::Counts::*count;
};
std::span<const Sum> sums();

} // namespace warplens::measured
