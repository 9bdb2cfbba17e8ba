// The counting loops that are compiled once per instruction set (target/), and what they are handed. Each set gives
// exactly what the rules (rules/) give, warp by warp, which tests hold.
//
// Files under target/ are compiled with instructions that not every processor has, and the linker keeps one copy of an
// inline function, whichever it meets first. So nothing here is a function that they could leave behind
// (scripts/check_symbols.py looks).
#pragma once
#include "arch/counts.h"
#include "base/cpu.h"

namespace warplens::arch {

// `count` warps whose lanes access 2^shift bytes each.
struct Warps {
  const u32* active = nullptr;  // [count]
  const u64* address = nullptr; // [count][32]
  u32 count = 0;
  u32 shift = 2;
  WarpCost* costs = nullptr; // local: of each warp that was counted, where they are wanted; else null
  bool costs_are_lines = false;
};

// What lanes of shared memory that want the same row of a bank cost, and whether wide loads of lanes in equal
// pairs merge. Constant memory has no banks, but one request per different word.
enum class Sharing : u8 { shared, shared_in_pairs, each_lane, no_banks };

// Warps of one instruction that wait to be counted side by side: see target/words.cpp.
constexpr u32 columns = 32;
using WordRow = u16[columns];
struct PendingWords {
  alignas(64) i16 key[warp_size][columns] = {}; // per lane
  alignas(64) WordRow lanes = {};               // that are active
  alignas(64) WordRow lower = {};               // those of them in the lower half-warp
  alignas(64) WordRow in_pairs = {};            // does a wide load merge?
  u32 count = 0;
  u32 shift = 2;
  Sharing sharing = Sharing::shared;
  WarpCost* costs = nullptr; // where they are wanted, of the next one that is counted; else null
};

// The transfer granularity: what leaves for the next level of memory, lines or sectors, of so many bytes.
struct Granularity {
  bool lines = false;
  u32 bytes = 32;
  bool operator==(const Granularity&) const = default;
};

// The same for global memory: see target/blocks.cpp.
constexpr u32 block_columns = 16;
struct PendingBlocks {
  alignas(64) i32 key[warp_size][block_columns] = {}; // per lane that takes part, or per lane of the warp
  u32 rows = warp_size;                               // of keys that are looked at
  u32 lanes[block_columns] = {};                      // that are active
  u64 line[block_columns] = {};                       // where keys begin
  u32 count = 0;
  u32 shift = 2;
  Granularity granularity;
  WarpCost* costs = nullptr; // as PendingWords'
  bool stages = false;       // passes of the L1's stages are wanted
  access::Kind kind = access::Kind::load;
};

// Different words, sectors and lines of each of those warps.
struct DistinctCounts {
  alignas(64) u32 words[block_columns], sectors[block_columns], lines[block_columns];
};

// How one warp's lanes are looked at: words of 2^shift bytes at addresses that are multiples of 2^alignment_shift,
// and how many banks they lie in, a power of two.
struct WordsOfWarp {
  const u64* address = nullptr; // [32]
  u32 lanes = 0;
  u32 shift = 2, alignment_shift = 2;
  u32 banks = 0; // 0: not wanted
};

struct DistinctWords {
  u32 words = 0, sectors = 0, lines = 0; // different ones; sectors and lines where no banks are wanted
  u32 most_in_a_bank = 0;                // different words
};

struct StagedWarp {
  const u64* address = nullptr; // [32]
  u32 lanes = 0;
  u32 shift = 2;
  access::Kind kind = access::Kind::load;
};

// The loops over warps add those that they counted and return how many they passed over, those without a lane
// included: they stop at a warp that they cannot count, because its addresses are misaligned or too far apart. Warps
// may stay behind and wait for others; what is added when they are counted is complete for `put_blocks`, transactions
// included.
struct Kernels {
  u32 (*local)(const Warps&, Counts&) = nullptr; // tags, sectors, ideal_sectors, bytes_used
  u32 (*put_blocks)(const Warps&, PendingBlocks&, Counts&) = nullptr;
  void (*count_blocks)(PendingBlocks&, Counts&) = nullptr; // those that wait
  // 32 banks of 4 bytes, words of at most 8; or no banks.
  u32 (*put_words)(const Warps&, Sharing, PendingWords&, Counts&) = nullptr;
  void (*count_words)(PendingWords&, Counts&) = nullptr;
  // One warp; false when its words are misaligned or too far apart.
  bool (*distinct)(const WordsOfWarp&, DistinctWords&) = nullptr;
  // How many passes each group of 4, 8 or 16 lanes takes, one after the other in `out`: the most
  // different words in a bank, or where each lane is for itself the most lanes. 0: no lane takes part.
  bool (*passes_of_groups)(const WordsOfWarp&, u32 lanes, bool each_lane, u32* out) = nullptr;
  // Global memory; false when its words are misaligned or too far apart.
  bool (*stages_of_warp)(const StagedWarp&, StagePasses&) = nullptr;
};

const Kernels& kernels_of(cpu::Target); // the processor must have it
const Kernels& kernels();               // of the target in use

namespace baseline {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}

} // namespace warplens::arch
