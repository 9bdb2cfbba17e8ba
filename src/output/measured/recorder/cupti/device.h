// Which GPU, and under which driver: a line of the recording, once for each device.
#pragma once
#include <cstdint>
#include <string>

namespace warplens::recorder {

// Writes the line. The chip by CUPTI's name ("gh100"); empty where the device cannot be profiled.
std::string write_device(std::uint32_t device);

} // namespace warplens::recorder
