// Which line of a Python script a kernel is launched for: PyTorch's kernels have no source lines of their own.
#pragma once
#include <string>

namespace warplens::runtime {

// "/home/me/train.py:14": the innermost frame of this thread that is no package's. Empty: there is none. Takes Python's lock, so no lock
// of the runtime may be held.
std::string python_caller();

// The process has Python's interpreter. Where it has none, nothing is looked for: that would take memory of the program's heap.
void python_is_here();

} // namespace warplens::runtime
