// Which of this process's addresses are memory.
#pragma once
#include "base/types.h"

namespace warplens::os {

// Whether every byte of [address, address + size) is mapped and may be read, and written if `writable`. Reads
// /proc/self/maps: tens of microseconds.
bool accessible(u64 address, u64 size, bool writable);

// Whether every byte of it is still mapped, with whatever rights. One system call.
bool mapped(u64 address, u64 size);

} // namespace warplens::os
