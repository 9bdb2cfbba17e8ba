// The pictures agree with the counts: as many passes, as many sectors, every lane where it goes.
#include "arch/count.h"
#include "html/picture.h"
#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace warplens::html {
namespace {

using access::Space;
using access::WarpAccess;

WarpAccess lanes(Space space, u32 bytes, u64 stride, u64 base = 0) {
  WarpAccess out;
  out.space = space, out.bytes = static_cast<u8>(bytes), out.active = full_mask;
  for (u32 lane = 0; lane < warp_size; ++lane) out.address[lane] = base + lane * stride;
  return out;
}

WarpAccess random_lanes(Space space, u32 bytes, std::mt19937& random) {
  WarpAccess out = lanes(space, bytes, 0);
  out.active = static_cast<u32>(random()) | 1;
  for (u64& address : out.address) address = random() % 4096 / bytes * bytes;
  return out;
}

u32 lanes_drawn(const Picture& picture) {
  u32 out = 0;
  for (const PictureRow& row : picture.rows)
    for (const CellRun& run : row.runs)
      for (u32 i = 0; i < (run.step != 0 ? run.cells : 1); ++i) out |= run.lanes << i;
  return out;
}

TEST(Picture, NeighboursFillALine) {
  const Picture picture = picture_of(*arch::find(90), lanes(Space::global, 4, 4));
  ASSERT_EQ(picture.rows.size(), 1u);
  EXPECT_EQ(picture.rows[0].used_bytes, 128u);
  EXPECT_EQ(picture.rows[0].moved_bytes, 128u);
  EXPECT_EQ(picture.rows[0].moved_groups, 0xfu);
  ASSERT_EQ(picture.rows[0].runs.size(), 1u); // one run: each cell the next lane's
  EXPECT_EQ(picture.rows[0].runs[0], (CellRun{0, 32, 1, 1}));
}

TEST(Picture, AStrideMovesASectorPerLane) {
  const Picture picture = picture_of(*arch::find(90), lanes(Space::global, 4, 512));
  ASSERT_EQ(picture.rows.size(), 32u);
  for (const PictureRow& row : picture.rows) {
    EXPECT_EQ(row.used_bytes, 4u);
    EXPECT_EQ(row.moved_bytes, 32u);
  }
}

TEST(Picture, OlderHardwareMovesLines) {
  const Picture picture = picture_of(*arch::find(20), lanes(Space::global, 4, 512));
  ASSERT_EQ(picture.rows.size(), 32u);
  EXPECT_EQ(picture.rows[0].moved_bytes, 128u);
}

TEST(Picture, APaddedColumnIsOnePass) {
  EXPECT_EQ(picture_of(*arch::find(90), lanes(Space::shared, 4, 128)).rows.size(), 32u);
  const Picture padded = picture_of(*arch::find(90), lanes(Space::shared, 4, 132));
  ASSERT_EQ(padded.rows.size(), 1u);
  EXPECT_EQ(padded.kind, Picture::Kind::passes);
  EXPECT_EQ(padded.rows[0].used_bytes, 128u);
}

TEST(Picture, ManyLanesOfOneWordAreOneRun) {
  const Picture picture = picture_of(*arch::find(90), lanes(Space::global, 4, 0));
  ASSERT_EQ(picture.rows.size(), 1u);
  EXPECT_EQ(picture.rows[0].runs, (std::vector<CellRun>{{0, 1, full_mask, 0}}));
}

TEST(Picture, DrawsWhatIsCounted) {
  std::mt19937 random(7);
  for (const arch::Architecture* architecture : arch::all())
    for (u32 round = 0; round < 60; ++round) {
      const u32 bytes = 1u << (random() % 5);
      const WarpAccess device = random_lanes(Space::global, bytes, random);
      const Picture sectors = picture_of(*architecture, device);
      EXPECT_EQ(lanes_drawn(sectors), device.active);
      const WarpAccess shared = random_lanes(Space::shared, bytes, random);
      const Picture picture = picture_of(*architecture, shared);
      EXPECT_EQ(lanes_drawn(picture), shared.active);
      if (picture.kind == Picture::Kind::passes) {
        EXPECT_EQ(picture.rows.size(), arch::count(*architecture, shared).wavefronts);
      }
    }
}

TEST(Picture, SectorsOfWordsAreThoseThatAreCounted) {
  std::mt19937 random(8);
  const arch::Architecture& hopper = *arch::find(90);
  for (u32 round = 0; round < 200; ++round) {
    const WarpAccess access = random_lanes(Space::global, 4, random);
    u64 drawn = 0;
    for (const PictureRow& row : picture_of(hopper, access).rows)
      drawn += static_cast<u64>(std::popcount(row.moved_groups));
    EXPECT_EQ(drawn, arch::count(hopper, access).sectors);
  }
}

TEST(Picture, LocalMemoryIsDrawnInterleaved) {
  const Picture together = picture_of(*arch::find(90), lanes(Space::local, 4, 0));
  ASSERT_EQ(together.rows.size(), 1u);
  EXPECT_EQ(together.rows[0].used_bytes, 128u);
}

} // namespace
} // namespace warplens::html
