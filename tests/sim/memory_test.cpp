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

// The same driver, of what public programs ask for: sizes, and where each lies from the first one's page on.
TEST(Memory, SmallOnesShareThePagesOfTheirKind) {
  struct Step {
    u64 size, where; // 0: the one that lies there is released
  };
  const std::vector<std::vector<Step>> programs = {
      {{1228800, 0}, {28672, 0x12c000}},                                                        // surfel
      {{16004, 0}, {16000, 0x4000}, {1104000, 0x8000}, {16000, 0x115a00}, {49152, 0x119a00}},    // as particlefilter
      {{804096, 0}, {808192, 0xc4600}, {1608192, 0x200000}, {904, 0x189c00}, {262144, 0x18a000}}, // as merge
      {{1 << 20, 0}, {1 << 20, 0x100000}, {4, 0x200000}},
      {{262144, 0}, {8192, 0x40000}, {0, 0}, {262144, 0}, {4, 0x42000}},
  };
  for (std::size_t p = 0; p < programs.size(); ++p) {
    auto memory = Memory::create(u64{1} << 32);
    ASSERT_TRUE(memory.has_value());
    std::optional<u64> first;
    for (auto [size, where] : programs[p]) {
      if (size == 0) {
        EXPECT_TRUE((*memory)->release(*first + where));
        continue;
      }
      Result<u64> address = (*memory)->allocate(size);
      ASSERT_TRUE(address.has_value());
      if (!first) first = *address;
      EXPECT_EQ(*address - *first, where) << size << " bytes in program " << p;
    }
  }
}

TEST(Memory, KindsDoNotShareAPage) {
  auto memory = Memory::create(u64{1} << 32);
  ASSERT_TRUE(memory.has_value());
  u64 device = *(*memory)->allocate(4), managed = *(*memory)->allocate(4, sim::AllocationKind::managed);
  EXPECT_NE(align_down(device, Memory::page_size), align_down(managed, Memory::page_size));
  EXPECT_EQ(*(*memory)->allocate(4), device + 512);
  EXPECT_TRUE((*memory)->release(managed));
  EXPECT_FALSE((*memory)->mapped(managed, 4));
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
