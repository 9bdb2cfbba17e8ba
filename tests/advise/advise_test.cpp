// Each rule on a site built from a known access: which advice, and the counts before and after.
#include "advise/built.h"
#include <fstream>
#include <nlohmann/json.hpp>

namespace warplens::advise {
namespace {

TEST(Advise, Strided) {
  expect(site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4096; }), "uncoalesced-load", 3200,
         400);
  expect(site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 12; }), "uncoalesced-store", 1200,
         400);
}

TEST(Advise, ALaunchKnowsItsAccessesByTheirStride) {
  measure::LaunchRecord launch;
  for (u32 i = 0; i < 7; ++i)
    launch.sites.push_back(site(Space::global, Kind::load, 4, [&](u32 l) {
                             return u64{i % 2 == 0 ? l : 31 - l} * (i % 3 + 1) * 4;
                           }).site);
  launch.sites[3].distribution.classes.clear(); // never ran
  const Launch indexed(launch);
  using Sites = std::vector<const measure::SiteRecord*>;
  EXPECT_EQ(indexed.of_stride(4), (Sites{&launch.sites[0], &launch.sites[6]}));
  EXPECT_EQ(indexed.of_stride(8), (Sites{&launch.sites[1], &launch.sites[4]})) << "down as well as up";
  EXPECT_EQ(indexed.of_stride(16), Sites{});
}

TEST(Advise, MisalignedAndScattered) {
  expect(site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 4; }), "misaligned-access", 500,
         400);
  expect(site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * l * 64; }), "scattered-access", 3200,
         400);
}

// A site of warps of which the same lanes take part.
Built of_lanes(Space space, Kind kind, u32 bytes, u32 active, u64 start, u64 step) {
  Built out = site(space, kind, bytes, [=](u32 l) { return start + u64{l} * step; });
  access::WarpAccess access = out.site.distribution.classes[0].example;
  access.active = active;
  out.site.distribution.classes = {measure::class_of(access, 100, *out.context.architecture)};
  out.site.counters = {out.site.distribution.classes[0].counts};
  out.site.pattern = measure::pattern_of(out.site.distribution);
  return out;
}

// A condition takes lanes out, as nulls of a column do: where the others begin is seen with them missing.
TEST(Advise, MisalignedWithLanesMissing) {
  constexpr u32 most = 0x7dfbefbb;
  Built column = of_lanes(Space::global, Kind::load, 4, most, 20, 4);
  const std::vector<Advice> list = advise(column.site, column.context);
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].rule, findings::Rule::misaligned_access);
  EXPECT_EQ(list[0].before.sectors, 500u);
  EXPECT_EQ(list[0].after.sectors, 400u);
  Built doubles = of_lanes(Space::global, Kind::store, 8, 0xfdfbefba, 8, 8);
  EXPECT_EQ(advise(doubles.site, doubles.context).at(0).after.sectors, 800u) << "lane 0 is one of them";
  Built aligned = of_lanes(Space::global, Kind::load, 4, most, 128, 4);
  for (const Advice& advice : advise(aligned.site, aligned.context))
    EXPECT_NE(advice.rule, findings::Rule::misaligned_access);
  column.site.distribution.classes.push_back(aligned.site.distribution.classes[0]);
  for (const Advice& advice : advise(column.site, column.context))
    EXPECT_NE(advice.rule, findings::Rule::misaligned_access) << "warps that begin at several places";
}

TEST(Advise, PartsOfRowsAreNotToBeSorted) {
  Built wrapped = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l < 9 ? l + 41 : l - 9} * 4; });
  std::vector<Advice> list = advise(wrapped.site, wrapped.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].gain(), 1.0);
  EXPECT_NE(list[0].change.find("begin rows at multiples of 32 bytes"), std::string::npos) << list[0].change;
}

// Stores in pieces, whatever their lengths: there is nothing to sort, unless neighbouring pieces meet within the block.
TEST(Advise, PiecesThatAreStoredAreNotToBeSorted) {
  Built piece = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l < 13 ? l : l + 4000} * 4 + 8; });
  const Advice note = only(advise(piece.site, piece.context));
  EXPECT_EQ(note.title, "the lanes of a warp go to parts of several rows");
  EXPECT_EQ(note.gain(), 1.0);
  measure::FirstBlock& block = piece.site.distribution.first_block;
  block.requests = 10, block.sectors = 60, block.lanes = block.words = 320;
  block.by_address.requests = 10, block.by_address.sectors = 58;
  EXPECT_EQ(only(advise(piece.site, piece.context)).change.find("sort"), std::string::npos);
  block.by_address.sectors = 30;
  EXPECT_NE(only(advise(piece.site, piece.context)).change.find("collect a block's elements"),
            std::string::npos);
}

// The remainder of an unrolled loop: some lanes are whole turns ahead of the others.
TEST(Advise, LanesInOtherTurnsOfALoop) {
  for (const Kind kind : {Kind::load, Kind::store})
    for (const u32 first : {11u, 21u}) {
      const Built tail =
          site(Space::global, kind, 4, [=](u32 l) { return u64{l} * 4 + 44 + (l < first ? 0 : 3 * 128); });
      const Advice note = only(advise(tail.site, tail.context));
      EXPECT_EQ(note.title, "the lanes of a warp are in different turns of a loop") << first;
      EXPECT_NE(note.change.find("#pragma unroll 1"), std::string::npos);
    }
}

TEST(Advise, BroadcastIsANote) {
  Built b = site(Space::global, Kind::load, 4, [](u32) { return u64{64}; });
  expect(b, "broadcast-load", 100, 100);
  EXPECT_DOUBLE_EQ(advise(b.site, b.context)[0].gain(), 1.0);
}

TEST(Advise, TheFirstArchitecturesMoveMoreThanTheSectors) {
  Built shifted = site(
      Space::global, Kind::load, 8, [](u32 l) { return 64 + u64{l} * 8; }, 100, 10);
  expect(shifted, "misaligned-access", 3200, 200); // half-warps must start at a multiple of 128 bytes
  Built one = site(
      Space::global, Kind::load, 4, [](u32) { return u64{64}; }, 100, 10);
  std::vector<Advice> list = advise(one.site, one.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].change.find("nothing is lost"), std::string::npos);
}

TEST(Advise, RowsThatBeginInsideASector) {
  for (auto [lanes, gap, bytes] : {std::tuple(16u, 68u, 4u), {8u, 72u, 8u}, {8u, 36u, 4u}}) {
    Built built = site(Space::global, Kind::load, bytes,
                       [=](u32 l) { return u64{l / lanes} * gap + u64{l % lanes} * bytes; });
    const std::vector<Advice> list = advise(built.site, built.context);
    ASSERT_FALSE(list.empty()) << gap;
    EXPECT_EQ(findings::name(list[0].rule), "misaligned-access") << gap;
    EXPECT_NE(list[0].change.find("make rows longer"), std::string::npos) << list[0].change;
    EXPECT_LT(list[0].after.sectors, list[0].before.sectors) << gap;
  }
}

TEST(Advise, AWiderBlockWhereRowsWouldDouble) {
  Built built = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l / 16 * 72 + l % 16 * 4}; });
  measure::LaunchRecord record;
  record.block = {16, 16, 1};
  EXPECT_NE(advise_in(built, record).at(0).change.find("at least 32 threads wide"), std::string::npos);
  record.block = {32, 8, 1};
  EXPECT_EQ(advise_in(built, record).at(0).change.find("threads wide"), std::string::npos);
}

// Another shape of the block is no other order of the array's indices.
TEST(Advise, ANarrowBlockHasNoEditOfTheArray) {
  for (const auto& [width, bytes] : {std::pair(16u, 1u), {8u, 2u}, {4u, 4u}}) {
    Built rows = site(Space::global, Kind::load, bytes,
                      [=](u32 l) { return u64{l / width} * 256 + u64{l % width} * bytes; });
    measure::LaunchRecord record = launch_of({&rows});
    record.block = {width, 16, 1};
    const Launch launch(record);
    const Advice advice = advise_in(rows, record).at(0);
    EXPECT_NE(advice.change.find("at least 32 threads wide"), std::string::npos) << advice.change;
    EXPECT_EQ(remedy(advice, rows.site, {rows.context.architecture, 0, &launch}).kind,
              findings::Remedy::Kind::none);
  }
  Built table = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 36; });
  EXPECT_EQ(remedy(only(advise(table.site, table.context)), table.site, table.context).kind,
            findings::Remedy::Kind::other_order);
}

TEST(Advise, NarrowContiguous) {
  expect(site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; }), "narrow-access", 100, 25);
  Built wide = site(Space::global, Kind::load, 16, [](u32 l) { return u64{l} * 16; });
  EXPECT_TRUE(advise(wide.site, wide.context).empty());
  Built single = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; }, 1);
  EXPECT_TRUE(advise(single.site, single.context).empty());
}

TEST(Advise, BankConflict) {
  expect(site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 128; }), "bank-conflict", 3200, 100);
  expect(site(Space::shared, Kind::store, 8, [](u32 l) { return u64{l} * 256; }), "bank-conflict", 3200, 200);
  Built free = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  EXPECT_TRUE(advise(free.site, free.context).empty());
}

TEST(Advise, ConstantAndLocal) {
  expect(site(Space::constant, Kind::load, 4, [](u32 l) { return u64{l} * 4; }), "constant-serialised", 3200,
         100);
  expect(site(Space::local, Kind::load, 4, [](u32 l) { return u64{l} * 4; }), "local-array", 3200, 400);
  expect(site(Space::local, Kind::store, 4, [](u32) { return u64{8}; }), "local-array", 400, 0);
}

// Few lanes at one offset: another index would move as much. The array itself is what costs.
TEST(Advise, ALocalArrayOfFewLanesIsToStayInRegisters) {
  for (const auto& [kind, active] : {std::pair(Kind::store, 0x01080421u), {Kind::load, 0x80008001u}}) {
    const Built few = of_lanes(Space::local, kind, 4, active, 8, 0);
    ASSERT_GT(few.site.counters[0].sectors, few.site.counters[0].ideal_sectors);
    const Advice first = advise(few.site, few.context).at(0);
    EXPECT_EQ(first.rule, findings::Rule::local_array);
    EXPECT_NE(first.change.find("#pragma unroll"), std::string::npos) << first.change;
  }
}

TEST(Advise, LocalArraysAreNamed) {
  Built b = site(Space::local, Kind::store, 4, [](u32) { return u64{8}; });
  measure::LaunchRecord launch;
  launch.local_arrays = {access::LocalArray{"histogram"}};
  EXPECT_NE(advise_in(b, launch)[0].cause.find("(histogram)"), std::string::npos);
}

TEST(Advise, AtomicsOnOneAddress) {
  expect(site(Space::global, Kind::reduction, 4, [](u32) { return u64{0}; }), "same-address-atomic", 3200,
         100);
  expect(site(Space::shared, Kind::atomic, 4, [](u32) { return u64{0}; }), "same-address-atomic", 3200, 100);
}

// The report, JSON and its schema say which count an advice lowers: by name.
TEST(Advise, EveryMetricHasANameThatTheSchemaKnows) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/docs/schema/run-1.schema.json");
  nlohmann::json schema = nlohmann::json::parse(file);
  std::vector<std::string> names;
  for (u8 i = 0; !name(static_cast<Metric>(i)).empty(); ++i) names.emplace_back(name(static_cast<Metric>(i)));
  EXPECT_EQ(names.size(), 1u + static_cast<u8>(Metric::threads));
  EXPECT_EQ(nlohmann::json(names), schema["$defs"]["advice"]["properties"]["metric"]["enum"]);
  Built atomics = site(Space::global, Kind::reduction, 4, [](u32) { return u64{0}; });
  EXPECT_EQ(name(advise(atomics.site, atomics.context)[0].metric), "threads");
}

TEST(Advise, EveryClassOfWarpsIsChanged) {
  Built b = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 128; }, 50);
  Built half = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 128; }, 50);
  half.site.distribution.classes[0].example.active = 0x0000ffff;
  half.site.distribution.classes = {
      measure::class_of(half.site.distribution.classes[0].example, 50, *b.context.architecture)};
  add(b.site.distribution, half.site.distribution);
  b.site.counters[0] += half.site.distribution.classes[0].counts;
  Advice advice = only(advise(b.site, b.context));
  EXPECT_EQ(advice.after.threads, 50u * 48);
  EXPECT_EQ(advice.after.sectors, 50u * 4 + 50u * 2);
}

TEST(Advise, ANeighboursElementIsNoMistake) {
  Built centre = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  Built right = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 4; });
  measure::LaunchRecord launch = launch_of({&centre, &right});
  EXPECT_EQ(only(advise(right.site, right.context)).rule, findings::Rule::misaligned_access);
  Advice halo = only(advise_in(right, launch));
  EXPECT_EQ(halo.rule, findings::Rule::halo_access);
  EXPECT_EQ(halo.gain(), 1.0);
  right.site.counters[0].threads -= 25; // those at the border have no neighbour
  EXPECT_EQ(only(advise_in(right, launch)).rule, findings::Rule::halo_access);
  launch.sites[0].site.array = {access::ArrayKind::parameter, "other"};
  EXPECT_EQ(only(advise_in(right, launch)).rule, findings::Rule::misaligned_access);
}

TEST(Advise, RowsOfAnUnrolledLoopAreNoNeighbours) {
  Built row = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 4; }),
        next = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  row.site.site.frames = next.site.site.frames = {{"a.cu", 7, 3, ""}};
  measure::LaunchRecord launch = launch_of({&next, &row});
  measure::FirstBlock& block = row.site.distribution.first_block;
  block.requests = 16, block.sectors = 72, block.distinct_sectors = 12;
  EXPECT_EQ(only(advise_in(row, launch)).rule, findings::Rule::halo_access);
  block.distinct_sectors = 72;
  EXPECT_EQ(only(advise_in(row, launch)).rule, findings::Rule::misaligned_access);
}

TEST(Advise, RowsAreToBePaddedOnlyWhereTheirStartsDiffer) {
  Built same = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 4; });
  EXPECT_EQ(only(advise(same.site, same.context)).example, "");
  Built other = site(Space::global, Kind::load, 4, [](u32 l) { return 8 + u64{l} * 4; });
  add(same.site.distribution, other.site.distribution);
  same.site.counters[0] += other.site.counters[0];
  EXPECT_NE(only(advise(same.site, same.context)).change.find("cudaMallocPitch"), std::string::npos);
  Built bytes = site(
      Space::global, Kind::load, 1, [](u32 l) { return u64{l}; }, 100, 10);
  for (const Advice& advice : advise(bytes.site, bytes.context))
    EXPECT_NE(advice.rule, findings::Rule::misaligned_access);
}

// Rows of 1032 bytes: the first warps of all classes are one.
TEST(Advise, WhereWarpsOfAClassBegin) {
  Built built = site(Space::global, Kind::store, 4, [](u32 l) { return 12 + u64{l} * 4; });
  measure::LaunchRecord launch = launch_of({&built});
  launch.block = {32, 8, 1};
  EXPECT_NE(only(advise_in(built, launch)).change.find("off by the same"), std::string::npos);
  launch.sites[0].distribution.classes[0].starts = 1u << 4 | 1u << 12 | 1u << 20 | 1u << 28;
  Advice both = only(advise_in(built, launch));
  EXPECT_NE(both.change.find("make rows longer"), std::string::npos) << both.change;
  EXPECT_NE(both.change.find("shift the start"), std::string::npos) << "no row begins at a sector";
  launch.sites[0].distribution.classes[0].starts |= 1;
  EXPECT_EQ(only(advise_in(built, launch)).change.find("shift the start"), std::string::npos);
}

// One statement reads three planes, of which it shifts two by an element: no length of rows aligns all three.
TEST(Advise, APlaneThatIsShiftedByAnElement) {
  auto plane = [](u32 offset) {
    Built out = site(Space::global, Kind::load, 4, [=](u32 l) { return offset + u64{l} * 4; });
    out.site.site.frames = {{"a.cu", 7, 3, ""}};
    out.site.distribution.first_block = {.requests = 24, .sectors = 112, .distinct_sectors = 100};
    return out;
  };
  Built centre = plane(32), left = plane(28), right = plane(36), further = plane(44);
  measure::LaunchRecord launch = launch_of({&centre, &left, &right});
  for (Built* one : {&left, &right})
    EXPECT_EQ(only(advise_in(*one, launch)).rule, findings::Rule::halo_access);
  launch = launch_of({&centre, &left, &right, &further}); // rows begin anywhere
  EXPECT_EQ(only(advise_in(left, launch)).rule, findings::Rule::misaligned_access);
}

// Where warps begin follows from an index that they load.
TEST(Advise, AnIndexThatIsLoadedIsNoRow) {
  Built x = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 4; });
  x.site.distribution.classes[0].starts = 0x11111111;
  x.site.distribution.first_block = {.requests = 64, .sectors = 320, .distinct_sectors = 20};
  measure::LaunchRecord launch = launch_of({&x});
  EXPECT_EQ(only(advise_in(x, launch)).rule, findings::Rule::halo_access);
  launch.sites[0].distribution.first_block.distinct_sectors =
      x.site.distribution.first_block.distinct_sectors = 320;
  EXPECT_NE(only(advise_in(x, launch)).change.find("cudaMallocPitch"), std::string::npos)
      << "rows, read once";
}

TEST(Advise, WhatABlockReadsAgain) {
  Built row = site(Space::global, Kind::load, 16, [](u32 l) { return u64{l} * 16; });
  measure::LaunchRecord launch = launch_of({&row});
  launch.block = {256, 1, 1};
  measure::FirstBlock& block = row.site.distribution.first_block;
  block.requests = 64, block.sectors = 1024, block.distinct_sectors = 128;
  Advice tile = only(advise_in(row, launch));
  EXPECT_EQ(tile.rule, findings::Rule::repeated_load);
  EXPECT_EQ(tile.after.sectors, row.site.counters[0].sectors / 8);
  block.distinct_sectors = 512;
  EXPECT_TRUE(advise_in(row, launch).empty());
  block.distinct_sectors = 128, launch.block = {32, 1, 1};
  EXPECT_TRUE(advise_in(row, launch).empty()) << "no other warp has use for what this one loaded";
  block.again = 63;
  Advice kept = only(advise_in(row, launch));
  EXPECT_EQ(kept.rule, findings::Rule::missing_restrict);
  EXPECT_EQ(kept.after.sectors, row.site.counters[0].sectors / 64);
  block.again = 0;
  Built table = site(Space::global, Kind::load, 4, [](u32) { return u64{64}; });
  table.site.distribution.first_block = block;
  EXPECT_NE(only(advise(table.site, table.context)).change.find("__constant__"), std::string::npos);
}

TEST(Advise, FewLanes) {
  Built full = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  access::WarpAccess sparse = full.site.distribution.classes[0].example;
  sparse.active = 0x01010101;
  full.site.distribution.classes = {measure::class_of(sparse, 100, *full.context.architecture)};
  full.site.counters[0] = full.site.distribution.classes[0].counts;
  full.site.pattern = measure::pattern_of(full.site.distribution);
  Advice advice = only(advise(full.site, full.context));
  EXPECT_EQ(advice.rule, findings::Rule::divergent_access);
  EXPECT_EQ(value(advice.metric, advice.after), 13u);
  measure::LaunchRecord launch =
      launch_of({&full}); // 100 blocks of a warp: none can take the lanes of another
  EXPECT_TRUE(advise_in(full, launch).empty());
  launch.grid = {25, 1, 1}, launch.block = {128, 1, 1};
  EXPECT_EQ(only(advise_in(full, launch)).after.instructions, 25u);
  measure::SiteRecord twice = full.site; // two such launches: the gain is that of one
  twice.distribution *= 2, twice.counters[0] *= 2;
  const Launch both(launch, 50);
  EXPECT_EQ(only(advise(twice, {full.context.architecture, 0, &both})).after.instructions, 50u);
  launch.grid = {1, 1, 1}, launch.block = {16, 1, 1}; // one warp, which does it again and again
  EXPECT_TRUE(advise_in(full, launch).empty());
  full.site.distribution.other_warps = 900, full.site.counters[0].instructions += 900;
  full.site.counters[0].threads += 900 * 3;
  EXPECT_TRUE(advise_in(full, launch).empty()) << "nor do warps beyond the classes become fewer";
}

// An access of these lanes, which go along a row: 100 warps.
Built some_lanes(u32 active, Kind kind = Kind::load) {
  Built out = site(Space::global, kind, 4, [](u32 l) { return u64{l} * 4; });
  access::WarpAccess access = out.site.distribution.classes[0].example;
  access.active = active;
  out.site.distribution.classes = {measure::class_of(access, 100, *out.context.architecture)};
  out.site.counters[0] = out.site.distribution.classes[0].counts;
  out.site.pattern = measure::pattern_of(out.site.distribution);
  return out;
}

const Advice* of_rule(const std::vector<Advice>& list, findings::Rule rule) {
  const auto found = std::ranges::find(list, rule, &Advice::rule);
  return found == list.end() ? nullptr : &*found;
}

// Elements that lanes leave out lie in sectors that travel: it is they that have to lie elsewhere.
TEST(Advise, ElementsThatAreLeftOutLieInTheSameSectors) {
  for (const u32 active : {0x55555555u, 0xaaaaaaaau, 0x33333333u, 0x11111111u}) {
    const Built cells = some_lanes(active);
    const std::vector<Advice> list = advise(cells.site, cells.context);
    const Advice* advice = of_rule(list, findings::Rule::uncoalesced_load);
    ASSERT_NE(advice, nullptr) << active;
    EXPECT_NE(advice->change.find("side by side"), std::string::npos) << advice->change;
    EXPECT_EQ(advice->after.sectors, 100 * u64{static_cast<u32>(std::popcount(active))} / 8);
    EXPECT_EQ(advice, &list.front()) << "before the lanes themselves";
  }
  Built board = some_lanes(0x55555555u); // whose rows begin with another colour
  const Built other_rows = some_lanes(0xaaaaaaaau), other_condition = some_lanes(0xccccccccu);
  board.site.distribution.classes.push_back(other_rows.site.distribution.classes[0]);
  board.site.counters[0] *= 2;
  EXPECT_NE(of_rule(advise(board.site, board.context), findings::Rule::uncoalesced_load), nullptr);
  board.site.distribution.classes[1] = other_condition.site.distribution.classes[0];
  EXPECT_EQ(of_rule(advise(board.site, board.context), findings::Rule::uncoalesced_load), nullptr);
  for (const u32 active : {0xffu, 0x00ffff00u, 0xd4aa9163u}) { // whole sectors, and what the data choose
    const Built others = some_lanes(active);
    EXPECT_EQ(of_rule(advise(others.site, others.context), findings::Rule::uncoalesced_load), nullptr)
        << active;
  }
}

// Lanes that the data choose have no number that is known before, and those of two arms have work.
TEST(Advise, WhyFewLanesAreActive) {
  const auto cause = [](const Built& one, const measure::LaunchRecord& launch) {
    const std::vector<Advice> list = advise_in(one, launch);
    const Advice* found = of_rule(list, findings::Rule::divergent_access);
    return found == nullptr ? std::string() : found->cause;
  };
  for (const u32 active : {0xd4aa9163u, 0x2d004b91u, 0x55555555u, 0x0000ffffu, 0x0f0f0f0fu}) {
    Built one = some_lanes(active, Kind::store), other = some_lanes(~active, Kind::store);
    const bool by_data = std::popcount(active) != 16;
    measure::LaunchRecord launch = launch_of({&one});
    launch.grid = {25, 1, 1}, launch.block = {128, 1, 1};
    EXPECT_EQ(cause(one, launch).find("changes from warp to warp") != std::string::npos, by_data) << active;
    launch = launch_of({&one, &other});
    launch.grid = {25, 1, 1}, launch.block = {128, 1, 1};
    EXPECT_EQ(cause(one, launch).find("in the other arm") != std::string::npos, !by_data) << active;
  }
  for (const bool by_data : {false, true}) { // as many as it happens, or half as many each time
    Built rays = some_lanes(0x3f);
    measure::SiteRecord& record = rays.site;
    record.distribution.classes.clear(), record.counters[0] = {};
    for (const u32 lanes : {1, 2, 4, 8, 16}) {
      const Built some = some_lanes((1u << (by_data ? lanes * 5 % 17 : lanes)) - 1);
      record.distribution.classes.push_back(some.site.distribution.classes[0]);
      record.counters[0] += some.site.counters[0];
    }
    record.pattern = measure::pattern_of(record.distribution);
    measure::LaunchRecord launch = launch_of({&rays});
    launch.grid = {25, 1, 1}, launch.block = {128, 1, 1};
    EXPECT_EQ(cause(rays, launch).find("changes from warp to warp") != std::string::npos, by_data);
  }
}

// What lies beside a tile has no threads of its own: other numbers of theirs would not help.
TEST(Advise, FewLanesAtTheBorderOfATile) {
  Built tile = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4; });
  Built border = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 32; });
  access::WarpAccess sparse = border.site.distribution.classes[0].example;
  sparse.active = 0x00010001;
  border.site.distribution.classes = {measure::class_of(sparse, 100, *border.context.architecture)};
  border.site.counters[0] = border.site.distribution.classes[0].counts;
  border.site.pattern = measure::pattern_of(border.site.distribution);
  Built kept = border; // in shared memory, by the same line
  kept.site.space = Space::shared, kept.site.site.kind = Kind::store;
  for (Built* one : {&tile, &border}) one->site.site.array = {access::ArrayKind::parameter, "in"};
  border.site.site.frames = kept.site.site.frames = {{"a.cu", 12, 3, ""}};
  measure::LaunchRecord launch = launch_of({&tile, &border, &kept});
  launch.grid = {25, 1, 1}, launch.block = {16, 8, 1};
  const auto divergent = [&](const Built& one) {
    const std::vector<Advice> list = advise_in(one, launch);
    const auto found = std::ranges::find(list, findings::Rule::divergent_access, &Advice::rule);
    return found == list.end() ? Advice() : *found;
  };
  for (const Built* one : {&border, &kept}) {
    EXPECT_NE(divergent(*one).change.find("each row by consecutive threads"), std::string::npos)
        << divergent(*one).change;
    EXPECT_EQ(divergent(*one).gain(), 1.0);
    EXPECT_EQ(divergent(*one).example.find("2*d"), std::string::npos) << "that is a reduction's";
  }
  launch.sites[0].site.array.name = "other";
  EXPECT_NE(divergent(border).change.find("number the working threads"), std::string::npos)
      << divergent(border).change;
}

// A pointer that each thread reads for itself leads to an array of its own; one that all read does not, nor does a list.
TEST(Advise, ArraysThatThreadsHaveToThemselves) {
  using access::ArrayKind;
  auto stored = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 512; });
  stored.site.site.array = {.kind = ArrayKind::heap, .name = "malloc()"};
  EXPECT_EQ(only(advise_in(stored, launch_of({&stored}))).way, Way::own_arrays);
  stored.site.site.array = {.kind = ArrayKind::parameter, .indirect = true};
  EXPECT_NE(only(advise_in(stored, launch_of({&stored}))).way, Way::own_arrays);
  auto own = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l} * 8; });
  auto shared = site(Space::global, Kind::load, 8, [](u32) { return u64{64}; });
  own.site.site.array = shared.site.site.array = {.kind = ArrayKind::parameter};
  EXPECT_EQ(only(advise_in(stored, launch_of({&stored, &own}))).way, Way::own_arrays);
  EXPECT_NE(only(advise_in(stored, launch_of({&stored, &shared}))).way, Way::own_arrays);
  auto next = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l} * 4096; });
  next.site.site.array = stored.site.site.array;
  EXPECT_NE(only(advise_in(stored, launch_of({&stored, &own, &next}))).way, Way::own_arrays);
}

TEST(Advise, AViewsOtherLayoutIsThatOfItsParameter) {
  Built built = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4096; });
  built.site.site.array.kind = access::ArrayKind::parameter;
  auto change = [&](u32 parameter, std::string name) {
    built.site.site.array.parameter = parameter;
    measure::LaunchRecord launch = launch_of({&built});
    launch.name = std::move(name);
    return only(advise_in(built, launch)).change;
  };
  const std::string both =
      "void k<f(int)>(view<float, sizes<int, 2>, layout_right>, view<float, layout_left>, int*)";
  EXPECT_TRUE(change(0, both).ends_with("the other layout, layout_left"));
  EXPECT_TRUE(change(1, both).ends_with("the other layout, layout_right"));
  EXPECT_EQ(change(2, both).find("other layout"), std::string::npos);
  EXPECT_EQ(change(9, both).find("other layout"), std::string::npos);
  EXPECT_EQ(change(0, "no_parameters").find("other layout"), std::string::npos);
}

TEST(Advise, NothingToSayAboutWhatNeverRan) {
  measure::SiteRecord empty;
  EXPECT_TRUE(advise(empty, {arch::find(90), 0, nullptr}).empty());
  empty.counters.resize(1);
  EXPECT_TRUE(advise(empty, {arch::find(90), 0, nullptr}).empty());
  EXPECT_TRUE(advise(empty, {nullptr, 0, nullptr}).empty());
}

} // namespace
} // namespace warplens::advise
