// What others have to do with mbarrier objects: copies that complete their phases, and messages about who waits.
#pragma once
#include "sim/exec/exec.h"
#include "sim/memory/phase_barrier.h"

namespace warplens::sim {

// An asynchronous copy brought so many bytes; `at` is the object on the host. Raises a fault where it is none.
void complete_bytes(Exec&, const Op&, u64 at, u64 bytes, u32 thread);

// What the object holds that the group's first lane waits for at this mbarrier_wait: "the mbarrier at offset 0x10 of shared
// memory is in phase 1 (modulo 4) and lacks 3 of 32 arrivals". Empty where it is not in the block's shared memory.
std::string describe_mbarrier(Exec&, const Op&);

} // namespace warplens::sim
