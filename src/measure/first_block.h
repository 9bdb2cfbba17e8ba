// What the first block of a launch (CTA 0) does over time with the loads of one place in the source: which sectors it asks
// for again, and which rows its threads walk along. Classes of warps (distribution.h) do not tell, as they know each warp
// by itself. One block is cheap to follow, and mostly does what the others do; that it is one is said wherever it is used.
//
// An unrolled loop is several instructions of one place: they are followed together, in the order in which each warp
// performs them. Each warp is followed up to a number of sectors. So nothing depends on the number of workers, nor on how
// the warps of the block take turns.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "arch/counts.h"
#include <vector>

namespace warplens::measure {

struct FirstBlock {
  u64 requests = 0;         // that were followed
  u64 sectors = 0;          // that they asked for, each once per request
  u64 distinct_sectors = 0; // of these
  // Rows of elements side by side that single threads load one after another, on average two or more; else 0.
  u64 rows = 0, row_elements = 0;
  u32 row_lanes = 0; // lanes that would share a row of average length: a power of two, up to a warp
  // What the rows would cost, read by so many lanes each: instructions, threads, requests and sectors.
  arch::Counts by_rows{};
  bool operator==(const FirstBlock&) const = default;

  FirstBlock& operator+=(const FirstBlock&); // row_lanes: of the one with more rows
  FirstBlock& operator*=(u64 times);
};

class BlockFollower {
public:
  static bool follows(const access::AccessHeader&); // loads from global memory

  // `warp`: its number in the block.
  void add(u32 warp, const access::WarpAccess&);
  // Of all that was added, which may be nothing.
  FirstBlock finish(const arch::Architecture& device);

private:
  static constexpr u64 most_sectors = 8192; // of each warp
  static constexpr std::size_t most_rows = 1 << 16;
  struct Row {
    u64 turn = 0; // the thread's so-manieth row
    u32 thread = 0;
    u64 begin = 0, end = 0; // addresses
  };
  struct Thread {
    u64 begin = 0, end = 0;
    u32 turn = 0, elements = 0; // of its rows so far
  };
  static constexpr u32 tried_rows = 8; // of a thread, which is left alone where these are no rows
  bool walks(const Thread& thread) const {
    return thread.turn < tried_rows || thread.elements >= 2 * tried_rows;
  }

  void note_sectors(u32 warp, const access::WarpAccess&);
  void walk(u32 thread, u64 address, u32 bytes);
  void end_row(u32 thread);
  bool insert(u64 sector);
  void count_rows(FirstBlock&, const arch::Architecture&) const;

  access::AccessHeader header_{};
  u64 requests_ = 0, sectors_ = 0, distinct_ = 0;
  std::vector<u64> of_warp_; // sectors
  std::vector<u64> known_;   // a table of sectors + 1, by hash; 0: free
  std::vector<Thread> threads_;
  std::vector<Row> rows_;
};

} // namespace warplens::measure
