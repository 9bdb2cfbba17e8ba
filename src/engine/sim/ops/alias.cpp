// The run-time half of aliasing: see alias.h.
#include "sim/ops/alias.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"

namespace warplens::sim {
namespace {

// Whether all lanes of `v` lie in a row where an access with these strides puts them.
bool in_a_row(const Value& v, const Strides& stride, const Shape& shape) {
  return stride[0] == v.bits / 8 && shape.threads == shape.lanes && is_ramp(stride, shape, axes);
}

bool overlaps(const Value& v, u64 first, u64 end) {
  u64 begin = host_address(v.read(0));
  return begin < end && first < begin + v.lane_bytes();
}

} // namespace

bool alias_source(const Exec& x, const Op& op, const Strides& host_stride, u64 memory, Value& to) {
  if (!op.may_alias || to.bits != op.element_bytes * 8 || !in_a_row(to, host_stride, x.shape)) return false;
  to.alias(host_pointer(memory));
  return true;
}

void* result_target(Exec& x, const Op& op) {
  if (!x.performs_stores || !x.whole || !x.unguarded) return nullptr;
  const Op& store = x.code->ops[op.arithmetic().stored_by];
  const Value &address = x.values[store.source(0)], &result = x.values[op.destination(0)];
  if (!address.affine || address.bits != 64 || result.bits != store.element_bytes * 8 ||
      !in_a_row(result, address.stride, x.shape))
    return nullptr;
  u64 first = address.base + static_cast<u64>(store.offset), end = first + result.lane_bytes();
  if (first % store.element_bytes != 0 || !in_known_range(x, store, first, first, result.lane_bytes()))
    return nullptr;
  for (u32 s = 0; s < op.sources; ++s) { // each lane in its place, or somewhere else altogether
    const Value& v = x.values[op.source(s)];
    bool same = host_address(v.read(0)) == first && v.bits == result.bits;
    if (v.aliased() && !same && overlaps(v, first, end)) return nullptr;
  }
  return host_pointer(first);
}

bool may_copy(const Value& from, u64 to) {
  return !from.aliased() || !overlaps(from, to, to + from.lane_bytes());
}

} // namespace warplens::sim
