// Each rule on a site built from a known access: which advice, and the counts before and after.
#include "advise/remedy.h"
#include "arch/table.h"
#include "arch/waits.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::advise {
namespace {

using access::Kind;
using access::Space;

// A site as if `warps` full warps had executed `address(lane)`.
struct Built {
  measure::SiteRecord site;
  Context context;
};

template <class F> Built site(Space space, Kind kind, u32 bytes, F&& address, u64 warps = 100, u32 sm = 90) {
  Built out;
  out.context.architecture = arch::find(sm);
  access::WarpAccess access{{.space = space, .kind = kind, .bytes = static_cast<u8>(bytes)}, full_mask};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
  out.site.site.bytes = static_cast<u8>(bytes);
  out.site.site.kind = kind;
  out.site.space = space;
  out.site.counters = {arch::count(*out.context.architecture, access) * warps};
  out.site.distribution.classes = {measure::class_of(access, warps, *out.context.architecture)};
  out.site.pattern = measure::pattern_of(out.site.distribution);
  return out;
}

std::vector<Advice> advise_in(const Built& built, const measure::LaunchRecord& record) {
  const Launch launch(record);
  Context context = built.context;
  context.launch = &launch;
  return advise(built.site, context);
}

void expect(const Built& built, std::string_view rule, u64 before, u64 after) {
  std::vector<Advice> list = advise(built.site, built.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(findings::name(list[0].rule), rule);
  EXPECT_EQ(value(list[0].metric, list[0].before), before);
  EXPECT_EQ(value(list[0].metric, list[0].after), after);
}

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

TEST(Advise, PartsOfRowsAreNotToBeSorted) {
  Built wrapped = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l < 9 ? l + 41 : l - 9} * 4; });
  std::vector<Advice> list = advise(wrapped.site, wrapped.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].gain(), 1.0);
  EXPECT_NE(list[0].change.find("begin rows at multiples of 32 bytes"), std::string::npos) << list[0].change;
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

TEST(Advise, LocalArraysAreNamed) {
  Built b = site(Space::local, Kind::store, 4, [](u32) { return u64{8}; });
  measure::LaunchRecord launch;
  launch.local_arrays = {"histogram"};
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

// A launch of these sites, for rules that look at what else a kernel does.
measure::LaunchRecord launch_of(std::vector<Built*> sites) {
  measure::LaunchRecord launch;
  launch.grid = {100, 1, 1}, launch.block = {32, 1, 1};
  u32 id = 0;
  for (Built* built : sites) {
    built->site.site.id = access::SiteId(id++);
    launch.sites.push_back(built->site);
  }
  return launch;
}

const Advice& only(const std::vector<Advice>& list) {
  EXPECT_EQ(list.size(), 1u);
  static const Advice none;
  return list.empty() ? none : list[0];
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

TEST(Advise, PaddingIsTried) {
  Built two_rows = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l / 16 * 72 + l % 16 * 4}; });
  Advice pad = only(advise(two_rows.site, two_rows.context));
  EXPECT_EQ(pad.rule, findings::Rule::bank_conflict);
  EXPECT_EQ(pad.after.wavefronts, 100u);
  EXPECT_NE(pad.change.find("192 instead of 72"), std::string::npos) << pad.change;
  Built data = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l * 7919 % 101} * 4; });
  Advice none = only(advise(data.site, data.context));
  EXPECT_EQ(none.gain(), 1.0) << "no number where no padding helps";
  Built pairs = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 8; });
  EXPECT_EQ(only(advise(pairs.site, pairs.context)).change.find("row"), std::string::npos)
      << "two words are no row";
}

// Rodinia's lud: each thread of half a warp works along a row of its own, one step after the other.
TEST(Advise, RowsOfThreadsInSharedMemoryArePadded) {
  Built rows = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 64; });
  measure::Distribution& warps = rows.site.distribution;
  access::WarpAccess access = warps.classes[0].example;
  warps.classes.clear();
  rows.site.counters[0] = {};
  for (u32 lanes : {16u, 12u, 8u, 5u}) {
    access.active = (u32{1} << lanes) - 1;
    warps.classes.push_back(measure::class_of(access, 100, *rows.context.architecture));
    rows.site.counters[0] += warps.classes.back().counts;
  }
  rows.site.pattern = measure::pattern_of(warps);
  std::vector<Advice> list = advise(rows.site, rows.context);
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].rule, findings::Rule::bank_conflict);
  EXPECT_NE(list[0].change.find("4 bytes longer (68 instead of 64)"), std::string::npos) << list[0].change;
  EXPECT_EQ(list[0].after.wavefronts, 400u);
}

// The rounds of a scan whose loop is unrolled are instructions of one line.
TEST(Advise, StepsThatDoubleFromInstructionToInstruction) {
  Built rounds[3];
  for (u32 i = 0; i < 3; ++i) {
    rounds[i] = site(Space::shared, Kind::load, 4, [&](u32 l) { return u64{l} << (4 + i); });
    rounds[i].site.site.frames = {{"a.cu", 5, 3, ""}};
  }
  measure::LaunchRecord launch = launch_of({&rounds[0], &rounds[1], &rounds[2]});
  Advice scan = only(advise_in(rounds[2], launch));
  EXPECT_NE(scan.change.find("begin with the largest distance"), std::string::npos) << scan.change;
  EXPECT_NE(scan.change.find("s[i + i/32]"), std::string::npos) << scan.change;
  launch.sites[0].site.frames = {{"a.cu", 6, 3, ""}};
  EXPECT_NE(only(advise_in(rounds[2], launch)).change.find("68 instead of 64"), std::string::npos);
}

// A reduction in place: a round adds elements twice as far apart as the last one did, so the array is none of structures.
TEST(Advise, StepsThatDoubleFromRoundToRound) {
  auto in_rounds = [](Kind kind) {
    Built out = site(Space::global, kind, 4, [](u32 l) { return u64{l} * 8; });
    access::WarpAccess access = out.site.distribution.classes[0].example;
    for (u64 step : {16u, 32u}) {
      for (u32 l = 0; l < 32; ++l) access.address[l] = l * step;
      out.site.distribution.classes.push_back(measure::class_of(access, 50, *out.context.architecture));
      out.site.counters[0] += out.site.distribution.classes.back().counts;
    }
    out.site.pattern = measure::pattern_of(out.site.distribution);
    return out;
  };
  Built load = in_rounds(Kind::load), store = in_rounds(Kind::store);
  measure::LaunchRecord launch = launch_of({&load, &store});
  for (const Built* one : {&load, &store})
    EXPECT_NE(only(advise_in(*one, launch)).change.find("begin with the largest distance"),
              std::string::npos);
  launch = launch_of({&load}); // who only reads so may read a structure
  EXPECT_EQ(only(advise_in(load, launch)).change.find("largest distance"), std::string::npos);
}

// A tile of 16 columns: its rows are stored two at a time, its columns are loaded.
TEST(Advise, PaddingServesAllAccessesToTheArray) {
  Built columns = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l % 16 * 64 + l / 16 * 4}; });
  Built rows = site(Space::shared, Kind::store, 4, [](u32 l) { return u64{l} * 4; });
  EXPECT_NE(only(advise(columns.site, columns.context)).change.find("72 instead of 64"), std::string::npos);
  for (Built* one : {&columns, &rows}) one->site.site.array = {access::ArrayKind::shared, "tile"};
  measure::LaunchRecord launch = launch_of({&columns, &rows});
  Advice tile = only(advise_in(columns, launch));
  EXPECT_EQ(tile.after.wavefronts, 100u);
  EXPECT_NE(tile.change.find("72 instead of 64"), std::string::npos) << tile.change;
  EXPECT_NE(tile.change.find("then take 100 more wavefronts"), std::string::npos) << tile.change;
  launch.sites[1].site.array.name = "other";
  EXPECT_EQ(only(advise_in(columns, launch)).change.find("wavefronts more"), std::string::npos);
}

// Chunks of 16 bytes, where the advised form keeps them.
u64 exchanged(u64 byte, u64 pitch, u64 together, u64 chunks) {
  return byte ^ byte / pitch / together % chunks * 16;
}

TEST(Advise, ASwizzleStaysWithinItsRow) {
  struct Case {
    u64 pitch, together, chunks;
    const char* form;
  };
  for (const Case& c :
       {Case{64, 2, 4, "c ^ (r / 2 % 4)"}, Case{96, 4, 2, "c ^ (r / 4 % 2)"}, Case{128, 1, 8, "c ^ (r % 8)"},
        Case{192, 2, 4, "c ^ (r / 2 % 4)"}, Case{256, 1, 8, "c ^ (r % 8)"}}) {
    Built column = site(Space::shared, Kind::load, 16, [&](u32 l) { return u64{l} * c.pitch; });
    const Advice advice = only(advise(column.site, column.context));
    EXPECT_NE(advice.change.find(c.form), std::string::npos) << c.pitch << ": " << advice.change;
    for (u64 byte = 0; byte < 16 * c.pitch; byte += 16)
      EXPECT_EQ(exchanged(byte, c.pitch, c.together, c.chunks) / c.pitch, byte / c.pitch);
    const Built as_told = site(Space::shared, Kind::load, 16, [&](u32 l) {
      return exchanged(u64{l} * c.pitch, c.pitch, c.together, c.chunks);
    });
    EXPECT_EQ(as_told.site.counters[0].wavefronts, as_told.site.counters[0].ideal_wavefronts) << c.pitch;
  }
}

// Copies past the L1 that may write the array would pay for longer rows; chunks that are exchanged cost them nothing.
TEST(Advise, ASwizzleWhereLongerRowsMakeCopiesWorse) {
  Built column = site(Space::shared, Kind::load, 16, [](u32 l) { return u64{l} * 64; });
  Built copy = site(Space::shared, Kind::async_copy, 16, [](u32 l) { return u64{l} * 16; });
  access::WarpAccess half = copy.site.distribution.classes[0].example;
  half.cache = copy.site.site.cache = access::Cache::cg;
  std::array<u64, warp_size> from = half.address;
  half.copied_from = from.data();
  copy.site.distribution.classes = {measure::class_of(half, 100, *copy.context.architecture)};
  copy.site.counters[0] = copy.site.distribution.classes[0].counts;
  measure::LaunchRecord launch = launch_of({&column, &copy});
  const Advice exchange = only(advise_in(column, launch));
  EXPECT_TRUE(exchange.change.starts_with("keep chunk c of row r (16 bytes each) at c ^ (r / 2 % 4)"))
      << exchange.change;
  EXPECT_EQ(exchange.after.wavefronts, 400u);
  const Launch others(launch);
  EXPECT_EQ(remedy(exchange, column.site, {column.context.architecture, 0, &others}).kind,
            findings::Remedy::Kind::none)
      << "no edit of a declaration does it";
  launch.sites[1].site.function = "other";
  EXPECT_TRUE(only(advise_in(column, launch)).change.starts_with("make each row")) << "not written by them";
}

// Rows that vectors are stored to become longer by whole vectors, whatever reads them.
TEST(Advise, PaddingKeepsVectorsAligned) {
  Built column = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 128; });
  Built vectors = site(Space::shared, Kind::store, 16, [](u32 l) { return u64{l} * 16; });
  for (Built* one : {&column, &vectors}) one->site.site.array = {access::ArrayKind::shared, "tile"};
  measure::LaunchRecord launch = launch_of({&column, &vectors});
  EXPECT_NE(only(advise_in(column, launch)).change.find("16 bytes longer"), std::string::npos);
  launch.sites[1].site.array.name = "other";
  EXPECT_NE(only(advise_in(column, launch)).change.find(" 4 bytes longer"), std::string::npos);
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

// A vector whose threads take eight neighbouring elements each, and one of structures.
TEST(Advise, ElementsOfAPlainVector) {
  std::vector<Built> parts;
  for (u64 k = 0; k < 8; ++k)
    parts.push_back(site(Space::global, Kind::load, 4, [k](u32 l) { return 4 * k + u64{l} * 32; }));
  std::vector<Built*> all;
  for (Built& one : parts) {
    one.site.site.frames = {{"a.cu", 5, 3, ""}};
    one.site.site.array.kind = access::ArrayKind::parameter;
    all.push_back(&one);
  }
  Built sums = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 32; }, 800);
  all.push_back(&sums);
  measure::LaunchRecord launch = launch_of(all);
  auto change = [&](std::string name) {
    launch.name = std::move(name);
    return only(advise_in(parts[0], launch)).change;
  };
  EXPECT_NE(change("add(float const*, int)").find("elements t, t + threads"), std::string::npos);
  EXPECT_NE(change("add(unsigned int*)").find("elements t, t + threads"), std::string::npos);
  EXPECT_NE(change("add(particle*)").find("one array per member"), std::string::npos);
  EXPECT_NE(change("add").find("one array per member"), std::string::npos) << "extern \"C\"";
  launch.sites.back().counters[0] = launch.sites[0].counters[0]; // what belongs to one thread's result
  EXPECT_NE(change("add(float const*, int)").find("a[k*count + i]"), std::string::npos);
}

// A kernel of Triton whose rows begin anywhere, so that it moves the elements of a thread one by one.
TEST(Advise, RowsOfTritonThatBeginAnywhere) {
  auto part = [](u64 byte) {
    Built out = site(Space::global, Kind::load, 4, [byte](u32 l) { return byte + u64{l} * 16; });
    out.site.site.frames = {{"kernel.py", 10, 3, ""}};
    return out;
  };
  Built a = part(0), b = part(4), c = part(8), d = part(12);
  measure::LaunchRecord launch = launch_of({&a, &b, &c, &d});
  EXPECT_NE(only(advise_in(a, launch)).change.find("tl.multiple_of"), std::string::npos);
  Built again = part(0);
  launch = launch_of({&a, &b, &c, &again}); // the first warps of two classes are in rows that begin elsewhere
  const std::string change = only(advise_in(a, launch)).change;
  EXPECT_NE(change.find("pad them to a multiple of 4 elements"), std::string::npos) << change;
  EXPECT_NE(change.find("compiled again"), std::string::npos) << change;
  Built column = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 4096; });
  column.site.site.frames = {{"kernel.py", 10, 3, ""}};
  launch = launch_of({&column});
  EXPECT_NE(only(advise_in(column, launch)).change.find("tl.trans"), std::string::npos);
}

TEST(Advise, MembersOfAStructureAndRowsOfAThread) {
  Built x = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 16; });
  Built y = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 16; });
  x.site.site.frames = {{"a.cu", 5, 3, ""}}, y.site.site.frames = {{"a.cu", 5, 9, ""}};
  measure::LaunchRecord launch = launch_of({&x, &y});
  EXPECT_NE(only(advise_in(x, launch)).change.find("one array per member"), std::string::npos);
  y.site.site.frames =
      x.site.site.frames; // one statement, or an unrolled loop over so short a row: the same change
  launch = launch_of({&x, &y});
  EXPECT_NE(only(advise_in(x, launch)).change.find("one array per member"), std::string::npos);
  Built near = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; });
  Built far = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 512; });
  near.site.site.frames = far.site.site.frames = {{"a.cu", 5, 3, ""}};
  launch = launch_of({&near, &far});
  EXPECT_NE(only(advise_in(near, launch)).change.find("to a warp"), std::string::npos);
  near.site.distribution.first_block.requests = 10; // whose threads walk along no rows
  EXPECT_EQ(only(advise_in(near, launch)).change.find("to a warp"), std::string::npos);
}

// A structure of 12 bytes that is read whole by one statement is no row of its thread.
TEST(Advise, AStructureThatOneStatementReads) {
  std::vector<Built> members;
  for (u64 k = 0; k < 3; ++k)
    members.push_back(site(Space::global, Kind::load, 4, [k](u32 l) { return 4 * k + u64{l} * 12; }));
  for (Built& one : members) one.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&members[0], &members[1], &members[2]});
  EXPECT_NE(only(advise_in(members[0], launch)).change.find("one array per member"), std::string::npos);
}

// What other arrays are accessed with is no member of this one: c[i] = a[i] * b[i].
TEST(Advise, StructuresOfOneStatementGetTheSameChange) {
  auto part = [](const char* array, u32 column, u64 byte) {
    Built out = site(Space::global, Kind::load, 4, [byte](u32 l) { return byte + u64{l} * 8; });
    out.site.site.frames = {{"a.cu", 5, column, ""}};
    out.site.site.array = {.kind = access::ArrayKind::parameter, .name = array};
    return out;
  };
  Built a = part("a", 3, 0), a2 = part("a", 3, 4), b = part("b", 9, 0), b2 = part("b", 9, 4);
  measure::LaunchRecord launch = launch_of({&a, &a2, &b, &b2});
  for (Built* one : {&a, &b})
    EXPECT_NE(only(advise_in(*one, launch)).change.find("__align__(8)"), std::string::npos)
        << one->site.site.array.name;
}

// A structure that is copied, each member by an access of its own because nothing says how it is aligned.
TEST(Advise, AStructureThatIsMovedWhole) {
  Built a = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 8; });
  Built b = site(Space::global, Kind::load, 4, [](u32 l) { return 4 + u64{l} * 8; });
  a.site.site.frames = b.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&a, &b});
  Advice whole = only(advise_in(a, launch));
  EXPECT_NE(whole.change.find("__align__(8)"), std::string::npos) << whole.change;
  EXPECT_EQ(whole.after.sectors, 400u);
}

// Each thread reads on within its row; where it also stores one result into that row, the order of indices is to blame.
TEST(Advise, AResultInARowOfItsOwnMeansTheOtherIndexOrder) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 10000);
  Built store = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 512; }, 100);
  Built other = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 100);
  load.site.site.frames = {{"a.cu", 5, 3, ""}};
  measure::LaunchRecord launch = launch_of({&load, &store});
  EXPECT_NE(only(advise_in(load, launch)).change.find("swap the index order"), std::string::npos);
  launch = launch_of({&load, &other}); // a result for each row, side by side
  EXPECT_NE(only(advise_in(load, launch)).change.find("to a warp"), std::string::npos);
}

// Where results lie side by side, and there are as many of them, rows that were given to warps would scatter them.
TEST(Advise, AKernelThatTurnsAMatrixKeepsItsThreadsAndLoadsATile) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 136; }, 10000);
  Built store = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 10000);
  measure::LaunchRecord launch = launch_of({&load, &store});
  Advice tile = only(advise_in(load, launch));
  EXPECT_EQ(tile.change.find("to a warp"), std::string::npos) << tile.change;
  EXPECT_NE(tile.change.find("tile into shared memory"), std::string::npos) << tile.change;

  // An unrolled loop: what is advised on is the line, the stores are single instructions.
  Built first = site(
      Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 300);
  Built second = first;
  Built line = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 900);
  first.site.site.frames = second.site.site.frames = {{"a.cu", 5, 9, ""}};
  launch = launch_of({&line, &first, &second});
  EXPECT_NE(only(advise_in(line, launch)).change.find("row by row"), std::string::npos);
  second.site.site.frames = {{"a.cu", 7, 9, ""}};
  launch = launch_of({&line, &first, &second});
  EXPECT_EQ(only(advise_in(line, launch)).change.find("row by row"), std::string::npos);
}

// out[x*h + y] = in[y*w + x]: another order of the indices would make the other side of the statement pay.
TEST(Advise, ATransposeNeedsATileOnEitherSide) {
  for (Kind down : {Kind::load, Kind::store}) {
    Built column = site(Space::global, down, 4, [](u32 l) { return u64{l} * 2048; });
    Built row = site(
        Space::global, down == Kind::load ? Kind::store : Kind::load, 16, [](u32 l) { return u64{l} * 16; },
        25);
    measure::LaunchRecord launch = launch_of({&column, &row});
    launch.grid = {10, 10, 1};
    Advice tile = only(advise_in(column, launch));
    EXPECT_EQ(tile.change.find("swap"), std::string::npos) << tile.change;
    EXPECT_NE(tile.change.find("tile in"), down == Kind::load ? std::string::npos : 0) << tile.change;
    EXPECT_EQ(tile.after.sectors, 400u);
    // A row that all warps read alike costs nothing in the other order.
    launch.sites[1].distribution.first_block = {.requests = 8, .sectors = 128, .distinct_sectors = 16};
    EXPECT_NE(only(advise_in(column, launch)).change.find("swap the index order"), std::string::npos);
  }
}

// In a block of 16x16 threads a warp has two rows of lanes, and has them after the change.
TEST(Advise, ANarrowBlockGainsLess) {
  auto rows = [](u32 bytes, u64 step, u64 gap) {
    return site(Space::global, Kind::load, bytes, [=](u32 l) { return l % 16 * step + l / 16 * gap; });
  };
  struct Case {
    u32 bytes;
    u64 step, gap, sectors; // after it, per request
  };
  for (const Case& c : {Case{1, 960, 3, 4},    // pixels of three bytes, the two indices exchanged
                        Case{1, 320, 1, 2},    // bytes, likewise
                        Case{4, 512, 0, 2},    // what lanes of a row share
                        Case{1, 3, 960, 2}}) { // a colour of each pixel
    Built built = rows(c.bytes, c.step, c.gap);
    measure::LaunchRecord launch = launch_of({&built});
    launch.block = {16, 16, 1};
    for (const Advice& advice : advise_in(built, launch))
      if (advice.tells_stride) {
        EXPECT_EQ(advice.after.sectors, 100 * c.sectors) << c.step << " " << advice.change;
      }
  }
}

// Three bytes of a pixel are no row for a warp.
TEST(Advise, ShortRowsOfThreadsAreNotWorthAWarp) {
  Built pixel = site(
      Space::global, Kind::load, 1, [](u32 l) { return u64{l} * 960; }, 300);
  measure::FirstBlock& block = pixel.site.distribution.first_block;
  block.requests = 24, block.sectors = 768, block.distinct_sectors = 768;
  block.rows = 256, block.row_elements = 768, block.row_lanes = 4;
  measure::LaunchRecord launch = launch_of({&pixel});
  EXPECT_NE(only(advise_in(pixel, launch)).change.find("swap the index order"), std::string::npos);
  block.row_elements = 256 * 30;
  EXPECT_NE(only(advise_in(pixel, launch)).change.find("lanes of a warp"), std::string::npos);
}

TEST(Advise, AtomicsByWhatTheyDo) {
  auto atomic = [](Space space, Kind kind, std::string opcode, auto&& address) {
    Built out = site(space, kind, 4, address);
    out.site.site.opcode = std::move(opcode);
    return out;
  };
  auto one = [](u32) { return u64{0}; };
  Built counter = atomic(Space::global, Kind::reduction, "red.global.add.u32", one);
  EXPECT_EQ(only(advise(counter.site, counter.context)).rule, findings::Rule::combined_atomic);
  EXPECT_EQ(only(advise(counter.site, counter.context)).gain(), 1.0);
  Built floats = atomic(Space::global, Kind::reduction, "red.global.add.f32", one);
  Advice sum = only(advise(floats.site, floats.context));
  EXPECT_EQ(sum.rule, findings::Rule::same_address_atomic);
  EXPECT_EQ(sum.example.find("__reduce_add_sync"), std::string::npos) << "there is none for floats";
  Built pairs =
      atomic(Space::shared, Kind::atomic, "atom.shared.max.u32", [](u32 l) { return u64{l / 2} * 4; });
  EXPECT_EQ(only(advise(pairs.site, pairs.context)).after.wavefronts, 100u);
  EXPECT_NE(only(advise(pairs.site, pairs.context)).change.find("__match_any_sync"), std::string::npos);
  Built bins =
      atomic(Space::global, Kind::reduction, "red.global.add.u32", [](u32 l) { return u64{l} * l * 64; });
  EXPECT_EQ(only(advise(bins.site, bins.context)).rule, findings::Rule::contended_atomic);
}

TEST(Advise, AtomicsThatWait) {
  auto atomic = [](Space space, u32 bytes, std::string opcode, auto&& address) {
    Built out = site(space, Kind::atomic, bytes, address);
    out.site.site.opcode = std::move(opcode);
    return out;
  };
  auto one = [](u32) { return u64{0}; };
  Built floats = atomic(Space::global, 4, "atom.global.add.f32", one);
  const arch::Architecture& hopper = *floats.context.architecture;
  Advice sum = only(advise(floats.site, floats.context));
  EXPECT_EQ(sum.after.threads, 100u);
  EXPECT_EQ(sum.wait_cycles, 3100u * arch::word_updates(hopper).in_l2 * hopper.part.multiprocessors);
  EXPECT_NE(sum.change.find("of a block in shared memory first"), std::string::npos) << sum.change;
  Built wide = atomic(Space::global, 8, "atom.global.add.u64", one);
  EXPECT_EQ(only(advise(wide.site, wide.context)).rule, findings::Rule::same_address_atomic)
      << "there is no REDUX of 64 bits";
  EXPECT_NE(only(advise(wide.site, wide.context)).change.find("__shfl_down_sync"), std::string::npos);
  Built shared = atomic(Space::shared, 4, "atom.shared.add.f32", [](u32 l) { return u64{l % 4} * 4; });
  EXPECT_EQ(only(advise(shared.site, shared.context)).wait_cycles, 0u) << "its passes are counted";
  shared.site.site.timing_dependent = access::Timing::retry; // a loop, in no sum
  EXPECT_EQ(only(advise(shared.site, shared.context)).wait_cycles,
            2800u * arch::word_updates(hopper).in_loop);
  Built machine = atomic(Space::global, 4, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", one);
  EXPECT_NE(only(advise(machine.site, machine.context)).change.find("__shfl_down_sync"), std::string::npos)
      << "no instruction reduces floats of a warp";
  Built swap = atomic(Space::global, 4, "ATOMG.E.EXCH.STRONG.GPU", one);
  EXPECT_TRUE(advise(swap.site, swap.context).empty());
  Built exchange = atomic(Space::global, 4, "atom.global.exch.b32", one);
  EXPECT_TRUE(advise(exchange.site, exchange.context).empty()) << "their values cannot become one";
}

TEST(Advise, WarpsOfABlockThatMeet) {
  Built warps = site(
      Space::global, Kind::reduction, 4, [](u32) { return u64{64}; }, 8000);
  warps.site.site.opcode = "red.global.add.f32";
  access::WarpAccess lane = warps.site.distribution.classes[0].example;
  lane.active = 1;
  warps.site.distribution.classes = {measure::class_of(lane, 8000, *warps.context.architecture)};
  warps.site.counters[0].threads = 8000;
  measure::FirstBlock& block = warps.site.distribution.first_block;
  block.requests = block.sectors = block.lanes = 8, block.words = 1;
  Advice one = only(advise(warps.site, warps.context));
  EXPECT_EQ(one.rule, findings::Rule::same_address_atomic);
  EXPECT_EQ(one.after.threads, 1000u);
  EXPECT_NE(one.change.find("let one thread of the block"), std::string::npos) << one.change;
  EXPECT_EQ(one.wait_cycles, 7000u * arch::word_updates(*warps.context.architecture).in_l2 *
                                 warps.context.architecture->part.multiprocessors);
  block.words = 4;
  EXPECT_TRUE(advise(warps.site, warps.context).empty()) << "two warps for each word";
  block.words = 1;
  warps.site.counters[0].threads = warps.site.counters[0].instructions = 800;
  EXPECT_TRUE(advise(warps.site, warps.context).empty()) << "a launch takes longer than so few updates";
}

TEST(Advise, AResultThatNobodyReadsLetsTheAssemblerCombine) {
  Built tickets = site(Space::global, Kind::atomic, 4, [](u32) { return u64{0}; });
  tickets.site.site.opcode = "atom.global.add.u32";
  Advice used = only(advise(tickets.site, tickets.context));
  EXPECT_EQ(used.rule, findings::Rule::same_address_atomic);
  EXPECT_NE(used.change.find("the sum of the lanes before it"), std::string::npos) << used.change;
  EXPECT_FALSE(used.by_itself);
  tickets.site.result_unused = true;
  Advice unused = only(advise(tickets.site, tickets.context));
  EXPECT_EQ(unused.rule, findings::Rule::combined_atomic);
  EXPECT_EQ(unused.wait_cycles, 0u);
  ASSERT_TRUE(unused.by_itself);
  EXPECT_EQ(unused.by_itself->threads, 100u);
}

// ATOMS.POPC.INC counts lanes of one word together; only the words of one bank wait for one another.
TEST(Advise, AddsOfOneInSharedMemory) {
  Built bins = site(Space::shared, Kind::reduction, 4, [](u32 l) { return u64{l % 4} * 128; });
  bins.site.site.opcode = "red.shared.add.u32";
  Advice other = only(advise(bins.site, bins.context));
  EXPECT_EQ(other.rule, findings::Rule::contended_atomic)
      << "one lane for each word would leave the bank its four words";
  EXPECT_FALSE(other.by_itself) << "what is added is not known";
  bins.site.adds_one = true;
  std::vector<Advice> list = advise(bins.site, bins.context);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].rule, findings::Rule::contended_atomic);
  EXPECT_EQ(list[0].before.wavefronts, 400u);
  EXPECT_EQ(list[0].after.wavefronts, 100u);
  EXPECT_EQ(list[1].rule, findings::Rule::combined_atomic);
  ASSERT_TRUE(list[1].by_itself);
  EXPECT_EQ(list[1].by_itself->wavefronts, 400u);
  bins.site.site.kind = Kind::atomic; // whose result is used
  EXPECT_FALSE(only(advise(bins.site, bins.context)).by_itself);
}

TEST(Advise, CopiesAreForWhatCombiningLeaves) {
  Built pairs = site(Space::shared, Kind::reduction, 4, [](u32 l) { return u64{l / 4} * 4; });
  pairs.site.site.opcode = "red.shared.max.s32";
  EXPECT_EQ(only(advise(pairs.site, pairs.context)).rule, findings::Rule::contended_atomic);
  Built sorted = site(Space::global, Kind::reduction, 4, [](u32 l) { return u64{l / 4} * 4; });
  sorted.site.site.opcode = "red.global.add.f32";
  sorted.site.counters[0].bytes_used = 100 * 4 * 9; // of other warps, more than the example's eight words
  measure::FirstBlock& block = sorted.site.distribution.first_block;
  block.requests = 8, block.sectors = block.lanes = 256, block.words = 70;
  Advice combined = only(advise(sorted.site, sorted.context));
  EXPECT_EQ(combined.rule, findings::Rule::contended_atomic)
      << "a copy for each block would leave 875 of 3200";
  EXPECT_EQ(combined.after.threads, 900u);
  block.words = 32;
  EXPECT_EQ(only(advise(sorted.site, sorted.context)).rule, findings::Rule::contended_atomic)
      << "400 of 3200";
}

TEST(Advise, CopiesOfATableInSharedMemory) {
  Built bins = site(Space::shared, Kind::atomic, 4, [](u32 l) { return u64{l * 7919 % 101} * 4; });
  bins.site.site.opcode = "atom.shared.add.u32";
  const u64 before = bins.site.counters[0].wavefronts;
  Advice copies = only(advise(bins.site, bins.context));
  EXPECT_EQ(copies.rule, findings::Rule::contended_atomic);
  EXPECT_EQ(copies.before.wavefronts, before);
  EXPECT_EQ(copies.after.wavefronts, 100u);
  EXPECT_NE(copies.change.find("keep 32 copies"), std::string::npos) << copies.change;
  EXPECT_NE(copies.change.find("4 leave"), std::string::npos) << copies.change;
}

TEST(Advise, ACopyOfATableForEachBlock) {
  Built bins = site(Space::global, Kind::reduction, 4, [](u32 l) { return u64{l} * l * 64; });
  bins.site.site.opcode = "red.global.add.u32";
  measure::FirstBlock& block = bins.site.distribution.first_block;
  block.requests = 10, block.sectors = block.lanes = 320, block.words = 64;
  Advice copy = only(advise(bins.site, bins.context));
  EXPECT_EQ(copy.rule, findings::Rule::contended_atomic);
  EXPECT_EQ(copy.after.threads, 640u) << "of 3200, a fifth";
  EXPECT_NE(copy.title.find("each word 5 times"), std::string::npos) << copy.title;
  block.words = 310;
  Advice none = only(advise(bins.site, bins.context));
  EXPECT_EQ(none.gain(), 1.0);
  EXPECT_NE(none.change.find("a copy for each block saves nothing"), std::string::npos) << none.change;
  block.lanes = block.sectors = 200'000, block.words = 20'000;
  EXPECT_NE(only(advise(bins.site, bins.context)).change.find("too many for a copy"), std::string::npos);
}

TEST(Advise, ABlockCanSortWhatItStores) {
  Built keys = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * l * 64; });
  EXPECT_EQ(only(advise(keys.site, keys.context)).after.sectors, 400u) << "a bound: all sorted before";
  measure::FirstBlock& block = keys.site.distribution.first_block;
  block.requests = 10, block.sectors = block.lanes = 320, block.words = 320;
  block.by_address.requests = 10, block.by_address.sectors = 80;
  Advice block_wise = only(advise(keys.site, keys.context));
  EXPECT_EQ(block_wise.after.sectors, 800u);
  EXPECT_NE(block_wise.change.find("collect a block's elements"), std::string::npos) << block_wise.change;
  block.by_address.sectors = 310;
  EXPECT_NE(only(advise(keys.site, keys.context)).change.find("order of its destinations already"),
            std::string::npos);
  block.by_address.sectors = 300;
  Advice before = only(advise(keys.site, keys.context));
  EXPECT_EQ(before.after.sectors, 400u);
  EXPECT_NE(before.change.find("sorting within the block does not help"), std::string::npos) << before.change;
}

TEST(Advise, RowsOfThreadsAreCountedAsTheyWereWalked) {
  Built b = site(Space::global, Kind::load, 4, [](u32 l) { return u64{l} * l * 64; });
  measure::FirstBlock& block = b.site.distribution.first_block;
  block.requests = 50, block.sectors = 1600, block.distinct_sectors = 200;
  block.rows = 32, block.row_elements = 32 * 50, block.row_lanes = 32;
  block.by_rows.instructions = block.by_rows.requests = 64, block.by_rows.sectors = 230;
  Advice rows = only(advise(b.site, b.context));
  EXPECT_EQ(rows.rule, findings::Rule::uncoalesced_load);
  EXPECT_EQ(rows.after.sectors, 460u) << "twice the first block's";
  EXPECT_NE(rows.change.find("to a warp"), std::string::npos);
  block.row_lanes = 8;
  EXPECT_NE(only(advise(b.site, b.context)).change.find("8 lanes of a warp"), std::string::npos);
  block.row_lanes = 0, block.rows = block.row_elements = 0; // no rows were walked along
  EXPECT_EQ(only(advise(b.site, b.context)).rule, findings::Rule::scattered_access);
}

TEST(Advise, RowsWhoseValuesAreStoredAreNotCombined) {
  Built load = site(
      Space::global, Kind::load, 4, [](u32 l) { return u64{l} * 512; }, 6400);
  Built all = site(
            Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 640; }, 6400),
        one = site(
            Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 4; }, 100);
  measure::LaunchRecord launch = launch_of({&load, &all});
  EXPECT_NE(only(advise_in(load, launch)).change.find("to a warp"), std::string::npos);
  EXPECT_EQ(only(advise_in(load, launch)).change.find("combine"), std::string::npos);
  launch = launch_of({&load, &one});
  EXPECT_NE(only(advise_in(load, launch)).change.find("combine what they found"), std::string::npos);
}

// Short rows, each read by 8 lanes, of which the last turn leaves some idle: nothing there can be renumbered.
TEST(Advise, RowsOfAFewLanesAreNotToBeSorted) {
  Built rows = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l / 8 * 200 + l % 8 * 8}; });
  access::WarpAccess access = rows.site.distribution.classes[0].example;
  access.active = 0xf8030f07;
  rows.site.distribution.classes = {measure::class_of(access, 100, *rows.context.architecture)};
  rows.site.counters[0] = rows.site.distribution.classes[0].counts;
  rows.site.pattern = measure::pattern_of(rows.site.distribution);
  ASSERT_EQ(rows.site.pattern.kind(), measure::PatternKind::scattered);
  std::vector<Advice> list = advise(rows.site, rows.context);
  auto found = std::ranges::find(list, findings::Rule::scattered_access, &Advice::rule);
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->title, "each 8 lanes of a warp go along a row of their own");
  EXPECT_EQ(found->change.find("renumber"), std::string::npos) << found->change;
  EXPECT_EQ(std::ranges::find(list, findings::Rule::divergent_access, &Advice::rule), list.end());
  EXPECT_EQ(found->gain(), 1.0);
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

// A pointer that each thread reads for itself leads to an array of its own; one that all read does not, nor does a list.
TEST(Advise, ArraysThatThreadsHaveToThemselves) {
  using access::ArrayKind;
  auto stored = site(Space::global, Kind::store, 4, [](u32 l) { return u64{l} * 512; });
  stored.site.site.array = {.kind = ArrayKind::heap, .name = "malloc()"};
  EXPECT_TRUE(only(advise_in(stored, launch_of({&stored}))).interleaves);
  stored.site.site.array = {.kind = ArrayKind::parameter, .indirect = true};
  EXPECT_FALSE(only(advise_in(stored, launch_of({&stored}))).interleaves);
  auto own = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l} * 8; });
  auto shared = site(Space::global, Kind::load, 8, [](u32) { return u64{64}; });
  own.site.site.array = shared.site.site.array = {.kind = ArrayKind::parameter};
  EXPECT_TRUE(only(advise_in(stored, launch_of({&stored, &own}))).interleaves);
  EXPECT_FALSE(only(advise_in(stored, launch_of({&stored, &shared}))).interleaves);
  auto next = site(Space::global, Kind::load, 8, [](u32 l) { return u64{l} * 4096; });
  next.site.site.array = stored.site.site.array;
  EXPECT_FALSE(only(advise_in(stored, launch_of({&stored, &own, &next}))).interleaves);
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
