// How often the word is updated that an atomic updates most.
#include "measure/busiest_word.h"
#include <gtest/gtest.h>

namespace warplens::measure {
namespace {

// A warp whose lanes update words of 4 bytes.
void add(BusiestWord& words, u64 address, u64 stride) {
  std::array<u64, warp_size> lanes;
  for (u32 lane = 0; lane < warp_size; ++lane) lanes[lane] = address + lane * stride;
  words.add(full_mask, lanes.data(), 4);
}

constexpr u64 begin = u64{0x70ff} << 32;

TEST(BusiestWord, OneWordHasAllUpdates) {
  BusiestWord words;
  EXPECT_EQ(words.updates(), 0u);
  for (u32 warp = 0; warp < 1000; ++warp) add(words, begin, 0);
  EXPECT_EQ(words.updates(), 32'000u);
  EXPECT_FALSE(words.is_bound());
}

// 4,096 warps with a sector each: few words share a place of the table.
TEST(BusiestWord, WarpsWithWordsOfTheirOwnHaveFew) {
  for (u64 apart : {4, 32, 4096}) {
    BusiestWord words;
    for (u64 warp = 0; warp < 4096; ++warp) add(words, begin + warp * apart, 0);
    EXPECT_GE(words.updates(), 32u);
    EXPECT_LE(words.updates(), 96u) << apart;
  }
}

TEST(BusiestWord, ManyWordsAreTooManyByLittle) {
  BusiestWord words;
  for (u64 warp = 0; warp < 10'000; ++warp) add(words, begin + warp * 128, 4);
  EXPECT_LE(words.updates(), 2u * 320'000 / 4096);
  EXPECT_TRUE(words.is_bound()) << "no word has as many";
}

TEST(BusiestWord, DoesNotDependOnWhoMetWhich) {
  BusiestWord whole, part[2], sum, twice;
  for (u64 warp = 0; warp < 500; ++warp) {
    for (BusiestWord* words : {&whole, &part[warp % 2]}) add(*words, begin + warp % 7 * 4, warp % 3 * 4);
  }
  for (const BusiestWord& one : part) sum.add(one, 1);
  EXPECT_EQ(sum.updates(), whole.updates());
  twice.add(whole, 2);
  EXPECT_EQ(twice.updates(), 2 * whole.updates());
}

} // namespace
} // namespace warplens::measure
