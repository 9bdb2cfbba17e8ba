// See sync_check.h. CTAs run one by one under this check, so that a mask of warps is one of a single block.
#include "sim/watch/sync_check.h"
#include "sim/exec/barriers.h"
#include "sim/exec/fault.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

constexpr std::size_t most_notes = 16;

Mask without(Mask a, const Mask& b) {
  for (u32 w = 0; w < a.word.size(); ++w) a.word[w] &= ~b.word[w];
  return a;
}

void add(Mask& a, const Mask& b) {
  for (u32 w = 0; w < a.word.size(); ++w) a.word[w] |= b.word[w];
}

Mask of_warps(Mask lanes, const Mask& warps) {
  for (u32 w = 0; w < lanes.word.size(); ++w)
    if (warps.word[w] == 0) lanes.word[w] = 0;
  return lanes;
}

bool is_aligned(const Op& op) {
  return op.form->opcode == ir::Opcode::bar || op.form->has(ir::Modifier::aligned);
}

// Whether nothing is left to do at `pc` but to end.
bool leaves(const Code& code, u32 pc) {
  constexpr u32 most = 16;
  for (u32 i = 0; i < most && pc < code.ops.size(); ++i) {
    const Op& op = code.ops[pc];
    switch (op.kind()) {
    case OpKind::reconverge:
    case OpKind::reconverge_early: ++pc; break;
    case OpKind::open_region:
    case OpKind::branch: pc = op.jump().target; break;
    case OpKind::ret:
    case OpKind::exit: return op.guard == no_slot;
    default: return false;
    }
  }
  return false;
}

std::string place_text(const Code& code, u32 pc) {
  u32 last = static_cast<u32>(code.ops.size()) - 1;
  return text_of_place(code, code.ops[std::min(pc, last)]);
}

// Calls f(lanes, code, pc) for each place where lanes of the CTA are; in the current group those of `here` are left out.
template <class F> void each_place(const Exec& x, const Mask& here, F&& f) {
  for (const auto& group : x.cta->groups) {
    Mask seen = group.get() == x.group ? here : Mask{};
    std::size_t frame = group->frames.size();
    for (std::size_t i = group->stack.size(); i-- > 0;) {
      while (frame > 1 && group->frames[frame - 1].floor > i) --frame;
      const StackEntry& entry = group->stack[i];
      Mask lanes = without(entry.mask, seen);
      add(seen, entry.mask);
      if (lanes == Mask{}) continue;
      bool top = i + 1 == group->stack.size(),
           held = group->state == GroupState::at_barrier || group->state == GroupState::at_cluster;
      u32 pc = !top ? entry.pc : group.get() == x.group ? x.pc : held ? entry.pc - 1 : entry.pc;
      f(lanes, *group->frames[frame - 1].frame->code, pc, frame == 1);
    }
  }
}

void report(Exec& x, const Op& op, diag::Severity severity, std::string kind, std::string message,
            const Mask& lanes, std::vector<std::string> notes, std::string help = {}) {
  if (notes.size() > most_notes) {
    notes.resize(most_notes);
    notes.push_back("and others");
  }
  warn(x, op, std::move(kind), std::move(message), first_thread(lanes), std::move(notes), std::move(help),
       severity);
}

constexpr const char* same_barrier = "let every thread of the block come to the same barrier: take it out of "
                                     "the condition, or make the condition "
                                     "the same for all threads";

// Arrivals at one barrier by instruction.
struct AtPlace {
  const Code* code;
  const Op* op;
  Mask lanes;
};

std::vector<AtPlace> by_place(const Barrier& barrier) {
  std::vector<AtPlace> out;
  for (const BarrierArrival& arrival : barrier.arrivals) {
    auto known = std::find_if(out.begin(), out.end(), [&](const AtPlace& p) { return p.op == arrival.op; });
    if (known == out.end()) known = out.insert(known, {arrival.code, arrival.op, {}});
    add(known->lanes, arrival.lanes);
  }
  return out;
}

std::vector<std::string> where_all_are(const Exec& x, const std::vector<AtPlace>& places, const Mask& warps) {
  std::vector<std::string> out;
  for (const AtPlace& place : places)
    if (Mask lanes = of_warps(place.lanes, warps); lanes != Mask{})
      out.push_back(fmt::format("{}: {}", who(x, lanes), text_of_place(*place.code, *place.op)));
  return out;
}

// What PTX demands of all who come, wherever they come from.
void judge_operands(Exec& x, u32 id, const Barrier& barrier) {
  const BarrierArrival& first = barrier.arrivals.front();
  auto say = [&](const BarrierArrival& other, std::string kind, std::string message) {
    report(x, *other.op, diag::Severity::warning, std::move(kind), std::move(message), other.lanes,
           {fmt::format("{}: {}", who(x, first.lanes), text_of_place(*first.code, *first.op)),
            fmt::format("{}: {}", who(x, other.lanes), text_of_place(*other.code, *other.op))});
  };
  for (const BarrierArrival& other : barrier.arrivals) {
    x.code = other.code;
    auto threads = [](u32 n) { return n == 0 ? std::string("all threads") : fmt::format("{} threads", n); };
    if (other.expected != first.expected)
      return say(other, "sync-thread-counts",
                 fmt::format("barrier {} is given different numbers of threads: {} and {}", id,
                             threads(first.expected), threads(other.expected)));
    if (other.reduction != first.reduction)
      return say(other, "sync-mixed-barrier",
                 fmt::format("a reduction and another instruction meet at barrier {}", id));
  }
}

struct Verdict {
  Mask torn;                       // warps whose lanes are at different instructions, or elsewhere
  Mask elsewhere, ended;           // lanes of warps that came, and did not come themselves
  std::vector<std::string> others; // where those were
};

// Warp by warp, for those that came to an aligned instruction.
Verdict judge_warps(const Exec& x, const Barrier& barrier) {
  Verdict out;
  for (u32 w = 0; w < x.shape.warps; ++w) {
    const BarrierArrival* first = nullptr;
    u32 here = 0;
    for (const BarrierArrival& arrival : barrier.arrivals) {
      if (arrival.lanes.word[w] == 0 || !is_aligned(*arrival.op)) continue;
      if (first == nullptr) first = &arrival;
      if (arrival.op != first->op) out.torn.word[w] = full_mask;
      here |= arrival.lanes.word[w];
    }
    if (first == nullptr) continue;
    u32 missing = x.shape.all.word[w] & ~barrier.arrived.word[w];
    out.elsewhere.word[w] = missing & ~first->gone.word[w];
    out.ended.word[w] = missing & first->gone.word[w];
    if (out.elsewhere.word[w] == 0) continue;
    out.torn.word[w] = full_mask;
    for (const std::string& text : first->others)
      if (std::find(out.others.begin(), out.others.end(), text) == out.others.end())
        out.others.push_back(text);
  }
  return out;
}

void report_torn(Exec& x, u32 id, const Verdict& verdict, const std::vector<AtPlace>& places) {
  const AtPlace* place = nullptr;
  for (const AtPlace& p : places)
    if (place == nullptr && is_aligned(*p.op) && of_warps(p.lanes, verdict.torn) != Mask{}) place = &p;
  Mask here = of_warps(place->lanes, verdict.torn);
  u32 warp = first_thread(here) / warp_size;
  std::vector<std::string> notes = where_all_are(x, places, verdict.torn);
  for (const std::string& other : verdict.others) notes.push_back(other);
  if (verdict.elsewhere != Mask{})
    notes.push_back(who(x, verdict.elsewhere) + ": ended without coming to it");
  x.code = place->code;
  report(x, *place->op, diag::Severity::warning, "sync-divergent-warp",
         fmt::format("{} of the {} threads of warp {} come to barrier {} here, the others go elsewhere",
                     std::popcount(here.word[warp]), std::popcount(x.shape.all.word[warp]), warp, id),
         here, std::move(notes), same_barrier);
}

} // namespace

void SyncCheck::arrive(const Op& op, u32, Barrier& barrier, u32 expected) {
  Exec& x = x_;
  BarrierArrival arrival{x.code, &op, *x.mask, x.cta->exited, expected, reduction_of(op), {}};
  bool partial = false;
  for (u32 w = 0; w < x.shape.warps; ++w)
    partial |= arrival.lanes.word[w] != 0 &&
               (x.shape.all.word[w] & ~(arrival.lanes.word[w] | x.cta->exited.word[w])) != 0;
  if (partial)
    each_place(x, *x.mask, [&](const Mask& lanes, const Code& code, u32 pc, bool outermost) {
      if (outermost && leaves(code, pc)) return add(arrival.gone, lanes);
      Mask mine = of_warps(lanes, arrival.lanes);
      if (mine != Mask{})
        arrival.others.push_back(fmt::format("{}: when these came, {}", who(x, mine), place_text(code, pc)));
    });
  barrier.arrivals.push_back(std::move(arrival));
}

void SyncCheck::complete(u32 id, const Barrier& barrier) {
  Exec& x = x_;
  if (barrier.arrivals.empty()) return;
  const Code* code = x.code;
  std::vector<AtPlace> places = by_place(barrier);
  judge_operands(x, id, barrier);
  Verdict verdict = judge_warps(x, barrier);
  if (verdict.torn != Mask{}) {
    report_torn(x, id, verdict, places);
  } else if (barrier.expected == 0 && places.size() > 1 &&
             std::any_of(places.begin(), places.end(), [](const AtPlace& p) { return is_aligned(*p.op); })) {
    x.code = places[1].code;
    report(x, *places[1].op, diag::Severity::warning, "sync-divergent-block",
           fmt::format("warps of a block meet at barrier {} at {} different instructions", id, places.size()),
           places[1].lanes, where_all_are(x, places, x.shape.all), same_barrier);
  }
  if (verdict.ended != Mask{}) {
    x.code = places[0].code;
    report(x, *places[0].op, diag::Severity::note, "sync-ended-threads",
           fmt::format("threads ended before the others of their warp came to barrier {}: GPUs from compute "
                       "capability 7.0 on do not wait for them, for earlier ones this is undefined",
                       id),
           places[0].lanes, {who(x, verdict.ended) + ": ended"});
  }
  x.code = code;
}

void SyncCheck::execute(const Op& op, SlotId members) {
  Exec& x = x_;
  Mask unnamed;
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      if (!(x.lane_value(members, w * warp_size + lane) >> lane & 1)) unnamed.word[w] |= 1u << lane;
    });
  if (unnamed == Mask{}) return;
  u32 thread = first_thread(unnamed);
  report(x, op, diag::Severity::warning, "sync-not-named",
         fmt::format("the mask of a warp-level instruction, {:#x}, does not name the thread that executes it",
                     static_cast<u32>(x.lane_value(members, thread))),
         unnamed, {fmt::format("{}: not named", who(x, unnamed))},
         "name every lane that executes the instruction, as __activemask() before the branch does");
}

void SyncCheck::go_on_without(const Group& group) {
  Exec& x = x_;
  const Code& code = *group.frames.back().frame->code;
  const StackEntry& top = group.stack.back();
  const Op& op = code.ops[top.pc];
  const Code* before = std::exchange(x.code, &code);
  Group* last = std::exchange(x.group, nullptr); // no group has its turn
  std::vector<std::string> notes{fmt::format("{}: here", who(x, top.mask))};
  Mask missing = without(group.awaited, top.mask);
  each_place(x, {}, [&](const Mask& lanes, const Code& at, u32 pc, bool outermost) {
    if (outermost && leaves(at, pc)) return; // as if they had ended
    Mask mine = lanes;
    for (u32 w = 0; w < mine.word.size(); ++w) mine.word[w] &= missing.word[w];
    if (mine != Mask{}) notes.push_back(fmt::format("{}: {}", who(x, mine), place_text(at, pc)));
  });
  if (notes.size() > 1)
    report(x, op, diag::Severity::warning, "sync-missing-lanes",
           "lanes that the mask of a warp-level instruction names never come to it", top.mask,
           std::move(notes), "name only lanes that execute the instruction");
  x.code = before;
  x.group = last;
}

} // namespace warplens::sim
