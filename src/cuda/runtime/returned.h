// What the host sees of the device, for `run --verify-fix`: a line for each copy to the host, "copy BYTES DIGEST", and for memory
// that both use (managed, pinned, registered), "memory BYTES DIGEST", in their order. They are appended to a file
// that exists.
#pragma once
#include "runtime/memory.h"

namespace warplens::runtime {

// All of these cost nothing where nobody asked (Options::returned); errno stays as it was.

// Of a copy of that kind, which was made.
void note_returned(Runtime&, const Box& to, const Box& from, const Extent&, cudaMemcpyKind);
// Of memory that both use. The host waits for the device: what launches did is there now. It is noted where there was a launch
// since, and where that is cheap.
void note_shared_memory(Runtime&);
// The same, whatever it costs: the last chance.
void note_shared_memory_at_end(Runtime&);
// Of what is about to be freed or unregistered, which begins at that address.
void note_shared_memory_at(Runtime&, u64 address);

} // namespace warplens::runtime
