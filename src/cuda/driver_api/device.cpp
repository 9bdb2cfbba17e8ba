// Questions about devices. Attributes have the same numbers in both APIs.
#include "driver_api/frame.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

template <class Body> CUresult asked_of(CUdevice device, Body&& body) {
  return driver([&](Runtime& r) { return r.is_device(device) ? body(r) : cudaErrorInvalidDevice; });
}

struct DeviceProperties { // CUdevprop
  int threads_per_block, block[3], grid[3], shared_per_block, constant_bytes, warp, pitch,
      registers_per_block, clock, texture_alignment;
};

} // namespace

extern "C" {

CUresult cuDriverGetVersion(int* version) { // the one question that needs no cuInit
  KeepThreadState keep;
  return as_result(cudaDriverGetVersion(version));
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return driver([&] {
    if (!device) return cudaErrorInvalidValue;
    if (!Runtime::get().is_device(ordinal)) return cudaErrorInvalidDevice;
    *device = ordinal;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return driver([&] { return answer(count, static_cast<int>(Runtime::get().devices)); });
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return asked_of(device, [&](Runtime& r) {
    if (!name || size <= 0) return cudaErrorInvalidValue;
    std::string_view text = r.architecture().part.name;
    name[text.copy(name, static_cast<std::size_t>(size) - 1)] = '\0';
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid_v2(char* uuid, CUdevice device) {
  return asked_of(device, [&](Runtime& r) {
    if (!uuid) return cudaErrorInvalidValue;
    write_uuid(uuid, r.architecture(), static_cast<u32>(device));
    return cudaSuccess;
  });
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  return asked_of(device, [&](Runtime& r) { return answer(bytes, r.memory().capacity()); });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return asked_of(device, [&](Runtime& r) {
    if (!major || !minor) return cudaErrorInvalidValue;
    *major = static_cast<int>(arch::major(r.architecture()));
    *minor = static_cast<int>(arch::minor(r.architecture()));
    return cudaSuccess;
  });
}

CUresult cuDeviceGetProperties(DeviceProperties* out, CUdevice device) {
  return asked_of(device, [&](Runtime& r) {
    if (!out) return cudaErrorInvalidValue;
    const arch::Architecture& row = r.architecture();
    *out = {};
    out->threads_per_block = static_cast<int>(row.limits.threads_per_block);
    std::copy_n(row.limits.block.data(), 3, out->block);
    std::copy_n(row.limits.grid.data(), 3, out->grid);
    out->shared_per_block = static_cast<int>(row.limits.shared_per_block);
    out->constant_bytes = static_cast<int>(row.memory.constant_bytes);
    out->warp = warp_size;
    out->pitch = 2147483647;
    out->registers_per_block = static_cast<int>(row.limits.registers_per_block);
    out->clock = static_cast<int>(row.part.clock_khz);
    out->texture_alignment = static_cast<int>(row.memory.texture_alignment);
    return cudaSuccess;
  });
}

// How much of the device a context may use: always all of it.
CUresult cuDeviceGetExecAffinitySupport(int* supported, int, CUdevice device) {
  return asked_of(device, [&](Runtime&) { return answer(supported, 0); });
}

} // extern "C"
} // namespace warplens::runtime
