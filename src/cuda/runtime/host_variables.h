// Managed variables of programs that WarpLens compiles with clang. clang has a second variable on the host for each of the
// device's, which is not the same memory; our headers put those of managed ones into a section of their own, and the device's
// are placed where these are.
//
// All of this is used with the runtime's lock held.
#pragma once
#include "runtime/state.h"
#include "sim/sim.h"

namespace warplens::runtime {

// Looks whether the host's variable, which is being registered, is in that section.
void look_for_host_variable(const void* host);

bool has_host_variables(const Runtime&, const Binary&);
// Where the binary's lie, by their names on the device, which may use them from here on.
sim::Program::GivenPlaces host_variables(Runtime&, const Binary&);

} // namespace warplens::runtime
