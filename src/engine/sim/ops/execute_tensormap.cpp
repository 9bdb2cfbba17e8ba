// Tensor maps that kernels change (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy"): a field of one that lies in
// shared or global memory, and the way from there to where copies find it. A copy takes place when it is issued, so that
// fences between the ways to memory have nothing to do.
#include "ir/operands.h"
#include "sim/exec/fault.h"
#include "sim/memory/element.h"
#include "sim/memory/tensor_map.h"
#include "sim/ops/access.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;

TensorField field_of(const ir::Form& form) {
  constexpr std::pair<Modifier, TensorField> fields[] = {
      {Modifier::global_address, TensorField::global_address},
      {Modifier::rank, TensorField::rank},
      {Modifier::box_dim, TensorField::box_dim},
      {Modifier::global_dim, TensorField::global_dim},
      {Modifier::global_stride, TensorField::global_stride},
      {Modifier::element_stride, TensorField::element_stride},
      {Modifier::elemtype, TensorField::elemtype},
      {Modifier::interleave_layout, TensorField::interleave_layout},
      {Modifier::swizzle_mode, TensorField::swizzle_mode},
      {Modifier::swizzle_atomicity, TensorField::swizzle_atomicity}};
  return form.first_of(fields, TensorField::fill_mode);
}

// Both halves of each lane's 128 bytes, which are aligned to 64.
void check_map(Exec& x, const Op& op, const AccessView& a) {
  check(x, op, a);
  auto move = [&](u64 by) {
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(a.mask->word[w], [&](u32 lane) { x.address[w * warp_size + lane] += by; });
  };
  AccessView second = a;
  second.lowest += op.element_bytes, second.highest += op.element_bytes;
  move(op.element_bytes);
  check(x, op, second);
  move(0 - u64{op.element_bytes});
}

// Calls f(thread, the map's bytes on the host).
template <class F> void each_map(Exec& x, const Op& op, F&& f) {
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check_map(x, op, a);
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(a.mask->word[w], [&](u32 lane) {
        u32 thread = w * warp_size + lane;
        f(thread, host_pointer(a.host.at_warp(w) + a.address[thread] + thread * a.host.thread_stride));
      });
  });
  ++x.writes, ++x.effects;
}

} // namespace

namespace ops {

// slots: address, dimension, value
void replace_in_map(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const TensorField field = field_of(*op.form);
  each_map(x, op, [&](u32 thread, std::byte* map) {
    u32 index = static_cast<u32>(x.lane_value(op.source(1), thread));
    u64 value = x.lane_value(op.source(2), thread);
    if (TensorMap::replace(map, field, index, value)) return;
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-tensor-map",
          fmt::format("'{}' of {} (dimension {}): there is no tensor map, or it cannot have that value",
                      op.form->text, value, index),
          thread, 0, {},
          "copy a map of cuTensorMapEncodeTiled there first; interleaved layouts and atoms of swizzles other "
          "than 16 "
          "bytes are not supported");
  });
}

// slots: address, address in shared memory
void copy_map(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  each_map(x, op, [&](u32 thread, std::byte* to) {
    u64 from = x.lane_value(op.source(1), thread);
    if (!Memory::Range{0, x.shared_bytes()}.covers(from, TensorMap::size))
      raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
            fmt::format("a tensor map {}", outside_shared(x, from)), thread, from, {},
            "check where the map lies in shared memory");
    if (!x.performs_stores) return;
    std::memcpy(to, x.cta->shared.data() + x.cta_of(thread) * x.launch.shared_stride + from, TensorMap::size);
    if (WrittenBytes* written = x.launch.device.memory->written())
      written->mark(reinterpret_cast<u64>(to), TensorMap::size);
  });
}

} // namespace ops
} // namespace warplens::sim
