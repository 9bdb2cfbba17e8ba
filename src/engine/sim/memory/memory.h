// Device memory of the emulated GPU: one reserved range of host addresses, so that a device pointer is a host
// pointer and managed or pinned memory needs no translation. Pages of 2 MiB are committed when an allocation
// needs them, as a GPU's driver maps them: an access outside every mapped page is an error, one past an
// allocation but inside a mapped page is what GPUs tolerate (and what we report).
//
// Layout of the range: windows that are never backed by memory (shared, local, parameters: a generic
// address inside one names the space), then allocations (placement.h). The pages before the first large allocation and before the
// first small one are mapped and belong to nobody: on a GPU the driver's own buffers lie there. Rodinia's srad reads 512 bytes before
// its first array, and gets away with it.
#pragma once
#include "base/bits.h"
#include "base/diagnostic.h"
#include "sim/memory/placement.h"
#include "sim/memory/written.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warplens::sim {

struct Allocation {
  u64 address = 0;
  u64 size = 0;
  AllocationKind kind = AllocationKind::device;
  std::string name; // symbols: the variable's name; else empty
  u64 serial = 0;   // n-th allocation without a name, 1-based: "allocation 3 (4096 bytes)"
  std::string made; // track(): where the program asked for it; empty when not known
};

class Memory {
public:
  static constexpr u64 page_size = DriverPlacement::page;
  static constexpr u64 window_size = u64{1} << 24; // 16 MiB each
  // Shared memory of other CTAs of a cluster, one window each from the second on (exec/cluster.h).
  static constexpr u64 most_ctas_in_cluster = 16,
                       cluster_window_size = (most_ctas_in_cluster + 1) * window_size;

  // Reserves `capacity` bytes of address space (the device's memory size). Fails only when the host has no
  // such range.
  static Result<std::unique_ptr<Memory>> create(u64 capacity);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Zeroed? No: fresh pages are zero, reused ones keep their bytes, as on a GPU. An allocation of a page or more
  // begins at a page's start, and has all its pages for itself; smaller ones share pages with their kind. Alignment: a
  // power of two ≥ 256 is kept.
  Result<u64> allocate(u64 size, AllocationKind kind = AllocationKind::device, u64 alignment = 512,
                       std::string name = {});
  bool release(u64 address); // false: not the start of an allocation
  // Host memory that the device may access (cudaHostRegister): any host range.
  bool register_host(u64 address, u64 size);
  bool unregister_host(u64 address);

  // From here on it is known which bytes have been written and what was freed; freed addresses are used again only when
  // there are no others. For a device without allocations.
  void track();
  WrittenBytes* written() const { return written_.get(); } // null where nobody tracks
  void set_made(u64 address, std::string where);           // of the allocation that starts there
  std::optional<Allocation>
  freed(u64 address) const;             // track(): the last one that contained it, when none does now
  std::vector<Allocation> live() const; // by address

  std::optional<Allocation> find(u64 address) const;    // that contains the address
  std::optional<Allocation> nearest(u64 address) const; // the closest one below or above, for messages
  bool mapped(u64 address, u64 size) const;             // every byte in a mapped page or registered range
  // [begin, end) of the allocation or registered range that contains `address`; empty when none does. Cheap
  // enough for engines that keep the answer and compare many addresses with it until epoch() changes.
  struct Range {
    u64 begin = 0, end = 0;
    // Whether `bytes` > 0 bytes at `address` lie in it; at each of the addresses from `lowest` to `highest`.
    // The end of an access is never computed: that of one at the top of the address space is 0.
    bool covers(u64 address, u64 bytes) const { return covers(address, address, bytes); }
    bool covers(u64 lowest, u64 highest, u64 bytes) const {
      return lowest >= begin && highest < end && bytes <= end - highest;
    }
  };
  Range range(u64 address) const;
  std::vector<Range> registered() const; // host ranges

  u64 shared_window() const { return base_; }
  u64 local_window() const { return base_ + window_size; }
  u64 param_window() const { return base_ + 2 * window_size; }
  u64 cluster_window() const { return cluster_base_; }
  u64 capacity() const { return capacity_; }
  u64 used() const;
  // Whether there is managed, pinned or registered memory, which the host may write while a kernel runs.
  bool host_may_write() const { return seen_by_host_ != 0; }
  u64 epoch() const { return epoch_; } // changes with every allocation or release

private:
  Memory() = default;
  bool commit(u64 begin, u64 end);
  void forget_freed();

  void* reserved_ = nullptr; // base_alignment more than from base_ to limit_
  u64 base_ = 0, cluster_base_ = 0, capacity_ = 0;
  u64 first_ = 0, limit_ = 0; // pages lie in [first_, limit_)
  u64 used_ = 0, serial_ = 0;
  std::atomic<u64> epoch_ = 1;
  std::atomic<u64> seen_by_host_ = 0; // allocations and registered ranges
  mutable std::mutex mutex_;
  std::map<u64, Allocation> allocations_; // by address
  DriverPlacement placement_;
  std::map<u64, u64> registered_; // host ranges: address → size
  std::vector<u32> page_use_;     // allocations per 2 MiB page: a page is mapped while it has one
  std::unique_ptr<WrittenBytes> written_;
  std::map<u64, Allocation> freed_; // track(): their addresses are not used again
};

} // namespace warplens::sim
