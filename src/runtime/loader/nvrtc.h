// NVRTC, told to keep the PTX in what it makes. Programs compile for one GPU (`--gpu-architecture=sm_90`) and load the machine code,
// which nobody here could run; under `-lineinfo` the same cubin has its PTX text, too.
#pragma once
#include "os/elf.h"

namespace warplens::runtime {

// Puts itself before nvrtcCompileProgram of the libnvrtc.so that is mapped at `base`.
void take_over_nvrtc(const std::vector<os::Elf::Symbol>& symbols, u64 base);

} // namespace warplens::runtime
