// What a cubin tells about its kernels: the PTX text that -lineinfo keeps in it, and the registers ptxas
// allocated.
#pragma once
#include "runtime/fatbin.h"

namespace warplens::runtime {

// Adds what the ELF image holds to `fatbin`.
void read_cubin(Fatbin& fatbin, Bytes image, u32 sm);

} // namespace warplens::runtime
