// Atomic operations. Lanes of one word: one lane can update it for all, which the assembler does by itself for integers of 32
// bits (add, min, max, and, or, xor) whose result is not used: in global memory where a warp has one address, in shared memory where
// the constant 1 is added (src/hardware/arch/MODEL.md). Lanes of different words are another matter: combining their values would be wrong.
// They can be spread over copies (spread_atomics.cpp).
//
// Where lanes meet at a word of global memory they wait in L2, one after the other, and in shared memory floats and 64-bit
// integers wait in a loop: neither is a stage of an SM, so that no count shows what it costs. How long it is at the word that has
// most updates is told apart (Advice::wait_cycles).
#include "access/opcode.h"
#include "advise/rules/rules.h"
#include "arch/table.h"
#include "arch/waits.h"
#include "base/bits.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace warplens::advise::rules {

namespace {

using access::AtomicOperation;

// Leaves one lane for each address, the first.
void keep_leaders(access::WarpAccess& access) {
  u32 leaders = 0;
  for_each_lane(access.active, [&](u32 lane) {
    bool known = false;
    for_each_lane(leaders, [&](u32 leader) { known |= access.address[leader] == access.address[lane]; });
    if (!known) leaders |= u32{1} << lane;
  });
  access.active = leaders;
}

// Do copies of the table make one in the end? What was put there last, or compared with, cannot be added up.
bool can_copy(const access::Site& site) {
  const AtomicOperation operation = atomic_operation(site);
  return operation != AtomicOperation::exch && operation != AtomicOperation::cas;
}

// Can the operands of lanes become one? Not where each lane must see what it replaced, or counts round and round.
bool can_combine(const access::Site& site) {
  const AtomicOperation operation = atomic_operation(site);
  return can_copy(site) && operation != AtomicOperation::inc && operation != AtomicOperation::dec;
}

// What hardware does where the assembler combines lanes by itself. In machine code it has done so, or has not.
std::optional<arch::Counts> by_itself(const Subject& s, const arch::Counts& leaders) {
  const access::Site& site = s.site.site;
  if (access::is_machine(site) || access::is_of_floats(site) || !can_combine(site) || site.bytes != 4 ||
      atomic_operation(site) == AtomicOperation::other || !returns_nothing(s.site))
    return {};
  if (s.site.space == access::Space::shared) {
    if (!s.site.adds_one) return {};
    // Lanes of a word share a pass, as in a load: 20 of 20 patterns that were measured. Where the data choose the words,
    // warps of a class differ in how many lanes meet: an estimate.
    return predicted(s, [](access::WarpAccess& access) { access.kind = access::Kind::load; });
  }
  if (leaders.threads != leaders.instructions) return {};
  return leaders;
}

// Warps reduce integers of 32 bits in one instruction (from 8.0 on), others in five shuffles.
std::string example_of(const access::Site& site) {
  static constexpr std::string_view reduced[] = {"", "add", "min", "max", "and", "or", "xor"},
                                    atomic[] = {"", "Add", "Min", "Max", "And", "Or", "Xor"};
  const AtomicOperation operation = atomic_operation(site);
  if (const std::size_t n = static_cast<std::size_t>(operation);
      site.bytes == 4 && !access::is_of_floats(site) && n != 0 && n < std::size(reduced))
    return fmt::format("int all = __reduce_{}_sync(mask, value); if (lane == leader) atomic{}(p, all);",
                       reduced[n], atomic[n]);
  return operation == AtomicOperation::add
             ? "for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(mask, x, d); if (lane == 0) "
               "atomicAdd(p, x);"
             : "for (int d = 16; d > 0; d /= 2) x = max(x, __shfl_down_sync(mask, x, d)); … one lane";
}

void say_combine(const Subject& s, bool one_address, Advice& out) {
  const access::Site& site = s.site.site;
  out.title = one_address ? "the lanes of a warp update the same address"
                          : "lanes of a warp update the same addresses";
  out.cause = "updates of one address are performed one after the other";
  if (one_address) {
    bool in_one = site.bytes == 4 && !access::is_of_floats(site);
    out.change = fmt::format("combine the values within the warp ({}) and let one lane perform the operation",
                             in_one ? "__reduce_*_sync" : "__shfl_down_sync");
    if (s.site.space == access::Space::global)
      out.change += "; if many warps update it, combine those of a block in shared memory first";
    if (!returns_nothing(s.site))
      out.change += "; if the result is used, each lane adds the sum of the lanes before it";
    out.example = example_of(site);
  } else {
    out.change =
        "find the lanes of each address (__match_any_sync), combine their values, and let one lane of them "
        "perform the operation";
    out.example = "unsigned same = __match_any_sync(__activemask(), address);";
  }
}

u64 wait_of(const Subject& s, const arch::Counts& leaders) {
  const arch::WordUpdates cycles = arch::word_updates(*s.context.architecture);
  u64 more = s.counters.threads - std::min(leaders.threads, s.counters.threads);
  if (u64 busiest = s.site.distribution.busiest_word; busiest != 0) // a share of these is saved
    more = of_all_blocks(more, std::min(busiest, s.counters.threads), s.counters.threads);
  if (s.site.space == access::Space::global)
    return more * cycles.in_l2 * s.context.architecture->part.multiprocessors;
  return s.site.site.timing_dependent == access::Timing::none ? 0 : more * cycles.in_loop;
}

void say_by_itself(const Subject& s, const arch::Counts& counts, bool shared, Advice& out) {
  out.rule = findings::Rule::combined_atomic;
  out.title = shared ? "the assembler counts lanes of one word together"
                     : "the assembler combines a warp's integers for one address";
  out.cause =
      fmt::format("{} {} are counted; the hardware needs {}{}, because {}", value(out.metric, s.counters),
                  name(out.metric), shared ? "about " : "", value(out.metric, counts),
                  shared ? "the constant 1 is added and the result not used (ATOMS.POPC.INC)"
                         : "the result is not used (REDUX and one RED)");
  out.by_itself = counts;
}

// One lane of each warp updates a word, and so do the warps beside it: what a block adds up first is one update for it. Seen in
// the first block. Few updates are not worth a word: launching the kernel takes longer.
void meet_in_block(const Subject& s, std::vector<Advice>& list) {
  constexpr u64 few_updates = 4096, some_warps = 4;
  const measure::FirstBlock& block = s.site.distribution.first_block;
  if (!is_device(s.site.space) || !can_combine(s.site.site) || block.words == 0 ||
      block.lanes < some_warps * block.words)
    return;
  Advice out = draft(s, findings::Rule::same_address_atomic, Metric::threads);
  out.after.threads = of_all_blocks(s.counters.threads, block.words, block.lanes);
  if (s.counters.threads - std::min(out.after.threads, s.counters.threads) < few_updates) return;
  set_sectors(out.after, of_all_blocks(s.counters.sectors, block.words, block.lanes));
  out.after.requests = of_all_blocks(s.counters.requests, block.words, block.lanes);
  out.after.instructions = of_all_blocks(s.counters.instructions, block.words, block.lanes);
  out.title = "the warps of a block update the same address";
  out.cause = "updates of one address are performed one after the other";
  out.change = "combine the values of the block's warps in shared memory first, and let one thread of the "
               "block perform "
               "the operation";
  if (!returns_nothing(s.site))
    out.change += "; if the result is used, each thread adds the sum of those before it";
  out.wait_cycles = wait_of(s, out.after);
  list.push_back(std::move(out));
}

// Where it goes from lane to lane: along rows that threads have to themselves, or down a column.
void places(const Subject& s, std::vector<Advice>& list) {
  const measure::FirstBlock& block = s.site.distribution.first_block;
  const measure::PatternKind kind = s.site.pattern.kind();
  if (!is_device(s.site.space) ||
      (kind != measure::PatternKind::scattered && kind != measure::PatternKind::strided))
    return;
  Advice out = draft(s, findings::Rule::uncoalesced_atomic, Metric::sectors);
  out.title = fmt::format("neighbouring threads are {} bytes apart", s.site.pattern.shape.distance());
  out.cause = "each update is a sector of its own towards L2";
  const bool rows = block.rows != 0 && block.row_elements >= shortest_row_of_thread * block.rows;
  if (rows ? say_rows_of_threads(s, out) : say_column(s, out)) list.push_back(std::move(out));
}

} // namespace

bool returns_nothing(const measure::SiteRecord& site) {
  return site.site.kind == access::Kind::reduction || site.result_unused;
}

void atomics(const Subject& s, std::vector<Advice>& list) {
  const access::Site& site = s.site.site;
  if (!is_atomic(site.kind)) return;
  if (s.counters.threads <= s.counters.instructions) {
    meet_in_block(s, list);
    return;
  }
  bool shared = s.site.space == access::Space::shared;
  if (!shared && (!is_device(s.site.space) || !can_copy(site))) return;
  places(s, list);
  arch::Counts leaders = predicted(s, keep_leaders);
  bool one_address = leaders.threads == leaders.instructions;
  // Where the data choose the words, warps of a class differ in how many lanes meet; different words are counted (on 1.x
  // those of half-warps).
  if (u64 words = s.counters.bytes_used / site.bytes; !one_address && words != 0) leaders.threads = words;
  // A loop of compare-and-swap costs by lanes, not by the passes that are counted for one round of it.
  bool loop = shared && site.timing_dependent == access::Timing::retry;
  Advice out = draft(s, one_address ? findings::Rule::same_address_atomic : findings::Rule::contended_atomic,
                     shared && !loop ? Metric::wavefronts : Metric::threads);
  std::optional<arch::Counts> combined = by_itself(s, leaders);
  if (combined && value(out.metric, *combined) < value(out.metric, s.counters)) {
    say_by_itself(s, *combined, shared, out);
    list.push_back(std::move(out)); // a note
  }
  const bool meet = 10 * value(out.metric, leaders) < 9 * value(out.metric, s.counters);
  if (combined || !meet) {
    if (!combined || shared) spread_atomics(s, combined, list);
    return;
  }
  if (!can_combine(site)) {
    spread_atomics(s, combined, list);
    return;
  }
  // Copies of the table take what lanes of one warp share, too. They need shared memory and barriers, or more of it, and so
  // must leave clearly less than combining does: where keys are sorted, only neighbours meet. Where the copy is updated in a
  // loop, in which lanes of one word go one after the other, and words have two lanes or more, combining comes first.
  std::vector<Advice> copy;
  const bool spreads = !one_address && !loop && spread_atomics(s, combined, copy) &&
                       5 * value(out.metric, copy[0].after) < 4 * value(out.metric, leaders);
  const bool in_loop = !shared && loops_in_shared(site) && 2 * leaders.threads <= s.counters.threads;
  if (spreads && !in_loop) {
    copy[0].wait_cycles = wait_of(s, leaders);
    list.push_back(std::move(copy[0]));
    return;
  }
  say_combine(s, one_address, out);
  if (spreads) say_loop_in_shared(site, out);
  out.after = leaders;
  out.lanes = changed(s, keep_leaders);
  out.wait_cycles = wait_of(s, leaders);
  out.confidence = one_address ? Confidence::certain : Confidence::likely;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
