// See costs.h. The units are those of the space: passes through banks, requests, transactions or bursts.
#include "explain/view/costs.h"
#include "arch/table.h"
#include "explain/view/picture.h"
#include "explain/view/theme.h"
#include <fmt/format.h>

namespace warplens::explain {

using access::Space;

namespace {

std::string transactions_words(const arch::Counts& c, const std::map<u64, u64>& sizes) {
  std::string list;
  std::size_t left = sizes.size();
  for (auto at = sizes.rbegin(); at != sizes.rend(); ++at, --left)
    list += fmt::format("{}{}", list.empty() ? "" : left == 1 ? " and " : ", ", at->first);
  return fmt::format("{} of {} bytes", plural(c.transactions, "transaction"), list);
}

} // namespace

bool has_lines(const Explanation& e) {
  const arch::Architecture* arch = arch::find(e.question.sm);
  bool device = e.question.space == Space::global || e.question.space == Space::local;
  return device && arch != nullptr && arch->global.rule->id == "global_whole_warp";
}

double ideal_lines(const arch::Counts& c, u32 bytes) { return static_cast<double>(c.threads) * bytes / 128; }

bool as_few_as_possible(const Explanation& e, const arch::Counts& c) {
  if (e.question.section != 0) return false;
  if (has_lines(e)) return c.sectors == c.ideal_sectors;
  const arch::Architecture* arch = arch::find(e.question.sm);
  if (arch == nullptr || e.question.space != Space::global || e.manner.pieces.size() != 1) return false;
  // Whole segments: the same lanes side by side, from an aligned start, could need as many.
  Footprint aligned = e.footprint;
  for (std::size_t thread = 0; thread < aligned.offset.size(); ++thread)
    aligned.offset[thread] = static_cast<i64>(thread * e.manner.pieces[0].bytes);
  Mode manner = e.manner;
  manner.base = 0, manner.pieces[0].offset = 0;
  const arch::Counts best = c == e.block ? count_block(*arch, aligned, manner)
                                         : count_warp(*arch, aligned, manner, e.question.warp);
  return c.transactions <= best.transactions && c.transaction_bytes <= best.transaction_bytes;
}

std::string cost_sentence(const Explanation& e, const arch::Counts& c, const std::map<u64, u64>& sizes) {
  std::string start = plural(c.instructions, "instruction");
  if (e.question.section != 0) {
    u64 bursts = groups_fetched(
        picture(*arch::find(e.question.sm), e.drawn[0], e.transactions[0], e.question.section));
    return fmt::format("{}, {} of {} bytes = {} moved, {} asked for", start, plural(bursts, "burst"),
                       e.question.section, bursts * e.question.section, c.bytes_used);
  }
  if (e.question.space == Space::shared)
    return fmt::format("{}, {} through the banks, {} at best", start, plural(c.wavefronts, "pass"),
                       c.ideal_wavefronts);
  if (e.question.space == Space::constant)
    return fmt::format("{}, {}, one for each different address", start, plural(c.requests, "request"));
  std::string lines = has_lines(e) ? fmt::format(" in {}", plural(c.tags, "line")) : "";
  std::string moved = c.transactions == 1 ? "" : fmt::format(" = {} moved", c.transaction_bytes);
  return fmt::format("{}, {}{}{}, {} asked for", start, transactions_words(c, sizes), lines, moved,
                     c.bytes_used);
}

std::string cost_sentence(const Explanation& e) { return cost_sentence(e, e.warp, e.warp_sizes); }

} // namespace warplens::explain
