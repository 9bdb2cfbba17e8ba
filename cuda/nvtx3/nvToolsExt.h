// The same, under the folder name of NVTX 3.
#pragma once
#include "../nvToolsExt.h"
