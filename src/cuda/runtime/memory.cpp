// Allocation: device, pitched, pinned, registered, managed, stream-ordered; and questions about pointers.
//
// Device memory is host memory at the same address (sim/memory/memory.h), so that pinned, managed and registered
// memory need no second address.
#include "runtime/memory.h"
#include "base/bits.h"
#include "os/mappings.h"
#include "runtime/allocation_place.h"
#include "runtime/pool.h"
#include "runtime/returned.h"
#include "runtime/stream.h"
#include "runtime/virtual_memory.h"
#include <algorithm>
#include <atomic>
#include <utility>

namespace warplens::runtime {

PointerPlace place(Runtime& runtime, const void* pointer, u64 size) {
  u64 address = reinterpret_cast<u64>(pointer);
  if (address == 0) return PointerPlace::invalid;
  sim::Memory& memory = runtime.memory();
  if (runtime.deferrals.holds(address)) return PointerPlace::invalid; // freed
  if (std::optional<sim::Allocation> found = memory.find(address)) {
    if (size > found->address + found->size - address) return PointerPlace::invalid;
    bool both = found->kind == sim::AllocationKind::managed || found->kind == sim::AllocationKind::host ||
                found->kind == sim::AllocationKind::registered;
    return both ? PointerPlace::shared : PointerPlace::device;
  }
  if (memory.range(address).covers(address, std::max<u64>(size, 1))) return PointerPlace::shared;
  if (is_reserved(address)) return PointerPlace::invalid; // where nothing is mapped, or not so much
  u64 begin = memory.shared_window(), end = begin + sim::Memory::all_windows_size + memory.capacity();
  return address >= begin && address < end ? PointerPlace::invalid : PointerPlace::host;
}

static std::atomic<bool> is_read_by_host = false;

void host_reads_device_memory() { is_read_by_host = true; }

bool is_hidden(Runtime& runtime, u64 address) {
  if (is_read_by_host) return false;
  const std::optional<sim::Allocation> found = runtime.memory().find(address);
  return place(runtime, reinterpret_cast<const void*>(address), 1) == PointerPlace::device &&
         !(found && found->in_other_process);
}

void forget_unmapped(Runtime& runtime) {
  std::vector<sim::Memory::Range> registered = runtime.memory().registered();
  if (registered.empty()) return;
  std::vector<std::pair<u64, u64>> writable = os::writable_memory();
  for (const sim::Memory::Range& range : registered) {
    auto next = std::upper_bound(writable.begin(), writable.end(), std::pair(range.begin, ~u64{0}));
    bool whole = next != writable.begin() && std::prev(next)->second >= range.end;
    if (!whole) runtime.memory().unregister_host(range.begin);
  }
}

static cudaError_t allocate(Runtime& runtime, void** pointer, u64 size, sim::AllocationKind kind) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return kind == sim::AllocationKind::managed ? cudaErrorInvalidValue : cudaSuccess;
  if (size > runtime.memory().capacity()) return cudaErrorMemoryAllocation;
  Result<u64> address = runtime.memory().allocate(size, kind);
  if (!address && runtime.deferrals.held_bytes() != 0) { // room that deferred launches take
    if (cudaError_t error = runtime.deferrals.run_all(runtime); error != cudaSuccess) return error;
    address = runtime.memory().allocate(size, kind);
  }
  if (!address) {
    if (address.error().kind == "sim-no-host-memory" && runtime.said.insert(address.error().kind).second)
      runtime.say(address.error());
    return cudaErrorMemoryAllocation;
  }
  if (runtime.options.launch_checks().memory) runtime.memory().set_made(*address, calling_places());
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

static cudaError_t release(Runtime& runtime, void* pointer, bool host) {
  if (!pointer || (!host && free_imported(runtime, pointer))) return cudaSuccess;
  std::optional<sim::Allocation> found = runtime.memory().find(reinterpret_cast<u64>(pointer));
  bool is_host = found && found->kind == sim::AllocationKind::host;
  bool freeable = found && (is_host || found->kind == sim::AllocationKind::device ||
                            found->kind == sim::AllocationKind::managed);
  if (!freeable || is_host != host || found->address != reinterpret_cast<u64>(pointer) ||
      runtime.deferrals.holds(found->address) || is_of_other_process(found->address))
    return cudaErrorInvalidValue;
  if (std::shared_ptr<GraphMemory> graphs = GraphMemory::find(found->address)) // stays the graph's
    return std::exchange(graphs->live, false) ? cudaSuccess : cudaErrorInvalidValue;
  note_shared_memory_at(runtime, found->address);
  note_freed(found->address);
  if (runtime.deferrals.hold(runtime, found->address)) return cudaSuccess;
  return runtime.memory().release(found->address) ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t size) {
  return api([&](Runtime& r) { return allocate(r, pointer, size, sim::AllocationKind::device); });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size, unsigned) {
  return api([&](Runtime& r) { return allocate(r, pointer, size, sim::AllocationKind::managed); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned) {
  return api([&](Runtime& r) { return allocate(r, pointer, size, sim::AllocationKind::host); });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size) { return cudaHostAlloc(pointer, size, 0); }

// `from`: nothing for the pool in use of the stream's device.
static cudaError_t allocate_on(cudaStream_t stream, void** pointer, std::size_t size,
                               std::optional<cudaMemPool_t> from) {
  return api_on(
      stream,
      [&](Runtime& r) {
        const cudaMemPool_t pool = from ? *from : pool_in_use(r.memory().in_use());
        cudaError_t error = take_from_pool(pool, size);
        if (error != cudaSuccess) return error;
        const OnDevice turn(r, device_of_pool(pool));
        error = allocate(r, pointer, size, sim::AllocationKind::device);
        if (error == cudaSuccess) note_taken(r, pool, reinterpret_cast<u64>(*pointer), size);
        return error;
      },
      [&](Runtime& r) -> Made {
        cudaMemAllocNodeParams parameters{};
        parameters.bytesize = size;
        Made work = pointer ? allocate_work(r, &parameters) : failure(cudaErrorInvalidValue);
        if (work) *pointer = parameters.dptr;
        return work;
      });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return allocate_on(stream, pointer, size, pool);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream) {
  return allocate_on(stream, pointer, size, {});
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return api([&](Runtime& r) {
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    u64 row = align_up(width, r.architecture().memory.pitch_alignment);
    if (width > r.memory().capacity() || (height != 0 && row > r.memory().capacity() / height))
      return cudaErrorMemoryAllocation;
    *pitch = row;
    return allocate(r, pointer, row * height, sim::AllocationKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (!pitched) return remember(cudaErrorInvalidValue);
  void* pointer = nullptr;
  std::size_t pitch = 0;
  if (extent.depth != 0 && extent.height > ~std::size_t{0} / extent.depth)
    return remember(cudaErrorMemoryAllocation);
  cudaError_t error = cudaMallocPitch(&pointer, &pitch, extent.width, extent.height * extent.depth);
  if (error == cudaSuccess) *pitched = {pointer, pitch, extent.width, extent.height};
  return error;
}

cudaError_t cudaFree(void* pointer) {
  return api_waiting([&](Runtime& r) { return release(r, pointer, false); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api_on(
      stream, [&](Runtime& r) { return release(r, pointer, false); },
      [&](Runtime& r) { return free_work(r, pointer); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api_waiting([&](Runtime& r) { return release(r, pointer, true); });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return api([&](Runtime& r) {
    constexpr unsigned read_only = 8, all_flags = 15;
    u64 address = reinterpret_cast<u64>(pointer);
    if (!pointer || size == 0 || flags > all_flags || size > ~u64{0} - address) return cudaErrorInvalidValue;
    PointerPlace at = place(r, pointer, size);
    if (at == PointerPlace::shared) return cudaErrorHostMemoryAlreadyRegistered;
    if (at != PointerPlace::host) return cudaErrorInvalidValue;
    // The device reaches all that is registered: it has to be the program's memory from end to end. Memory that
    // the device could only read is not supported (cudaDevAttrHostRegisterReadOnlySupported is 0).
    if (!os::accessible(address, size, true)) {
      bool readable = (flags & read_only) != 0 && os::accessible(address, size, false);
      return readable ? cudaErrorNotSupported : cudaErrorInvalidValue;
    }
    bool done = r.memory().register_host(address, size);
    return done ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Runtime& r) {
    if (!pointer) return cudaErrorInvalidValue;
    note_shared_memory_at(r, reinterpret_cast<u64>(pointer));
    bool done = r.memory().unregister_host(reinterpret_cast<u64>(pointer));
    return done ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return api([&](Runtime& r) {
    if (!device || place(r, host, 1) != PointerPlace::shared) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Runtime& r) {
    constexpr unsigned mapped = 2;
    if (!flags || place(r, host, 1) != PointerPlace::shared) return cudaErrorInvalidValue;
    *flags = mapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return api([&](Runtime& r) {
    if (free) *free = r.memory().capacity() - r.memory().used() - physical_bytes() + r.deferrals.held_bytes();
    if (total) *total = r.memory().capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api([&](Runtime& r) {
    if (!attributes) return cudaErrorInvalidValue;
    auto tell = [&](cudaMemoryType type, int device, void* on_device, void* on_host) {
      attributes->type = type;
      attributes->device = device;
      attributes->devicePointer = on_device;
      attributes->hostPointer = on_host; // the callers of CUDA 11 and 12 have no `reserved` after it
    };
    void* address = const_cast<void*>(pointer);
    std::optional<sim::Allocation> found = r.memory().find(reinterpret_cast<u64>(pointer));
    const int device = found ? static_cast<int>(found->device) : 0;
    if (std::optional<MappedMemory> mapped = mapped_memory(reinterpret_cast<u64>(pointer))) {
      const bool on_host = mapped->properties.location.type != cudaMemLocationTypeDevice;
      tell(on_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice, on_host ? 0 : mapped->properties.location.id,
           address, on_host ? address : nullptr);
    } else if (found && found->kind == sim::AllocationKind::managed) {
      tell(cudaMemoryTypeManaged, device, address, address);
    } else if (found && place(r, pointer, 1) == PointerPlace::device) {
      tell(cudaMemoryTypeDevice, device, address, nullptr);
    } else if (place(r, pointer, 1) == PointerPlace::shared) {
      tell(cudaMemoryTypeHost, device, address, address);
    } else {
      constexpr int no_device = -2;
      tell(cudaMemoryTypeUnregistered, no_device, nullptr, address);
    }
    return cudaSuccess;
  });
}

// Managed memory is where both sides see it already: hints have nothing to move.
cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t size, cudaMemRangeAttribute, const void* pointer,
                                     std::size_t count) {
  return api([&](Runtime& r) {
    constexpr int no_device = -2; // of a list of devices, behind the first
    if (!data || size == 0 || size % sizeof(int) != 0 || place(r, pointer, count) != PointerPlace::shared)
      return cudaErrorInvalidValue;
    auto values = static_cast<int*>(data);
    std::fill_n(values, size / sizeof(int), no_device);
    *values = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* sizes, cudaMemRangeAttribute* attributes,
                                      std::size_t kinds, const void* pointer, std::size_t count) {
  if (!data || !sizes || !attributes || kinds == 0) return remember(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; error == cudaSuccess && i < kinds; ++i)
    error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, count);
  return error;
}

// The two hints take a device number before CUDA 13 and a location since: nobody reads either.
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return api([](Runtime&) { return cudaSuccess; });
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return api([](Runtime&) { return cudaSuccess; });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return check_stream(stream);
}

} // extern "C"
} // namespace warplens::runtime
