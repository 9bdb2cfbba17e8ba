// Textures beyond the measured patterns: several texels a lane, and lanes that fetch nothing.
#include "access/texture_layout.h"
#include "arch/count.h"
#include "arch/table.h"
#include <gtest/gtest.h>

namespace warplens::arch {
namespace {

access::WarpAccess fetch(u32 active, u8 bytes = 4) {
  access::WarpAccess out;
  out.space = access::Space::texture;
  out.bytes = bytes, out.texture_dimensions = 2;
  out.active = active;
  return out;
}
const Architecture& hopper() { return *find(90); }

TEST(Texture, SectorsOfAFootprintAreCountedOncePerQuad) {
  access::WarpAccess access = fetch(0xff);
  std::vector<u64> further(3 * warp_size);
  for (u32 lane = 0; lane < 8; ++lane) {
    access.address[lane] = lane * 4; // two quads, 16 bytes each of one sector
    for (u32 t = 0; t < 3; ++t) further[t * warp_size + lane] = lane * 4 + (t + 1) * 128;
  }
  access.further = further;
  Counts counts = count(hopper(), access);
  EXPECT_EQ(counts.requests, 2u);
  EXPECT_EQ(counts.sectors, 2u * 4);
  EXPECT_EQ(counts.ideal_sectors, 2u * 2); // 16 texels of 4 bytes
  EXPECT_EQ(counts.bytes_used, 2u * 64);
}

TEST(Texture, ATexelThatLanesShareIsOne) {
  access::WarpAccess access = fetch(0xf);
  std::vector<u64> further(warp_size);
  for (u32 lane = 0; lane < 4; ++lane) access.address[lane] = lane * 4, further[lane] = lane * 4 + 4;
  access.further = further;
  Counts counts = count(hopper(), access);
  EXPECT_EQ(counts.sectors, 1u);
  EXPECT_EQ(counts.bytes_used, 20u); // five texels
}

TEST(Texture, LanesOutsideFetchNothing) {
  access::WarpAccess access = fetch(full_mask);
  access.address.fill(access::no_texel);
  access.address[0] = 0, access.address[1] = 64;
  Counts counts = count(hopper(), access);
  EXPECT_EQ(counts.instructions, 1u);
  EXPECT_EQ(counts.threads, 32u);
  EXPECT_EQ(counts.requests, 8u);
  EXPECT_EQ(counts.sectors, 2u);
  EXPECT_EQ(counts.bytes_used, 8u);
}

TEST(Texture, FiltersThatReadMuchAreServedByFewerLanes) {
  access::WarpAccess access = fetch(0xf, 16);
  std::vector<u64> further(3 * warp_size, access::no_texel);
  access.further = further;
  access.address = {0, 64, 0, 64}; // two sectors, which each pair of lanes asks for
  EXPECT_EQ(count(hopper(), access).sectors, 4u);
  EXPECT_EQ(count(hopper(), access).requests, 1u);
  access.texel_passes = 2; // components of both halves are used
  EXPECT_EQ(count(hopper(), access).sectors, 8u);
  access.texel_passes = 1, access.bytes = 4;
  EXPECT_EQ(count(hopper(), access).sectors, 2u) << "a quad at once";
  further.resize(7 * warp_size, access::no_texel);
  access.further = further;
  EXPECT_EQ(count(hopper(), access).sectors, 2u) << "between levels, too";
  access.texture_dimensions = 3;
  EXPECT_EQ(count(hopper(), access).sectors, 4u) << "pairs";
  access.bytes = 16, access.address = {0, 0, 0, 0};
  EXPECT_EQ(count(hopper(), access).sectors, 4u) << "each lane by itself";
}

TEST(Texture, AtomicsOfSurfacesAreServedByFourLanes) {
  access::WarpAccess access = fetch(0xff);
  access.space = access::Space::surface;
  EXPECT_EQ(count(hopper(), access).sectors, 1u);
  access.kind = access::Kind::reduction;
  EXPECT_EQ(count(hopper(), access).sectors, 2u);
  EXPECT_EQ(count(hopper(), access).requests, 1u);
}

TEST(Texture, SurfacesAreServedByEightLanes) {
  access::WarpAccess access = fetch(full_mask, 1);
  access.space = access::Space::surface;
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = access::place_in_array(lane, 0, 32);
  EXPECT_EQ(count(hopper(), access).requests, 4u);
  EXPECT_EQ(count(hopper(), access).sectors, 4u);
}

TEST(Texture, ASectorOfAnArrayIsSixteenBytesOfTwoRows) {
  using access::place_in_array;
  for (u64 y : {0, 1})
    for (u64 x = 0; x < 16; ++x) EXPECT_EQ(place_in_array(x, y, 48) / 32, 0u);
  EXPECT_EQ(place_in_array(16, 0, 48) / 32, 1u);
  EXPECT_EQ(place_in_array(0, 2, 48) / 32, 3u);
  EXPECT_EQ(access::slice_in_array(48, 3), 6u * 32);
  EXPECT_EQ(access::slice_in_array(4, 1), 32u);
}

} // namespace
} // namespace warplens::arch
