// The rule functions that rows of the table name. One file per family; each adds one warp's access to
// `Counts`. `threads`, `instructions` and `bytes_used` are the caller's (count.cpp): rules add what differs.
#pragma once
#include "arch/table.h"

namespace warplens::arch::rules {

using Rule = void(const Architecture&, const access::WarpAccess&, Counts&);

// Global memory.
Rule global_half_warp_strict;   // 1.0 1.1: k-th thread, k-th word            global_half_warp.cpp
Rule global_half_warp_segments; // 1.2 1.3: shrinking segments                global_half_warp.cpp
Rule global_split_requests;     // 2.x 3.x: wide words split into requests    global_requests.cpp
Rule global_whole_warp;         // 5.0 on: one request per instruction        global_requests.cpp

// Shared memory.
Rule shared_one_broadcast; // 1.x: half-warps, one broadcast word a pass shared_half_warp.cpp
Rule shared_fermi;         // 2.x                                        shared_banks.cpp
Rule shared_kepler_narrow; // 3.x, 32-bit mode                           shared_banks.cpp
Rule shared_kepler_wide;   // 3.x, 64-bit mode                           shared_banks.cpp
Rule shared_by_group;      // 5.x 6.x                                    shared_banks.cpp
Rule shared_pair_merge;    // 7.0 on: pairs of lanes merge wide loads    shared_pairs.cpp
u64 async_copy_wavefronts(
    const access::WarpAccess&); // what the counter shows, from the global source   shared_pairs.cpp

// The rest.
Rule constant_by_half_warp; // 1.x                                        constant.cpp
Rule constant_by_warp;      // 2.0 on                                     constant.cpp
Rule local_interleaved;     //                                            local.cpp
Rule texture_groups;        // measured on 9.0, an estimate elsewhere     texture.cpp

} // namespace warplens::arch::rules
