// Memory and events of one process in another of the same machine (cudaIpc*, cuIpc*).
//
// Who hands out a handle puts the pages of the allocation into a file without a name (sim::Memory::export_pages); the handle says whose
// file it is, and who opens it maps the same pages. From then on the host of either process may see what kernels write, so that such
// memory is never left to a deferred launch. All work is done when a call returns: an event that is opened has nothing to wait for.
#include "runtime/memory.h"
#include "runtime/stream.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

struct MemoryHandle {
  static constexpr u64 right_magic = 0x4d4950436e726157;
  u64 magic = right_magic;
  i64 process = 0;
  i32 file = -1; // in that process
  u32 device = 0;
  u64 pages = 0;                    // the file's size, whole pages; bytes
  u64 in_first_page = 0, bytes = 0; // the allocation
};
struct EventHandle {
  static constexpr u64 right_magic = 0x5645504374696157;
  u64 magic = right_magic;
  i64 process = 0;
};

// As the program keeps them: 64 bytes by value, in both APIs.
template <class Bytes, class Handle> void pack(Bytes* out, const Handle& handle) {
  static_assert(sizeof *out == 64 && sizeof handle <= sizeof *out);
  std::memset(out, 0, sizeof *out);
  std::memcpy(out, &handle, sizeof handle);
}
template <class Handle, class Bytes> std::optional<Handle> unpack(const Bytes& bytes) {
  Handle out;
  std::memcpy(static_cast<void*>(&out), &bytes, sizeof out);
  return out.magic == Handle::right_magic ? std::optional(out) : std::nullopt;
}

struct Opened {
  u64 allocation = 0;
  u32 device = thread_state().device;
};
// By what the program was given.
std::map<u64, Opened>& opened() { return of_device<std::map<u64, Opened>>(); }

} // namespace

bool is_of_other_process(u64 address) {
  return std::ranges::any_of(opened(), [&](const auto& one) { return one.second.allocation == address; });
}

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api([&](Runtime& r) -> cudaError_t {
    const std::optional<sim::Allocation> found = r.memory().find(reinterpret_cast<u64>(pointer));
    if (!handle || !found || found->kind != sim::AllocationKind::device) return cudaErrorInvalidValue;
    if (cudaError_t error = r.deferrals.run_all(r); error != cudaSuccess) return error;
    const std::optional<sim::Memory::Exported> pages = r.memory().export_pages(found->address);
    if (!pages) return cudaErrorMapBufferObjectFailed;
    r.repeats.forget(); // what others write there is not seen
    pack(handle, MemoryHandle{MemoryHandle::right_magic, getpid(), pages->file, found->device, pages->size,
                              found->address - pages->address, found->size});
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t bytes, unsigned flags) {
  return api([&](Runtime& r) -> cudaError_t {
    constexpr unsigned enable_peer_access = 1;
    const std::optional<MemoryHandle> handle = unpack<MemoryHandle>(bytes);
    if (!pointer || flags != enable_peer_access) return cudaErrorInvalidValue;
    if (!handle || !r.is_device(static_cast<int>(handle->device))) return cudaErrorInvalidResourceHandle;
    if (handle->process == getpid()) return cudaErrorDeviceUninitialized;
    const int file =
        open(fmt::format("/proc/{}/fd/{}", handle->process, handle->file).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return cudaErrorMapBufferObjectFailed;
    const u32 opener = r.memory().in_use();
    const OnDevice turn(r, handle->device);
    const Result<u64> address = r.memory().import_pages(file, handle->pages);
    close(file);
    if (!address) return cudaErrorMemoryAllocation;
    if (handle->in_first_page > handle->pages || handle->bytes > handle->pages - handle->in_first_page) {
      r.memory().release(*address);
      return cudaErrorInvalidResourceHandle;
    }
    r.memory().share(*address, u64{1} << opener);
    const u64 given = *address + handle->in_first_page;
    opened()[given] = {*address};
    *pointer = reinterpret_cast<void*>(given);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api([&](Runtime& r) {
    auto found = opened().find(reinterpret_cast<u64>(pointer));
    if (found == opened().end()) return cudaErrorInvalidValue;
    r.memory().release(found->second.allocation);
    opened().erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return api([&](Runtime&) {
    if (!handle) return cudaErrorInvalidValue;
    if (!is_interprocess(event)) return cudaErrorInvalidResourceHandle;
    pack(handle, EventHandle{EventHandle::right_magic, getpid()});
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t bytes) {
  const std::optional<EventHandle> handle = unpack<EventHandle>(bytes);
  if (!event) return remember(cudaErrorInvalidValue);
  if (!handle) return remember(cudaErrorInvalidResourceHandle);
  if (handle->process == getpid()) return remember(cudaErrorDeviceUninitialized);
  constexpr unsigned disable_timing = 2, interprocess = 4;
  return cudaEventCreateWithFlags(event, disable_timing | interprocess);
}

} // extern "C"
} // namespace warplens::runtime
