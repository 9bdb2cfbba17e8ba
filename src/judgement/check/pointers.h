// Which parameters of a kernel are pointers: PTX says it of none that can be relied on.
#pragma once
#include "check/flow.h"
#include <set>

namespace warplens::check {

// A parameter's number, and the byte in it.
using ParameterPlace = std::pair<u32, u32>;

// Those that an address is computed from, as what something is added to: of all that its sums begin with, the only one
// that could be a pointer.
std::set<ParameterPlace> pointer_parameters(const Flow&);

} // namespace warplens::check
