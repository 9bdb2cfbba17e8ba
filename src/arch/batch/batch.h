// Counting many warps in one go, for the rules that most accesses meet: global memory as one request per
// instruction (batch_blocks.h), local memory (batch_loops.h), constant memory, and shared memory with words
// of up to 8 bytes (batch_columns.h). Each instruction set's kernels give exactly what the rules (rules.h)
// give, warp by warp, which tests hold.
//
// A loop stops at a warp that it cannot count, because its addresses are misaligned or too far apart: the
// caller counts that one by the rule and calls again for the rest.
#pragma once
#include "arch/count.h"
#include "base/bits.h"
#include <bit>
#include <memory>

namespace warplens::arch {

// `count` warps whose lanes access 2^shift bytes each.
struct Warps {
  const u32* active = nullptr;  // [count]
  const u64* address = nullptr; // [count][32]
  u32 count = 0;
  u32 shift = 2;
};

// What lanes of shared memory that want the same row of a bank cost, and whether wide loads of lanes in equal
// pairs merge. Constant memory has no banks, but one request per different word.
enum class Sharing : u8 { shared, shared_in_pairs, each_lane, no_banks };

// Warps of one instruction that wait to be counted side by side: see batch_columns.h.
constexpr u32 columns = 32;
using Row = u16[columns];
struct WaitingWords {
  alignas(64) Row key[warp_size] = {}; // per lane
  alignas(64) Row lanes = {};          // that are active
  alignas(64) Row lower = {};          // those of them in the lower half-warp
  alignas(64) Row in_pairs = {};       // does a wide load merge?
  u32 count = 0;
  u32 shift = 2;
  Sharing sharing = Sharing::shared;
};

// What leaves for the next level of memory: lines or sectors, of so many bytes.
struct Moves {
  bool lines = false;
  u32 bytes = 32;
  bool operator==(const Moves&) const = default;
};

// The same for global memory: see batch_blocks.h.
constexpr u32 block_columns = 16;
struct WaitingBlocks {
  alignas(64) i32 key[warp_size][block_columns] = {}; // per lane
  u32 lanes[block_columns] = {};                      // that are active
  u32 count = 0;
  u32 shift = 2;
  Moves moves;
};

struct Different {
  alignas(64) u32 words[block_columns], sectors[block_columns], lines[block_columns];
};

struct Waiting {
  std::unique_ptr<WaitingWords> words;
  std::unique_ptr<WaitingBlocks> blocks;
};

// The loops over warps add those that they counted and return how many they passed over, those without a lane
// included. Warps may stay behind and wait for others; what is added when they are counted is complete for
// `put_blocks`, transactions included.
struct BatchKernels {
  u32 (*local)(const Warps&, Counts&) = nullptr; // tags, sectors, ideal_sectors, bytes_used
  u32 (*put_blocks)(const Warps&, WaitingBlocks&, Counts&) = nullptr;
  void (*count_blocks)(WaitingBlocks&, Counts&) = nullptr; // those that wait
  // 32 banks of 4 bytes, words of at most 8; or no banks.
  u32 (*put_words)(const Warps&, Sharing, WaitingWords&, Counts&) = nullptr;
  void (*count_words)(WaitingWords&, Counts&) = nullptr;
};

// What the plainer instruction sets do one lane at a time: see batch_loops.h.
inline bool find_words(const u64* address, u32 lanes, u64 from, u64 allowed, u64 (&words)[4]) {
  words[0] = words[1] = words[2] = words[3] = 0;
  u64 any = 0;
  for_each_lane(lanes, [&](u32 lane) {
    u64 distance = address[lane] - from;
    any |= distance;
    words[lane / 8] |= u64{1} << (distance / 4 & 63);
  });
  return (any & ~allowed) == 0;
}

extern const BatchKernels avx512_kernels, avx2_kernels, baseline_kernels;

// Tries the kernels; false when none counts like the row's rule, and then nothing is added. Makes `waiting`
// where warps may have to wait.
bool count_batch(const Architecture&, const access::LaneBatch&, std::unique_ptr<Waiting>& waiting, Counts&);

void count_waiting(Waiting&, Counts&);

} // namespace warplens::arch
