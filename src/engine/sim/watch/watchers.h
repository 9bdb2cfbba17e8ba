// What LaunchChecks ask for, before an Exec runs its first CTA.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

void add_watchers(Exec&);

} // namespace warplens::sim
