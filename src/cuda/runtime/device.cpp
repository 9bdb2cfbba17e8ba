// The device as the program sees it: one, the reference part of the architecture that --sm names first.
#include "runtime/graphs/capture.h"
#include "runtime/launch.h"
#include <cstring>

namespace warplens::runtime {
namespace {

constexpr unsigned pci_bus = 1; // domain and device are 0
constexpr const char* bus_id = "0000:01:00.0";

u64 attribute_of(const arch::Architecture& row, int attribute) {
  constexpr int virtual_memory_management = 102; // which only the driver names
  switch (attribute) {
  case virtual_memory_management: return 1;
#define DEVICE_ATTRIBUTE(name, value)                                                                        \
  case cudaDevAttr##name:                                                                                    \
    return value;
#include "runtime/attributes.def"
#undef DEVICE_ATTRIBUTE
  default: return 0;
  }
}

constexpr int driver_version = 13000; // of the newest runtime here
thread_local unsigned device_flags = 0;

// A GPU's: stack, printf buffer, heap, two limits of device-side launches, L2 fetch size, persisting L2.
constexpr u64 default_limits[] = {1024, u64{1} << 20, u64{8} << 20, 2, 2048, 64, 0};

// Functions that set what an emulator does not have: accepted, as a GPU may ignore them too.
cudaError_t accept() {
  return api([](Runtime&) { return cudaSuccess; });
}

} // namespace

u64 limit_of(const Runtime& runtime, int limit) {
  auto set = runtime.limits.find(limit);
  return set != runtime.limits.end() ? set->second : default_limits[limit];
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Runtime&) {
    if (!count) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api([&](Runtime&) {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api([&](Runtime&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int*, int) { return accept(); }

cudaError_t cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }

cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return api([&](Runtime& r) {
    if (!value || attribute <= 0 || attribute >= cudaDevAttrMax) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *value = static_cast<int>(attribute_of(r.architecture(), attribute));
    return cudaSuccess;
  });
}

// Between two devices, and there is one.
cudaError_t cudaDeviceGetP2PAttribute(int* value, int, int, int) {
  return api([&](Runtime&) { return value ? cudaErrorInvalidDevice : cudaErrorInvalidValue; });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return api([&](Runtime&) {
    if (!text || size <= static_cast<int>(std::strlen(bus_id))) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    std::strcpy(text, bus_id);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&](Runtime&) {
    if (!device || !text) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0,
             slot = 0; // domain:bus:device.function, of which domain and function may be missing
    const bool whole = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3;
    if (!whole && (domain = 0, std::sscanf(text, "%x:%x", &bus, &slot) != 2)) return cudaErrorInvalidValue;
    if (domain != 0 || bus != pci_bus || slot != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return accept();
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (flags) *flags = device_flags;
  return accept();
}

cudaError_t cudaDeviceSynchronize() {
  return api_waiting([](Runtime&) { return capture_obstacle_of_device(); });
}

cudaError_t cudaDeviceReset() {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.synchronize();
  runtime.reset();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(int limit, std::size_t value) {
  return api([&](Runtime& r) {
    constexpr int stack = 0, heap = 2, fetch_size = 5, largest = 6;
    constexpr u64 most_stack = 512 << 10, most_fetched = 128; // per thread; bytes
    if (limit < 0 || limit > largest) return cudaErrorUnsupportedLimit;
    if ((limit == stack && value > most_stack) || (limit == fetch_size && value > most_fetched))
      return cudaErrorInvalidValue;
    if (value > r.memory().capacity())
      return cudaErrorMemoryAllocation; // all are bytes of it, or counts of records in it
    if (limit == heap) r.device->heap_limit = value;
    r.limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, int limit) {
  return api([&](Runtime& r) {
    if (!value) return cudaErrorInvalidValue;
    if (limit < 0 || limit >= static_cast<int>(std::size(default_limits))) return cudaErrorUnsupportedLimit;
    *value = limit_of(r, limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(int) { return accept(); }
cudaError_t cudaDeviceSetSharedMemConfig(int) { return accept(); }
cudaError_t cudaDeviceGetCacheConfig(int* config) {
  if (config) *config = 0;
  return accept();
}
cudaError_t cudaDeviceGetSharedMemConfig(int* config) {
  constexpr int four_byte_banks = 1;
  if (config) *config = four_byte_banks;
  return accept();
}
cudaError_t cudaCtxResetPersistingL2Cache() { return accept(); }

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  if (can) *can = 0;
  return accept();
}
// There is one device. Of itself a driver (580.159.04, H200) says that it has no peers, and that none was enabled.
cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned) {
  return remember(device == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int device) {
  return remember(device == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (!version) return remember(cudaErrorInvalidValue);
  *version = driver_version;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return accept(); }
cudaError_t cudaProfilerStop() { return accept(); }

} // extern "C"
} // namespace warplens::runtime
