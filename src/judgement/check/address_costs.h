// What the lanes of a warp pay for the places that an address has for them.
#pragma once
#include "check/claim.h"

namespace warplens::check {

// Of a claim whose header, address and row_bytes are set, and that is executed by lanes like these: how the address depends on
// what is not known, and the costs, with all that they rest on but reconvergence.
void find_costs(Analysis&, Claim&, const ActiveLanes&, std::span<Counter>);

} // namespace warplens::check
