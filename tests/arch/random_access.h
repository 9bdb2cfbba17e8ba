// Random accesses for tests: masks and address patterns of the kinds that programs make, and some that none
// does.
#pragma once
#include "access/access.h"
#include "base/bits.h"
#include <random>

namespace warplens::test {

class RandomAccess {
public:
  explicit RandomAccess(u64 seed) : random_(seed) {}

  u64 below(u64 n) { return random_() % n; }

  u32 mask() {
    u32 some = static_cast<u32>(random_());
    switch (below(8)) {
    case 0: return 0x55555555;
    case 1: return 0xffff;
    case 2: return 0xffff0000;
    case 3: return some | 1;
    case 4: return u32{1} << below(32);
    case 5: return low_lanes(1 + static_cast<u32>(below(32)));
    default: return full_mask;
    }
  }

  // An aligned access; `limit` bounds the addresses.
  access::WarpAccess access(access::Space space, access::Kind kind, u8 bytes, u64 limit) {
    access::WarpAccess out{{.space = space, .kind = kind, .bytes = bytes}, mask()};
    u64 words = limit / bytes, shape = below(8), stride = u64{1} << below(8), choices = 1 + below(64),
        base = below(words);
    for (u64 lane = 0; lane < warp_size; ++lane) {
      u64 word = base + lane;
      if (shape == 1) word = base + lane * stride;
      if (shape == 2) word = base + below(choices);
      if (shape == 3) word = base + (lane ^ 1);
      if (shape == 4) word = base + lane / 2 * stride;
      if (shape == 5) word = base;
      if (shape == 6) word = below(words);
      if (shape == 7) word = align_down(base, 32) + (lane ^ (below(8) == 0 ? 3 : 0));
      out.address[lane] = word % words * bytes;
    }
    return out;
  }

private:
  std::mt19937_64 random_;
};

} // namespace warplens::test
