// Places in the program's host code, as the runtime gives them (FILE+0xOFFSET, runtime/allocation_place.h), turned into source
// lines where addr2line is installed and the file has debug information.
#pragma once
#include "summary/model.h"
#include <span>
#include <string>

namespace warplens::driver {

// Of callers joined by '<' (calling_places()), the innermost that is in the program's own source.
void name_innermost_places(std::span<std::string> chains);
// In every note and help text of the input's messages and launches.
void name_host_places(summary::Input&);

} // namespace warplens::driver
