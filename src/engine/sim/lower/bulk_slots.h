// The operands of a bulk copy (ops/bulk.cpp) by their meaning.
#pragma once
#include "base/types.h"

namespace warplens::sim {

// The slots of Op::slot: what a form does not have is no_slot.
enum BulkSlot : u32 {
  bulk_shared, // where it is in shared memory: .shared::cluster (exec/cluster.h); of two, the destination
  bulk_global, // in global memory, or in the shared memory that is read, or the tensor map's generic address
  bulk_size,   // in bytes; of im2col its offsets, 16 bits each
  bulk_mbarrier,   // .shared::cluster
  bulk_ctas,       // the mask of a multicast
  bulk_coordinate, // the first of five
};

} // namespace warplens::sim
