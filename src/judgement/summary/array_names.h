// The names of arrays, as far as only the source text knows them, and how an access's array is called in words.
#pragma once
#include "summary/launches.h"
#include <functional>
#include <optional>

namespace warplens::summary {

// The text of a source line (file, 1-based line), or nothing.
using SourceLines = std::function<std::optional<std::string>(const std::string& file, u32 line)>;

// Fills in the names of parameters, of members of structures among them, and of local arrays: where the function's
// definition is in the file that its accesses are in, with as many parameters as the compiled one has.
void name_arrays(std::vector<Launch>&, const SourceLines&);

// Is it a function's local memory, all arrays in one, that the source did not tell apart?
bool is_any_local(const access::Array&);

// "A", "via list" for what a pointer in it leads to, "parameter 2" (counted from 1) where the source is not at hand; empty
// where the array is not known or not one.
std::string array_name(const access::Array&);

} // namespace warplens::summary
