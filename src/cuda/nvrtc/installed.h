// NVIDIA's own NVRTC, where there is one: it is the one that compiles then. A program that asks for libnvrtc.so.13 by name
// finds WarpLens's, whose folder comes first; that looks for the other where the dynamic linker would have gone on looking.
#pragma once

namespace warplens::runtime {

// The major of the NVRTC that the program asked for: 13 or 12, by which of WarpLens's libraries is mapped.
int nvrtc_major();

// A function of the installed library; null where there is no such library.
void* installed_nvrtc(const char* function);

} // namespace warplens::runtime
