// Values in values: who visits them calls itself as often, and a few megabytes of brackets would become gigabytes.
#pragma once
#include "base/types.h"
#include <optional>
#include <string_view>

namespace warplens {

// Deeper than any text that WarpLens reads, of data from elsewhere.
inline constexpr u32 most_nested = 200;

// Where brackets outside of strings are nested deeper in a JSON text: the byte.
std::optional<std::size_t> nested_too_deep(std::string_view json);

} // namespace warplens
