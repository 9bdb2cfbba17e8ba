// See virtual_memory.h. A reservation is a range without access rights, and what is not mapped in it stays one.
#include "runtime/virtual_memory.h"
#include "base/bits.h"
#include "os/shared_memory.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

// The file behind all pages that other processes cannot have. Parts of it are used once, and their pages given back when nobody has them any more.
class Pages {
public:
  static Pages& get() {
    static auto* only = new Pages; // outlives the program's atexit handlers
    return *only;
  }
  std::optional<u64> take(u64 size) {
    if (file_ < 0) file_ = memfd_create("warplens-device-memory", MFD_CLOEXEC);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(end_ + size)) != 0) return {};
    return std::exchange(end_, end_ + size);
  }
  void give(u64 offset, u64 size) {
    (void)fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(size));
  }
  int file() const { return file_; }

private:
  int file_ = -1;
  u64 end_ = 0;
};

struct Physical {
  // `file`: of pages for other processes, which have one of their own; `made` here, and not by another process.
  Physical(os::Descriptor file, u64 at, u64 bytes, const PhysicalProperties& what, bool made)
      : own_file(std::move(file)), offset(at), size(bytes), counted(made ? bytes : 0), properties(what) {
    all_counted += counted;
  }
  ~Physical() {
    all_counted -= counted;
    if (!own_file) Pages::get().give(offset, size);
  }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  int file() const { return own_file ? own_file.get() : Pages::get().file(); }

  os::Descriptor own_file;
  u64 offset, size, counted;
  PhysicalProperties properties;
  static inline u64 all_counted = 0;
};
// Behind the pages of such a file.
struct Label {
  static constexpr u64 right_magic = 0x4d4d566372726157;
  u64 magic = right_magic, size = 0;
  PhysicalProperties properties;
};
struct Handle {
  std::shared_ptr<Physical> pages;
  u64 references = 1;
};
struct Mapping {
  u64 size = 0;
  std::shared_ptr<Physical> pages;
  bool accessible = false;
};

struct Space {
  Space() = default;
  ~Space() {
    for (auto [address, size] : reservations) munmap(reinterpret_cast<void*>(address), size);
  }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  std::map<u64, u64> reservations; // address → size
  std::map<u64, Mapping> mappings; // by address
  std::map<u64, Handle> handles;
};
Space& space() { return of_device<Space>(); }
u64 new_handle(std::shared_ptr<Physical> pages) { // of all that the process ever had
  static u64 last = 0;
  space().handles[++last].pages = std::move(pages);
  return last;
}

bool fits(u64 number) { return number % mapping_granularity == 0; }
void* at(u64 address) { return reinterpret_cast<void*>(address); }

constexpr int without_pages = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// The entry of `map` whose range contains `address`, where size_of(value) is its length; end() where none does.
template <class Map, class Size> auto containing(Map& map, u64 address, Size&& size_of) {
  auto found = map.upper_bound(address);
  if (found == map.begin()) return map.end();
  --found;
  return address - found->first < size_of(found->second) ? found : map.end();
}
auto reservation_of(u64 address) {
  return containing(space().reservations, address, [](u64 size) { return size; });
}
auto mapping_of(u64 address) {
  return containing(space().mappings, address, [](const Mapping& mapping) { return mapping.size; });
}

// Calls body(address, mapping) for each of the mappings that make up the range; false where they are not such.
template <class Body> bool each_mapping(u64 address, u64 size, Body&& body) {
  auto& mappings = space().mappings;
  const u64 end = address + size;
  u64 next = address;
  auto first = mappings.find(address);
  for (auto it = first; it != mappings.end() && it->first == next && next < end; ++it)
    next += it->second.size;
  if (size == 0 || end < address || next != end) return false;
  for (auto it = first; it != mappings.end() && it->first < end;) {
    auto now = it++; // the body may take it out
    body(now->first, now->second);
  }
  return true;
}

// Tells the device which addresses of a reservation it may use: mappings in a row together.
void tell_device(Runtime& runtime, u64 begin, u64 end) {
  for (const sim::Memory::Range& range : runtime.memory().registered())
    if (range.begin >= begin && range.begin < end) runtime.memory().unregister_host(range.begin);
  u64 from = 0, to = 0;
  auto tell = [&] {
    if (to > from) runtime.memory().register_host(from, to - from);
  };
  for (auto it = space().mappings.lower_bound(begin); it != space().mappings.end() && it->first < end; ++it) {
    if (!it->second.accessible) continue;
    if (it->first != to) tell(), from = it->first;
    to = it->first + it->second.size;
  }
  tell();
}
void tell_device(Runtime& runtime, u64 address) {
  if (auto found = reservation_of(address); found != space().reservations.end())
    tell_device(runtime, found->first, found->first + found->second);
}

} // namespace

ResultOr<u64, cudaError_t> reserve_addresses(u64 size, u64 alignment, u64 wanted) {
  if (size == 0 || !fits(size) || (alignment & (alignment - 1)) != 0) return failure(cudaErrorInvalidValue);
  alignment = std::max(alignment, mapping_granularity);
  static u64 usual =
      0x7100'0000'0000; // the same in every run: counts depend on addresses (sim/memory/memory.h)
  const u64 hint = wanted != 0 && wanted % alignment == 0 ? wanted : align_up(usual, alignment);
  void* raw = mmap(at(hint), size, PROT_NONE, without_pages, -1, 0);
  if (raw == MAP_FAILED) return failure(cudaErrorMemoryAllocation);
  u64 address = reinterpret_cast<u64>(raw);
  if (address % alignment != 0) { // somewhere else: with room to align
    munmap(raw, size);
    if (size > ~u64{0} - alignment) return failure(cudaErrorMemoryAllocation);
    raw = mmap(nullptr, size + alignment, PROT_NONE, without_pages, -1, 0);
    if (raw == MAP_FAILED) return failure(cudaErrorMemoryAllocation);
    const u64 begin = reinterpret_cast<u64>(raw);
    address = align_up(begin, alignment);
    if (address != begin) munmap(raw, address - begin);
    if (const u64 rest = begin + alignment - address; rest != 0) munmap(at(address + size), rest);
  }
  if (address == hint && hint != wanted) usual = address + size;
  space().reservations[address] = size;
  return address;
}

cudaError_t free_addresses(u64 address, u64 size) {
  auto found = space().reservations.find(address);
  if (found == space().reservations.end() || found->second != size) return cudaErrorInvalidValue;
  auto mapped = space().mappings.lower_bound(address);
  if (mapped != space().mappings.end() && mapped->first < address + size) return cudaErrorInvalidValue;
  munmap(at(address), size);
  space().reservations.erase(found);
  return cudaSuccess;
}

ResultOr<u64, cudaError_t> create_physical(Runtime& runtime, u64 size, const PhysicalProperties& properties) {
  if (size == 0 || !fits(size)) return failure(cudaErrorInvalidValue);
  const u64 capacity = runtime.memory().capacity(), used = runtime.memory().used() + physical_bytes();
  if (used > capacity || size > capacity - used) return failure(cudaErrorMemoryAllocation);
  os::Descriptor own;
  u64 offset = 0;
  if (properties.handle_types != 0) {
    own = os::Descriptor(memfd_create("warplens-exported-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const Label label{.size = size, .properties = properties};
    if (!own || pwrite(own.get(), &label, sizeof label, static_cast<off_t>(size)) != sizeof label ||
        !os::fix_size(own.get()))
      return failure(cudaErrorMemoryAllocation);
  } else if (const std::optional<u64> taken = Pages::get().take(size)) {
    offset = *taken;
  } else {
    return failure(cudaErrorMemoryAllocation);
  }
  return new_handle(std::make_shared<Physical>(std::move(own), offset, size, properties, true));
}

ResultOr<int, cudaError_t> export_physical(u64 handle) {
  auto found = space().handles.find(handle);
  if (found == space().handles.end() || !found->second.pages->own_file) return failure(cudaErrorInvalidValue);
  const int file = fcntl(found->second.pages->file(), F_DUPFD_CLOEXEC, 0);
  return file < 0 ? ResultOr<int, cudaError_t>(failure(cudaErrorOperatingSystem)) : file;
}

ResultOr<u64, cudaError_t> import_physical(int file) {
  Label label;
  struct stat status {};
  os::Descriptor own(fcntl(file, F_DUPFD_CLOEXEC, 0));
  const off_t end = os::has_fixed_size(own.get()) && fstat(own.get(), &status) == 0
                        ? status.st_size - static_cast<off_t>(sizeof label)
                        : -1;
  if (end <= 0 || pread(own.get(), &label, sizeof label, end) != sizeof label ||
      label.magic != Label::right_magic || label.size != static_cast<u64>(end) || !fits(label.size))
    return failure(cudaErrorInvalidValue);
  return new_handle(std::make_shared<Physical>(std::move(own), 0, label.size, label.properties, false));
}

cudaError_t release_physical(u64 handle) {
  auto found = space().handles.find(handle);
  if (found == space().handles.end()) return cudaErrorInvalidValue;
  if (--found->second.references == 0) space().handles.erase(found);
  return cudaSuccess;
}

ResultOr<u64, cudaError_t> retain_physical(u64 address) {
  auto mapping = mapping_of(address);
  if (mapping == space().mappings.end()) return failure(cudaErrorInvalidValue);
  for (auto& [handle, known] : space().handles)
    if (known.pages == mapping->second.pages) {
      ++known.references;
      return u64{handle};
    }
  return new_handle(mapping->second.pages);
}

ResultOr<PhysicalProperties, cudaError_t> properties_of_physical(u64 handle) {
  auto found = space().handles.find(handle);
  if (found == space().handles.end()) return failure(cudaErrorInvalidValue);
  return found->second.pages->properties;
}

cudaError_t map_physical(u64 address, u64 size, u64 handle) {
  auto pages = space().handles.find(handle);
  auto reservation = reservation_of(address);
  if (size == 0 || !fits(size) || !fits(address) || pages == space().handles.end() ||
      size > pages->second.pages->size || reservation == space().reservations.end() ||
      size > reservation->first + reservation->second - address)
    return cudaErrorInvalidValue;
  auto next = space().mappings.lower_bound(address);
  if ((next != space().mappings.end() && next->first < address + size) ||
      mapping_of(address) != space().mappings.end())
    return cudaErrorInvalidValue;
  if (mmap(at(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, pages->second.pages->file(),
           static_cast<off_t>(pages->second.pages->offset)) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  space().mappings[address] = {size, pages->second.pages};
  return cudaSuccess;
}

cudaError_t unmap_physical(Runtime& runtime, u64 address, u64 size) {
  const bool whole = each_mapping(address, size, [](u64 start, Mapping&) { space().mappings.erase(start); });
  if (!whole) return cudaErrorInvalidValue;
  tell_device(runtime, address);
  const void* empty = mmap(at(address), size, PROT_NONE, without_pages | MAP_FIXED, -1, 0);
  return empty == MAP_FAILED ? cudaErrorUnknown : cudaSuccess;
}

cudaError_t set_access(Runtime& runtime, u64 address, u64 size, bool accessible) {
  const bool whole =
      each_mapping(address, size, [&](u64, Mapping& mapping) { mapping.accessible = accessible; });
  if (!whole) return cudaErrorInvalidValue;
  if (mprotect(at(address), size, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
    return cudaErrorMemoryAllocation;
  tell_device(runtime, address);
  return cudaSuccess;
}

std::optional<MappedMemory> mapped_memory(u64 address) {
  auto found = mapping_of(address);
  if (found == space().mappings.end()) return {};
  const Mapping& mapping = found->second;
  return MappedMemory{found->first, mapping.size, mapping.accessible, mapping.pages->properties};
}

bool is_reserved(u64 address) { return reservation_of(address) != space().reservations.end(); }

u64 physical_bytes() { return Physical::all_counted; }

} // namespace warplens::runtime
