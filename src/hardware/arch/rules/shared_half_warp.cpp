// Shared memory of 1.x: 16 banks of 4 bytes; the two half-warps are independent requests; words wider than 4
// bytes are split into one request per 4-byte word. Each pass serves every lane that wants one chosen word,
// the broadcast word, and one lane in each other bank.
//
// Which word is broadcast is not specified. Here it is the word that most of the lanes left want, the lowest
// address among equals, which no order of lanes changes.
//
// Source: CUDA C Programming Guide 4.2, F.3.3. Inferred: the choice of the broadcast word; stores and
// atomics, which have no broadcast: stores behave like loads, and atomics take one pass per lane.
#include "arch/rules/distinct.h"
#include "arch/rules/shared.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

constexpr u32 group_lanes = 16, banks = 16;

// The lanes' words, one 4-byte word each.
using Words = std::array<u64, warp_size>;

u64 broadcast_word(const Words& word, u32 lanes) {
  u64 best = 0;
  u32 most = 0;
  for_each_lane(lanes, [&](u32 lane) {
    u32 equal = 0;
    for_each_lane(lanes, [&](u32 other) { equal += word[other] == word[lane]; });
    if (equal > most || (equal == most && word[lane] < best)) best = word[lane], most = equal;
  });
  return best;
}

// The lanes that one pass leaves over: all but those of the broadcast word and, in each other bank, one lane
// that wants the bank's lowest word.
u32 after_one_pass(const Words& word, u32 lanes) {
  u64 broadcast = broadcast_word(word, lanes);
  std::array<u32, banks> served;
  served.fill(warp_size);
  u32 left = 0;
  for_each_lane(lanes, [&](u32 lane) {
    if (word[lane] == broadcast) return;
    left |= u32{1} << lane;
    u32& chosen = served[word[lane] % banks];
    if (chosen == warp_size || word[lane] < word[chosen]) chosen = lane;
  });
  for (u32 bank = 0; bank < banks; ++bank)
    if (served[bank] != warp_size && bank != broadcast % banks) left &= ~(u32{1} << served[bank]);
  return left;
}

u64 passes_with_one_broadcast(const Words& word, u32 lanes) {
  u64 count = 0;
  for (; lanes != 0; lanes = after_one_pass(word, lanes)) ++count;
  return count;
}

void count_shared_one_broadcast(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  bool atomic = is_atomic(access.kind);
  u32 parts = access.bytes <= 4 ? 1 : access.bytes / 4;
  for_each_group(access.active, group_lanes, [&](u32 lanes) {
    counts.requests += parts;
    counts.bytes_used += distinct(access.address, lanes, access.bytes).bytes;
    u64 sum = 0;
    for (u32 part = 0; part < parts; ++part) {
      Words word{};
      for_each_lane(lanes, [&](u32 lane) { word[lane] = (access.address[lane] >> 2) + part; });
      std::array<u64, warp_size> address{};
      for_each_lane(lanes, [&](u32 lane) { address[lane] = word[lane] << 2; });
      sum +=
          atomic ? passes_without_sharing(address, lanes, 4, banks) : passes_with_one_broadcast(word, lanes);
    }
    add_passes(counts, sum, sum, ideal_passes(arch, lanes, access.bytes));
  });
}

} // namespace

// Which word is broadcast depends on who takes part. Each pass serves a lane in each bank that is wanted.
extern constexpr Rule shared_one_broadcast{"shared_one_broadcast", count_shared_one_broadcast,
                                           BatchKernel::none, 0, access::Kind::atomic};

} // namespace warplens::arch::rules
