// Atomic operations. Lanes of one word: one lane can update it for all, which the assembler does by itself for integers
// that are added without using the result (docs/MODEL.md). Lanes of different words are another matter: combining
// their values would be wrong.
#include "advise/rules/rules.h"
#include "base/bits.h"
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

bool adds_integers(const access::Site& site) {
  return site.opcode.find(".add.") != std::string::npos && site.opcode.find(".f") == std::string::npos &&
         site.opcode.find("bf16") == std::string::npos;
}

// PTX does not say whether the result of an `atom` is used; `red` has none.
bool by_itself_where_unused(const access::Site& site) { return adds_integers(site) && site.bytes == 4; }

void say_combine(const Subject& s, bool one_address, Advice& out) {
  out.title = one_address ? "the lanes of a warp update the same address"
                          : "lanes of a warp update the same addresses";
  out.cause = "updates of one address are performed one after the other";
  if (one_address) {
    out.change =
        adds_integers(s.site.site)
            ? "combine the values within the warp and let one lane perform the operation; where the result "
              "is "
              "used, the others add what the lanes before them brought"
            : "combine the values within the warp (__shfl_down_sync) and let one lane perform the operation";
    out.example = adds_integers(s.site.site)
                      ? "int sum = __reduce_add_sync(mask, value); if (lane == leader) atomicAdd(p, sum);"
                      : "for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(mask, x, d); if (lane == 0) "
                        "atomicAdd(p, x);";
  } else {
    out.change =
        "find the lanes of each address (__match_any_sync), combine their values, and let one lane of them "
        "perform the operation";
    out.example = "unsigned same = __match_any_sync(__activemask(), address);";
  }
}

} // namespace

void atomics(const Subject& s, std::vector<Advice>& list) {
  if (!is_atomic(s.site.site.kind) || s.counters.threads <= s.counters.instructions) return;
  bool shared = s.site.space == access::Space::shared;
  if (!shared && !is_device(s.site.space)) return;
  arch::Counts leaders = predicted(s, keep_leaders);
  Advice out = draft(s, "atomics", shared ? Metric::wavefronts : Metric::threads);
  bool one_address = leaders.threads == leaders.instructions;
  bool meet = 10 * value(out.metric, leaders) < 9 * value(out.metric, s.counters);
  bool by_itself =
      by_itself_where_unused(s.site.site) && (shared || s.site.site.kind == access::Kind::reduction);
  if (meet && by_itself && (shared || one_address)) {
    out.rule = "atomics-combined";
    out.title = "the assembler combines integers that are added to one address";
    out.cause = fmt::format("{} {} are counted; hardware does with {} where {}",
                            value(out.metric, s.counters), name(out.metric), value(out.metric, leaders),
                            shared ? "the constant 1 is added and the result not used (ATOMS.POPC.INC)"
                                   : "the result is not used (REDUX and one RED)");
    out.change = shared ? "none for counters that go up by 1; otherwise find the lanes of each address "
                          "(__match_any_sync) and let one of them add for all"
                        : "";
    list.push_back(std::move(out)); // a note
    return;
  }
  if (meet) {
    out.rule = one_address ? "same-address-atomics" : "shared-address-atomics";
    say_combine(s, one_address, out);
    out.after = leaders;
    out.confidence = one_address ? Confidence::certain : Confidence::likely;
    if (one_address && !shared && by_itself_where_unused(s.site.site)) {
      out.cause +=
          "; where the result is not used, the assembler combines them by itself (REDUX and one RED)";
      out.change = "where the result is used: " + out.change;
      out.confidence = Confidence::possible;
    }
  } else {
    if (shared && s.counters.wavefronts <= s.counters.ideal_wavefronts) return;
    if (!shared && s.site.pattern.kind() != measure::PatternKind::scattered) return;
    out.rule = "spread-atomics";
    out.title =
        shared ? "lanes update different words of one bank" : "lanes update addresses that lie far apart";
    out.cause =
        shared ? "a bank performs one lane's operation at a time" : "each address is a sector of its own";
    out.change = shared ? "no padding helps where the data choose the word; spread it over copies of the "
                          "table, one for some "
                          "of the lanes each, and add them up in the end"
                        : "update a copy in shared memory for each block, and add the copies up in the end";
    out.confidence = Confidence::possible; // a note: what it gains depends on the size of the table
  }
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
