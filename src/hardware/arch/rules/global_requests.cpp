// Global memory since 2.0: an instruction becomes one or more requests, and a request moves every distinct
// 128-byte line (through an L1 whose unit is a line) or every distinct 32-byte sector that its lanes touch.
//
// 2.x and 3.x split wide words so that no request asks for more than 128 bytes: 8-byte words become two
// half-warp requests, 16-byte words four quarter-warp requests. From 5.0 on an instruction is one request,
// whatever its width (measured on 9.0).
//
// `tags` are lines and `sectors` sectors on every architecture, so that they compare; `transactions` say what
// leaves for the next level. Not modelled: hits. Counts are of what is asked for, as the theoretical counters
// are.
//
// Sources: CUDA C Programming Guide 4.2 F.4.2, F.5.2; CUDA C++ Programming Guide 12, compute capabilities 5.x
// to 12.x; CUDA C++ Best Practices Guide 10.2.1; measurements in tests/arch/data.
#include "arch/rules/distinct.h"
#include "arch/rules/requests.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

void add_request(const Architecture& arch, const access::WarpAccess& access, u32 lanes, Counts& counts) {
  const Distinct touched = add_global_request(access, lanes, counts);
  bool lines = transfers_lines(arch, access);
  counts.transactions += lines ? touched.lines : touched.sectors;
  counts.transaction_bytes +=
      lines ? u64{touched.lines} * arch.memory.l1_line : u64{touched.sectors} * arch.memory.sector;
}

void count_global_split_requests(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  for_each_group(access.active, lanes_per_request(access.bytes),
                 [&](u32 lanes) { add_request(arch, access, lanes, counts); });
}

void count_global_whole_warp(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  add_request(arch, access, access.active, counts);
}

} // namespace

extern constexpr Rule global_split_requests{"global_split_requests", count_global_split_requests,
                                            BatchKernel::requests, 4};
extern constexpr Rule global_whole_warp{"global_whole_warp", count_global_whole_warp, BatchKernel::requests,
                                        32};

} // namespace warplens::arch::rules
