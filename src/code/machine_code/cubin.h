// What a cubin tells about its kernels: the PTX text that -lineinfo keeps in it, and the registers ptxas
// allocated.
#pragma once
#include "machine_code/fatbin.h"

namespace warplens::fatbin {

// Adds what the ELF image holds to `fatbin`. `sm`: 0 where only the PTX in it tells.
void read_cubin(Fatbin& fatbin, Bytes image, u32 sm);

// Kernel → registers per thread, as ptxas allocated them. None of what is no cubin.
std::map<std::string, u32> registers_of(Bytes image);

// An ELF image as a compiler makes it under -lineinfo, but without machine code: nothing but the PTX text, for programs that
// want a cubin to load. read_cubin() reads it; no GPU can run it.
std::vector<std::byte> cubin_around(std::string_view ptx, u32 sm);

} // namespace warplens::fatbin
