// Memory and events of one process in another of the same machine (cudaIpc*, cuIpc*, cudaMemPoolExportPointer).
//
// Who hands out a handle puts the pages of the allocation into a file without a name (sim::Memory::export_pages); the handle says whose
// file it is, and who opens it maps the same pages. From then on the host of either process may see what kernels write, so that such
// memory is never left to a deferred launch. All work is done when a call returns: an event that is opened has nothing to wait for.
#include "os/shared_memory.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/stream.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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
  u64 pool = 0;                     // that process's number for it; 0: cudaIpcGetMemHandle's
  u64 inode = 0;                    // of the file: its number may be another's by now
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
  bool of_pool = false;
};

u64 inode_of(int file) { // 0: there is none
  struct stat what {};
  return fstat(file, &what) == 0 ? what.st_ino : 0;
}

// By what the program was given.
std::map<u64, Opened>& opened() { return of_device<std::map<u64, Opened>>(); }

ResultOr<MemoryHandle, cudaError_t> hand_out(Runtime& r, const sim::Allocation& what, u64 pool) {
  if (cudaError_t error = r.deferrals.run_all(r); error != cudaSuccess) return failure(error);
  const std::optional<sim::Memory::Exported> pages = r.memory().export_pages(what.address);
  if (!pages) return failure(cudaErrorMapBufferObjectFailed);
  r.repeats.forget(); // what others write there is not seen
  return MemoryHandle{
      MemoryHandle::right_magic,     getpid(),  pages->file, what.device,          pages->size,
      what.address - pages->address, what.size, pool,        inode_of(pages->file)};
}

// The address of the pages, which are an allocation of the same device here.
ResultOr<u64, cudaError_t> take_in(Runtime& r, const MemoryHandle& handle) {
  const os::Descriptor file(
      open(fmt::format("/proc/{}/fd/{}", handle.process, handle.file).c_str(), O_RDWR | O_CLOEXEC));
  if (!os::has_fixed_size(file.get()) || inode_of(file.get()) != handle.inode)
    return failure(cudaErrorMapBufferObjectFailed);
  const OnDevice turn(r, handle.device);
  const Result<u64> address = r.memory().import_pages(file.get(), handle.pages);
  if (!address) return failure(cudaErrorMemoryAllocation);
  if (handle.in_first_page > handle.pages || handle.bytes > handle.pages - handle.in_first_page) {
    r.memory().release(*address);
    return failure(cudaErrorInvalidResourceHandle);
  }
  return *address;
}

void* note_opened(const MemoryHandle& handle, u64 allocation, bool of_pool) {
  const u64 given = allocation + handle.in_first_page;
  opened()[given] = {.allocation = allocation, .of_pool = of_pool};
  return reinterpret_cast<void*>(given);
}

bool close_opened(Runtime& r, void* pointer, bool of_pool) {
  auto found = opened().find(reinterpret_cast<u64>(pointer));
  if (found == opened().end() || found->second.of_pool != of_pool) return false;
  note_freed(found->second.allocation);
  r.memory().release(found->second.allocation);
  opened().erase(found);
  return true;
}

} // namespace

bool free_imported(Runtime& r, void* pointer) { return close_opened(r, pointer, true); }

bool is_of_other_process(u64 address) {
  return std::ranges::any_of(opened(), [&](const auto& one) { return one.second.allocation == address; });
}

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api([&](Runtime& r) -> cudaError_t {
    const std::optional<sim::Allocation> found = r.memory().find(reinterpret_cast<u64>(pointer));
    if (!handle || !found || found->kind != sim::AllocationKind::device) return cudaErrorInvalidValue;
    const ResultOr<MemoryHandle, cudaError_t> made = hand_out(r, *found, 0);
    if (!made) return made.error();
    pack(handle, *made);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t bytes, unsigned flags) {
  return api([&](Runtime& r) -> cudaError_t {
    constexpr unsigned enable_peer_access = 1;
    const std::optional<MemoryHandle> handle = unpack<MemoryHandle>(bytes);
    if (!pointer || flags != enable_peer_access) return cudaErrorInvalidValue;
    if (!handle || handle->pool != 0 || !r.is_device(static_cast<int>(handle->device)))
      return cudaErrorInvalidResourceHandle;
    if (handle->process == getpid()) return cudaErrorDeviceUninitialized;
    const ResultOr<u64, cudaError_t> address = take_in(r, *handle);
    if (!address) return address.error();
    r.memory().share(*address, u64{1} << r.memory().in_use());
    *pointer = note_opened(*handle, *address, false);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api(
      [&](Runtime& r) { return close_opened(r, pointer, false) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer) {
  return api([&](Runtime& r) -> cudaError_t {
    const std::optional<sim::Allocation> found = r.memory().find(reinterpret_cast<u64>(pointer));
    const std::optional<PoolName> pool = found ? shared_name(pool_of(found->address)) : std::nullopt;
    if (!data || !pool || pool->process != getpid()) return cudaErrorInvalidValue;
    const ResultOr<MemoryHandle, cudaError_t> made = hand_out(r, *found, pool->number);
    if (!made) return made.error();
    pack(data, *made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool, cudaMemPoolPtrExportData* data) {
  return api([&](Runtime& r) -> cudaError_t {
    const std::optional<PoolName> name = shared_name(pool);
    const std::optional<MemoryHandle> handle = data ? unpack<MemoryHandle>(*data) : std::nullopt;
    if (!pointer || !handle || !name || *name != PoolName{handle->process, handle->pool})
      return cudaErrorInvalidValue;
    const ResultOr<u64, cudaError_t> address = take_in(r, *handle);
    if (!address) return address.error();
    note_taken(r, pool, *address, handle->bytes);
    *pointer = note_opened(*handle, *address, true);
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
