// What is followed of a launch's first block, on accesses whose rows and repetitions are known.
#include "arch/table.h"
#include "measure/collect.h"
#include <gtest/gtest.h>

namespace warplens::measure {
namespace {

using access::AffineAccess;
using access::LaneBatch;
using access::Site;
using access::SiteId;

constexpr u64 start = 1 << 20;
const arch::Architecture* const hopper[] = {arch::find(90)};

std::vector<Site> one_place(u32 sites) {
  std::vector<Site> out(sites);
  for (u32 i = 0; i < sites; ++i) {
    out[i].id = SiteId(i), out[i].opcode = "ld.global.f32";
    out[i].frames = {{"a.cu", 3, 5, ""}};
  }
  return out;
}

AffineAccess row_of(u64 base, u64 cta, u32 site = 0) {
  AffineAccess out{{.site = SiteId(site)}};
  out.cta = cta, out.base = base, out.stride = {4, 0, 0}, out.block = {32, 8, 1};
  return out;
}

TEST(FirstBlock, EightWarpsThatReadOneRow) {
  std::vector<Site> sites = one_place(1);
  Collector collector(hopper, sites, 2);
  auto sinks = collector.sinks();
  for (u64 k = 0; k < 10; ++k) {
    sinks[0]->affine(row_of(start + 4096 * k, 0));
    sinks[1]->affine(row_of(start + 4096 * k, 7)); // another block
  }
  FirstBlock block = collector.finish()[0].distribution.first_block;
  EXPECT_EQ(block.requests, 80u);
  EXPECT_EQ(block.sectors, 320u);
  EXPECT_EQ(block.distinct_sectors, 40u);
  EXPECT_EQ(block.row_lanes, 0u) << "no thread walks";
}

// Each warp asks twice for what it asked for, then for what begins an element further, then for something else.
TEST(FirstBlock, StepsOfWarps) {
  std::vector<Site> sites = one_place(1);
  Collector collector(hopper, sites, 1);
  for (u64 at : {start, start, start, start + 4, start + 65536}) collector.sinks()[0]->affine(row_of(at, 0));
  const FirstBlock block = collector.finish()[0].distribution.first_block;
  EXPECT_EQ(block.requests, 5 * 8u);
  EXPECT_EQ(block.again, 2 * 8u);
  EXPECT_EQ(block.beside, 8u);
}

// The copies of an unrolled loop are one place: what one of them loaded, another does not load anew.
TEST(FirstBlock, AnUnrolledLoopIsOnePlace) {
  std::vector<Site> sites = one_place(2);
  sites.push_back(sites[0]);
  sites[2].id = SiteId(2u), sites[2].frames = {{"a.cu", 4, 5, ""}};
  Collector collector(hopper, sites, 1);
  access::Sink* sink = collector.sinks()[0];
  for (u32 site : {1u, 0u, 2u}) sink->affine(row_of(start, 0, site));
  std::vector<SiteRecord> records = collector.finish();
  EXPECT_EQ(records[0].distribution.first_block.requests, 16u);
  EXPECT_EQ(records[0].distribution.first_block.distinct_sectors, 4u);
  EXPECT_EQ(records[1].distribution.first_block, records[0].distribution.first_block);
  EXPECT_EQ(records[2].distribution.first_block.requests, 8u);
}

// Thread t walks along 4 + t % 3 elements from t·256 bytes on: 5 on average, so that 8 lanes share a row.
TEST(FirstBlock, RowsOfThreads) {
  std::vector<Site> sites = one_place(1);
  Collector collector(hopper, sites, 1);
  for (u32 step = 0; step < 6; ++step) {
    u32 active = 0;
    std::vector<u64> address(warp_size);
    for (u32 lane = 0; lane < warp_size; ++lane) {
      address[lane] = start + lane * 256 + step * 4;
      if (step < 4 + lane % 3) active |= u32{1} << lane;
    }
    collector.sinks()[0]->lanes(LaneBatch{{.site = SiteId(0u)}, 0, {&active, 1}, address.data()});
  }
  FirstBlock block = collector.finish()[0].distribution.first_block;
  EXPECT_EQ(block.rows, 32u);
  EXPECT_EQ(block.row_elements, 32u * 5 - 1);
  EXPECT_EQ(block.row_lanes, 8u);
  EXPECT_EQ(block.by_rows.instructions, 8u) << "four rows at once";
  EXPECT_EQ(block.by_rows.sectors, 32u);
  EXPECT_EQ(block.sectors, 32u * 5 - 1);
}

// Machine code loads the elements of an unrolled loop in an order of its own.
TEST(FirstBlock, RowsOfThreadsThatUpdateThem) {
  for (const access::Kind kind : {access::Kind::reduction, access::Kind::atomic, access::Kind::store}) {
    std::vector<Site> sites = one_place(1);
    sites[0].kind = kind;
    Collector collector(hopper, sites, 1);
    for (u64 turn = 0; turn < 16; ++turn) {
      AffineAccess update{{.site = SiteId(0u), .kind = kind}};
      update.base = start + turn * 4, update.stride = {64, 0, 0}, update.block = {32, 1, 1};
      collector.sinks()[0]->affine(update);
    }
    const FirstBlock block = collector.finish()[0].distribution.first_block;
    EXPECT_EQ(block.words, 512u);
    EXPECT_EQ(block.rows, 32u);
    EXPECT_EQ(block.by_rows.sectors, 64u);
  }
}

TEST(FirstBlock, RowsThatAreReadInAnyOrder) {
  for (const std::vector<u32>& order :
       {std::vector<u32>{1, 0, 3, 2}, {3, 2, 1, 0}, {2, 0, 3, 1}, {0, 2, 1, 3}}) {
    std::vector<Site> sites = one_place(1);
    Collector collector(hopper, sites, 1);
    const u32 active = full_mask;
    std::vector<u64> address(warp_size);
    for (u32 turn = 0; turn < 10; ++turn)
      for (u32 step : order) {
        for (u32 lane = 0; lane < warp_size; ++lane)
          address[lane] = start + lane * 256 + (turn * 4 + step) * 4;
        collector.sinks()[0]->lanes(LaneBatch{{.site = SiteId(0u)}, 0, {&active, 1}, address.data()});
      }
    const FirstBlock block = collector.finish()[0].distribution.first_block;
    EXPECT_EQ(block.rows, 32u) << order[0];
    EXPECT_EQ(block.row_elements, 32u * 40);
    EXPECT_EQ(block.row_lanes, 32u);
  }
}

// Elements that are left out between others, and are not read later, are none of the row.
TEST(FirstBlock, RowsHaveNoGaps) {
  std::vector<Site> sites = one_place(1);
  Collector collector(hopper, sites, 1);
  const u32 active = full_mask;
  std::vector<u64> address(warp_size);
  for (u32 element : {0, 1, 2, 5, 6, 7, 100, 101, 102}) {
    for (u32 lane = 0; lane < warp_size; ++lane) address[lane] = start + lane * 1024 + element * 4;
    collector.sinks()[0]->lanes(LaneBatch{{.site = SiteId(0u)}, 0, {&active, 1}, address.data()});
  }
  const FirstBlock block = collector.finish()[0].distribution.first_block;
  EXPECT_EQ(block.rows, 32u * 3);
  EXPECT_EQ(block.row_elements, 32u * 9);
}

TEST(FirstBlock, AWarpIsFollowedUpToALimit) {
  std::vector<Site> sites = one_place(1);
  Collector collector(hopper, sites, 1);
  for (u64 k = 0; k < 10000; ++k) collector.sinks()[0]->affine(row_of(start + 128 * k, 0));
  std::vector<SiteRecord> records = collector.finish();
  FirstBlock block = records[0].distribution.first_block;
  EXPECT_EQ(block.sectors, 8u * 8192);
  EXPECT_EQ(block.distinct_sectors, 8192u);
  EXPECT_EQ(records[0].counters[0].requests, 80000u);
}

// Two warps store to and update a word each of every line, in turn: in the order of the addresses eight share a sector.
TEST(FirstBlock, WordsThatTheDataChoose) {
  for (access::Kind kind : {access::Kind::store, access::Kind::reduction}) {
    std::vector<Site> sites = one_place(1);
    sites[0].kind = kind;
    Collector collector(hopper, sites, 1);
    const u32 active[] = {full_mask, full_mask};
    std::vector<u64> address(2 * warp_size);
    for (u32 turn = 0; turn < 3; ++turn) {
      for (u32 lane = 0; lane < address.size(); ++lane)
        address[lane] = start + turn % 2 * 4096 + lane % 8 * 128 + lane / 8 * 4;
      collector.sinks()[0]->lanes(LaneBatch{{.site = SiteId(0u), .kind = kind}, 0, active, address.data()});
    }
    FirstBlock block = collector.finish()[0].distribution.first_block;
    EXPECT_EQ(block.requests, 6u);
    EXPECT_EQ(block.sectors, 6u * 8);
    EXPECT_EQ(block.lanes, 3u * 64);
    EXPECT_EQ(block.words, 128u) << "the third time those of the first";
    EXPECT_EQ(block.span, (4096u + 7 * 128 + 7 * 4) / 4 + 1);
    EXPECT_EQ(block.by_address.requests, kind == access::Kind::store ? 6u : 0u);
    EXPECT_EQ(block.by_address.sectors, kind == access::Kind::store ? 24u : 0u);
    EXPECT_EQ(block.rows, 0u);
  }
}

TEST(FirstBlock, OtherBlocksAreNotFollowedAndStoresAreInEitherForm) {
  std::vector<Site> sites = one_place(2);
  sites[1].frames = {{"a.cu", 4, 5, ""}}, sites[1].kind = access::Kind::store;
  Collector collector(hopper, sites, 1);
  collector.sinks()[0]->affine(row_of(start, 3));
  AffineAccess store = row_of(start, 0, 1);
  store.kind = access::Kind::store;
  collector.sinks()[0]->affine(store);
  std::vector<SiteRecord> records = collector.finish();
  EXPECT_EQ(records[0].distribution.first_block, FirstBlock{});
  EXPECT_EQ(records[1].distribution.first_block.lanes, store.block.count());
}

} // namespace
} // namespace warplens::measure
