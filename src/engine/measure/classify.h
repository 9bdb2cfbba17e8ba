// From lanes to shapes: the classification behind the report's "pattern" column.
//
// One warp is put into the first form of this list that fits: one lane, broadcast, contiguous (or misaligned,
// or with inactive lanes between), a constant stride, rows of lanes that lie equally far apart, a permutation
// without waste, scattered. Shared memory is described by its bank conflicts, constant memory by its distinct
// addresses, local memory by whether all lanes use the same offset.
#pragma once
#include "access/access.h"
#include "arch/counts.h"
#include "measure/pattern.h"

namespace warplens::measure {

// `counts` is the same access under the architecture that the shape is for, which only those to shared memory
// need. The access has an active lane.
Shape shape_of(const access::WarpAccess&, const arch::Counts& counts);

} // namespace warplens::measure
