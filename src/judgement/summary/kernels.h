// The kernels of a report: launches of one kernel with one block shape added up, their accesses by source line, worst first.
#pragma once
#include "summary/model.h"

namespace warplens::summary {

// Worst first; those that were not counted after those that were.
std::vector<Kernel> make_kernels(const Input&, const SourceLines&, const Options&);

} // namespace warplens::summary
