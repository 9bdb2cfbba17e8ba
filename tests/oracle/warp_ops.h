// Warp-level instructions of the naïve interpreter: what each lane gets once every lane of the mask has
// arrived. Followed: PTX ISA 8.x, sections "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "activemask", "elect.sync".
#pragma once
#include "oracle/scalar.h"
#include <array>

namespace warplens::oracle {

struct WarpOperation {
  u32 mask = 0;                                    // the lanes that take part
  std::array<std::vector<u64>, warp_size> sources; // of each of them, as the instruction's operands
  std::array<std::array<u64, 2>, warp_size> results{};
};
bool resolve(const Spelling&, WarpOperation&); // false: not a warp operation that this reference knows

} // namespace warplens::oracle
