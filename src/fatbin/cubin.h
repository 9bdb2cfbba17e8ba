// What a cubin tells about its kernels: the PTX text that -lineinfo keeps in it, and the registers ptxas
// allocated.
#pragma once
#include "fatbin/fatbin.h"

namespace warplens::fatbin {

// Adds what the ELF image holds to `fatbin`. `sm`: 0 where only the PTX in it tells.
void read_cubin(Fatbin& fatbin, Bytes image, u32 sm);

} // namespace warplens::fatbin
