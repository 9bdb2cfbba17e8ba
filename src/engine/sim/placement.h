// Variables of a module that are to lie where somebody has memory for them already: for the next Program::load of a device.
#pragma once
#include "sim/sim.h"
#include <map>

namespace warplens::sim {

// By name in the module. The addresses are the host's, and reachable by the device as long as the program is loaded.
using GivenPlaces = std::map<std::string, u64, std::less<>>;
void place_next(const Device&, GivenPlaces);

// What place_next() said last; empty from then on.
GivenPlaces take_given_places(const Device&);

} // namespace warplens::sim
