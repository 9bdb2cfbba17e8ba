// What Python's packages keep between runs of a program, and where, while it runs under WarpLens.
#pragma once
#include "os/store.h"
#include <string>
#include <utility>
#include <vector>

namespace warplens::driver {

// CuPy and numba keep the machine code that they compiled, and a kernel that an ordinary run compiled has no PTX in it any
// more. So they get folders of their own in WarpLens's cache; without a cache CuPy keeps nothing. CuPy also writes down the
// sources, whose lines the report then quotes. What the user has set stays. Pairs of variable and value; documented in
// docs/do/python.md.
std::vector<std::pair<std::string, std::string>> python_environment(const cache::Settings&);

// The folder in which CuPy leaves its sources; empty: there is none.
std::string python_sources(const cache::Settings&);

} // namespace warplens::driver
