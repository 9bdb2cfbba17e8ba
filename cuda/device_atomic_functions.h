// Everything in the toolkit's header of this name comes with warplens_cuda.h.
#pragma once
#include "warplens_cuda.h"
