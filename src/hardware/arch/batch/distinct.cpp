// One warp by the target's kernel, or by block sets where that cannot number the words.
#include "arch/batch/distinct.h"
#include "arch/batch/kernels.h"
#include <bit>

namespace warplens::arch {

Distinct distinct(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes) {
  u32 shift = static_cast<u32>(std::countr_zero(bytes));
  DistinctWords found;
  if (kernels().distinct({address.data(), lanes, shift, shift, 0}, found))
    return {found.words, found.sectors, found.lines, u64{found.words} * bytes};
  BlockSet addresses;
  for_each_lane(lanes, [&](u32 lane) { addresses.add(address[lane]); });
  return {addresses.size(), count_touched(address, lanes, bytes, 5), count_touched(address, lanes, bytes, 7),
          distinct_bytes(address, lanes, bytes)};
}

u32 passes(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 bank_bytes) {
  // An aligned word wider than a bank fills whole banks, so that banks of its own width conflict in the same way.
  u32 width = std::max<u32>(bytes, bank_bytes), shift = static_cast<u32>(std::countr_zero(width));
  u32 alignment_shift = static_cast<u32>(std::countr_zero(bytes));
  DistinctWords found;
  if (kernels().distinct({address.data(), lanes, shift, alignment_shift, 32 * bank_bytes / width}, found))
    return found.most_in_a_bank;
  return most_words_in_a_bank(touched(address, lanes, bytes, static_cast<u32>(std::countr_zero(bank_bytes))),
                              32);
}

} // namespace warplens::arch
