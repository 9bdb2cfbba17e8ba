// Where the threads of one block go: a byte offset per thread, and the warp accesses that this makes.
#pragma once
#include "arch/count.h"
#include "explain/expr/type.h"
#include "explain/model/question.h"

namespace warplens::explain {

// Accesses are counted and drawn as if the array started at this address plus Question::base: far from both
// ends of the address space, and aligned like a large allocation.
inline constexpr u64 origin = u64{1} << 40;

// Per thread of the block, x fastest.
struct Footprint {
  std::vector<i64> offset; // bytes from the array's start
  std::vector<u8> active;
};

// What is done at each offset: one instruction per piece.
struct Mode {
  std::vector<Piece> pieces;
  u64 base = 0;
  access::Space space = access::Space::global;
  access::Kind kind = access::Kind::load;
  access::Cache cache = access::Cache::none;
};

u32 warps(const Footprint&);
access::WarpAccess access_of(const Footprint&, const Mode&, Piece, u32 warp);
// Of one warp, all pieces; of the whole block.
arch::Counts count_warp(const arch::Architecture&, const Footprint&, const Mode&, u32 warp);
arch::Counts count_block(const arch::Architecture&, const Footprint&, const Mode&);

// The memory transactions of one instruction of a warp, in order of address, where the architecture issues
// segments of different sizes (1.x, global memory); empty elsewhere.
struct Transaction {
  u64 address = 0;
  u32 bytes = 0;
  u32 lanes = 0; // mask
  bool operator==(const Transaction&) const = default;
};
std::vector<Transaction> transactions(const arch::Architecture&, const access::WarpAccess&);

} // namespace warplens::explain
