// The same changes in the words of Triton, where a kernel is written in it: there are no threads, structures or pitched
// allocations, and the compiler chooses vectors and layouts by what it can prove of strides and sizes.
#pragma once
#include "advise/rules/rules.h"

namespace warplens::advise {

// A Python function that is not numba's, whose kernels are written as those of CUDA are.
bool is_triton(const access::Site&);

void say_for_triton(const rules::Subject&, Advice&);

} // namespace warplens::advise
