// Accesses as machine code has them (src/measure/as_assembled.h): the same for both forms, and untouched where the site has no mark.
#include "base/bits.h"
#include "measure/as_assembled.h"
#include <gtest/gtest.h>
#include <tuple>

namespace warplens::measure {
namespace {

using access::AffineAccess;
using access::Assembled;
using access::AtomicForm;
using access::Kind;
using access::LaneBatch;
using access::Site;
using access::SiteId;
using access::Space;

// What a warp does: site, warp, kind of access, lanes, bytes, address of the last lane, form of an atomic.
using Seen = std::tuple<u32, u64, Kind, u32, u32, u64, AtomicForm>;

struct Recorder final : access::Sink {
  std::vector<Seen> seen;
  void add(const access::WarpAccess& warp, u64 number) {
    if (warp.active == 0) return;
    const u64 last = warp.address[31u - static_cast<u32>(std::countl_zero(warp.active))];
    seen.emplace_back(warp.site.value, number, warp.kind, warp.active, warp.bytes, last, warp.atomic);
  }
  void lanes(const LaneBatch& batch) override {
    const u64 first = batch.cta * batch.cta_warps;
    for (u32 w = 0; w < batch.active.size(); ++w) add(access::warp_of(batch, w), first + w);
  }
  void affine(const AffineAccess& access) override {
    const u32 warps = static_cast<u32>(ceil_div(access.block.count(), warp_size));
    for (u64 k = 0; k < access.count; ++k)
      for (u32 w = 0; w < warps; ++w)
        add(access::expand(access::cta_of(access, k), w), (access.cta + k) * warps + w);
  }
};

Site site(u32 id, Assembled how, u8 bytes = 4, i8 begins = 0) {
  Site out;
  out.id = SiteId(id);
  out.assembled = how;
  out.bytes = bytes;
  out.begins = begins;
  out.loop_load = SiteId(9u);
  return out;
}

// Two blocks of 48 threads, and two threads to a word.
AffineAccess pairs(SiteId id, Space space) {
  AffineAccess out{{.site = id, .space = space, .kind = Kind::atomic, .bytes = 4}};
  out.cta = 3, out.count = 2, out.base = 1024, out.stride = {2, 0, 0}, out.block = {48, 1, 1};
  out.cta_stride = 512;
  return out;
}

// The same as addresses. Lanes of a pair lie a half word apart: one word to who compares words.
struct WrittenOut {
  std::vector<u32> active{full_mask, 0xffff, full_mask, 0xffff};
  std::vector<u64> address;
  LaneBatch batch;
  explicit WrittenOut(const AffineAccess& access) : batch{static_cast<const access::AccessHeader&>(access)} {
    for (u64 k = 0; k < 2; ++k)
      for (u64 thread = 0; thread < 64; ++thread) address.push_back(1024 + 512 * k + 2 * thread);
    batch.cta = access.cta, batch.active = active, batch.address = address.data(), batch.cta_warps = 2;
  }
};

std::vector<Seen> through(const std::vector<Site>& sites, const auto& hand_over) {
  std::vector<u32> index;
  for (u32 i = 0; i < sites.size(); ++i) index.push_back(i);
  Recorder recorder;
  AsAssembled sink(recorder, index, sites);
  hand_over(sink);
  return recorder.seen;
}

// Both forms, which must agree.
std::vector<Seen> of(const Site& marked, Space space = Space::global) {
  const AffineAccess access = pairs(SiteId(0u), space);
  const WrittenOut lanes(access);
  std::vector<Seen> closed = through({marked}, [&](access::Sink& sink) { sink.affine(access); });
  EXPECT_EQ(closed, through({marked}, [&](access::Sink& sink) { sink.lanes(lanes.batch); }));
  return closed;
}

TEST(AsAssembled, SitesWithoutAMarkAreLeftAsTheyAre) {
  Recorder plain;
  plain.affine(pairs(SiteId(0u), Space::global));
  ASSERT_EQ(plain.seen.size(), 4u);
  for (Assembled how : {Assembled::as_written, Assembled::if_taken, Assembled::unless_taken}) {
    EXPECT_FALSE(AsAssembled::changes(std::vector{site(0, how)}));
    EXPECT_EQ(of(site(0, how)), plain.seen);
  }
  EXPECT_EQ(of(site(0, Assembled::looped), Space::global), plain.seen); // loops are for shared memory
}

TEST(AsAssembled, AWidenedAccessBeginsElsewhereAndIsWider) {
  const std::vector<Seen> plain = of(site(0, Assembled::as_written));
  std::vector<Seen> wide = of(site(0, Assembled::widened, 16, -8));
  ASSERT_EQ(wide.size(), plain.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    EXPECT_EQ(std::get<4>(wide[i]), 16u);
    EXPECT_EQ(std::get<5>(wide[i]), std::get<5>(plain[i]) - 8);
  }
}

TEST(AsAssembled, WhatIsPartOfAnotherAccessIsNotHandedOn) {
  EXPECT_TRUE(of(site(0, Assembled::elsewhere)).empty());
}

TEST(AsAssembled, OneLaneOfEachWarpIsItsLast) {
  const std::vector<Seen> seen = of(site(0, Assembled::one_lane));
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(std::get<3>(seen[0]), u32{1} << 31);
  EXPECT_EQ(std::get<3>(seen[1]), u32{1} << 15); // the second warp of a block has 16 threads
}

TEST(AsAssembled, CombinedIsSaidInTheHeader) {
  for (const Seen& one : of(site(0, Assembled::combined), Space::shared))
    EXPECT_EQ(std::get<6>(one), AtomicForm::combined);
}

TEST(AsAssembled, ALoopServesOneLaneOfAWordATurn) {
  LaneBatch batch{{.site = SiteId(0u), .space = Space::shared, .kind = Kind::atomic, .bytes = 4}};
  std::vector<u32> active{0xff};
  std::vector<u64> address(32);
  for (u32 lane = 0; lane < 8; ++lane)
    address[lane] = lane / 2 * 4; // pairs; the last two of them share a word
  address[5] = address[4] = address[7];
  batch.active = active, batch.address = address.data(), batch.cta_warps = 1;
  const std::vector<Seen> seen =
      through({site(0, Assembled::looped)}, [&](access::Sink& sink) { sink.lanes(batch); });
  ASSERT_EQ(seen.size(), 8u); // four turns of a load and an atomic
  std::vector<u32> lanes;
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    EXPECT_EQ(std::get<0>(seen[i]), 9u);
    EXPECT_EQ(std::get<2>(seen[i]), Kind::load);
    EXPECT_EQ(std::get<6>(seen[i + 1]), AtomicForm::cast);
    EXPECT_EQ(std::get<3>(seen[i]), std::get<3>(seen[i + 1]));
    lanes.push_back(std::get<3>(seen[i]));
  }
  EXPECT_EQ(lanes, (std::vector<u32>{0xff, 0b01110101, 0b00110000, 0b00010000}));
  of(site(0, Assembled::looped), Space::shared); // both forms agree
}

} // namespace
} // namespace warplens::measure
