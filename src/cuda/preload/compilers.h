// NVIDIA's compilers at run time, told to keep the PTX in what they make. Programs compile with NVRTC for one GPU
// (`--gpu-architecture=sm_90`), or link PTX with nvJitLink (numba-cuda), and load the machine code, which nobody here could
// run; under `-lineinfo` the same cubin has its PTX text, too: one section per PTX that was linked.
#pragma once
#include "os/elf.h"

namespace warplens::runtime {

// Whether a library of that name is one of them.
bool makes_machine_code(std::string_view soname);

// Puts itself before those functions of the one mapped at `base` that take options.
void take_over_compiler(const std::vector<os::Elf::Symbol>& symbols, u64 base);

} // namespace warplens::runtime
