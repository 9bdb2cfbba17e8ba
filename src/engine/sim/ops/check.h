// One lane's access to device memory, for ops that find their addresses by themselves (textures).
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Raises a fault where the op may not touch `bytes` bytes there, warns once where a GPU would let it pass.
void check_device_lane(Exec&, const Op&, u32 bytes, u32 thread, u64 address);

} // namespace warplens::sim
