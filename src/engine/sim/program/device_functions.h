// The device runtime's functions that compilers call in kernels (dynamic parallelism). They are done here, also where the program
// has NVIDIA's definition of them (libcudadevrt), which ends in calls of the driver that only a GPU answers.
#pragma once
#include "base/types.h"
#include <optional>
#include <string_view>

namespace warplens::sim {

enum class DeviceFunction : u8 {
  parameter_buffer,
  launch,
  create_handle,
  device_number,
  nothing,
  take_error,
  peek_error,
  wait,
  set_conditional
};

std::optional<DeviceFunction> find_device_function(std::string_view name);

} // namespace warplens::sim
