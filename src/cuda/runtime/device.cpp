// The devices as the program sees them (--devices): each the reference part of the architecture that --sm names first. What they
// answer about one another was asked of two H200 (580.159.04, tests/hardware/data/h200_devices.txt).
#include "runtime/capture.h"
#include "runtime/contexts.h"
#include "runtime/launch.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

constexpr unsigned first_bus = 1; // of the PCI; domain and slot are 0

u64 attribute_of(const arch::Architecture& row, int attribute, u32 device) {
  const u32 pci_bus = first_bus + device;
  constexpr int virtual_memory_management = 102,
                file_descriptors_as_handles = 103; // which only the driver names
  switch (attribute) {
  case virtual_memory_management:
  case file_descriptors_as_handles: return 1;
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
  if (count) *count = 0;
  return api([&](Runtime& r) { return answer(count, static_cast<int>(r.devices)); });
}

cudaError_t cudaGetDevice(int* device) {
  return api([&](Runtime&) { return answer(device, static_cast<int>(thread_state().device)); });
}

cudaError_t cudaSetDevice(int device) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) {
      constexpr int most = 16;
      if (device > 0 && device < most) // programs choose one for each rank
        r.say(diag::warning("no-such-device",
                            fmt::format("the program chose device {}, which is not there", device), {},
                            fmt::format("--devices {} gives it one", device + 1)));
      return cudaErrorInvalidDevice;
    }
    make_current(static_cast<u32>(device));
    return cudaSuccess;
  });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int*, int) { return accept(); }

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api([&](Runtime& r) {
    if (!value || attribute <= 0 || attribute >= cudaDevAttrMax) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *value = static_cast<int>(attribute_of(r.architecture(), attribute, static_cast<u32>(device)));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  return api([&](Runtime& r) {
    if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrCudaArrayAccessSupported)
      return cudaErrorInvalidValue;
    if (!r.is_device(from) || !r.is_device(to) || from == to) return cudaErrorInvalidDevice;
    *value = attribute != cudaDevP2PAttrPerformanceRank;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return api([&](Runtime& r) {
    if (!text || size <= static_cast<int>(std::strlen("0000:01:00.0"))) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    const std::string id = fmt::format("0000:{:02x}:00.0", first_bus + static_cast<u32>(device));
    std::strcpy(text, id.c_str());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&](Runtime& r) {
    if (!device || !text) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0,
             slot = 0; // domain:bus:device.function, of which domain and function may be missing
    const bool whole = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3;
    if (!whole && (domain = 0, std::sscanf(text, "%x:%x", &bus, &slot) != 2)) return cudaErrorInvalidValue;
    if (domain != 0 || bus < first_bus || bus - first_bus >= r.devices || slot != 0)
      return cudaErrorInvalidDevice;
    *device = static_cast<int>(bus - first_bus);
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
  runtime.reset(thread_state().device);
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return api([&](Runtime& r) {
    constexpr u64 most_stack = 512 << 10, most_fetched = 128; // per thread; bytes
    if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return cudaErrorUnsupportedLimit;
    if ((limit == cudaLimitStackSize && value > most_stack) ||
        (limit == cudaLimitMaxL2FetchGranularity && value > most_fetched))
      return cudaErrorInvalidValue;
    if (value > r.memory().capacity())
      return cudaErrorMemoryAllocation; // all are bytes of it, or counts of records in it
    if (limit == cudaLimitMallocHeapSize) r.device->heap_limit = value;
    r.limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api([&](Runtime& r) {
    if (!value) return cudaErrorInvalidValue;
    if (limit < 0 || limit >= static_cast<int>(std::size(default_limits))) return cudaErrorUnsupportedLimit;
    *value = limit_of(r, limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return accept(); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return accept(); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (config) *config = cudaFuncCachePreferNone;
  return accept();
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config) *config = cudaSharedMemBankSizeFourByte;
  return accept();
}
cudaError_t cudaCtxResetPersistingL2Cache() { return accept(); }

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&](Runtime& r) {
    if (!can) return cudaErrorInvalidValue;
    if (!r.is_device(device) || !r.is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Runtime& r) {
    if (!r.is_device(peer)) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    const u32 device = thread_state().device, other = static_cast<u32>(peer);
    if (device == other) return cudaErrorPeerAccessUnsupported;
    if (r.memory().may_access(device, other)) return cudaErrorPeerAccessAlreadyEnabled;
    r.memory().set_peer(device, other, true);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Runtime& r) {
    if (!r.is_device(peer)) return cudaErrorInvalidDevice;
    const u32 device = thread_state().device, other = static_cast<u32>(peer);
    if (!r.memory().may_access(device, other)) return cudaErrorPeerAccessNotEnabled;
    r.memory().set_peer(device, other, false);
    return cudaSuccess;
  });
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
