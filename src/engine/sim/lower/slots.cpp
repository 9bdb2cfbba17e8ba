// Liveness, then linear scan over the text order: every register gets one interval that covers all places
// where it is live, and intervals that do not overlap share a slot of their width.
//
// Most registers live inside one block. For each of the others, its life is followed backwards from the
// blocks that read a value from before them, block by block, until a block that writes it; so the time is
// that of the blocks where registers are live, and nothing is done for those where they are not. A function
// in which very many registers live through very many blocks would still take forever: past a fixed amount of
// work, what is left counts as live everywhere, which costs slots and nothing else.
//
// A register that waiting lanes need while others are in a block lives through that block, too: else what is written there could share its
// slot, and would have to be merged lane by lane.
//
// Sound under divergence, because each lane follows one path and partial writes merge lane by lane. A guarded
// write keeps the lanes that it does not write, so it counts as a read too.
#include "sim/lower/slots.h"
#include <algorithm>
#include <array>
#include <queue>

namespace warplens::sim {
namespace {

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

// Lists of numbers, one list per key, in one array.
class Lists {
public:
  void add(u32 key, u32 value) { pairs_.emplace_back(key, value); }
  void finish(std::size_t keys) {
    begin_.assign(keys + 1, 0);
    for (auto [key, value] : pairs_) ++begin_[key + 1];
    for (std::size_t k = 0; k < keys; ++k) begin_[k + 1] += begin_[k];
    std::vector<u32> at(begin_.begin(), begin_.end());
    values_.resize(pairs_.size());
    for (auto [key, value] : pairs_) values_[at[key]++] = value;
    pairs_ = {};
  }
  std::span<const u32> of(u32 key) const {
    return {values_.data() + begin_[key], begin_[key + 1] - begin_[key]};
  }

private:
  std::vector<std::pair<u32, u32>> pairs_;
  std::vector<u32> begin_, values_;
};

// Positions: 2i where op i reads, 2i+1 where it writes. Ops with several results write where they read, so
// that no result shares a slot with a source that is still to be read; and ops that alias, which part with
// what their slot held before they read.
class Liveness {
public:
  Liveness(const Code& code, std::size_t registers, SlotId limit, const std::vector<u32>& start,
           const std::vector<u32>& end, const std::vector<std::vector<u32>>& successors)
      : code_(code), limit_(limit), start_(start), end_(end), interval_(registers), at_entry_(registers) {
    blocks_ = static_cast<u32>(start.size());
    for (u32 b = 0; b < blocks_; ++b)
      for (u32 s : successors[b]) predecessors_.add(s, b);
    predecessors_.finish(blocks_);
    scan(registers);
    in_.assign(blocks_, none);
    defined_.assign(blocks_, none);
    for (u32 r = 0; r < registers; ++r)
      if (!readers_.of(r).empty()) follow(r);
  }
  const std::vector<Interval>& intervals() const { return interval_; }
  void live_through(u32 r, u32 b) {
    if (interval_[r].begin == none || start_[b] == end_[b]) return;
    interval_[r].cover(2 * start_[b]);
    interval_[r].cover(2 * (end_[b] - 1) + 1);
  }
  bool at_entry(u32 r) const { return at_entry_[r]; }

private:
  static constexpr u32 none = 0xffffffffu;
  static constexpr u64 most_work = u64{1} << 25;

  // Covers every place of use, and finds who reads values from before its block, and who writes.
  void scan(std::size_t registers) {
    std::vector<u32> written_in(registers, none), read_in(registers, none);
    for (u32 b = 0; b < blocks_; ++b)
      for (u32 i = start_[b]; i < end_[b]; ++i) {
        bool early = code_.ops[i].destinations > 1 || code_.ops[i].may_alias;
        u32 write = early ? 2 * i : 2 * i + 1;
        visit(
            code_.ops[i], limit_,
            [&](SlotId r) {
              interval_[r].cover(2 * i);
              if (written_in[r] == b || read_in[r] == b) return;
              read_in[r] = b;
              readers_.add(r, b);
            },
            [&](SlotId r) {
              interval_[r].cover(write);
              interval_[r].cover(2 * i + 1);
              if (written_in[r] == b) return;
              written_in[r] = b;
              writers_.add(r, b);
            });
      }
    readers_.finish(registers);
    writers_.finish(registers);
  }

  void follow(u32 r) {
    if (work_ > most_work) {
      at_entry_[r] = true;
      interval_[r].cover(0);
      interval_[r].cover(2 * static_cast<u32>(code_.ops.size()));
      return;
    }
    for (u32 b : writers_.of(r)) defined_[b] = r;
    for (u32 b : readers_.of(r)) enter(r, b);
    while (!open_.empty()) {
      u32 b = open_.back();
      open_.pop_back();
      for (u32 p : predecessors_.of(b)) {
        ++work_;
        if (start_[p] != end_[p]) interval_[r].cover(2 * (end_[p] - 1) + 1);
        if (defined_[p] != r) enter(r, p);
      }
    }
  }

  // `r` is live at the start of block `b`.
  void enter(u32 r, u32 b) {
    if (in_[b] == r) return;
    in_[b] = r;
    if (start_[b] != end_[b]) interval_[r].cover(2 * start_[b]);
    if (b == 0) at_entry_[r] = true;
    open_.push_back(b);
  }

  const Code& code_;
  SlotId limit_;
  const std::vector<u32>&start_, &end_;
  u32 blocks_ = 0;
  std::vector<Interval> interval_;
  std::vector<bool> at_entry_;
  Lists predecessors_, readers_, writers_; // blocks: before a block; that read, that write a register
  std::vector<u32> in_, defined_,
      open_; // per block: the register last found live at its start, written in it
  u64 work_ = 0;
};

// Slots for all registers that live, in the order in which their lives begin; no_slot for the others.
// What aliasing loads write shares slots with its like only.
std::vector<SlotId> linear_scan(Code& code, const std::vector<u8>& bits,
                                const std::vector<Interval>& interval) {
  std::vector<bool> aliased(interval.size());
  for (const Op& op : code.ops)
    if (op.may_alias) aliased[op.destination(0)] = true;
  std::vector<u32> order;
  for (u32 r = 0; r < interval.size(); ++r)
    if (interval[r].begin != 0xffffffffu) order.push_back(r);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return interval[a].begin < interval[b].begin; });
  auto pool_of = [&](u32 r) {
    u32 width = bits[r] == 1 ? 0 : bits[r] == 16 ? 1 : bits[r] == 32 ? 2 : 3;
    return aliased[r] ? width + 4 : width;
  };
  std::array<std::vector<SlotId>, 8> free;
  using Ending = std::pair<u32, u32>; // end, register
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
  std::vector<SlotId> slot(interval.size(), no_slot);
  for (u32 r : order) {
    while (!active.empty() && active.top().first < interval[r].begin) {
      u32 ended = active.top().second;
      active.pop();
      free[pool_of(ended)].push_back(slot[ended]);
    }
    std::vector<SlotId>& pool = free[pool_of(r)];
    if (pool.empty()) {
      slot[r] = static_cast<SlotId>(code.slot_bits.size());
      code.slot_bits.push_back(bits[r]);
    } else {
      slot[r] = pool.back();
      pool.pop_back();
    }
    active.push({interval[r].end, r});
  }
  return slot;
}

// 32-bit registers that live at once, at the worst point.
u32 worst_live(const std::vector<u8>& bits, const std::vector<Interval>& interval) {
  std::vector<std::pair<u32, i32>> changes; // at a position: what begins, before what ends
  for (u32 r = 0; r < interval.size(); ++r) {
    if (interval[r].begin > interval[r].end) continue;
    const i32 words = bits[r] == 64 ? 2 : bits[r] == 1 ? 0 : 1;
    changes.emplace_back(interval[r].begin, words);
    changes.emplace_back(interval[r].end + 1, -words);
  }
  std::ranges::sort(changes);
  i32 live = 0, worst = 0;
  for (const auto& [at, words] : changes) worst = std::max(worst, live += words);
  return static_cast<u32>(worst);
}

} // namespace

void allocate_slots(Code& code, const std::vector<u8>& bits, SlotId constant_begin,
                    const std::vector<SizedConstant>& constants, const BlockLayout& blocks) {
  const u32 registers = static_cast<u32>(bits.size());
  Liveness liveness(code, registers, constant_begin, blocks.start, blocks.end, blocks.successors);
  code.worst_live_registers = worst_live(bits, liveness.intervals());
  const std::vector<BitSet> needed = needed_by_waiting(code, blocks, registers);
  for (u32 b = 0; b < needed.size(); ++b) needed[b].each([&](u32 r) { liveness.live_through(r, b); });
  std::vector<SlotId> slot_of = linear_scan(code, bits, liveness.intervals());
  SlotId first_constant = static_cast<SlotId>(code.slot_bits.size());
  for (const SizedConstant& c : constants) {
    code.slot_bits.push_back(c.bits);
    Constant out = c;
    out.slot = first_constant + (c.slot - constant_begin);
    code.constants.push_back(out);
  }
  auto rename = [&](SlotId& slot) {
    if (slot == no_slot) return;
    slot = slot >= constant_begin ? first_constant + (slot - constant_begin) : slot_of[slot];
  };
  for (Op& op : code.ops) {
    rename(op.guard);
    for (u32 i = 0; i < op.destinations + op.sources; ++i) rename(op.slot[i]);
  }
  for (u32 r = 0; r < bits.size(); ++r)
    if (liveness.at_entry(r) && slot_of[r] != no_slot) code.live_at_entry.push_back(slot_of[r]);
}

} // namespace warplens::sim
