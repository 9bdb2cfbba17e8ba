// The toolkit's header of this name computes occupancy for devices that are not there; Thrust includes it and uses nothing of
// it. What this device would do is asked with cudaOccupancyMaxActiveBlocksPerMultiprocessor.
#pragma once
#include "warplens_cuda.h"
