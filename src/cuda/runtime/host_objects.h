// Device code in what host linkers take: object files of nvcc, and archives of them. Members of an archive that hold no PTX are
// left out: what is missing then is told when the rest is linked, and the toolkit's device runtime is WarpLens's own.
#pragma once
#include "os/bytes.h"
#include <vector>

namespace warplens::runtime {

// The fat binaries in an object file, or in all members of an archive; none where there is no device code.
std::vector<os::Bytes> device_code_of(os::Bytes file);

} // namespace warplens::runtime
