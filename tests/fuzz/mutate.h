// Inputs made from inputs: the same for the same numbers, on every machine.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace warplens::fuzz {

// One of `seeds` with one to six changes: bits and bytes, runs of bytes cut, doubled or taken from another seed, the input
// cut off, numbers (as text and as little-endian integers) that lie at the borders of their types, words and lines exchanged.
// `seeds` is not empty.
std::string mutation(const std::vector<std::string>& seeds, std::mt19937_64& random);

} // namespace warplens::fuzz
