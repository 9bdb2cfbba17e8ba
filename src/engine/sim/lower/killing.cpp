// Which ops may write their destinations whole although only some lanes execute them.
//
// While lanes are diverged, those that wait do so at a few known places: at the start of the other path of a
// branch, at its join, or where paths meet before the join. A destination that is not live at any of these
// holds nothing that a waiting lane will read; then a result can stay in affine form, and need not be merged
// with the old lanes. Index arithmetic inside `if (i < n)` is nearly always of this kind, a running sum
// never.
//
// It is asked twice. First of registers: what is needed in a block will share its slot with nothing that is written there. Then of slots,
// since several registers share one: that is what Op::kills says. Lanes that were split off into another group wait elsewhere: the engine does not use the mark while a frame has several groups (exec.h).
//
// The branch of a loop that counts from one constant to another parts no lanes (counted_loops.h).
//
// Sets per block and a walk per branch: quadratic in a function's blocks at worst. Past a fixed
// amount of work nothing is marked, which is always right; kernels of a thousand branches stay far below it.
#include "sim/lower/slots.h"
#include "sim/value/bit_set.h"
#include <algorithm>

namespace warplens::sim {
namespace {

class Marker {
public:
  // `limit`: slots, or registers, from there on are constants.
  Marker(const Code& code, const BlockLayout& blocks, u32 limit)
      : code_(code), blocks_(blocks), count_(static_cast<u32>(blocks.start.size())), limit_(limit),
        empty_(limit_) {}

  // What waiting lanes need while others are in a block; none where there is too much to do.
  std::vector<BitSet> run() {
    if (count_ == 0 || u64{count_} * empty_.words() > most_words || !find_live()) return {};
    needed_.assign(count_, empty_);
    paths_here_.assign(count_, 0);
    first_path_.assign(count_, 0);
    seen_.assign(count_, 0);
    for (u32 b = 0; b < count_; ++b)
      if (!blocks_.stays_together[b] && (blocks_.successors[b].size() >= 2 || blocks_.opens_region[b]) &&
          !mark_region(b))
        return {};
    return std::move(needed_);
  }

private:
  static constexpr u64 most_words = u64{1} << 21; // of the sets of all blocks: 16 MiB, twice
  static constexpr u64 most_work = u64{1} << 24;  // words of sets, blocks on walks, ops looked at

  // False when there is too much to do.
  bool spend(u64 work) { return (work_ += work) <= most_work; }

  // Slots live at the start of each block. A guarded write keeps lanes, so it reads too.
  bool find_live() {
    live_.assign(count_, empty_);
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 b = count_; b-- > 0;) {
        if (!spend(empty_.words() * (1 + blocks_.successors[b].size()) + blocks_.end[b] - blocks_.start[b]))
          return false;
        BitSet now = empty_;
        for (u32 s : blocks_.successors[b]) now.add(live_[s]);
        for (u32 i = blocks_.end[b]; i-- > blocks_.start[b];) pass(code_.ops[i], now);
        if (now == live_[b]) continue;
        live_[b] = std::move(now);
        changed = true;
      }
    }
    return true;
  }
  void pass(const Op& op, BitSet& live) const {
    for (u32 d = 0; d < op.destinations; ++d)
      if (op.destination(d) < limit_)
        op.guard == no_slot ? live.clear(op.destination(d)) : live.set(op.destination(d));
    for (u32 s = 0; s < op.sources; ++s)
      if (op.source(s) < limit_) live.set(op.source(s));
    if (op.guard < limit_) live.set(op.guard);
  }

  // The blocks that some lanes may run while others of the same branch wait, and what those wait for.
  bool mark_region(u32 branch) {
    const std::vector<u32>& paths = blocks_.successors[branch];
    std::vector<u32> region;
    for (u32 p = 0; p < paths.size(); ++p)
      if (!walk(paths[p], p, blocks_.reconvergence[branch], region)) return false;
    if (!spend((2 * paths.size() + 3 * region.size()) * empty_.words())) return false;
    BitSet waiting = empty_; // at the join, and where paths meet before it
    if (blocks_.reconvergence[branch] < count_) waiting.add(live_[blocks_.reconvergence[branch]]);
    for (u32 block : region)
      if (blocks_.reconverges[block]) waiting.add(live_[block]);
    const Op& last = code_.ops[blocks_.end[branch] - 1];
    // Some warps' lanes wait at the start of the path that others are on.
    const bool by_lanes = last.has(Payload::jump) && last.jump().by_lanes;
    // At the start of other paths: those before and after the only one that leads to a block, or all.
    std::vector<BitSet> before(paths.size() + 1, waiting), after(paths.size() + 1, empty_);
    for (std::size_t p = 0; p < paths.size(); ++p) {
      before[p + 1] = before[p];
      before[p + 1].add(live_[paths[p]]);
    }
    for (std::size_t p = paths.size(); p-- > 0;) {
      after[p] = after[p + 1];
      after[p].add(live_[paths[p]]);
    }
    for (u32 block : region) {
      bool only = paths_here_[block] == 1 && !by_lanes;
      needed_[block].add(only ? before[first_path_[block]] : before.back());
      if (only) needed_[block].add(after[first_path_[block] + 1]);
      paths_here_[block] = 0;
    }
    return true;
  }

  // Notes the blocks that path `p`, which begins at `first`, leads to before the join.
  bool walk(u32 first, u32 p, u32 join, std::vector<u32>& region) {
    std::vector<u32> open;
    ++walk_;
    auto visit = [&](u32 block) {
      if (block == join || seen_[block] == walk_) return;
      seen_[block] = walk_;
      open.push_back(block);
      if (paths_here_[block]++ == 0) {
        region.push_back(block);
        first_path_[block] = p;
      }
    };
    visit(first);
    while (!open.empty()) {
      u32 block = open.back();
      open.pop_back();
      if (!spend(1 + blocks_.successors[block].size())) return false;
      for (u32 s : blocks_.successors[block]) visit(s);
    }
    return true;
  }

  const Code& code_;
  const BlockLayout& blocks_;
  u32 count_;
  u32 limit_; // slots from there on are constants, which live everywhere and are never written
  const BitSet empty_;
  std::vector<BitSet> live_, needed_;
  std::vector<u32> paths_here_,
      first_path_;        // of the region at hand: how many paths lead to a block, and the first
  std::vector<u32> seen_; // the last walk that came to a block
  u32 walk_ = 0;
  u64 work_ = 0;
};

} // namespace

std::vector<BitSet> needed_by_waiting(const Code& code, const BlockLayout& blocks, u32 registers) {
  return Marker(code, blocks, registers).run();
}

void mark_killing(Code& code, const BlockLayout& blocks) {
  const u32 slots = static_cast<u32>(code.slot_bits.size() - code.constants.size());
  const std::vector<BitSet> needed = needed_by_waiting(code, blocks, slots);
  for (u32 b = 0; b < needed.size(); ++b)
    for (u32 i = blocks.start[b]; i < blocks.end[b]; ++i) {
      Op& op = code.ops[i];
      op.kills = op.guard == no_slot;
      for (u32 d = 0; d < op.destinations; ++d)
        if (op.destination(d) != no_slot && needed[b].has(op.destination(d))) op.kills = false;
    }
}

} // namespace warplens::sim
