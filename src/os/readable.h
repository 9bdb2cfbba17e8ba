// How far memory can be read from a place on: for data of the program that states its own size.
#pragma once
#include "os/bytes.h"

namespace warplens::os {

// The bytes from `start` to the end of the readable memory around it: of the program or library that holds it, as it was
// loaded, else of the mappings that follow each other without a gap. Empty where nothing can be read at `start`.
Bytes readable_from(const std::byte* start);

} // namespace warplens::os
