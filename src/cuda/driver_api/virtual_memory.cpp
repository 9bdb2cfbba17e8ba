// Virtual memory that the program manages: the driver's functions over virtual_memory.h.
#include "runtime/virtual_memory.h"
#include "driver_api/frame.h"

namespace warplens::runtime {
namespace {

constexpr int no_access = 0, read_access = 1, full_access = 3; // CUmemAccess_flags
constexpr int pinned = 1;                                      // CU_MEM_ALLOCATION_TYPE_PINNED

// A device, or the host in any of its forms.
cudaError_t check_location(const cudaMemLocation& location) {
  if (location.type == cudaMemLocationTypeDevice)
    return Runtime::get().is_device(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
  const int last = cudaMemLocationTypeHostNumaCurrent;
  return location.type > cudaMemLocationTypeDevice && location.type <= last ? cudaSuccess
                                                                            : cudaErrorInvalidValue;
}

cudaError_t refuse(Runtime& runtime, const char* what) {
  runtime.note_unsupported(what);
  return cudaErrorNotSupported;
}

cudaError_t check_properties(Runtime& runtime, const PhysicalProperties* properties) {
  if (!properties || properties->type != pinned) return cudaErrorInvalidValue;
  if ((properties->handle_types & ~cudaMemHandleTypePosixFileDescriptor) != 0)
    return refuse(runtime, "cuMemCreate for handles that are no file descriptors");
  return check_location(properties->location);
}

// A handle has another type of 64 bits.
cudaError_t give(unsigned long long* out, ResultOr<u64, cudaError_t> made) {
  if (!made) return made.error();
  *out = *made;
  return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t size, std::size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
  return driver([&](Runtime&) {
    if (!address || flags != 0) return cudaErrorInvalidValue;
    return give(address, reserve_addresses(size, alignment, wanted));
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t size) {
  return driver([&](Runtime&) { return free_addresses(address, size); });
}

CUresult cuMemCreate(unsigned long long* handle, std::size_t size, const PhysicalProperties* properties,
                     unsigned long long flags) {
  return driver([&](Runtime& r) -> cudaError_t {
    if (!handle || flags != 0) return cudaErrorInvalidValue;
    if (cudaError_t error = check_properties(r, properties); error != cudaSuccess) return error;
    return give(handle, create_physical(r, size, *properties));
  });
}

CUresult cuMemExportToShareableHandle(int* out, unsigned long long handle, int type,
                                      unsigned long long flags) {
  return driver([&](Runtime&) {
    return out && type == cudaMemHandleTypePosixFileDescriptor && flags == 0
               ? give(out, export_physical(handle))
               : cudaErrorInvalidValue;
  });
}

// The descriptor is given as a pointer.
CUresult cuMemImportFromShareableHandle(unsigned long long* handle, void* file, int type) {
  return driver([&](Runtime& r) {
    if (!handle || type != cudaMemHandleTypePosixFileDescriptor) return cudaErrorInvalidValue;
    r.repeats.forget(); // what others write there is not seen
    return give(handle, import_physical(static_cast<int>(reinterpret_cast<u64>(file))));
  });
}

CUresult cuMemRelease(unsigned long long handle) {
  return driver([&](Runtime&) { return release_physical(handle); });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t size, std::size_t offset, unsigned long long handle,
                  unsigned long long flags) {
  return driver([&](Runtime&) {
    return offset != 0 || flags != 0 ? cudaErrorInvalidValue : map_physical(address, size, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t size) {
  return driver([&](Runtime& r) { return unmap_physical(r, address, size); });
}

// What the device may only read is refused: writes to it would not be noticed.
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t size, const cudaMemAccessDesc* access,
                        std::size_t count) {
  return driver([&](Runtime& r) -> cudaError_t {
    if (!access || count == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (cudaError_t error = check_location(access[i].location); error != cudaSuccess) return error;
      if (access[i].flags == read_access) return refuse(r, "cuMemSetAccess for reading alone");
      if (access[i].flags != no_access && access[i].flags != full_access) return cudaErrorInvalidValue;
    }
    return set_access(r, address, size, access[count - 1].flags == full_access);
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const cudaMemLocation* location, CUdeviceptr address) {
  return driver([&](Runtime&) -> cudaError_t {
    if (!flags || !location) return cudaErrorInvalidValue;
    if (cudaError_t error = check_location(*location); error != cudaSuccess) return error;
    std::optional<MappedMemory> found = mapped_memory(address);
    if (!found) return cudaErrorInvalidValue;
    *flags = found->accessible ? full_access : no_access;
    return cudaSuccess;
  });
}

CUresult cuMemGetAllocationGranularity(std::size_t* granularity, const PhysicalProperties* properties,
                                       int option) {
  return driver([&](Runtime&) -> cudaError_t {
    constexpr int last_option = 1; // minimum, recommended
    if (!granularity || !properties || option < 0 || option > last_option || properties->type != pinned)
      return cudaErrorInvalidValue;
    *granularity = mapping_granularity;
    return check_location(properties->location);
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(PhysicalProperties* properties, unsigned long long handle) {
  return driver([&](Runtime&) {
    return properties ? give(properties, properties_of_physical(handle)) : cudaErrorInvalidValue;
  });
}

CUresult cuMemRetainAllocationHandle(unsigned long long* handle, void* address) {
  return driver([&](Runtime&) {
    return handle ? give(handle, retain_physical(reinterpret_cast<u64>(address))) : cudaErrorInvalidValue;
  });
}

} // extern "C"
} // namespace warplens::runtime
