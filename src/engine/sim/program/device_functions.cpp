#include "sim/program/device_functions.h"

namespace warplens::sim {
namespace {

// Names without the prefix that says which device runtime: CUDA 11's (cuda…) or 12's (__cudaCDP2…).
struct Known {
  std::string_view name;
  DeviceFunction function;
};
constexpr Known known[] = {{"GetParameterBufferV2", DeviceFunction::parameter_buffer},
                           {"LaunchDeviceV2", DeviceFunction::launch},
                           {"StreamCreateWithFlags", DeviceFunction::create_handle},
                           {"EventCreateWithFlags", DeviceFunction::create_handle},
                           {"GetDevice", DeviceFunction::device_number},
                           {"StreamDestroy", DeviceFunction::nothing},
                           {"StreamWaitEvent", DeviceFunction::nothing},
                           {"EventRecord", DeviceFunction::nothing},
                           {"EventDestroy", DeviceFunction::nothing},
                           {"GetLastError", DeviceFunction::take_error},
                           {"PeekAtLastError", DeviceFunction::peek_error},
                           {"DeviceSynchronize", DeviceFunction::wait},
                           {"GraphSetConditional", DeviceFunction::set_conditional}};

} // namespace

std::optional<DeviceFunction> find_device_function(std::string_view name) {
  for (std::string_view prefix : {"__cudaCDP2", "cuda"}) {
    if (!name.starts_with(prefix)) continue;
    for (const Known& row : known)
      if (name.substr(prefix.size()) == row.name) return row.function;
  }
  return std::nullopt;
}

} // namespace warplens::sim
