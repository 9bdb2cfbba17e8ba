// What the first block of a launch (CTA 0) does over time at one place in the source. With loads: which sectors it asks for
// again, and which rows its threads walk along. With stores and atomics: how many words they go to, and what stores would
// cost in the order of their addresses. Classes of warps (distribution.h) do not tell, as they know each warp by itself. One
// block is cheap to follow, and mostly does what the others do; that it is one is said wherever it is used.
//
// An unrolled loop is several instructions of one place: they are followed together, in the order in which each warp
// performs them. Each warp is followed up to a number of sectors. So nothing depends on the number of workers, nor on how
// the warps of the block take turns.
#pragma once
#include "access/access.h"
#include "access/site.h"
#include "arch/arch.h"
#include "arch/counts.h"
#include <string>
#include <tuple>
#include <vector>

namespace warplens::measure {

struct FirstBlock {
  u64 requests = 0;         // that were followed
  u64 sectors = 0;          // that they asked for, each once per request
  u64 distinct_sectors = 0; // of these
  // Requests of which the same warp's request before had the same addresses; and began less than a warp's width away.
  u64 again = 0, beside = 0;
  // Rows of elements side by side that single threads go along, one after another, on average two or more; else 0.
  u64 rows = 0, row_elements = 0;
  u32 row_lanes = 0; // lanes that would share a row of average length: a power of two, up to a warp
  // What the rows would cost, read by so many lanes each: instructions, threads, requests and sectors.
  arch::Counts by_rows{};
  u64 lanes = 0, words = 0; // of stores and atomics: lanes that were followed, different addresses among them
  u64 span = 0; // from the first to the last of these addresses, at the spacing that they have in common
  // What stores would cost if the block dealt those that its warps perform at a time to them in the order of the addresses;
  // the same four.
  arch::Counts by_address{};
  bool operator==(const FirstBlock&) const = default;

  FirstBlock& operator+=(const FirstBlock&); // row_lanes: of the one with more rows
  FirstBlock& operator*=(u64 times);
};

// What is followed together: accesses as they are inlined, with one opcode, to one array. One without a line in the source
// is a place of its own.
using InlinedPlace =
    std::tuple<std::vector<std::tuple<std::string, u32, u32>>, std::string, access::ArrayKind, u32, u32>;
InlinedPlace place_of(const access::Site&);

class BlockFollower {
public:
  // Loads, stores and atomics of global memory. Whether their addresses come in closed form does not matter: that depends
  // on how many blocks run in lockstep, and so on whether a launch is folded.
  static bool follows(const access::AccessHeader&);

  // `warp`: its number in the block.
  void add(u32 warp, const access::WarpAccess&);
  // Of all that was added, which may be nothing.
  FirstBlock finish(const arch::Architecture& device);

private:
  static constexpr u64 most_sectors =
      8192; // of each warp; lanes where these are kept; requests that are repetitions
  static constexpr std::size_t most_rows = 1 << 16;
  struct Row {
    u64 turn = 0; // the thread's so-manieth row
    u32 thread = 0;
    u64 begin = 0, end = 0; // addresses
  };
  // Machine code loads the elements of an unrolled loop in an order of its own.
  struct Thread {
    u64 begin = 0, end = 0;     // of the elements that it read side by side
    u32 ahead = 0;              // bit n: it read the n-th element from `end` on, too
    u32 turn = 0, elements = 0; // of its rows so far
    bool take(u64 address, u32 bytes);
  };
  static constexpr u32 tried_rows = 8; // of a thread, which is left alone where these are no rows
  bool walks(const Thread& thread) const {
    return thread.turn < tried_rows || thread.elements >= 2 * tried_rows;
  }

  struct Update {
    u64 turn = 0; // the so-manieth of its warp
    u64 address = 0;
  };

  void note_sectors(u32 warp, const access::WarpAccess&, bool again);
  bool note_step(u32 warp, const access::WarpAccess&); // does it ask for the same again?
  void note_updates(u32 warp, const access::WarpAccess&);
  void walk(u32 thread, u64 address, u32 bytes);
  void end_rows(u32 thread);
  bool insert(u64 sector);
  void count_rows(FirstBlock&, const arch::Architecture&) const;
  void count_updates(FirstBlock&, const arch::Architecture&);

  access::AccessHeader header_{};
  u64 requests_ = 0, sectors_ = 0, distinct_ = 0, again_ = 0, beside_ = 0;
  struct Step {
    u64 start = 0, sum = 0; // the first lane's address, and one of all lanes
  };
  std::vector<Step> before_; // of each warp
  std::vector<u64> of_warp_; // sectors
  std::vector<u64> known_;   // a table of sectors + 1, by hash; 0: free
  std::vector<Thread> threads_;
  std::vector<Row> rows_;
  std::vector<u64> turns_; // of each warp
  std::vector<Update> updates_;
};

} // namespace warplens::measure
