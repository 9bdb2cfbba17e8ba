// The device memory allocator; placement.cpp decides where things lie.
#include "sim/memory/memory.h"
#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::sim {

static bool is_seen_by_host(AllocationKind kind) {
  return kind == AllocationKind::managed || kind == AllocationKind::host;
}

// What is mapped before the program allocates anything: the driver's own parts of the first two chunks (placement.h), and most of the
// region above them. In bytes from the beginning of the first chunk; on an H200, 26 November 2026. Beyond it an allocation has its
// own pages, and no other page of its chunk is mapped for it (memory_test.cpp has what was measured).
struct Mapped {
  i64 begin, end;
};
static constexpr i64 mib = i64{1} << 20;
static constexpr Mapped drivers_own[] = {
    {-32 * mib, -2 * mib}, {0, 8 * mib}, {32 * mib, 46 * mib}, {48 * mib, 62 * mib}};

// The window of shared memory begins where the lower 32 bits are 0: machine code puts its addresses together from two words.
constexpr u64 base_alignment = u64{4} << 30;

Result<std::unique_ptr<Memory>> Memory::create(u64 capacity, u32 devices) {
  // Twice the addresses, since what a region has left may stay unused.
  const u64 windows = align_up(all_windows_size, page_size);
  constexpr u64 above = DriverPlacement::region; // which nothing is placed in
  const u64 part = align_up(2 * capacity + 2 * DriverPlacement::region + above, DriverPlacement::region);
  const u64 size =
      align_up(windows + 2 * capacity + 2 * DriverPlacement::region + (devices - 1) * part, base_alignment);
  // With the same end in every run, where that is free: which tag set of the L1 a line belongs to depends on all bits of its
  // address, and counts shall not change from run to run. More than needed, so that the base can be aligned.
  void* usual = reinterpret_cast<void*>(u64{0x7100'0000'0000} - size);
  const u64 reserved = size + above + base_alignment;
  void* raw = mmap(usual, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    return failure(diag::error(
        "sim-no-address-space",
        fmt::format("the system gave no {} GiB range of addresses for the device's memory", size >> 30), {},
        "raise the limit on virtual memory (ulimit -v unlimited)"));
  std::unique_ptr<Memory> memory(new Memory);
  memory->reserved_ = raw;
  memory->base_ = align_up(reinterpret_cast<u64>(raw), base_alignment);
  memory->capacity_ = capacity;
  memory->first_ = memory->base_ + windows;
  memory->limit_ = memory->base_ + size + above;
  memory->page_use_.resize((memory->limit_ - memory->first_) / page_size);
  for (u64 d = 0; d < devices; ++d) {
    const u64 end = memory->limit_ - d * part, begin = d + 1 == devices ? memory->first_ : end - part;
    memory->parts_.push_back({begin, end, 0, DriverPlacement(begin, end - above)});
    if (!memory->commit_drivers_own(memory->parts_.back()))
      return failure(diag::error("sim-out-of-memory", "the host has no memory for the device's first pages"));
  }
  return memory;
}

bool Memory::commit_drivers_own(const Part& part) {
  const u64 first_chunk = part.end - 2 * DriverPlacement::region;
  for (const Mapped& own : drivers_own) {
    const u64 begin = first_chunk + static_cast<u64>(own.begin),
              end = first_chunk + static_cast<u64>(own.end);
    for (u64 page = begin; page < end; page += page_size) page_use_[(page - first_) / page_size] = 1;
    if (!commit(begin, end)) return false;
  }
  return true;
}

void Memory::use(u32 device) {
  if (device == device_) return;
  std::lock_guard lock(mutex_);
  device_ = device;
  ++epoch_;
}

void Memory::restrict(bool restricted) {
  if (parts_.size() == 1) return;
  std::lock_guard lock(mutex_);
  restricted_ = restricted;
  ++epoch_;
}

void Memory::set_peer(u32 device, u32 peer, bool may_access) {
  std::lock_guard lock(mutex_);
  if (may_access)
    peers_.emplace(device, peer);
  else
    peers_.erase({device, peer});
  ++epoch_;
}

bool Memory::may_access(u32 device, u32 peer) const {
  std::lock_guard lock(mutex_);
  return peers_.contains({device, peer});
}

const Memory::Part& Memory::part_of(u64 address) const {
  return *std::ranges::find_if(parts_, [&](const Part& part) { return address >= part.begin; });
}

bool Memory::visible(u32 device, u64 address) const {
  if (parts_.size() == 1 || address < first_ || address >= limit_) return true;
  const u32 owner = static_cast<u32>(&part_of(address) - parts_.data());
  if (owner == device || peers_.contains({device, owner})) return true;
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return false;
  const Allocation& allocation = std::prev(next)->second;
  return is_seen_by_host(allocation.kind) || (allocation.shared_with >> device & 1) != 0;
}

bool Memory::is_visible_to(u32 device, u64 address) const {
  std::lock_guard lock(mutex_);
  return visible(device, address);
}

void Memory::share(u64 address, u64 with) {
  std::lock_guard lock(mutex_);
  if (auto found = allocations_.find(address); found != allocations_.end()) found->second.shared_with = with;
  ++epoch_;
}

// A program may reset its device as often as it likes: kept, some 1600 ranges of 80 GB would fill the address space.
Memory::~Memory() { munmap(reserved_, limit_ - base_ + base_alignment); }

// Pages are readable and writable once touched by an allocation; the kernel gives them memory when they are
// used, whole pages of the device where the allocation has them for itself: that saves faults and misses.
bool Memory::commit(u64 begin, u64 end) {
  u64 from = align_down(begin, page_size), to = align_up(end, page_size);
  if (mprotect(reinterpret_cast<void*>(from), to - from, PROT_READ | PROT_WRITE) != 0) return false;
  if (u64 own = align_up(begin, page_size), own_end = align_down(end, page_size); own < own_end)
    (void)madvise(reinterpret_cast<void*>(own), own_end - own, MADV_HUGEPAGE); // a wish, not a need
  return true;
}

Result<u64> Memory::allocate(u64 size, AllocationKind kind, u64 alignment, std::string name) {
  std::lock_guard lock(mutex_);
  if (size > capacity_)
    return failure(diag::error("sim-out-of-memory",
                               fmt::format("{} bytes are more than the device has ({})", size, capacity_)));
  const u64 padded = DriverPlacement::padded(size);
  Part& part = parts_[device_];
  std::optional<u64> address;
  if (padded <= capacity_ - part.used) address = part.placement.take(size, alignment, kind);
  if (!address && padded <= capacity_ - part.used && !freed_.empty()) {
    forget_freed();
    address = part.placement.take(size, alignment, kind);
  }
  if (!address)
    return failure(
        diag::error("sim-out-of-memory", fmt::format("the device has no {} bytes left ({} of {} in use)",
                                                     padded, part.used, capacity_)));
  if (!commit(*address, *address + padded))
    return failure(diag::error(
        "sim-no-host-memory",
        fmt::format("this machine has no memory for an allocation of {} bytes, which the GPU would have",
                    size),
        {}, "raise the limit on memory (ulimit -d, ulimit -v), or make the problem smaller"));
  for (u64 page = (*address - first_) / page_size; page <= (*address + padded - 1 - first_) / page_size;
       ++page)
    ++page_use_[page];
  u64 serial = name.empty() ? ++serial_ : 0;
  allocations_[*address] = {*address, size, kind, std::move(name), false, serial, {}, device_, 0, false};
  if (written_ != nullptr) {
    if (kind == AllocationKind::device)
      written_->clear(*address, size);
    else
      written_->mark(*address, size); // the host or the module may write it unseen
  }
  part.used += padded;
  seen_by_host_ += is_seen_by_host(kind);
  ++epoch_;
  return *address;
}

void Memory::mark_constant(u64 address) {
  std::lock_guard lock(mutex_);
  allocations_.at(address).constant = true;
}

bool Memory::release(u64 address) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  const u64 size = found->second.size;
  const AllocationKind kind = found->second.kind;
  const u64 padded = DriverPlacement::padded(size);
  const bool exported = found->second.in_other_process;
  seen_by_host_ -= is_seen_by_host(kind) + exported; // others write there
  if (written_ != nullptr) freed_[address] = std::move(found->second);
  allocations_.erase(found);
  Part& part = part_of(address);
  part.used -= padded;
  ++epoch_;
  for (u64 page = (address - first_) / page_size; page <= (address + padded - 1 - first_) / page_size; ++page)
    if (--page_use_[page] == 0)
      // The host gets the memory back, and a stale pointer into the page faults as on a GPU.
      (void)mmap(reinterpret_cast<void*>(first_ + page * page_size), page_size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  // Whoever opened them keeps them. Others in the same page may still be handed out.
  if (const u64 first = align_down(address, page_size);
      exported && page_use_[(first - first_) / page_size] == 0)
    files_.erase(first);
  if (written_ == nullptr) part.placement.give_back(address, size, kind);
  return true;
}

std::optional<Memory::Exported> Memory::export_pages(u64 address) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(address);
  if (found == allocations_.end()) return {};
  const u64 begin = align_down(address, page_size),
            end = align_up(address + DriverPlacement::padded(found->second.size), page_size);
  seen_by_host_ += !std::exchange(found->second.in_other_process, true);
  if (auto known = files_.find(begin); known != files_.end() && known->second.size == end - begin)
    return Exported{*known->second.file, begin, end - begin};
  const int file = memfd_create("warplens-shared-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return {};
  std::shared_ptr<int> owned(new int(file), [](int* one) { close(*one), delete one; });
  if (ftruncate(file, static_cast<off_t>(end - begin)) != 0) return {};
  for (u64 written = 0; written < end - begin;) {
    const ssize_t n = write(file, reinterpret_cast<const std::byte*>(begin) + written, end - begin - written);
    if (n <= 0) return {};
    written += static_cast<u64>(n);
  }
  if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return {};
  if (mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
           0) == MAP_FAILED)
    return {};
  files_[begin] = {end - begin, std::move(owned)};
  ++epoch_;
  return Exported{file, begin, end - begin};
}

Result<u64> Memory::import_pages(int file, u64 size) {
  struct stat what {};
  if (size == 0 || size % page_size != 0 || fstat(file, &what) != 0 ||
      what.st_size != static_cast<off_t>(size))
    return failure(diag::error("sim-no-shared-pages", "what another process shares is not there any more"));
  Result<u64> address = allocate(size, AllocationKind::device, page_size);
  if (!address) return address;
  {
    std::lock_guard lock(mutex_);
    if (mmap(reinterpret_cast<void*>(*address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             0) != MAP_FAILED) {
      allocations_[*address].in_other_process = true;
      ++seen_by_host_;
      if (written_ != nullptr) written_->mark(*address, size);
      return address;
    }
  }
  release(*address);
  return failure(diag::error("sim-no-shared-pages", "what another process shares cannot be mapped"));
}

void Memory::track() {
  std::lock_guard lock(mutex_);
  written_ = std::make_unique<WrittenBytes>(first_, limit_);
}

void Memory::forget_freed() {
  for (const auto& [address, allocation] : freed_)
    part_of(address).placement.give_back(address, allocation.size, allocation.kind);
  freed_.clear();
}

void Memory::set_made(u64 address, std::string where) {
  std::lock_guard lock(mutex_);
  if (auto found = allocations_.find(address); found != allocations_.end())
    found->second.made = std::move(where);
}

std::optional<Allocation> Memory::freed(u64 address) const {
  std::lock_guard lock(mutex_);
  auto next = freed_.upper_bound(address);
  if (next == freed_.begin()) return {};
  const Allocation& allocation = std::prev(next)->second;
  if (address >= allocation.address + std::max<u64>(allocation.size, 1)) return {};
  return allocation;
}

std::vector<Allocation> Memory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> out;
  for (const auto& [address, allocation] : allocations_) out.push_back(allocation);
  return out;
}

bool Memory::register_host(u64 address, u64 size) {
  std::lock_guard lock(mutex_);
  if (size == 0 || address + size < address) return false;
  auto next = registered_.upper_bound(address);
  if (next != registered_.end() && next->first < address + size) return false;
  if (next != registered_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second > address) return false;
  }
  registered_[address] = size;
  ++seen_by_host_;
  ++epoch_;
  return true;
}

bool Memory::unregister_host(u64 address) {
  std::lock_guard lock(mutex_);
  ++epoch_;
  bool known = registered_.erase(address) != 0;
  seen_by_host_ -= known;
  return known;
}

std::optional<Allocation> Memory::find(u64 address) const {
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next != allocations_.begin()) {
    const Allocation& allocation = std::prev(next)->second;
    if (address < allocation.address + std::max<u64>(allocation.size, 1)) return allocation;
  }
  auto host = registered_.upper_bound(address);
  if (host != registered_.begin()) {
    host = std::prev(host);
    if (address < host->first + host->second)
      return Allocation{host->first, host->second, AllocationKind::registered, {}, false, 0, {}, device_,
                        0,           false};
  }
  return std::nullopt;
}

std::optional<Allocation> Memory::nearest(u64 address) const {
  std::lock_guard lock(mutex_);
  if (allocations_.empty()) return std::nullopt;
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return above->second;
  const Allocation& below = std::prev(above)->second;
  if (above == allocations_.end()) return below;
  u64 past = address - std::min(address, below.address + below.size);
  return past <= above->second.address - address ? below : above->second;
}

bool Memory::mapped(u64 address, u64 size) const {
  if (size == 0 || address + (size - 1) < address) return false;
  std::lock_guard lock(mutex_);
  if (Range{first_, limit_}.covers(address, size)) {
    for (u64 page = (address - first_) / page_size; page <= (address + size - 1 - first_) / page_size; ++page)
      if (page_use_[page] == 0) return false;
    return !restricted_ || visible(device_, address);
  }
  auto host = registered_.upper_bound(address);
  if (host == registered_.begin()) return false;
  host = std::prev(host);
  return Range{host->first, host->first + host->second}.covers(address, size);
}

Memory::Range Memory::range(u64 address) const {
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next != allocations_.begin()) {
    const Allocation& allocation = std::prev(next)->second;
    if (address < allocation.address + allocation.size && (!restricted_ || visible(device_, address)))
      return {allocation.address, allocation.address + allocation.size};
  }
  auto host = registered_.upper_bound(address);
  if (host != registered_.begin()) {
    host = std::prev(host);
    if (address < host->first + host->second) return {host->first, host->first + host->second};
  }
  return {};
}

std::vector<Memory::Range> Memory::registered() const {
  std::lock_guard lock(mutex_);
  std::vector<Range> out;
  for (const auto& [address, size] : registered_) out.push_back({address, address + size});
  return out;
}

u64 Memory::used() const {
  std::lock_guard lock(mutex_);
  return parts_[device_].used;
}

} // namespace warplens::sim
