// What an access to global memory costs inside the L1 since 7.0: passes of its tag stage and of its data stage.
//
// Tag stage. There are four tag sets, and a pass looks up at most one 128-byte line in each: lanes are walked in order,
// and a lane is served if the set of its line is free, or taken by its line; the others wait for the next pass. For a
// reduction or an atomic a pass serves each address for one lane; other lanes of the same address wait.
//
// Data stage. Within a pass the lanes that were served cost what shared memory would cost: by warps, half-warps
// (8 bytes) or quarter-warps (16 bytes), the most different 4-byte words in one of 32 banks. A store's data waits in front of
// it: the lanes of the first passes, 8 of them (4 for words of less than 4 bytes), go through together, each later pass
// alone. An atomic whose result is used goes through twice, out and back.
//
//   lanes 128 bytes apart, 4 bytes each: 32 lines, 8 in each set: 8 tag passes; 4 lanes of each pass meet in one bank:
//   32 wavefronts. Lanes 132 bytes apart: 8 tag passes, no two lanes in one bank: 8 wavefronts.
//
// Measured on 9.0 (tests/arch/data): exact for loads; src/hardware/arch/MODEL.md says how exact for the others. Not modelled:
// asynchronous copies and local memory, which other rules explain only in part.
#pragma once
#include "access/access.h"
#include "arch/batch/counting_loops.h"
#include "base/types.h"

namespace warplens::arch {

// The tag set of a line is the exclusive or of what its number's bits lead to: bit by bit, 1, 2 or 3. Bits from 38
// on are not known, and no matter to lanes within 32 TiB.
inline constexpr u32 tag_set_bits = 38;
inline constexpr u64 tag_set_low = 0x2d5b55af6f, tag_set_high = 0x16f5ef7ab5;

[[gnu::always_inline]] inline u32 tag_set(u64 line) {
  return static_cast<u32>(__builtin_parityll(line & tag_set_low) | __builtin_parityll(line & tag_set_high)
                                                                       << 1);
}

// Tag passes of a store whose data goes through the data stage together.
[[gnu::always_inline]] inline u32 passes_together(u32 bytes) { return bytes < 4 ? 4 : 8; }

// One warp with an active lane: the rule acted out, for any 64-bit addresses; a lane that straddles two lines
// counts where it begins.
StagePasses act_out_stages(const access::WarpAccess&);

// The same by the target's kernel where that can.
StagePasses stages_of(const access::WarpAccess&);

} // namespace warplens::arch
