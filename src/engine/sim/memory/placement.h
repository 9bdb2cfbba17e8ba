// Where in the device's addresses an allocation lies: as NVIDIA's driver decides it, as far as that tells which tag set of the L1 a
// line belongs to (H200, driver 580.159.04, 23 and 24 November 2026). All 2,337 allocations of 264 programs that allocate and release
// by chance lie so within their regions of 32 MiB (tests/sim/data/h200_placements.txt), and all 917 small ones of 151 public programs
// within their pages (h200_allocations.txt):
//
//   * The driver takes addresses in chunks: whole regions of 32 MiB, as many as the allocation that they are taken for needs, each
//     below the ones before it. One that is empty goes back; its addresses are used again when there are no others.
//   * Allocations of 2 MiB and more are whole pages of 2 MiB: of the lowest chunk that has room, the smallest gap with room.
//   * Smaller ones, 512 bytes or a multiple each, share pages with their kind: the smallest gap that has room, in whichever page.
//     A page that is empty goes back to its chunk.
//   * Two chunks are there before the program's first allocation: one with 24 MiB left, 8 MiB being the driver's own, and
//     one below it with a page left at its end.
//   * Managed memory has chunks of its own.
//
// Pure arithmetic: no memory is touched here.
#pragma once
#include "base/types.h"
#include <map>
#include <optional>
#include <set>

namespace warplens::sim {

enum class AllocationKind : u8 { device, managed, host, array, symbol, heap, registered };

// Addresses that nothing lies at, as gaps between what does.
class Gaps {
public:
  // Gaps do not grow together across multiples of `border` (0: everywhere).
  explicit Gaps(u64 border = 0) : border_(border) {}
  std::optional<u64> take_smallest(u64 size,
                                   u64 alignment); // at the beginning of the smallest gap that has room
  std::optional<u64> take_highest(u64 size, u64 alignment);
  void take(u64 address, u64 size); // which lies within a gap
  struct Gap {
    u64 address = 0, size = 0;
  };
  Gap add(u64 address, u64 size); // the gap that it is part of now
  u64 largest() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; } // bytes

private:
  void insert(u64 address, u64 size);
  void erase(u64 address);

  u64 border_;
  std::map<u64, u64> by_address_; // address → size
  std::set<std::pair<u64, u64>> by_size_;
};

class DriverPlacement {
public:
  static constexpr u64 page = u64{2} << 20, region = u64{32} << 20;
  static constexpr u64 before_first = u64{8} << 20; // the driver's own

  DriverPlacement() = default;
  // Of addresses [begin, end), multiples of a page and of a region; at least two regions. `end` is where the first chunk ends.
  DriverPlacement(u64 begin, u64 end);

  static bool has_own_pages(u64 size);
  static u64 padded(u64 size); // bytes that an allocation of `size` takes
  // An address for padded(size) bytes; alignment: a power of two. Nothing where no addresses are left that have room.
  std::optional<u64> take(u64 size, u64 alignment, AllocationKind kind);
  void give_back(u64 address, u64 size, AllocationKind kind); // as they were taken

private:
  struct Chunk {
    u64 size = 0;
    Gaps gaps;
  };
  using Chunks = std::map<u64, Chunk>; // by address
  Chunks& chunks_of(AllocationKind kind) { return kind == AllocationKind::managed ? managed_ : chunks_; }
  std::optional<u64> take_pages(u64 size, u64 alignment, Chunks& chunks);
  void give_back_pages(u64 address, u64 size, Chunks& chunks);

  Gaps unused_, used_; // what no chunk has, and those that one had
  Chunks chunks_, managed_;
  std::map<AllocationKind, Gaps> shared_; // in pages that smaller allocations share
};

} // namespace warplens::sim
