// Liveness by backward data flow over blocks, then linear scan over the text order: every register gets one
// interval that covers all places where it is live, and intervals that do not overlap share a slot of their
// width.
//
// Sound under divergence, because each lane follows one path and partial writes merge lane by lane. A guarded
// write keeps the lanes that it does not write, so it counts as a read too.
#include "sim/slots.h"
#include <algorithm>
#include <array>
#include <queue>

namespace warplens::sim {
namespace {

class BitSet {
public:
  explicit BitSet(std::size_t n) : words_((n + 63) / 64) {}
  void set(u32 i) { words_[i / 64] |= u64{1} << i % 64; }
  void clear(u32 i) { words_[i / 64] &= ~(u64{1} << i % 64); }
  bool has(u32 i) const { return words_[i / 64] >> i % 64 & 1; }
  // this |= (from & ~except); true when something was added
  bool add(const BitSet& from, const BitSet* except = nullptr) {
    u64 changed = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      u64 now = words_[w] | (from.words_[w] & (except ? ~except->words_[w] : ~u64{0}));
      changed |= now ^ words_[w];
      words_[w] = now;
    }
    return changed != 0;
  }
  template <class F> void each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (u64 bits = words_[w]; bits != 0; bits &= bits - 1)
        f(static_cast<u32>(w * 64 + static_cast<u32>(std::countr_zero(bits))));
  }

private:
  std::vector<u64> words_;
};

struct Interval {
  u32 begin = 0xffffffffu, end = 0;
  void cover(u32 at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};

template <class Use, class Define> void visit(const Op& op, SlotId limit, Use&& use, Define&& define) {
  if (op.guard != no_slot && op.guard < limit) use(op.guard);
  for (u32 i = 0; i < op.sources; ++i)
    if (op.source(i) < limit) use(op.source(i));
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) < limit) {
      if (op.guard != no_slot) use(op.destination(i));
      define(op.destination(i));
    }
}

} // namespace

void allocate_slots(Code& code, const std::vector<u8>& bits, SlotId constant_begin,
                    const std::vector<SizedConstant>& constants, const std::vector<u32>& block_start,
                    const std::vector<u32>& block_end, const std::vector<std::vector<u32>>& successors) {
  std::size_t registers = bits.size(), blocks = block_start.size();
  std::vector<BitSet> uses(blocks, BitSet(registers)), defines(blocks, BitSet(registers)),
      live_in(blocks, BitSet(registers)), live_out(blocks, BitSet(registers));
  for (std::size_t b = 0; b < blocks; ++b)
    for (u32 i = block_start[b]; i < block_end[b]; ++i)
      visit(
          code.ops[i], constant_begin,
          [&](SlotId s) {
            if (!defines[b].has(s)) uses[b].set(s);
          },
          [&](SlotId s) { defines[b].set(s); });
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      for (u32 s : successors[b]) live_out[b].add(live_in[s]);
      changed |= live_in[b].add(uses[b]);
      changed |= live_in[b].add(live_out[b], &defines[b]);
    }
  }

  // Positions: 2i where op i reads, 2i+1 where it writes. Ops with several results write where they read, so
  // that no result shares a slot with a source that is still to be read.
  std::vector<Interval> interval(registers);
  for (std::size_t b = 0; b < blocks; ++b) {
    if (block_start[b] == block_end[b]) continue;
    live_in[b].each([&](u32 r) { interval[r].cover(2 * block_start[b]); });
    live_out[b].each([&](u32 r) { interval[r].cover(2 * (block_end[b] - 1) + 1); });
    for (u32 i = block_start[b]; i < block_end[b]; ++i) {
      u32 write = code.ops[i].destinations > 1 ? 2 * i : 2 * i + 1;
      visit(
          code.ops[i], constant_begin, [&](SlotId s) { interval[s].cover(2 * i); },
          [&](SlotId s) {
            interval[s].cover(write);
            interval[s].cover(2 * i + 1);
          });
    }
  }

  std::vector<u32> order;
  for (u32 r = 0; r < registers; ++r)
    if (interval[r].begin != 0xffffffffu) order.push_back(r);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return interval[a].begin < interval[b].begin; });
  auto width_class = [](u8 width) { return width == 1 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3; };
  std::array<std::vector<SlotId>, 4> free;
  using Ending = std::pair<u32, u32>; // end, register
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
  std::vector<SlotId> final_slot(registers, no_slot);
  u32 live_words = 0;
  for (u32 r : order) {
    while (!active.empty() && active.top().first < interval[r].begin) {
      u32 ended = active.top().second;
      active.pop();
      free[width_class(bits[ended])].push_back(final_slot[ended]);
      live_words -= bits[ended] == 64 ? 2 : bits[ended] == 1 ? 0 : 1;
    }
    std::vector<SlotId>& pool = free[width_class(bits[r])];
    if (pool.empty()) {
      final_slot[r] = static_cast<SlotId>(code.slot_bits.size());
      code.slot_bits.push_back(bits[r]);
    } else {
      final_slot[r] = pool.back();
      pool.pop_back();
    }
    active.push({interval[r].end, r});
    live_words += bits[r] == 64 ? 2 : bits[r] == 1 ? 0 : 1;
    code.worst_live_registers = std::max(code.worst_live_registers, live_words);
  }

  SlotId first_constant = static_cast<SlotId>(code.slot_bits.size());
  for (const SizedConstant& c : constants) {
    code.slot_bits.push_back(c.bits);
    Constant out = c;
    out.slot = first_constant + (c.slot - constant_begin);
    code.constants.push_back(out);
  }
  auto rename = [&](SlotId& slot) {
    if (slot == no_slot) return;
    slot = slot >= constant_begin ? first_constant + (slot - constant_begin) : final_slot[slot];
  };
  for (Op& op : code.ops) {
    rename(op.guard);
    for (u32 i = 0; i < op.destinations + op.sources; ++i) rename(op.slot[i]);
  }
  if (blocks != 0)
    live_in[0].each([&](u32 r) {
      if (final_slot[r] != no_slot) code.live_at_entry.push_back(final_slot[r]);
    });
}

} // namespace warplens::sim
