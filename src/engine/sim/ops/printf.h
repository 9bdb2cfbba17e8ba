// Device printf: the format is C's; the arguments lie in a buffer, each at its natural alignment (CUDA C++
// Programming Guide, "Formatted Output").
#pragma once
#include "base/types.h"
#include <functional>
#include <string>
#include <string_view>

namespace warplens::sim {

// `argument(offset, bytes)` reads the buffer; `text(address)` reads a string argument.
std::string format_device_printf(std::string_view format, const std::function<u64(u64, u32)>& argument,
                                 const std::function<std::string(u64)>& text);

} // namespace warplens::sim
