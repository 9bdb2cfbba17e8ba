// A row for each thread: neighbouring lanes are in different rows, far apart, and each walks along its own. Rows of equal
// length look like a stride, others scattered; either way a row belongs to a warp, or where rows are short to a part of
// one. What that costs is counted for the rows that the threads of the first block walked along (measure::FirstBlock).
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

u64 of_all_blocks(u64 all, u64 changed, u64 in_first_block) {
  if (in_first_block == 0) return 0;
  if (all == in_first_block) return changed;
  return static_cast<u64>(
      static_cast<double>(all) * static_cast<double>(changed) / static_cast<double>(in_first_block) + 0.5);
}

bool say_rows_of_threads(const Subject& s, Advice& out) {
  constexpr u64 shortest = 4; // elements, on average: a thread takes as many at once
  const measure::FirstBlock& block = s.site.distribution.first_block;
  bool known = block.row_lanes != 0 && block.row_elements >= shortest * block.rows;
  bool strided = s.site.pattern.kind() == measure::PatternKind::strided;
  if (!known && !strided) return false;
  u32 lanes = known ? block.row_lanes : warp_size;
  std::string whom = !known               ? "a warp, or to a part of one, whose lanes"
                     : lanes == warp_size ? "a warp, whose lanes"
                                          : fmt::format("{} lanes of a warp, which", lanes);
  out.change = fmt::format("give each row to {} walk along it together and then combine what they found "
                           "(__shfl_down_sync)",
                           whom);
  out.example = fmt::format("for (int j = begin + lane; j < end; j += {}) sum += A[j];", lanes);
  if (!known) return true;
  if (!strided) {
    out.rule = findings::uncoalesced(s.site.site.kind);
    out.title = "each thread walks along a row of its own";
    out.cause = fmt::format(
        "neighbouring threads are in different rows, of {} elements on average in block 0, so each "
        "request goes to as many sectors as lanes",
        (block.row_elements + block.rows / 2) / block.rows);
  }
  out.after = s.counters, out.lanes.reset(); // other lanes in other warps: there is no picture of one
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.by_rows.sectors, block.sectors));
  out.after.instructions = of_all_blocks(s.counters.instructions, block.by_rows.instructions, block.requests);
  out.after.requests = of_all_blocks(s.counters.requests, block.by_rows.requests, block.requests);
  return true;
}

} // namespace warplens::advise::rules
