#include "measured/recorder/cupti/device.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/launches.h"
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <fstream>
#include <map>

namespace warplens::recorder {
namespace {

std::string device_name(int device) {
  auto name = reinterpret_cast<CUresult (*)(char*, int, CUdevice)>(driver_function("cuDeviceGetName"));
  char text[256] = {};
  return name != nullptr && name(text, sizeof text - 1, device) == CUDA_SUCCESS ? text : "";
}

int attribute(CUdevice_attribute which, int device) {
  auto ask = reinterpret_cast<CUresult (*)(int*, CUdevice_attribute, CUdevice)>(
      driver_function("cuDeviceGetAttribute"));
  int value = 0;
  return ask != nullptr && ask(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

// "580.159.04", the first word of its file that looks like a version.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return word;
  return {};
}

} // namespace

std::string write_device(std::uint32_t device) {
  static std::map<std::uint32_t, std::string> chips;
  if (auto known = chips.find(device); known != chips.end()) return known->second;
  std::string& chip = chips[device];
  static bool initialized = [] {
    auto block = WARPLENS_CUPTI(CUpti_Profiler_Initialize_Params);
    return works(cuptiProfilerInitialize(&block), "cuptiProfilerInitialize");
  }();
  auto asked = WARPLENS_CUPTI(CUpti_Device_GetChipName_Params);
  asked.deviceIndex = device;
  if (initialized && works(cuptiDeviceGetChipName(&asked), "cuptiDeviceGetChipName")) chip = asked.pChipName;
  const int index = static_cast<int>(device);
  const int sm = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index) +
                 attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index);
  write_line("{\"device\":" + std::to_string(device) + ",\"gpu\":" + quoted(device_name(index)) +
             ",\"sm\":" + std::to_string(sm) + ",\"chip\":" + quoted(chip) +
             ",\"driver\":" + quoted(driver_version()) + "}");
  return chip;
}

} // namespace warplens::recorder
