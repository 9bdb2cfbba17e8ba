// Several arrays carved out of one allocation, one directly behind the other: is each start aligned as its
// type needs, and as coalescing wants? Allocations themselves start at a multiple of 256 bytes (CUDA C++
// Programming Guide 12).
#pragma once
#include "explain/view/render.h"

namespace warplens::explain {

struct PoolArray {
  std::string name, type;
  u64 bytes = 0;
  u64 offset = 0;             // as packed
  u32 alignment = 1;          // that the type needs
  u64 aligned = 0;            // the nearest start from `offset` up that suits the type
  u64 segment = 0;            // the nearest from `offset` up at a multiple of 128
  u64 padded = 0;             // where it starts if every array starts at a multiple of 128
  arch::Counts packed, moved; // one warp reading consecutive elements, from `offset` and from `segment`
  bool fits() const { return offset == aligned; }
};

struct Pool {
  u32 sm = 0;
  std::vector<PoolArray> arrays;
  u64 bytes = 0, aligned_bytes = 0; // packed, and with every array at the next multiple of 128
};

// `text`: "float a[100]; double b[10]".
ResultOr<Pool, Rejection> pool(const std::string& text, u32 sm);
bool all_fit(const Pool&);
std::string terminal(const Pool&, const TextStyle&);
nlohmann::json json(const Pool&);

} // namespace warplens::explain
