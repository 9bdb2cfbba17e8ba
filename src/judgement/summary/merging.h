// Which accesses to shared memory the assembler may merge, so that a bound on time can allow for it (limit.h). The counts stay
// those of the PTX.
//
// ptxas makes one access of 8 or 16 bytes out of words side by side (tests/hardware/HARDWARE.md, "Why counts differ"): those of one
// thread in an unrolled loop, which are several instructions, or in a loop that it unrolls itself. A wide access has to be
// aligned in every lane, so that lanes whose addresses are apart by no multiple of its width keep theirs narrow: rows that
// are read by neighbouring lanes stay as they are, and what all lanes read, or a padded row for each, may be merged. What
// else decides (barriers between, registers, whether alignment is known) is not asked: what could be merged counts as merged.
#pragma once
#include "measure/record.h"
#include <vector>

namespace warplens::summary {

// Of how many accesses like it one may be made, at most, for each site of the launch: 1, 2, 4, 8 or 16. Told by the addresses
// of an example of its warps.
std::vector<u32> mergeable(const measure::LaunchContent&);

} // namespace warplens::summary
