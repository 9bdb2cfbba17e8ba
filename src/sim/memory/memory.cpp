// The device memory allocator. Where things lie is where NVIDIA's driver puts them (H200, driver 580.159.04, 23 November 2026), as far as
// it decides which tag set of the L1 a line belongs to:
//
//   * Allocations of 2 MiB and more have 2 MiB pages of their own, in a region of 32 MiB with room for them, or at the beginning of one;
//     the first has 8 MiB before it in its region. Released pages are used first.
//   * Smaller ones share such pages, 512 bytes or a multiple each, with their own kind: the first page that has room, and there the
//     lowest place. A page that nobody uses any more goes back. All 917 such allocations of 151 public programs lie so
//     (tests/sim/data/h200_allocations.txt).
#include "sim/memory/memory.h"
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace warplens::sim {

constexpr u64 region_size = u64{32} << 20, before_first = u64{8} << 20;

static bool is_large(u64 size) { return align_up(size, u64{512}) >= Memory::page_size; }
static u64 padded_size(u64 size) {
  return align_up(std::max<u64>(size, 1), is_large(size) ? Memory::page_size : 512);
}

static bool is_seen_by_host(AllocationKind kind) {
  return kind == AllocationKind::managed || kind == AllocationKind::host;
}

Result<std::unique_ptr<Memory>> Memory::create(u64 capacity) {
  // Before the first allocation a page that is nobody's. Twice the addresses, since what a region has left may stay unused.
  u64 windows = align_up(3 * window_size + page_size, region_size) + before_first - page_size;
  u64 size = windows + page_size + 2 * align_up(capacity, page_size);
  // At the same place in every run, where that is free: which tag set of the L1 a line belongs to depends on all bits of
  // its address, and counts shall not change from run to run. One region more than needed, so that the base can be aligned to one.
  void* usual = reinterpret_cast<void*>(u64{0x7000'0000'0000} - page_size);
  void* raw = mmap(usual, size + region_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    return failure(diag::error(
        "sim-no-address-space",
        fmt::format("the system gave no {} GiB range of addresses for the device's memory", size >> 30), {},
        "raise the limit on virtual memory (ulimit -v unlimited)"));
  // Apart from the others, so that allocations stay where they are.
  void* usual_window = reinterpret_cast<void*>(u64{0x6fff'0000'0000});
  void* window =
      mmap(usual_window, cluster_window_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (window == MAP_FAILED) {
    munmap(raw, size + region_size);
    return failure(diag::error("sim-no-address-space", "the system gave no range of addresses for clusters"));
  }
  std::unique_ptr<Memory> memory(new Memory);
  memory->reserved_ = raw;
  memory->cluster_base_ = reinterpret_cast<u64>(window);
  memory->base_ = align_up(reinterpret_cast<u64>(raw), region_size);
  memory->capacity_ = capacity;
  memory->first_ = memory->base_ + windows;
  memory->cursor_ = memory->first_ + page_size;
  memory->limit_ = memory->base_ + size;
  memory->page_use_.resize((memory->limit_ - memory->first_) / page_size);
  memory->page_use_[0] = 1;
  if (!memory->commit(memory->first_, memory->cursor_))
    return failure(diag::error("sim-out-of-memory", "the host has no memory for the device's first page"));
  return memory;
}

// A program may reset its device as often as it likes: kept, some 1600 ranges of 80 GB would fill the address space.
Memory::~Memory() {
  munmap(reserved_, limit_ - base_ + region_size);
  munmap(reinterpret_cast<void*>(cluster_base_), cluster_window_size);
}

// Pages are readable and writable once touched by an allocation; the kernel gives them memory when they are
// used, whole pages of the device where the allocation has them for itself: that saves faults and misses.
bool Memory::commit(u64 begin, u64 end) {
  u64 from = align_down(begin, page_size), to = align_up(end, page_size);
  if (mprotect(reinterpret_cast<void*>(from), to - from, PROT_READ | PROT_WRITE) != 0) return false;
  if (u64 own = align_up(begin, page_size), own_end = align_down(end, page_size); own < own_end)
    (void)madvise(reinterpret_cast<void*>(own), own_end - own, MADV_HUGEPAGE); // a wish, not a need
  return true;
}

std::optional<u64> Memory::Free::take(u64 size, u64 alignment) {
  for (auto it = ranges.begin(); it != ranges.end(); ++it) {
    u64 begin = it->first, end = it->first + it->second, address = align_up(begin, alignment);
    if (address + size > end) continue;
    ranges.erase(it);
    if (address > begin) ranges[begin] = address - begin;
    if (address + size < end) ranges[address + size] = end - address - size;
    return address;
  }
  return std::nullopt;
}

std::map<u64, u64>::iterator Memory::Free::add(u64 address, u64 size) {
  auto [it, inserted] = ranges.emplace(address, size);
  if (auto next = std::next(it); next != ranges.end() && it->first + it->second == next->first) {
    it->second += next->second;
    ranges.erase(next);
  }
  if (it == ranges.begin()) return it;
  auto previous = std::prev(it);
  if (previous->first + previous->second != it->first) return it;
  previous->second += it->second;
  ranges.erase(it);
  return previous;
}

std::optional<u64> Memory::place_pages(u64 size, u64 alignment) {
  if (limit_ - cursor_ < size + alignment) forget_freed(); // no addresses but those
  if (std::optional<u64> address = free_.take(size, alignment)) return address;
  u64 address = align_up(cursor_, alignment);
  if (const u64 next = align_up(address, region_size); address + size > next)
    if (next <= limit_ && size <= limit_ - next) address = next; // else there are no addresses to spare
  if (address > limit_ || size > limit_ - address) return std::nullopt;
  if (address > cursor_) free_.add(cursor_, address - cursor_);
  cursor_ = address + size;
  return address;
}

std::optional<u64> Memory::place_among_others(u64 size, u64 alignment, AllocationKind kind) {
  if (limit_ - cursor_ < page_size + alignment) forget_freed(); // before a page is looked for
  Full& full = full_[kind];
  auto from = size >= full.size ? shared_pages_.lower_bound(full.below) : shared_pages_.begin();
  auto look_from = [&](u64 page) { // none below had room
    if (alignment <= 512) full = {size, page};
  };
  for (; from != shared_pages_.end(); ++from) {
    auto& [begin, page] = *from;
    if (page.kind != kind || page.most < size) continue;
    if (std::optional<u64> address = page.free.take(size, alignment)) {
      look_from(begin);
      return address;
    }
    if (alignment <= 512) page.most = size - 1;
  }
  std::optional<u64> begin = place_pages(page_size, std::max(alignment, page_size));
  if (!begin) return std::nullopt;
  look_from(*begin);
  SharedPage& page = shared_pages_[*begin];
  page.kind = kind;
  page.free.add(*begin, page_size);
  return page.free.take(size, alignment);
}

Result<u64> Memory::allocate(u64 size, AllocationKind kind, u64 alignment, std::string name) {
  std::lock_guard lock(mutex_);
  if (size > capacity_)
    return failure(diag::error("sim-out-of-memory",
                               fmt::format("{} bytes are more than the device has ({})", size, capacity_)));
  u64 padded = padded_size(size);
  std::optional<u64> address;
  if (padded <= capacity_ - used_)
    address = is_large(size) ? place_pages(padded, std::max(alignment, page_size))
                             : place_among_others(padded, std::max<u64>(alignment, 512), kind);
  if (!address)
    return failure(
        diag::error("sim-out-of-memory", fmt::format("the device has no {} bytes left ({} of {} in use)",
                                                     padded, used_, capacity_)));
  if (!commit(*address, *address + padded))
    return failure(diag::error("sim-out-of-memory",
                               fmt::format("the host has no memory for an allocation of {} bytes", size)));
  for (u64 page = (*address - first_) / page_size; page <= (*address + padded - 1 - first_) / page_size;
       ++page)
    ++page_use_[page];
  u64 serial = name.empty() ? ++serial_ : 0;
  allocations_[*address] = {*address, size, kind, std::move(name), serial, {}};
  if (written_ != nullptr) {
    if (kind == AllocationKind::device)
      written_->clear(*address, size);
    else
      written_->mark(*address, size); // the host or the module may write it unseen
  }
  used_ += padded;
  seen_by_host_ += is_seen_by_host(kind);
  ++epoch_;
  return *address;
}

bool Memory::release(u64 address) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  u64 padded = padded_size(found->second.size);
  seen_by_host_ -= is_seen_by_host(found->second.kind);
  if (written_ != nullptr) freed_[address] = std::move(found->second);
  allocations_.erase(found);
  used_ -= padded;
  ++epoch_;
  for (u64 page = (address - first_) / page_size; page <= (address + padded - 1 - first_) / page_size; ++page)
    if (--page_use_[page] == 0)
      // The host gets the memory back, and a stale pointer into the page faults as on a GPU.
      (void)mmap(reinterpret_cast<void*>(first_ + page * page_size), page_size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (written_ == nullptr) give_back(address, padded);
  return true;
}

void Memory::give_back(u64 address, u64 padded) {
  if (auto shared = shared_pages_.find(align_down(address, page_size)); shared != shared_pages_.end()) {
    SharedPage& page = shared->second;
    page.most = page_size;
    full_[page.kind] = {};
    if (page.free.add(address, padded)->second < page_size) return;
    address = shared->first, padded = page_size;
    shared_pages_.erase(shared);
  }
  auto it = free_.add(address, padded);
  if (it->first + it->second != cursor_) return;
  cursor_ = it->first;
  free_.ranges.erase(it);
}

void Memory::track() {
  std::lock_guard lock(mutex_);
  written_ = std::make_unique<WrittenBytes>(first_, limit_);
}

void Memory::forget_freed() {
  for (const auto& [address, allocation] : freed_) give_back(address, padded_size(allocation.size));
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
      return Allocation{host->first, host->second, AllocationKind::registered, {}, 0, {}};
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
    return true;
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
    if (address < allocation.address + allocation.size)
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
  return used_;
}

} // namespace warplens::sim
