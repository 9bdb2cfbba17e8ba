// Where allocations lie, which decides the tag set of a line in the L1.
#include "sim/memory/memory.h"
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using sim::Memory;
constexpr u64 region = u64{32} << 20;

// cudaMalloc on an H200 (driver 580.159.04, 23 November 2026), within regions of 32 MiB; the second program under Nsight Compute.
TEST(Memory, LargeAllocationsLieInTheirRegionsAsAnH200PutsThem) {
  using Placed = std::pair<u64, u64>; // size, offset in its region
  const std::vector<std::vector<Placed>> programs = {
      {{4000000, 0x0800000}, {4000000, 0x0c00000}, {4000000, 0x1000000}},
      {{12582912, 0x0800000}, {100, 0x1400000}, {3000000, 0x1600000}},
      {{12582912, 0x0800000},
       {1048577, 0x1400000},
       {2097152, 0x1600000},
       {3000000, 0x1800000},
       {12582912, 0}},
  };
  for (const auto& program : programs) {
    auto memory = Memory::create(u64{1} << 32);
    ASSERT_TRUE(memory.has_value());
    for (auto [size, offset] : program) {
      Result<u64> address = (*memory)->allocate(size);
      ASSERT_TRUE(address.has_value());
      EXPECT_EQ(*address % region, offset) << size;
    }
  }
}

TEST(Memory, SmallOnesLieSideBySideUpToAMebibyte) {
  auto memory = Memory::create(u64{1} << 32);
  ASSERT_TRUE(memory.has_value());
  u64 next = *(*memory)->allocate(4);
  for (u64 size : {4, 4096, 1000, 100000, 1 << 20, 524288}) {
    u64 padded = align_up(size, 512), address = *(*memory)->allocate(size);
    if (size == 4) next += 512;
    EXPECT_EQ(address, next) << size;
    next = address + padded;
  }
}

// Rounding to regions must not make memory unusable: all of it can be had, in pieces of more than half a region.
TEST(Memory, AllOfItCanBeAllocatedInAwkwardSizes) {
  auto memory = Memory::create(u64{1} << 30);
  ASSERT_TRUE(memory.has_value());
  const u64 size = u64{18} << 20;
  u32 got = 0;
  while ((*memory)->allocate(size).has_value()) ++got;
  EXPECT_EQ(got, (u64{1} << 30) / size);
}

} // namespace
} // namespace warplens::test
