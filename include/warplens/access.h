// One memory instruction of a warp, and what the hardware does for it.
//
//   warplens::Access a;                                   // a load of 4 bytes from global memory
//   for (int i = 0; i < 32; ++i) a.address[i] = i * 128;  // each lane a line of its own
//   warplens::count(90, a)->sectors                       // 32, where 4 would do
//
// src/hardware/arch/MODEL.md defines the counts, names the hardware counter that each predicts, and says for every rule whether it is
// documented, measured or inferred.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>
#include <warplens/result.h>
#include <warplens/types.h>

namespace warplens {

struct Access {
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  CacheOperator cache = CacheOperator::none;
  std::uint8_t bytes = 4; // per lane: 1 2 4 8 16 32
  std::uint8_t matrices =
      0; // ldmatrix: 1 2 4; each of the first 8·matrices lanes gives the address of a row of 16 bytes
  std::uint32_t active = 0xffffffff; // the lanes that perform it
  std::array<std::uint64_t, 32> address =
      {}; // of each lane, in bytes; local memory: the offset in the thread's own
};

// The compute capabilities that have rules, times ten and ascending: 10 is 1.0, 90 is 9.0.
WARPLENS_API std::vector<int> architectures();

// `sm`: one of architectures(). Errors: unknown-architecture; impossible-access where no GPU could perform it (a width
// that does not exist, an address whose bytes pass 2^64).
WARPLENS_API Expected<Counts> count(int sm, const Access&);
// The sum over a batch, which is faster than one by one. The error names the index of the access at fault.
WARPLENS_API Expected<Counts> count(int sm, std::span<const Access>);

} // namespace warplens
