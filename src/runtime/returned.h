// What comes back from the device, for `run --verify-fix`: a line "BYTES DIGEST" for each copy to the host, in the order of the
// copies, appended to a file that exists.
#pragma once
#include "runtime/memory.h"

namespace warplens::runtime {

// Of a copy of that kind, which was made. Costs nothing where nobody asked (Options::returned); errno stays as it was.
void note_returned(Runtime&, const Box& to, const Box& from, const Extent&, cudaMemcpyKind);

} // namespace warplens::runtime
