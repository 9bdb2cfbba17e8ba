// Where allocations lie, which decides the tag set of a line in the L1.
#include "sim/memory/memory.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace warplens::test {
namespace {

using sim::Memory;
constexpr u64 region = u64{32} << 20;

// Programs that allocate and release by chance (tests/sim/data/h200_placements.txt says how to read it).
TEST(Memory, AllocationsLieInTheirRegionsAsAnH200PutsThem) {
  std::ifstream file(std::string(WARPLENS_SOURCE_DIR) + "/tests/sim/data/h200_placements.txt");
  u32 programs = 0, allocations = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    auto memory = Memory::create(u64{1} << 34);
    ASSERT_TRUE(memory.has_value());
    std::istringstream words(line);
    std::vector<u64> addresses;
    for (std::string word; words >> word;) {
      const std::size_t at = word.find('@');
      const u64 number = std::stoull(word.substr(1, at));
      if (word[0] == '-') {
        EXPECT_TRUE((*memory)->release(addresses.at(number))) << line;
        continue;
      }
      Result<u64> address = (*memory)->allocate(number);
      ASSERT_TRUE(address.has_value()) << line;
      addresses.push_back(*address);
      EXPECT_EQ(*address % region, std::stoull(word.substr(at + 1), nullptr, 16)) << word << " in " << line;
      ++allocations;
    }
    ++programs;
  }
  EXPECT_EQ(programs, 264u);
  EXPECT_EQ(allocations, 2337u);
}

// What public programs ask for lies where the driver puts it, within pages that the allocations of a program share.
TEST(Memory, SmallOnesShareThePagesOfTheirKindAsAnH200PutsThem) {
  std::ifstream file(std::string(WARPLENS_SOURCE_DIR) + "/tests/sim/data/h200_allocations.txt");
  std::unique_ptr<Memory> memory;
  std::map<u64, u64> begins, live; // [page]: where ours begins; how many allocations it has
  std::string program;
  u32 programs = 0, allocations = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(1));
    u64 size = 0, page = 0, offset = 0;
    if (line[0] == '+') {
      ASSERT_TRUE(words >> size >> page >> offset) << line;
      Result<u64> address = memory->allocate(size);
      ASSERT_TRUE(address.has_value());
      if (live[page]++ == 0) begins[page] = *address - offset;
      EXPECT_EQ(begins[page] % Memory::page_size, 0u) << program << ' ' << line;
      EXPECT_EQ(*address, begins[page] + offset) << program << ' ' << line;
      ++allocations;
    } else if (line[0] == '-') {
      ASSERT_TRUE(words >> page >> offset) << line;
      EXPECT_TRUE(memory->release(begins[page] + offset)) << program << ' ' << line;
      --live[page];
    } else if (line[0] != '#') {
      program = line, ++programs;
      begins.clear(), live.clear();
      Result<std::unique_ptr<Memory>> created = Memory::create(u64{1} << 32);
      ASSERT_TRUE(created.has_value());
      memory = std::move(*created);
    }
  }
  EXPECT_EQ(programs, 151u);
  EXPECT_EQ(allocations, 917u);
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
// What is mapped beside allocations: bytes read from `distance` before the begin (< 0) or behind the end of the n-th of them, on an
// H200 with driver 580.159.04, each probe in a process of its own (26 November 2026).
// Rodinia's srad_v2 at 2048 x 2048 reads a row before and a row behind the first of six arrays of 16 MiB: its first kernel ended with
// cudaErrorIllegalAddress there, for the row behind.
TEST(Memory, WhatIsMappedBesideAllocationsIsWhatAnH200HasMapped) {
  constexpr u64 mib = u64{1} << 20;
  struct Probe {
    u32 allocation;
    i64 distance;
    bool readable;
  };
  struct Program {
    u64 size;
    u32 count;
    std::vector<Probe> probes;
  };
  const std::vector<Program> programs = {
      {16 * mib, 1, {{0, -8192, true}, {0, -4, true}, {0, 0, false}, {0, 8188, false}, {0, 2097152, false}}},
      {16 * mib,
       6,
       {{0, -8192, true},
        {0, 0, false},
        {0, 8188, false},
        {1, -8192, true},
        {1, 8188, true},
        {2, -4, true},
        {2, 0, true},
        {2, 2097152, true},
        {3, -8192, false},
        {3, -4, false},
        {3, 8188, true},
        {4, -4, true},
        {4, 0, true},
        {5, -8192, false},
        {5, -4, false},
        {5, 0, false},
        {5, 8188, false}}},
      {1 * mib,
       3,
       {{0, -8192, true},
        {0, 8188, true},
        {1, 8188, true},
        {1, 2097152, true},
        {2, -4, true},
        {2, 8188, true},
        {2, 2097148, false}}},
      {3 * mib, 6, {{0, -8192, true}, {2, -4, true}, {4, 8188, true}, {5, 0, true}, {5, 8188, true}}},
      {24 * mib, 2, {{0, -8192, true}, {0, 0, true}, {0, 14 * mib - 4, true}, {0, 14 * mib, false}}},
      {32 * mib,
       6,
       {{0, -8192, true}, {3, -8192, true}, {4, -8192, true}, {5, -8192, false}, {0, 8188, true}}},
      {64 * mib, 6, {{0, -8192, true}, {4, -8192, true}, {5, -8192, false}, {5, -4, false}, {0, 8188, true}}},
  };
  for (const Program& program : programs) {
    auto memory = Memory::create(u64{1} << 34);
    ASSERT_TRUE(memory.has_value());
    std::vector<u64> addresses;
    for (u32 i = 0; i < program.count; ++i) addresses.push_back((*memory)->allocate(program.size).value());
    for (const Probe& probe : program.probes) {
      const u64 from = addresses.at(probe.allocation) + (probe.distance < 0 ? 0 : program.size);
      EXPECT_EQ((*memory)->mapped(from + static_cast<u64>(probe.distance), 4), probe.readable)
          << program.size << " bytes, allocation " << probe.allocation << ", " << probe.distance;
    }
  }
}

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
