// Bulk copies (cp.async.bulk, cp.reduce.async.bulk, with and without tensor maps): one thread has whole rows moved between
// global memory and shared memory. As with cp.async, the copy takes place when it is issued, so that there is nothing to wait
// for; the mbarrier that it completes is told at once.
#pragma once
#include "sim/exec/exec.h"
#include <span>

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
