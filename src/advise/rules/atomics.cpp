// Atomic operations. Lanes of one word: one lane can update it for all, which the assembler does by itself for integers
// that are added without using the result (docs/MODEL.md). Lanes of different words are another matter: combining
// their values would be wrong.
//
// Where lanes meet at a word of global memory they wait in L2, one after the other, and in shared memory floats and 64-bit
// integers wait in a loop: neither is a stage of an SM, so that no count shows what it costs. How long it may be is told
// apart (Advice::wait_cycles).
#include "advise/rules/rules.h"
#include "arch/table.h"
#include "arch/waits.h"
#include "base/bits.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {

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

// "add" of "atom.global.add.f32"; the operation is one of the opcode's parts.
bool operates(const access::Site& site, std::string_view operation) {
  std::string text = site.opcode + '.';
  return text.find(fmt::format(".{}.", operation)) != std::string::npos;
}

bool on_floats(const access::Site& site) {
  return site.opcode.find(".f") != std::string::npos || site.opcode.find("bf16") != std::string::npos;
}

bool adds_integers(const access::Site& site) { return operates(site, "add") && !on_floats(site); }

// Can the operands of lanes become one? Not where each lane must see what it replaced, or counts round and round.
bool can_combine(const access::Site& site) {
  for (std::string_view operation : {"exch", "cas", "inc", "dec"})
    if (operates(site, operation)) return false;
  return true;
}

bool by_itself_where_unused(const access::Site& site) { return adds_integers(site) && site.bytes == 4; }
bool returns_nothing(const measure::SiteRecord& site) {
  return site.site.kind == access::Kind::reduction || site.result_unused;
}

// Warps reduce integers of 32 bits in one instruction (from 8.0 on), others in five shuffles.
std::string example_of(const access::Site& site) {
  if (site.bytes == 4 && !on_floats(site))
    for (std::string_view operation : {"add", "min", "max", "and", "or", "xor"})
      if (operates(site, operation)) {
        std::string name = operation == "add" ? "Add" : std::string(operation);
        name[0] = static_cast<char>(name[0] & ~0x20);
        return fmt::format("int all = __reduce_{}_sync(mask, value); if (lane == leader) atomic{}(p, all);",
                           operation, name);
      }
  return operates(site, "add")
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
    bool in_one = site.bytes == 4 && !on_floats(site);
    out.change = fmt::format("combine the values within the warp ({}) and let one lane perform the operation",
                             in_one ? "__reduce_*_sync" : "__shfl_down_sync");
    if (s.site.space == access::Space::global)
      out.change += "; where many warps update it, combine those of a block in shared memory first";
    if (!returns_nothing(s.site))
      out.change += "; as the result is used, the other lanes add what the lanes before them brought";
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
  if (s.site.space == access::Space::global)
    return more * cycles.in_l2 * s.context.architecture->part.multiprocessors;
  return s.site.site.timing_dependent == access::Timing::none ? 0 : more * cycles.in_loop;
}

void say_by_itself(const Subject& s, const arch::Counts& leaders, bool shared, Advice& out) {
  out.rule = "atomics-combined";
  out.title = "the assembler combines integers that are added to one address";
  out.cause = fmt::format("{} {} are counted; hardware does with {} where {}", value(out.metric, s.counters),
                          name(out.metric), value(out.metric, leaders),
                          shared ? "the constant 1 is added and the result not used (ATOMS.POPC.INC)"
                                 : "the result is not used (REDUX and one RED)");
  out.change = shared ? "none for counters that go up by 1; otherwise find the lanes of each address "
                        "(__match_any_sync) and let one of them add for all"
                      : "";
  if (!shared) out.by_itself = leaders;
}

// Addresses that differ: their updates cannot be combined, but may be spread.
void spread(const Subject& s, bool shared, std::vector<Advice>& list) {
  if (shared && s.counters.wavefronts <= s.counters.ideal_wavefronts) return;
  if (!shared && s.site.pattern.kind() != measure::PatternKind::scattered) return;
  Advice out = draft(s, "spread-atomics", shared ? Metric::wavefronts : Metric::threads);
  out.title =
      shared ? "lanes update different words of one bank" : "lanes update addresses that lie far apart";
  out.cause =
      shared ? "a bank performs one lane's operation at a time" : "each address is a sector of its own";
  out.change = shared ? "no padding helps where the data choose the word; spread it over copies of the "
                        "table, one for some "
                        "of the lanes each, and add them up in the end"
                      : "update a copy in shared memory for each block, and add the copies up in the end";
  out.confidence = Confidence::possible; // a note: what it gains depends on the size of the table
  list.push_back(std::move(out));
}

} // namespace

void atomics(const Subject& s, std::vector<Advice>& list) {
  const access::Site& site = s.site.site;
  if (!is_atomic(site.kind) || s.counters.threads <= s.counters.instructions) return;
  bool shared = s.site.space == access::Space::shared;
  if (!shared && !is_device(s.site.space)) return;
  arch::Counts leaders = predicted(s, keep_leaders);
  bool one_address = leaders.threads == leaders.instructions;
  // A loop of compare-and-swap costs by lanes, not by the passes that are counted for one round of it.
  bool loop = shared && site.timing_dependent == access::Timing::retry;
  Advice out = draft(s, "atomics", shared && !loop ? Metric::wavefronts : Metric::threads);
  bool meet = 10 * value(out.metric, leaders) < 9 * value(out.metric, s.counters);
  if (!meet) return spread(s, shared, list);
  if (by_itself_where_unused(site) && returns_nothing(s.site) && (shared || one_address)) {
    say_by_itself(s, leaders, shared, out);
    list.push_back(std::move(out)); // a note
    return;
  }
  if (!can_combine(site)) return;
  out.rule = one_address ? "same-address-atomics" : "shared-address-atomics";
  say_combine(s, one_address, out);
  out.after = leaders;
  out.wait_cycles = wait_of(s, leaders);
  out.confidence = one_address ? Confidence::certain : Confidence::likely;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
