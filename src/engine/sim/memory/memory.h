// Device memory of the emulated GPUs: one reserved range of host addresses, so that a device pointer is a host
// pointer and managed or pinned memory needs no translation. Pages of 2 MiB are committed when an allocation
// needs them, as a GPU's driver maps them: an access outside every mapped page is an error, one past an
// allocation but inside a mapped page is what GPUs tolerate (and what we report).
//
// Layout of the range: windows that are never backed by memory (shared, local, parameters: a generic
// address inside one names the space), then allocations (placement.h). The pages before the first large allocation and before the
// first small one are mapped and belong to nobody: on a GPU the driver's own buffers lie there. Rodinia's srad reads 512 bytes before
// its first array, and gets away with it.
//
// With several devices each has such a part of the range, and fills it as if it were alone; the first one's lies where it lies when
// there is no other. One of them is in use: what is allocated lies there, and while its kernels run, memory of the others is
// not to be seen, unless access to a peer was enabled.
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
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warplens::sim {

struct Allocation {
  u64 address = 0;
  u64 size = 0;
  AllocationKind kind = AllocationKind::device;
  std::string name;      // symbols: the variable's name; else empty
  bool constant = false; // a symbol of constant memory, whose name begins with "const "
  u64 serial = 0;        // n-th allocation without a name, 1-based: "allocation 3 (4096 bytes)"
  std::string made;      // track(): where the program asked for it; empty when not known
  u32 device = 0;
  u64 shared_with = 0;           // of a pool: further devices that may access it, a bit each
  bool in_other_process = false; // export_pages(), import_pages()
};

class Memory {
public:
  static constexpr u64 page_size = DriverPlacement::page;
  static constexpr u64 window_size = u64{1} << 24; // 16 MiB each
  // The CTA's own shared memory, and that of each CTA of its cluster (exec/cluster.h).
  static constexpr u64 most_ctas_in_cluster = 16,
                       shared_windows_size = (most_ctas_in_cluster + 1) * window_size,
                       all_windows_size = shared_windows_size + 2 * window_size;

  // Reserves `capacity` bytes of address space (a device's memory size) for each device. Fails only when the host has no
  // such range.
  static Result<std::unique_ptr<Memory>> create(u64 capacity, u32 devices = 1);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // What is allocated from here on is that device's.
  void use(u32 device);
  u32 in_use() const { return device_; }
  // Kernels of the device in use run as long as this lives, and see what they may: range() and mapped() know no more.
  class View {
  public:
    explicit View(Memory& memory) : memory_(memory) { memory_.restrict(true); }
    ~View() { memory_.restrict(false); }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

  private:
    Memory& memory_;
  };
  void set_peer(u32 device, u32 peer, bool may_access);
  bool may_access(u32 device, u32 peer) const;
  void share(u64 address, u64 with); // Allocation::shared_with
  u32 devices() const { return static_cast<u32>(parts_.size()); }
  // Whether kernels of `device` may access what lies there.
  bool is_visible_to(u32 device, u64 address) const;

  // Zeroed? No: fresh pages are zero, reused ones keep their bytes, as on a GPU. An allocation of a page or more
  // begins at a page's start, and has all its pages for itself; smaller ones share pages with their kind. Alignment: a
  // power of two ≥ 256 is kept.
  Result<u64> allocate(u64 size, AllocationKind kind = AllocationKind::device, u64 alignment = 512,
                       std::string name = {});
  void mark_constant(u64 address); // Allocation::constant
  // Puts the pages of the allocation at `address` into a file, which another process of this machine may map too. They may belong to other allocations as well. Nothing where the host refuses.
  struct Exported {
    int file = -1;
    u64 address = 0, size = 0; // whole pages
  };
  std::optional<Exported> export_pages(u64 address);
  Result<u64> import_pages(int file, u64 size); // an allocation that is these pages
  bool release(u64 address);                    // false: not the start of an allocation
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
  u64 local_window() const { return base_ + shared_windows_size; }
  u64 param_window() const { return local_window() + window_size; }
  u64 capacity() const { return capacity_; } // of each device
  u64 used() const;                          // of the device in use
  // Whether there is managed, pinned or registered memory, which the host may write while a kernel runs.
  bool host_may_write() const { return seen_by_host_ != 0; }
  u64 epoch() const { return epoch_; } // changes with every allocation or release

private:
  Memory() = default;
  // A device's part of the addresses: [begin, end), of which the last region lies behind its first chunk.
  struct Part {
    u64 begin = 0, end = 0, used = 0;
    DriverPlacement placement{};
  };
  void restrict(bool);
  bool commit(u64 begin, u64 end);
  bool commit_drivers_own(const Part&);
  void forget_freed();
  const Part& part_of(u64 address) const; // which lies in one
  Part& part_of(u64 address) { return const_cast<Part&>(std::as_const(*this).part_of(address)); }
  bool visible(u32 device, u64 address) const; // mutex_ held

  void* reserved_ = nullptr; // base_alignment more than from base_ to limit_
  u64 base_ = 0, capacity_ = 0;
  u64 first_ = 0, limit_ = 0; // pages lie in [first_, limit_)
  u64 serial_ = 0;
  std::vector<Part> parts_; // by device; the first one's addresses are the highest
  u32 device_ = 0;          // in use
  bool restricted_ = false;
  std::set<std::pair<u32, u32>> peers_; // device, whose memory it may access
  std::atomic<u64> epoch_ = 1;
  std::atomic<u64> seen_by_host_ = 0; // allocations and registered ranges
  mutable std::mutex mutex_;
  std::map<u64, Allocation> allocations_; // by address
  std::map<u64, u64> registered_;         // host ranges: address → size
  // Files behind pages that were exported, by the first page's address.
  struct PagesFile {
    u64 size = 0;
    std::shared_ptr<int> file;
  };
  std::map<u64, PagesFile> files_;
  std::vector<u32> page_use_; // allocations per 2 MiB page: a page is mapped while it has one
  std::unique_ptr<WrittenBytes> written_;
  std::map<u64, Allocation> freed_; // track(): their addresses are not used again
};

} // namespace warplens::sim
