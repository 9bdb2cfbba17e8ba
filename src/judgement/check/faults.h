// Accesses that no launch survives, and what it takes that an access is none: an address that is no multiple of what is
// accessed, or lies outside of an array whose size is known.
#pragma once
#include "check/claim.h"

namespace warplens::check {

// Fills in Claim::fault, demands and overruns of a claim whose header and address are set, and that is executed.
void find_faults(Analysis&, Claim&, const ActiveLanes&, u32 instruction, u32 block);

} // namespace warplens::check
