// Puts WarpLens's functions in the place of a CUDA runtime or driver that is already mapped.
#pragma once
#include "base/types.h"
#include <span>

namespace warplens::runtime {

// Makes `from`, a function of at least `jump_size` bytes, jump to `target`. Does nothing where the page cannot be written.
constexpr u64 jump_size = 12;
void jump(std::byte* from, void (*target)());
// Writes those bytes over the function's first.
void overwrite(std::byte* function, std::span<const std::byte, jump_size> code);

// The object in the file `path` is mapped at `base`: overwrites the CUDA functions that it defines, a runtime that is linked
// into it, or those that it exports, being a toolkit's libcudart or the driver's library. An object without any stays as it
// is. `executable`: it is the program itself.
void take_over(const char* path, u64 base, bool executable);

} // namespace warplens::runtime
