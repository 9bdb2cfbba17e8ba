// Passes of a banked memory: the most distinct rows that any one bank is asked for.
#pragma once
#include "arch/rules/blocks.h"

namespace warplens::arch {

// Words are numbered from 0; word w lies in bank w mod `banks`, a power of two.
inline u32 most_words_in_a_bank(const BlockSet& words, u32 banks) {
  std::array<u16, 32> count{};
  u32 most = 0;
  for (u64 word : words) most = std::max<u32>(most, ++count[word & (banks - 1)]);
  return most;
}

// Passes where every lane needs a pass of its own, as atomics do: the most (lane, word) pairs in one bank.
inline u32 passes_without_sharing(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes,
                                  u32 banks = 32) {
  std::array<u16, 32> count{};
  u32 most = 0;
  for_each_lane(lanes, [&](u32 lane) {
    ByteRange range = bytes_of(address[lane], bytes);
    if (range.first >> 2 == range.last >> 2) {
      most = std::max<u32>(most, ++count[range.first >> 2 & (banks - 1)]);
      return;
    }
    for (u64 word = range.first >> 2; word <= range.last >> 2; ++word)
      most = std::max<u32>(most, ++count[word & (banks - 1)]);
  });
  return most;
}

} // namespace warplens::arch
