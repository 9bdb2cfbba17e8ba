// One warp by the target's kernel, or by block sets where that cannot number the words.
#include "arch/rules/distinct.h"
#include "arch/batch/counting_loops.h"
#include "arch/rules/requests.h"
#include <algorithm>
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

Distinct add_global_request(const access::WarpAccess& access, u32 lanes, Counts& counts) {
  const Distinct touched = distinct(access.address, lanes, access.bytes);
  counts.requests += 1;
  counts.tags += touched.lines;
  counts.sectors += touched.sectors;
  counts.ideal_sectors += ideal_sectors(touched.sectors, lanes, access.bytes);
  counts.bytes_used += touched.bytes;
  return touched;
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

u32 passes_of_groups(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 lanes_of_group,
                     bool each_lane, u32* of_groups) {
  constexpr u32 bank_bytes = 4;
  const u32 width = std::max(bytes, bank_bytes), shift = static_cast<u32>(std::countr_zero(width));
  const u32 groups = warp_size / lanes_of_group;
  u32 each[8] = {}; // of at least 4 lanes
  if (!kernels().passes_of_groups(
          {address.data(), lanes, shift, static_cast<u32>(std::countr_zero(bytes)), 32 * bank_bytes / width},
          lanes_of_group, each_lane, each))
    for (u32 g = 0; g < groups; ++g)
      if (u32 of = lanes & low_lanes(lanes_of_group) << (g * lanes_of_group); of != 0)
        each[g] = each_lane ? passes_without_sharing(address, of, bytes) : passes(address, of, bytes);
  u32 sum = 0;
  for (u32 g = 0; g < groups; ++g) sum += each[g];
  if (of_groups != nullptr) std::copy(each, each + groups, of_groups);
  return sum;
}

} // namespace warplens::arch
