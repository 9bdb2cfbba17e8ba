// What is promised is what the change that is named would cost: structures stay structures, neighbours stay neighbours, and
// nobody gains what is not wasted.
#include "advise/built.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::advise {
namespace {

// An access of parameter 0 of "k(<type>*, …)", whose lanes are so far apart from a place on.
Built of_array(u64 place, i64 stride, u32 bytes = 4, Kind kind = Kind::load) {
  Built out = site(Space::global, kind, bytes,
                   [=](u32 l) { return 4096 * 64 + place + static_cast<u64>(i64{l} * stride); });
  out.site.site.array = {access::ArrayKind::parameter, "a"};
  return out;
}

// Of the first of them, in a kernel that has them all.
Advice advised(std::vector<Built> all, std::string_view type, const Built* other_array = nullptr) {
  std::vector<Built*> sites;
  u32 line = 1;
  for (Built& one : all) one.site.site.frames = {{"a.cu", line++, 3, ""}}, sites.push_back(&one);
  Built copy;
  if (other_array != nullptr) {
    copy = *other_array, copy.site.site.array = {access::ArrayKind::parameter, "b", 1};
    sites.push_back(&copy);
  }
  measure::LaunchRecord launch = launch_of(sites);
  launch.name = "k(" + std::string(type) + " const*, " + std::string(type) + "*)";
  const std::vector<Advice> list = advise_in(all[0], launch);
  return list.empty() ? Advice() : list[0];
}

std::vector<Built> at(std::vector<u64> places, i64 stride, u32 bytes) {
  std::vector<Built> out;
  for (const u64 place : places) out.push_back(of_array(place, stride, bytes));
  return out;
}

// In the other order of indices neighbouring lanes are in neighbouring structures.
TEST(Gains, StructuresStayInTheOtherOrderOfIndices) {
  struct Case {
    std::vector<u64> places;
    i64 row;
    u32 bytes;
    u64 sectors; // per request, after it
  };
  for (const Case& c : {Case{{0, 8}, 1264, 8, 16},                                    // double x, y
                        Case{{0, 4, 16}, 192, 4, 24},                                 // some of 24 bytes
                        Case{{0, 4, 16, 24, 28, 40, 48, 52, 64}, 1200, 4, 24},        // in a loop, unrolled
                        Case{{0, 1, 2}, 1536, 1, 3},                                  // a pixel
                        Case{{0, 1, 2, 6, 7, 8, 12, 13, 14, 18, 19, 20}, 1536, 1, 6}, // every second one
                        Case{{0}, 1536, 4, 4}}) {                                     // nothing tells
    const Advice advice = advised(at(c.places, c.row, c.bytes), "particle");
    EXPECT_NE(advice.change.find("swap the index order"), std::string::npos) << advice.change;
    EXPECT_EQ(advice.after.sectors, 100 * c.sectors) << c.row << " " << c.places.size();
    EXPECT_EQ(advised(at(c.places, c.row, c.bytes), "float").after.sectors, 100 * c.bytes) << "of numbers";
  }
}

TEST(Gains, LanesThatLeaveStructuresOutStillDo) {
  EXPECT_EQ(advised(at({2, 5}, 6, 1), "pixel").after.sectors, 200u) << "b of every two pixels";
  EXPECT_EQ(advised(at({0, 12}, 24, 4), "vec").after.sectors, 800u) << "x of every two vectors of 12 bytes";
  EXPECT_EQ(advised(at({0, 4, 8}, 24, 4), "vec").after.sectors, 400u) << "a structure of 24 bytes";
  const std::vector<Built> pixels = at({0, 1, 2, 3, 4, 5}, 6, 1);
  EXPECT_EQ(advised(pixels, "pixel").after.sectors, 100u);
  const Built result = of_array(0, 3, 1, Kind::store);
  EXPECT_EQ(advised(pixels, "pixel", &result).after.sectors, 200u) << "the result has pixels of 3 bytes";
}

// A position that is stored and a velocity that is only loaded are no two structures.
TEST(Gains, WhatIsStoredTellsOneStructureFromTwo) {
  std::vector<Built> all = at({0, 4, 8, 16, 20, 24}, 32, 4);
  EXPECT_EQ(advised(all, "particle").after.sectors, 800u) << "nothing tells";
  for (const u64 place : {0, 4, 8}) all.push_back(of_array(place, 32, 4, Kind::store));
  EXPECT_EQ(advised(all, "particle").after.sectors, 400u);
  std::swap(all.front(), all.back());
  EXPECT_EQ(advised(all, "particle").after.sectors, 400u) << "of the store";
  for (const u64 place : {16, 20, 24}) all.push_back(of_array(place, 32, 4, Kind::store));
  EXPECT_EQ(advised(all, "particle").after.sectors, 800u) << "two that are moved alike";
}

TEST(Gains, ANeighboursMemberIsNoAlignedOne) {
  EXPECT_EQ(advised(at({96}, 3, 1), "pixel").after.sectors, 100u);
  for (const u64 place : {93, 99}) // a pixel to the left, to the right
    EXPECT_EQ(advised(at({place, 96}, 3, 1), "pixel").after.sectors, 200u) << place;
  EXPECT_EQ(advised(at({264}, 8, 4), "float").after.sectors, 500u);
  EXPECT_EQ(advised(at({256 + 31 * 8}, -8, 4), "float").after.sectors, 400u);
  EXPECT_EQ(advised(at({256 + 32 * 8}, -8, 4), "float").after.sectors, 500u);
}

// y[c*rows + r] = q[r*cols + c] by threads of one row: in the other order y is strided.
TEST(Gains, WhatMovesTheWasteToTheOtherSideIsNotProposed) {
  for (const u32 bytes : {1u, 4u}) {
    Built down = of_array(0, 384 * bytes, bytes);
    down.site.distribution.classes[0].starts = 1u | 1u << bytes;
    const Built along = of_array(0, 4, 4, Kind::store);
    const Advice tile = advised({down}, "float", &along);
    EXPECT_EQ(tile.change.find("swap"), std::string::npos) << tile.change;
    EXPECT_NE(tile.change.find("load a tile"), std::string::npos) << tile.change;
    down.site.distribution.classes[0].starts = 1; // nobody reads what lies in between: a tile would, in vain
    EXPECT_EQ(advised({down}, "float", &along).change.find("read it there by column"), std::string::npos);
  }
}

TEST(Gains, ATableThatIsComputedByDiagonals) {
  constexpr i64 cell = 4;
  struct Case {
    i64 row, stride;
    std::vector<i64> read;
  };
  for (const Case& c : {Case{1204, 1200, {-1204, -4, -1208}},  // sequence alignment
                        Case{1204, -1200, {-1204, -4, -1208}}, // by the other index
                        Case{1204, 1208, {1204, -4, 1200}}}) { // intervals: of [i, j] those within
    u64 after = 0;
    std::vector<Built> all{of_array(8192, c.stride, cell, Kind::store)};
    for (const i64 place : c.read) all.push_back(of_array(8192 + static_cast<u64>(place), c.stride, cell));
    for (std::size_t first = 0; first < all.size(); ++first) {
      const Advice advice = advised(all, "int");
      EXPECT_NE(advice.change.find("by diagonals"), std::string::npos) << c.stride << " " << advice.change;
      EXPECT_EQ(advice.change.find("swap"), std::string::npos);
      after += advice.after.sectors;
      std::rotate(all.begin(), all.begin() + 1, all.end());
    }
    EXPECT_EQ(after, 100u * (4 + 4 + 5 + 5)) << c.stride << ": two of them a cell off";
  }
  // Loops along a row that are unrolled: the row above is as far off as a cell of the own row, up to the period.
  for (const i64 row : {800, 1312, 544}) {
    std::vector<Built> own{of_array(8192, row, 8, Kind::store)};
    for (const u64 place : {8184u, 8200u, 8208u, 8216u, 8224u}) own.push_back(of_array(place, row, 8));
    EXPECT_EQ(advised(own, "double").change.find("by diagonals"), std::string::npos) << row;
  }
  // Along a column, from the cell beside and the one above that.
  std::vector<Built> column{of_array(8192, 1200, cell, Kind::store), of_array(8188, 1200, cell),
                            of_array(8192 - 1204, 1200, cell)};
  EXPECT_EQ(advised(column, "int").change.find("by diagonals"), std::string::npos);
}

// What a block reads again may stay in the L1 in another order, but not if it is much more than what would be gained.
TEST(Gains, WhatIsReadAgainKeepsItsOrderToo) {
  for (const i64 side_by_side : {4, -4}) { // members of 2 bytes
    Built down = of_array(0, 4096, 8, Kind::store), along = of_array(0, side_by_side, 2);
    along.site.distribution.first_block.requests = 64, along.site.distribution.first_block.sectors = 256;
    along.site.distribution.first_block.distinct_sectors = 32;
    for (const u64 times : {1, 32}) {
      Built much = along;
      much.site.counters[0] = much.site.counters[0] * times;
      measure::LaunchRecord launch;
      const Advice advice = advised({down}, "float2", &much);
      EXPECT_EQ(advice.change.find("The kernel's other accesses are coalesced") != std::string::npos,
                times == 32)
          << advice.change;
    }
  }
}

// One column of rows of 72 bytes: each sector is asked for once, and a tile of whole rows has more of them.
TEST(Gains, NoTileOfRowsThatABlockHardlyUses) {
  for (const i64 row : {72, 800}) {
    Built column = of_array(0, row, 8);
    measure::FirstBlock& block = column.site.distribution.first_block;
    block.requests = 256, block.sectors = block.distinct_sectors = 8192;
    for (const u64 turns : {1, 32}) {
      Built again = column;
      again.site.counters[0] = again.site.counters[0] * turns;
      const Advice advice = advised({again}, "double");
      EXPECT_EQ(advice.change.find("tile"), std::string::npos) << advice.change;
      EXPECT_NE(advice.change.find(fmt::format("a[k*count + i] instead of a[{}*i + k]", row / 8)),
                std::string::npos)
          << advice.change;
      EXPECT_EQ(advice.change.find("threadIdx.x") == std::string::npos, turns == 32) << "a loop runs there";
      Built along = of_array(0, 8, 8);
      along.site.counters[0] = along.site.counters[0] * turns;
      EXPECT_EQ(advised({again}, "double", &along).change.find("load a tile"), std::string::npos);
    }
  }
}

TEST(Gains, AVectorThatIsMovedInPartsIsSaidInItsType) {
  EXPECT_NE(
      advised(at({0, 16}, 32, 16), "double4").change.find("2 arrays of double2 instead of one of double4"),
      std::string::npos);
  EXPECT_NE(advised(at({24}, 32, 8), "double4").change.find("4 arrays of double "), std::string::npos);
  EXPECT_NE(advised(at({0}, 16, 8), "float4").change.find("2 arrays of float2"), std::string::npos);
  EXPECT_EQ(advised(at({0, 16}, 32, 16), "particle").change.find("arrays of double"), std::string::npos);
}

// A tile with its halo: ten bytes of each row.
TEST(Gains, RowsThatAreWholeSectorsApartNeedNoOtherStart) {
  for (const u64 row : {256u, 96u, 72u}) {
    Built halo = site(Space::global, Kind::load, 1,
                      [=](u32 l) { return 4096 + 31 + (l + 4) / 10 * row + (l + 4) % 10; });
    const std::vector<Advice> list = advise(halo.site, halo.context);
    ASSERT_FALSE(list.empty());
    EXPECT_EQ(list[0].change.find("begin rows at") != std::string::npos, row == 72) << list[0].change;
  }
}

Built rows(u64 place, u64 gap, Kind kind = Kind::load) {
  Built out = site(Space::global, kind, 8, [=](u32 l) { return place + l / 8 * gap + l % 8 * 8; });
  out.site.site.array = {access::ArrayKind::parameter, kind == Kind::load ? "q" : "qn"};
  return out;
}

// Blocks of 8 cells in rows of 10, with a ghost cell on either side.
TEST(Gains, LongerRowsGainNoMoreThanIsWasted) {
  Built store = rows(888, 80, Kind::store), middle = rows(888, 80), left = rows(880, 80),
        right = rows(896, 80);
  for (Built* one : {&middle, &left, &right}) one->site.site.frames = {{"a.cu", 13, 3, ""}};
  const measure::LaunchRecord launch = launch_of({&store, &middle, &left, &right});
  auto of = [&](const Built& one) {
    for (const Advice& advice : advise_in(one, launch))
      if (advice.rule == findings::Rule::misaligned_access) return advice;
    return Advice();
  };
  EXPECT_EQ(of(store).before.sectors, 1100u);
  EXPECT_EQ(of(store).after.sectors, 800u) << "of which none is wasted";
  EXPECT_NE(of(store).change.find("behind ghost cells"), std::string::npos);
  measure::LaunchRecord narrow = launch;
  narrow.block = {8, 8, 8};
  for (const Advice& advice : advise_in(store, narrow))
    EXPECT_EQ(advice.change.find("threads wide"), std::string::npos) << "the array's rows are no wider";
  EXPECT_EQ(of(left).gain(), 1.0) << "two of the three begin a cell off the middle: 8 + 12 + 12 of 11 each";
}

TEST(Gains, RowsThatBeginWithSectorsAreNotToBeMoved) {
  for (const u32 active : {0x00110009u, 0x80011001u, 0x00880101u}) {
    access::WarpAccess access{{.kind = Kind::store, .bytes = 4}, active};
    for (u32 l = 0; l < warp_size; ++l) access.address[l] = l / 16 * 384 + l % 16 * 4;
    Built some = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
    some.site.distribution.classes = {measure::class_of(access, 100, *some.context.architecture)};
    some.site.counters[0] = some.site.distribution.classes[0].counts;
    some.site.pattern = measure::pattern_of(some.site.distribution);
    for (const Advice& advice : advise(some.site, some.context))
      EXPECT_EQ(advice.change.find("begin rows"), std::string::npos) << advice.change;
  }
}

// Leaders of groups: of each warp the same lanes, whatever they cost.
TEST(Gains, FewLanesOfAllWarpsFillOneWarpOfTheBlock) {
  for (const Kind kind : {Kind::store, Kind::reduction}) {
    Built some = site(Space::global, kind, 4, [](u32 l) { return u64{l} * 4; });
    some.site.distribution.classes.clear(), some.site.counters[0] = {};
    for (const u64 start : {0u, 24u}) { // one sector, and two
      access::WarpAccess access{{.kind = kind, .bytes = 4}, 0x01010101};
      for (u32 l = 0; l < warp_size; ++l) access.address[l] = start + l / 8 * 4;
      some.site.distribution.classes.push_back(measure::class_of(access, 512, *some.context.architecture));
      some.site.counters[0] += some.site.distribution.classes.back().counts;
    }
    some.site.pattern = measure::pattern_of(some.site.distribution);
    EXPECT_EQ(some.site.distribution.classes[0].shape.form, measure::Form::with_gaps)
        << "in order, not permuted";
    measure::LaunchRecord launch = launch_of({&some});
    launch.grid = {256, 1, 1}, launch.block = {128, 1, 1};
    const std::vector<Advice> list = advise_in(some, launch);
    const auto found = std::ranges::find(list, findings::Rule::divergent_access, &Advice::rule);
    ASSERT_EQ(found == list.end(), kind == Kind::reduction) << "one lane adds for others";
    if (found != list.end()) {
      EXPECT_EQ(found->after.instructions, 256u);
    }
  }
}

// What a block clears of its copy, and does not update, it need not add up.
TEST(Gains, ACopyOfATableAddsUpWhatWasUpdated) {
  Built atomic = site(Space::global, Kind::reduction, 4, [](u32 l) { return u64{l * 37 % 64} * 128; });
  measure::FirstBlock& block = atomic.site.distribution.first_block;
  block.requests = 100, block.lanes = 3200, block.sectors = 3200, block.words = 400, block.span = 900;
  const Advice copies = advise(atomic.site, atomic.context).at(0);
  EXPECT_NE(copies.change.find("Skip the words of a copy that nobody updated"), std::string::npos)
      << copies.change;
  EXPECT_EQ(copies.after.threads, 400u);
}

// A row for each warp: what all lanes read together in each turn, they then read along the row, too.
TEST(Gains, WhatRowsForWarpsCostBeside) {
  Built row = of_array(0, 512, 1);
  measure::FirstBlock& block = row.site.distribution.first_block;
  block.requests = 100, block.sectors = 3200, block.distinct_sectors = 800;
  block.rows = 32, block.row_elements = 32 * 100, block.row_lanes = 32;
  block.by_rows.sectors = block.by_rows.instructions = block.by_rows.requests = 100;
  Built query = site(Space::global, Kind::load, 4, [](u32) { return u64{64}; });
  query.site.site.array = {access::ArrayKind::parameter, "q", 1};
  measure::LaunchRecord launch = launch_of({&row, &query});
  launch.grid = {1, 1, 1}; // of one warp, which is in a loop
  Advice advice = only(advise_in(row, launch));
  EXPECT_NE(advice.change.find("to a warp"), std::string::npos) << advice.change;
  EXPECT_EQ(advice.lost_beside, 300u) << "4 sectors in each request, where 1 is now";
  EXPECT_NE(advice.change.find("then read q side by side"), std::string::npos) << advice.change;
  // Two rows that one loop walks along share what the loop loses.
  Built second = row;
  second.site.site.array = {access::ArrayKind::parameter, "b", 2};
  measure::LaunchRecord both = launch_of({&row, &query, &second});
  both.grid = {1, 1, 1};
  EXPECT_EQ(only(advise_in(row, both)).lost_beside, 150u);
  EXPECT_EQ(only(advise_in(second, both)).lost_beside, 150u);
  // A packed word, for which a turn reads several elements: they lie as far apart.
  for (const u64 elements : {2, 8}) {
    std::vector<Built> parts;
    for (u64 k = 0; k < elements; ++k) {
      parts.push_back(site(Space::global, Kind::load, 4, [=](u32) { return 64 + 4 * k; }));
      parts[k].site.site.array = query.site.site.array, parts[k].site.site.frames = {{"a.cu", 9, 3, ""}};
    }
    std::vector<Built*> all{&row};
    for (Built& part : parts) all.push_back(&part);
    measure::LaunchRecord packed = launch_of(all);
    packed.grid = {1, 1, 1};
    const Advice loses = only(advise_in(row, packed));
    if (elements == 2) {
      EXPECT_EQ(loses.lost_beside, 2u * 700) << "8 sectors in each request, where 1 is now";
      EXPECT_NE(loses.change.find("then read q some elements apart"), std::string::npos) << loses.change;
    } else {
      EXPECT_NE(loses.change.find("[k*count + i]"), std::string::npos)
          << "8 * 31 more, 28 fewer: " << loses.change;
      EXPECT_EQ(loses.lost_beside, 0u);
    }
  }
  query.site.distribution.first_block.requests = 10, query.site.distribution.first_block.again = 9;
  launch.sites[1] = query.site;
  EXPECT_EQ(only(advise_in(row, launch)).lost_beside, 0u) << "the same in all turns";
}

// Over all rules: what lanes ask for after a change has to come.
TEST(Gains, NobodyGainsMoreThanIsWasted) {
  u32 checked = 0;
  for (const Kind kind : {Kind::load, Kind::store, Kind::reduction})
    for (const u32 bytes : {1u, 2u, 4u, 8u, 16u})
      for (const u64 step : {0u, 1u, 2u, 3u, 4u, 5u, 12u, 80u, 301u})
        for (const u64 gap : {0u, 1u, 9u, 10u, 17u, 300u})
          for (const u32 lanes : {4u, 8u, 16u, 32u})
            for (const u64 start : {0u, 1u, 3u}) {
              Built one = site(Space::global, kind, bytes,
                               [=](u32 l) { return (start + l % lanes * step + l / lanes * gap) * bytes; });
              measure::FirstBlock& block = one.site.distribution.first_block;
              if (start == 3) // rows of threads, words that are met again
                block = {.requests = 64,
                         .sectors = 2048,
                         .distinct_sectors = 1,
                         .rows = 32,
                         .row_elements = 2048,
                         .row_lanes = 32,
                         .by_rows = {.instructions = 1},
                         .lanes = 2048,
                         .words = 8,
                         .span = 8};
              measure::LaunchRecord launch = launch_of({&one});
              launch.block = {lanes, 8, 1};
              for (const Advice& advice : advise_in(one, launch)) {
                if (advice.metric != Metric::sectors) continue;
                ++checked;
                if (!advice.asks_for_less) {
                  EXPECT_GE(32 * advice.after.sectors, advice.before.bytes_used) << advice.change;
                }
                if (!advice.lanes || advice.gain() == 1.0) continue;
                EXPECT_GE(advice.after.sectors,
                          arch::count(*one.context.architecture, *advice.lanes).ideal_sectors * 100)
                    << advice.change;
              }
            }
  EXPECT_GT(checked, 1000u);
}

} // namespace
} // namespace warplens::advise
