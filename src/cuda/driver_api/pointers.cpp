// What the driver tells of an address, attribute by attribute.
#include "driver_api/frame.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/virtual_memory.h"
#include <cstring>

namespace warplens::runtime {
namespace {

enum Attribute : int { // CU_POINTER_ATTRIBUTE_…
  context_of = 1,
  memory_type = 2,
  device_pointer = 3,
  host_pointer = 4,
  sync_memops = 6,
  buffer_id = 7,
  is_managed = 8,
  device_ordinal = 9,
  is_ipc_capable = 10,
  range_start = 11,
  range_size = 12,
  is_mapped = 13,
  handle_types = 14,
  is_rdma_capable = 15,
  access_flags = 16,
  pool_handle = 17,
  mapping_size = 18,
  mapping_begin = 19,
  block_id = 20,
  is_decompress_capable = 21
};
constexpr int read_and_write = 3;             // CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
constexpr int type_host = 1, type_device = 2; // CU_MEMORYTYPE_…

std::size_t width_of(int attribute) {
  switch (attribute) {
  case context_of:
  case device_pointer:
  case host_pointer:
  case buffer_id:
  case range_start:
  case range_size:
  case handle_types:
  case pool_handle:
  case mapping_size:
  case mapping_begin:
  case block_id: return 8;
  default: return 4;
  }
}

template <class T> cudaError_t tell(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
  return cudaSuccess;
}

cudaError_t attribute_of(Runtime& runtime, void* out, int attribute, CUdeviceptr address) {
  if (!out) return cudaErrorInvalidValue;
  const PointerPlace where = place(runtime, pointer(address), 1);
  if (where != PointerPlace::device && where != PointerPlace::shared) return cudaErrorInvalidValue;
  std::optional<sim::Allocation> found = runtime.memory().find(address);
  const bool managed = found && found->kind == sim::AllocationKind::managed;
  const std::optional<MappedMemory> mapped = mapped_memory(address);
  const bool mapped_here = mapped && mapped->properties.location.type == cudaMemLocationTypeDevice;
  const bool on_device = where == PointerPlace::device || managed || mapped_here;
  const sim::Memory::Range range = runtime.memory().range(address);
  const u32 device = found ? found->device : 0;
  switch (attribute) {
  case context_of: return tell(out, pool_of(range.begin) ? nullptr : maker_of(pointer(range.begin), device));
  case memory_type: return tell(out, on_device ? type_device : type_host);
  case device_pointer: return tell(out, address);
  case host_pointer:
    return where == PointerPlace::shared && !mapped_here ? tell(out, address) : cudaErrorInvalidValue;
  case block_id:
  case buffer_id: return tell(out, range.begin);
  case is_managed: return tell(out, int{managed});
  case device_ordinal:
    return tell(out, mapped_here ? mapped->properties.location.id : static_cast<int>(device));
  case sync_memops:
  case is_ipc_capable: return tell(out, 0);
  case range_start: return tell(out, range.begin);
  case range_size: return tell(out, range.end - range.begin);
  case is_mapped: return tell(out, 1);
  case handle_types: return tell(out, u64{0}); // no other process can open it
  case is_rdma_capable:
  case is_decompress_capable: return tell(out, 0);
  case access_flags: return tell(out, read_and_write);
  case pool_handle: return tell(out, pool_of(range.begin));
  case mapping_begin: return tell(out, mapped ? mapped->address : range.begin);
  case mapping_size: return tell(out, mapped ? mapped->size : range.end - range.begin);
  default: return cudaErrorInvalidValue;
  }
}

} // namespace

extern "C" {

CUresult cuPointerGetAttribute(void* out, int attribute, CUdeviceptr address) {
  return driver([&](Runtime& r) { return attribute_of(r, out, attribute, address); });
}

// Of an address that is not the device's all are 0, which is no error here.
CUresult cuPointerGetAttributes(unsigned count, const int* attributes, void** out, CUdeviceptr address) {
  return driver([&](Runtime& r) {
    if (!attributes || !out) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      if (attribute_of(r, out[i], attributes[i], address) == cudaSuccess || !out[i]) continue;
      std::memset(out[i], 0, width_of(attributes[i]));
      constexpr int no_device = -2;
      if (attributes[i] == device_ordinal) tell(out[i], no_device);
    }
    return cudaSuccess;
  });
}

CUresult cuPointerSetAttribute(const void*, int, CUdeviceptr) {
  return in_context([] { return cudaSuccess; });
}

} // extern "C"
} // namespace warplens::runtime
