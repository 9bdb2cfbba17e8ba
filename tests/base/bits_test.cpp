// Bits, lanes and strong ids, at their edges.
#include "base/bits.h"
#include <gtest/gtest.h>
#include <type_traits>
#include <vector>

namespace warplens {
namespace {

TEST(Bits, LanesOfAMask) {
  EXPECT_EQ(low_lanes(0), 0u);
  EXPECT_EQ(low_lanes(1), 1u);
  EXPECT_EQ(low_lanes(31), 0x7fffffffu);
  EXPECT_EQ(low_lanes(32), full_mask);
  std::vector<u32> seen;
  for_each_lane(0x80000005u, [&](u32 lane) { seen.push_back(lane); });
  EXPECT_EQ(seen, (std::vector<u32>{0, 2, 31}));
}

TEST(Bits, RoundingToMultiples) {
  EXPECT_EQ(align_down(255, 128), 128u);
  EXPECT_EQ(align_up(256, 128), 256u);
  EXPECT_EQ(align_up(257, 128), 384u);
  EXPECT_EQ(ceil_div(0, 32), 0u);
  EXPECT_EQ(ceil_div(33, 32), 2u);
  EXPECT_FALSE(is_power_of_two(0));
  EXPECT_TRUE(is_power_of_two(u64{1} << 63));
}

TEST(Ids, OfDifferentKindsDoNotMix) {
  using A = Id<struct ATag>;
  using B = Id<struct BTag>;
  static_assert(!std::is_convertible_v<A, B> && !std::is_convertible_v<u32, A>);
  EXPECT_FALSE(A().valid());
  EXPECT_TRUE(A(0u).valid());
  EXPECT_LT(A(1u), A(2u));
}

TEST(Dimensions, CountInSixtyFourBits) {
  EXPECT_EQ((Dim3{0xffffffffu, 0xffffu, 1}).count(), u64{0xffffffff} * 0xffff);
}

} // namespace
} // namespace warplens
