// The larger forms of an access, taken apart, against the formula that access.h gives; and names.
#include "access/access.h"
#include "access/site.h"
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace warplens::access {
namespace {

const AccessHeader header{.site = SiteId{7u},
                          .space = Space::texture,
                          .kind = Kind::ldmatrix,
                          .cache = Cache::nc,
                          .bytes = 8,
                          .matrices = 2,
                          .texture_dimensions = 1};

const AccessHeader& header_of(const AccessHeader& form) { return form; }

AffineAccess random_affine(std::mt19937_64& random) {
  AffineAccess out{header};
  out.block = {1 + static_cast<u32>(random() % 70), 1 + static_cast<u32>(random() % 5),
               1 + static_cast<u32>(random() % 3)};
  out.base = random() % 100000, out.cta = random() % 50, out.count = 1 + random() % 4;
  out.cta_stride = static_cast<i64>(random() % 2000) - 1000;
  for (i64& stride : out.stride) stride = static_cast<i64>(random() % 200) - 100;
  return out;
}

TEST(Access, AnExpandedWarpHasTheAddressesOfTheFormula) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    AffineAccess affine = random_affine(random);
    u64 threads = affine.block.count();
    for (u32 warp = 0; warp <= threads / warp_size; ++warp) {
      WarpAccess got = expand(affine, warp);
      EXPECT_EQ(header_of(got), header);
      EXPECT_EQ(got.active, lanes_of_warp(affine.block, warp));
      for (u64 lane = 0; lane < warp_size; ++lane) {
        u64 thread = u64{warp} * warp_size + lane;
        ASSERT_EQ((got.active >> lane & 1) != 0, thread < threads);
        if (thread >= threads) continue;
        i64 x = static_cast<i64>(thread % affine.block.x),
            y = static_cast<i64>(thread / affine.block.x % affine.block.y),
            z = static_cast<i64>(thread / affine.block.x / affine.block.y);
        i64 offset = affine.stride[0] * x + affine.stride[1] * y + affine.stride[2] * z;
        ASSERT_EQ(got.address[lane], affine.base + static_cast<u64>(offset));
      }
    }
  }
}

TEST(Access, AMaskTakesLanesAwayAndAddsNone) {
  AffineAccess affine{header};
  affine.block = {40, 1, 1};
  std::vector<u32> active{0x0000ffff, 0xffffffff};
  affine.active = active;
  EXPECT_EQ(expand(affine, 0).active, 0x0000ffffu);
  EXPECT_EQ(expand(affine, 1).active, 0x000000ffu); // 8 threads are left
}

TEST(Access, ACtaOfSeveralHasItsBaseAndItsMasks) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    AffineAccess affine = random_affine(random);
    u64 warps = (affine.block.count() + warp_size - 1) / warp_size;
    std::vector<u32> active;
    for (u64 w = 0; w < warps * affine.count; ++w) active.push_back(static_cast<u32>(random()));
    if (i % 2 == 0) affine.active = active;
    for (u64 k = 0; k < affine.count; ++k) {
      AffineAccess one = cta_of(affine, k);
      EXPECT_EQ(header_of(one), header);
      EXPECT_EQ(one.count, 1u);
      EXPECT_EQ(one.cta, affine.cta + k);
      EXPECT_EQ(one.base, affine.base + static_cast<u64>(affine.cta_stride * static_cast<i64>(k)));
      EXPECT_EQ(one.stride, affine.stride);
      ASSERT_EQ(one.active.size(), affine.active.empty() ? 0 : warps);
      for (u64 w = 0; w < one.active.size(); ++w) EXPECT_EQ(one.active[w], active[k * warps + w]);
    }
  }
}

TEST(Access, AWarpOfABatchIsItsRow) {
  std::vector<u32> active{1, 0, full_mask};
  std::vector<u64> address;
  for (u64 i = 0; i < 3 * warp_size; ++i) address.push_back(i * i);
  LaneBatch batch{header, 4, active, address.data()};
  for (u32 warp = 0; warp < 3; ++warp) {
    WarpAccess got = warp_of(batch, warp);
    EXPECT_EQ(header_of(got), header);
    EXPECT_EQ(got.active, active[warp]);
    for (u32 lane = 0; lane < warp_size; ++lane)
      EXPECT_EQ(got.address[lane], address[warp * warp_size + lane]);
  }
}

// Every enumerator has a name of its own, and what is none has no name.
template <class E> void expect_names(E last) {
  std::set<std::string_view> names;
  for (u32 i = 0; i <= static_cast<u32>(last); ++i) names.insert(name(static_cast<E>(i)));
  EXPECT_EQ(names.size(), static_cast<u32>(last) + 1);
  EXPECT_EQ(name(static_cast<E>(static_cast<u32>(last) + 1)), "");
  EXPECT_EQ(name(static_cast<E>(255)), "");
}

TEST(Access, NamesAreDistinct) {
  expect_names(Space::surface);
  expect_names(Kind::ldmatrix);
  expect_names(Cache::volatile_);
  expect_names(ElementType::floating);
}

} // namespace
} // namespace warplens::access
