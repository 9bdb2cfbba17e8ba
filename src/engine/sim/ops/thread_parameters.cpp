// Parameters of .func frames and of call sites, as one thread sees them: an ABI written down in .param variables, not a
// memory of the GPU's. So they are neither counted nor reached by generic addresses, and need no access to be resolved.
#include "sim/exec/fault.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

std::byte* thread_parameter(Exec& x, const Op& op, u32 thread, u64 offset) {
  u64 size = x.code->parameter_bytes, bytes = u64{op.element_bytes} * op.elements;
  if (offset > size || bytes > size - offset)
    raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
          fmt::format("access of {} bytes at offset {:#x} is outside the {} bytes of parameter memory", bytes,
                      offset, size),
          thread, offset, {}, "check the index");
  return x.frame->parameters.data() + u64{thread} * size + offset;
}

// Calls f(thread, its bytes).
template <class F> void each_parameter(Exec& x, const Op& op, F&& f) {
  write_addresses(x, op);
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      f(thread, thread_parameter(x, op, thread, x.address[thread]));
    });
}

} // namespace

namespace ops {

// slots: destinations (elements), address
void load_thread_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  for (u32 e = 0; e < op.elements; ++e)
    if (op.destination(e) != no_slot) need_lanes(x.values[op.destination(e)], x.shape);
  each_parameter(x, op, [&](u32 thread, const std::byte* from) {
    for (u32 e = 0; e < op.elements; ++e)
      if (op.destination(e) != no_slot)
        x.set_lane(x.values[op.destination(e)], thread,
                   read_one(from + e * op.element_bytes, op.element_bytes, op.sign));
  });
  for (u32 e = 0; e < op.elements; ++e)
    if (op.destination(e) != no_slot) x.values[op.destination(e)].set_lanes();
}

// slots: address, then elements
void store_thread_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  each_parameter(x, op, [&](u32 thread, std::byte* to) {
    for (u32 e = 0; e < op.elements; ++e) {
      u64 value = x.lane_value(op.source(1 + e), thread);
      std::memcpy(to + e * op.element_bytes, &value, op.element_bytes);
    }
  });
}

} // namespace ops
} // namespace warplens::sim
