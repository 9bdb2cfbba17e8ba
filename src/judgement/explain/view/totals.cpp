// The numbers of an Explanation: the drawn warp, its whole block, and the block on one architecture of each
// generation.
#include "measure/totals.h"
#include "arch/table.h"
#include "explain/model/explanation.h"
#include "explain/view/picture.h"
#include <algorithm>

namespace warplens::explain {
namespace {

// One per generation that behaves differently; the asked one joins them.
constexpr u32 representative[] = {10, 13, 20, 35, 52, 60, 70, 80, 90, 120};

// Where a count alone does not say it: 1.x issues segments of several sizes.
std::map<u64, u64> sizes(const arch::Architecture& arch, const Footprint& footprint, const Mode& manner,
                         const arch::Counts& counts, u32 first_warp, u32 last_warp) {
  std::map<u64, u64> out;
  for (u32 warp = first_warp; warp <= last_warp; ++warp)
    for (Piece piece : manner.pieces)
      for (const Transaction& t : transactions(arch, access_of(footprint, manner, piece, warp)))
        ++out[t.bytes];
  if (out.empty() && counts.transactions != 0)
    out[counts.transaction_bytes / counts.transactions] = counts.transactions;
  return out;
}

} // namespace

void count_all(Explanation& e, const arch::Architecture& arch) {
  const Question& q = e.question;
  for (Piece piece : e.manner.pieces) {
    e.drawn.push_back(access_of(e.footprint, e.manner, piece, q.warp));
    e.transactions.push_back(transactions(arch, e.drawn.back()));
  }
  u32 last = warps(e.footprint) - 1;
  e.warp = count_warp(arch, e.footprint, e.manner, q.warp);
  e.block = count_block(arch, e.footprint, e.manner);
  e.warp_sizes = sizes(arch, e.footprint, e.manner, e.warp, q.warp, q.warp);
  e.block_sizes = sizes(arch, e.footprint, e.manner, e.block, 0, last);
  std::vector<u32> list(std::begin(representative), std::end(representative));
  if (std::find(list.begin(), list.end(), q.sm) == list.end()) list.push_back(q.sm);
  std::sort(list.begin(), list.end());
  for (u32 sm : list)
    if (const arch::Architecture* other = arch::find(sm)) {
      arch::Counts counts = count_block(*other, e.footprint, e.manner);
      e.others.push_back({sm, counts, sizes(*other, e.footprint, e.manner, counts, 0, last)});
    }
}

double efficiency(const Explanation& e, const arch::Counts& counts) {
  if (e.question.section == 0) return measure::efficiency(counts, e.question.space);
  u64 bursts =
      groups_fetched(picture(*arch::find(e.question.sm), e.drawn[0], e.transactions[0], e.question.section));
  return bursts == 0
             ? 1
             : static_cast<double>(counts.bytes_used) / static_cast<double>(bursts * e.question.section);
}

} // namespace warplens::explain
