// Memory pools. Stream-ordered allocation takes memory from the device like cudaMalloc and gives it back at once: a pool counts
// what is its own, and keeps none. Another process gets the name of a pool, in a file without one, and opens its allocations one by one
// (ipc.cpp).
#include "runtime/pool.h"
#include "os/file.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

struct Pool {
  u32 device = 0;
  u64 shared_with = 0;             // other devices that may access it, a bit each
  std::map<int, u64> attributes{}; // cudaMemPoolAttr → value, of those that are only kept
  u64 most = 0;                    // bytes that it may hold; 0: any
  u64 used = 0, used_at_most = 0;
  PoolName name{}; // number 0: of this process alone
  bool is_imported() const { return name.number != 0 && name.process != getpid(); }
};
// The content of the file that stands for a pool.
struct PoolLabel {
  static constexpr u64 right_magic = 0x4c4f4f5072617057;
  u64 magic = right_magic;
  PoolName name;
  u32 device = 0, unused = 0;
};
struct Owned {
  Pool* pool;
  u64 size;
};

struct OfDevice {
  Pool first; // the default one
  Pool* current = &first;
};
struct Pools {
  Handles<Pool> made;
  std::map<u64, Owned> owned; // by address
  std::map<u32, OfDevice> each;
  void forget(u32 device) {
    std::erase_if(owned, [&](const auto& one) { return one.second.pool->device == device; });
    std::erase_if(made, [&](const auto& one) { return one.second->device == device; });
    each.erase(device);
  }
};
Handles<Pool>& pools() { return of_device<Pools>().made; }
std::map<u64, Owned>& owned() { return of_device<Pools>().owned; }
OfDevice& pools_on(u32 device) {
  OfDevice& out = of_device<Pools>().each[device];
  out.first.device = device;
  return out;
}
OfDevice& pools_on(int device) { return pools_on(static_cast<u32>(device)); } // which there is
Pool* find(cudaMemPool_t pool) {
  for (auto& [device, of_device] : of_device<Pools>().each)
    if (pool == &of_device.first) return &of_device.first;
  auto found = pools().find(static_cast<Pool*>(pool));
  return found == pools().end() ? nullptr : found->second.get();
}
// The reuse switches are ints, sizes and the threshold 64-bit.
bool is_switch(int attribute) { return attribute < cudaMemPoolAttrReleaseThreshold; }

// The pool of a location and a kind of memory: there are none for the host, and none of managed memory.
cudaError_t check_location(Runtime& runtime, const cudaMemLocation* location, int type) {
  if (!location || type < cudaMemAllocationTypePinned || type > cudaMemAllocationTypeManaged)
    return cudaErrorInvalidValue;
  if (location->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned)
    return runtime.is_device(location->id) ? cudaSuccess : cudaErrorInvalidDevice;
  runtime.note_unsupported("memory pools of the host and of managed memory");
  return cudaErrorNotSupported;
}

} // namespace

cudaError_t take_from_pool(cudaMemPool_t handle, u64 size) {
  const Pool* pool = find(handle);
  if (!pool || pool->is_imported()) return cudaErrorInvalidValue;
  return pool->most != 0 && size > pool->most - std::min(pool->most, pool->used) ? cudaErrorMemoryAllocation
                                                                                 : cudaSuccess;
}

void note_taken(Runtime& runtime, cudaMemPool_t handle, u64 address, u64 size) {
  Pool* pool = find(handle);
  if (!pool || address == 0) return;
  if (pool->shared_with != 0) runtime.memory().share(address, pool->shared_with);
  owned()[address] = {pool, size};
  pool->used += size;
  pool->used_at_most = std::max(pool->used_at_most, pool->used);
}

void note_freed(u64 address) {
  auto found = owned().find(address);
  if (found == owned().end()) return;
  found->second.pool->used -= found->second.size;
  owned().erase(found);
}

cudaMemPool_t pool_in_use(u32 device) { return pools_on(device).current; }

std::optional<PoolName> shared_name(cudaMemPool_t handle) {
  const Pool* pool = find(handle);
  return pool && pool->name.number != 0 ? std::optional(pool->name) : std::nullopt;
}

u32 device_of_pool(cudaMemPool_t handle) { return find(handle)->device; }

cudaMemPool_t pool_of(u64 address) {
  auto found = owned().find(address);
  return found == owned().end() ? nullptr : found->second.pool;
}

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    return answer(pool, &pools_on(device).first);
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    return answer(pool, pools_on(device).current);
  });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime& r) {
    Pool* found = find(pool);
    if (!r.is_device(device) || !found || found->is_imported() || found->device != static_cast<u32>(device))
      return cudaErrorInvalidValue;
    pools_on(device).current = found;
    return cudaSuccess;
  });
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return api([&](Runtime& r) {
    cudaError_t error = check_location(r, location, type);
    return error == cudaSuccess ? cudaDeviceGetDefaultMemPool(pool, location->id) : error;
  });
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return api([&](Runtime& r) {
    cudaError_t error = check_location(r, location, type);
    return error == cudaSuccess ? cudaDeviceGetMemPool(pool, location->id) : error;
  });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  return api([&](Runtime& r) {
    cudaError_t error = check_location(r, location, type);
    return error == cudaSuccess ? cudaDeviceSetMemPool(location->id, pool) : error;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime& r) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    if (cudaError_t error = check_location(r, &properties->location, properties->allocType);
        error != cudaSuccess)
      return error;
    if ((properties->handleTypes & ~cudaMemHandleTypePosixFileDescriptor) != 0) {
      r.note_unsupported("memory pools whose handles are no file descriptors");
      return cudaErrorNotSupported;
    }
    static u64 last = 0; // of this process
    const PoolName name = properties->handleTypes != 0 ? PoolName{getpid(), ++last} : PoolName{};
    *pool = pools().add(
        {.device = static_cast<u32>(properties->location.id), .most = properties->maxSize, .name = name});
    return cudaSuccess;
  });
}

// A new file descriptor, which the program closes.
cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned flags) {
  return api([&](Runtime&) {
    const std::optional<PoolName> name = shared_name(pool);
    if (!handle || !name || type != cudaMemHandleTypePosixFileDescriptor || flags != 0)
      return cudaErrorInvalidValue;
    const PoolLabel label{.name = *name, .device = find(pool)->device};
    const int file = memfd_create("warplens-memory-pool", MFD_CLOEXEC);
    if (file < 0 || !os::write_all(file, std::as_bytes(std::span(&label, 1))))
      return close(file), cudaErrorOperatingSystem;
    *static_cast<int*>(handle) = file;
    return cudaSuccess;
  });
}
// The descriptor is given as a pointer. New memory does not come from such a pool.
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 cudaMemAllocationHandleType type, unsigned flags) {
  return api([&](Runtime& r) {
    PoolLabel label;
    const int file = static_cast<int>(reinterpret_cast<u64>(handle));
    if (!pool || type != cudaMemHandleTypePosixFileDescriptor || flags != 0 ||
        pread(file, &label, sizeof label, 0) != sizeof label || label.magic != PoolLabel::right_magic ||
        !r.is_device(static_cast<int>(label.device)))
      return cudaErrorInvalidValue;
    *pool = pools().add({.device = label.device, .name = label.name});
    return cudaSuccess;
  });
}

// Its memory stays until it is freed, and counts for nobody.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Runtime&) {
    auto found = pools().find(static_cast<Pool*>(pool));
    if (found == pools().end()) return cudaErrorInvalidValue;
    std::erase_if(owned(), [&](const auto& entry) { return entry.second.pool == found->second.get(); });
    if (OfDevice& there = pools_on(found->second->device); there.current == found->second.get())
      there.current = &there.first;
    pools().erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    Pool* found = find(pool);
    if (!found || !value || attribute < cudaMemPoolReuseFollowEventDependencies) return cudaErrorInvalidValue;
    const u64 wanted =
        is_switch(attribute) ? static_cast<u64>(*static_cast<int*>(value)) : *static_cast<u64*>(value);
    switch (attribute) {
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: // only set back
      if (wanted != 0) return cudaErrorInvalidValue;
      found->used_at_most = found->used;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return cudaErrorInvalidValue;
    default: found->attributes[attribute] = wanted; return cudaSuccess;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    Pool* found = find(pool);
    if (!found || !value || attribute < cudaMemPoolReuseFollowEventDependencies) return cudaErrorInvalidValue;
    u64 current = 0;
    switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: current = found->used; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: current = found->used_at_most; break;
    case cudaMemPoolAttrReleaseThreshold: current = found->attributes[attribute]; break;
    default: current = found->attributes.try_emplace(attribute, 1).first->second; break; // switches are on
    }
    if (is_switch(attribute)) {
      *static_cast<int*>(value) = static_cast<int>(current);
    } else {
      *static_cast<u64*>(value) = current;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return api([&](Runtime&) { return find(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  return api([&](Runtime& r) {
    Pool* found = find(pool);
    if (!found || (!access && count != 0)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const cudaMemLocation& who = access[i].location;
      if (who.type != cudaMemLocationTypeDevice || !r.is_device(who.id)) return cudaErrorInvalidValue;
      const u64 bit = u64{1} << who.id;
      found->shared_with = access[i].flags == cudaMemAccessFlagsProtNone ? found->shared_with & ~bit
                                                                         : found->shared_with | bit;
    }
    for (const auto& [address, owned] : owned())
      if (owned.pool == found) r.memory().share(address, found->shared_with);
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return api([&](Runtime& r) {
    const Pool* found = find(pool);
    if (!flags || !found || !location) return cudaErrorInvalidValue;
    const bool here =
        location->type == cudaMemLocationTypeDevice && r.is_device(location->id) &&
        (found->device == static_cast<u32>(location->id) || (found->shared_with >> location->id & 1) != 0);
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
