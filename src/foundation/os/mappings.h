// Which of this process's addresses are memory.
#pragma once
#include "base/types.h"
#include <utility>
#include <vector>

namespace warplens::os {

// Where the mappings that follow each other without a gap from the one that holds `address` end, all of which may be read, and
// written if `writable`; `address` itself where there is none.
u64 accessible_end(u64 address, bool writable);

// Whether every byte of [address, address + size) is mapped and may be read, and written if `writable`. Reads
// /proc/self/maps: tens of microseconds.
bool accessible(u64 address, u64 size, bool writable);

// All memory that may be read and written, in order, as [begin, end), neighbours joined: for who asks about several
// places. As slow as accessible().
std::vector<std::pair<u64, u64>> writable_memory();

} // namespace warplens::os
