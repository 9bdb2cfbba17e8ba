// What the processes of a run have told, kept where a full disk cannot reach it (os/shared_memory.h): all of
// them add to it, and the parent compares it with the events that came.
#pragma once
#include "base/types.h"
#include <atomic>

namespace warplens::measure {

struct Ledger {
  std::atomic<u64> begun{0}; // launches asked for, those that were refused too
  std::atomic<u64> ended{0}; // of those, whose record was to be written
  std::atomic<u64> lost{0};  // events that could not be written
  std::atomic<u32> error{0}; // errno of the first
};
static_assert(std::atomic<u64>::is_always_lock_free && std::atomic<u32>::is_always_lock_free);

} // namespace warplens::measure
