// Each target's operations of sim/value/lanes.h (target/rows.cpp). What request.h demands of code that is compiled per
// instruction set holds here, too.
#pragma once
#include "sim/value/lanes.h"

namespace warplens::sim {

namespace baseline {
const lanes::Operations& lane_operations();
}
namespace avx2 {
const lanes::Operations& lane_operations();
}
namespace avx512 {
const lanes::Operations& lane_operations();
}

} // namespace warplens::sim
