// alloca: local memory behind a function's variables (lower/lower_stack.cpp).
#include "sim/exec/fault.h"
#include <fmt/format.h>

namespace warplens::sim {

namespace ops {

// Slots: the address in local memory, what the thread holds then; what it held, how much it asks for. Offset: the alignment.
void allocate(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const u64 base = x.frame->local_base + x.code->local_bytes, room = x.launch.local_bytes;
  for (SlotId slot : {op.destination(0), op.destination(1)}) {
    need_lanes(x.values[slot], x.shape);
    x.values[slot].set_lanes();
  }
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      const u32 thread = w * warp_size + lane;
      const u64 size = x.lane_value(op.source(1), thread);
      const u64 begin = align_up(base + x.lane_value(op.source(0), thread), static_cast<u64>(op.offset));
      if (begin > room || size > room - begin)
        raise(x, op, FaultKind::stack_overflow, "kernel-stack-overflow",
              fmt::format("alloca of {} bytes needs more local memory than the {} bytes a thread has", size,
                          room),
              thread, 0, {}, "allocate less, or ask for more with cudaDeviceSetLimit(cudaLimitStackSize, …)");
      x.set_lane(x.values[op.destination(0)], thread, begin);
      x.set_lane(x.values[op.destination(1)], thread, begin + size - base);
    });
}

} // namespace ops
} // namespace warplens::sim
