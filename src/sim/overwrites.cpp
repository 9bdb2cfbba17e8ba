// Which ops may write their destinations whole although only some lanes execute them.
//
// While lanes are diverged, those that wait do so at a few known places: at the start of the other path of a
// branch, at its join, or where paths meet before the join. A destination that is not live at any of these
// holds nothing that a waiting lane will read; then a result can stay in closed form, and need not be merged
// with the old lanes. Index arithmetic inside `if (i < n)` is nearly always of this kind, a running sum
// never.
//
// This looks at slots, not registers, since several registers share one. Lanes that were parted into another
// group wait elsewhere: the engine does not use the mark while a frame has several groups (exec.h).
#include "sim/slots.h"
#include <algorithm>

namespace warplens::sim {
namespace {

using Slots = std::vector<bool>;

void add(Slots& to, const Slots& from) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (from[i]) to[i] = true;
}

class Marker {
public:
  Marker(Code& code, const BlockLayout& blocks) : code_(code), blocks_(blocks), count_(blocks.start.size()) {}

  void run() {
    if (count_ == 0 || count_ * code_.slot_bits.size() > most_work) return;
    find_live();
    needed_.assign(count_, Slots(code_.slot_bits.size()));
    u64 work = 0;
    for (u32 b = 0; b < count_; ++b) {
      if (blocks_.successors[b].size() < 2) continue;
      if ((work += count_) > most_work) return; // a function with so many branches keeps its merges
      mark_region(b);
    }
    for (u32 b = 0; b < count_; ++b)
      for (u32 i = blocks_.start[b]; i < blocks_.end[b]; ++i) {
        Op& op = code_.ops[i];
        op.overwrites = op.guard == no_slot;
        for (u32 d = 0; d < op.destinations; ++d)
          if (op.destination(d) != no_slot && needed_[b][op.destination(d)]) op.overwrites = false;
      }
  }

private:
  static constexpr u64 most_work = u64{1} << 26;

  // Slots live at the start of each block. A guarded write keeps lanes, so it reads too.
  void find_live() {
    live_.assign(count_, Slots(code_.slot_bits.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 b = static_cast<u32>(count_); b-- > 0;) {
        Slots now(code_.slot_bits.size());
        for (u32 s : blocks_.successors[b]) add(now, live_[s]);
        for (u32 i = blocks_.end[b]; i-- > blocks_.start[b];) {
          const Op& op = code_.ops[i];
          for (u32 d = 0; d < op.destinations; ++d)
            if (op.destination(d) != no_slot) now[op.destination(d)] = op.guard != no_slot;
          for (u32 s = 0; s < op.sources; ++s)
            if (op.source(s) != no_slot) now[op.source(s)] = true;
          if (op.guard != no_slot) now[op.guard] = true;
        }
        if (now == live_[b]) continue;
        live_[b] = std::move(now);
        changed = true;
      }
    }
  }

  // The blocks that some lanes may run while others of the same branch wait, and what those wait for.
  void mark_region(u32 branch) {
    u32 join = blocks_.join[branch];
    const std::vector<u32>& paths = blocks_.successors[branch];
    std::vector<u32> reached_by(count_, 0); // how many paths lead to a block before the join
    std::vector<u32> first_path(count_, 0), region;
    for (u32 p = 0; p < paths.size(); ++p) {
      std::vector<bool> seen(count_);
      std::vector<u32> open;
      auto visit = [&](u32 block) {
        if (block == join || seen[block]) return;
        seen[block] = true;
        open.push_back(block);
        if (reached_by[block]++ == 0) {
          region.push_back(block);
          first_path[block] = p;
        }
      };
      visit(paths[p]);
      while (!open.empty()) {
        u32 block = open.back();
        open.pop_back();
        for (u32 s : blocks_.successors[block]) visit(s);
      }
    }
    for (u32 block : region) {
      if (join < count_) add(needed_[block], live_[join]);
      for (u32 p = 0; p < paths.size(); ++p)
        if (p != first_path[block] || reached_by[block] > 1) add(needed_[block], live_[paths[p]]);
      for (u32 meeting : region)
        if (blocks_.meets[meeting]) add(needed_[block], live_[meeting]);
    }
  }

  Code& code_;
  const BlockLayout& blocks_;
  std::size_t count_;
  std::vector<Slots> live_, needed_;
};

} // namespace

void mark_overwrites(Code& code, const BlockLayout& blocks) { Marker(code, blocks).run(); }

} // namespace warplens::sim
