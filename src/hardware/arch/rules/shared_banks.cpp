// Shared memory of 2.x to 6.x: a pass serves any number of lanes as long as no bank is asked for two rows;
// lanes that want the same word share it. Only how wide words are grouped, and how wide a bank's row is,
// differs.
//
// 2.x      32 banks of 4 bytes. 8-byte words conflict within a half-warp only; 16-byte words cost one pass more than
//          the worst quarter-warp. Source: CUDA C Programming Guide 4.2, F.4.3.
// 3.x      32 banks of 8 bytes. In 64-bit mode successive 8-byte words lie in successive banks. In 32-bit mode
//          successive 4-byte words do, and words i and i + 32 of an aligned run of 64 are one row: they do not
//          conflict. Source: CUDA C Programming Guide 4.2, F.5.3. How 16-byte words are grouped is inferred: by
//          half-warps.
// 5.x 6.x  32 banks of 4 bytes. Source: CUDA C++ Programming Guide 12, compute capability 5.x. The grouping of wide
//          words by half- and quarter-warps is inferred from 9.0, without its merging of pairs.
//
// Atomics are inferred on all of these: every lane needs a pass of its own at its bank.
#include "arch/rules/distinct.h"
#include "arch/rules/shared.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

void add_request(const access::WarpAccess& access, Counts& counts) {
  counts.requests += 1;
  counts.bytes_used += distinct(access.address, access.active, access.bytes).bytes;
}

void add_atomic(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  u64 serialized = passes_without_sharing(access.address, access.active, access.bytes, arch.banks.count);
  add_passes(counts, serialized, serialized, ideal_passes(arch, access.active, access.bytes));
}

u64 sum_of_groups(const access::WarpAccess& access, u32 size) {
  u64 sum = 0;
  for_each_group(access.active, size, [&](u32 lanes) { sum += passes(access.address, lanes, access.bytes); });
  return sum;
}

void count_shared_fermi(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  add_request(access, counts);
  if (is_atomic(access.kind)) return add_atomic(arch, access, counts);
  u64 ways = 0;
  if (access.bytes < 16) {
    ways = sum_of_groups(access, lanes_per_pass(access.bytes));
  } else {
    for_each_group(access.active, 8, [&](u32 lanes) {
      ways = std::max<u64>(ways, passes(access.address, lanes, access.bytes));
    });
    ways += 1;
  }
  add_passes(counts, ways, ways, ideal_passes(arch, access.active, access.bytes));
}

void count_shared_kepler_wide(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  add_request(access, counts);
  if (is_atomic(access.kind)) return add_atomic(arch, access, counts);
  u64 sum = 0;
  for_each_group(access.active, access.bytes <= 8 ? 32 : 16,
                 [&](u32 lanes) { sum += passes(access.address, lanes, access.bytes, 8); });
  add_passes(counts, sum, sum, ideal_passes(arch, access.active, access.bytes));
}

void count_shared_kepler_narrow(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  add_request(access, counts);
  if (is_atomic(access.kind)) return add_atomic(arch, access, counts);
  u64 sum = 0;
  for_each_group(access.active, access.bytes <= 8 ? 32 : 16, [&](u32 lanes) {
    // A row is (aligned run of 64 words, bank): number rows so that the bank is the remainder by 32.
    BlockSet rows;
    for (u64 word : touched(access.address, lanes, access.bytes, 2)) rows.add((word >> 6 << 5) | (word & 31));
    sum += most_words_in_a_bank(rows, 32);
  });
  add_passes(counts, sum, sum, ideal_passes(arch, access.active, access.bytes));
}

void count_shared_by_group(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  add_request(access, counts);
  if (is_atomic(access.kind)) return add_atomic(arch, access, counts);
  u64 sum = sum_of_groups(access, lanes_per_pass(access.bytes));
  add_passes(counts, sum, sum, ideal_passes(arch, access.active, access.bytes));
}

} // namespace

extern constexpr Rule shared_fermi{"shared_fermi", count_shared_fermi, BatchKernel::banks, 8};
extern constexpr Rule shared_kepler_wide{"shared_kepler_wide", count_shared_kepler_wide};
extern constexpr Rule shared_kepler_narrow{"shared_kepler_narrow", count_shared_kepler_narrow};
extern constexpr Rule shared_by_group{"shared_by_group", count_shared_by_group, BatchKernel::banks, 8};

} // namespace warplens::arch::rules
