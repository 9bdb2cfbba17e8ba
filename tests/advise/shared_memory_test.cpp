// Rules on shared memory: paddings and swizzles that are tried on all accesses to an array.
#include "advise/built.h"
#include <fmt/format.h>

namespace warplens::advise {
namespace {

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

// s[16][8][8], by eight threads for each 8 x 8 block: what some of them go along shows how long a row is.
TEST(Advise, ShortRowsThatAnotherAccessGoesAlongArePadded) {
  for (const u64 row : {24u, 32u, 40u}) {
    const u64 columns = row / 4;
    Built along = site(Space::shared, Kind::store, 4,
                       [=](u32 l) { return l / columns * (8 * row) + l % columns * 4; }),
          down = site(Space::shared, Kind::load, 4, [=](u32 l) { return u64{l} * row; });
    for (Built* one : {&along, &down}) one->site.site.array = {access::ArrayKind::shared, "s"};
    const measure::LaunchRecord launch = launch_of({&along, &down});
    const std::string words = fmt::format("4 bytes longer ({} instead of {})", row + 4, row);
    for (const Built* one : {&along, &down})
      EXPECT_NE(only(advise_in(*one, launch)).change.find(words), std::string::npos)
          << only(advise_in(*one, launch)).change;
    EXPECT_EQ(only(advise(down.site, down.context)).change.find("row"), std::string::npos) << "alone";
  }
}

// s[16][8][8] of floats: rows are those of the declaration, longer by whole elements.
TEST(Advise, RowsAreThoseThatAreDeclared) {
  struct Case {
    const char* declared;
    u64 lane;  // bytes from lane to lane
    u32 bytes; // of an access
    const char *change, *example;
  };
  for (const auto& [declared, lane, bytes, change, example] :
       {Case{"float [16][8][8]", 32, 4,
             "declare s[16][8][8 + 1], which makes each row of the shared array 4 bytes longer (36 instead "
             "of 32)",
             "__shared__ float s[16][8][8 + 1];"},
        Case{"float [16][8][8]", 256, 4, "declare s[16][8][8 + 1], ", "__shared__ float s[16][8][8 + 1];"},
        Case{"float [16][8][8]", 32, 8, "declare s[16][8][8 + 2], ", "__shared__ float s[16][8][8 + 2];"},
        Case{"unsigned char [32][64]", 64, 4, "declare s[32][64 + 4], ",
             "__shared__ unsigned char s[32][64 + 4];"},
        Case{"double [32][16]", 128, 8, "declare s[32][16 + 1], ", "__shared__ double s[32][16 + 1];"},
        Case{"real [32][32]", 128, 4, "make each row of the shared array 4 bytes longer (132 instead of 128)",
             "[32 + 1] in the declaration, in elements of 4 bytes"}}) {
    Built x = site(Space::shared, Kind::load, bytes, [&](u32 l) { return l * lane; });
    x.site.site.array = {access::ArrayKind::shared, "s"}, x.site.declared = declared;
    const Advice advice = only(advise(x.site, x.context));
    EXPECT_EQ(advice.change.find(change), 0u) << advice.change;
    EXPECT_EQ(advice.example, example);
    EXPECT_LT(advice.after.wavefronts, advice.before.wavefronts);
  }
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
  EXPECT_EQ(tile.lost_beside, 100u);
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

// Fragments for tensor cores are groups of rows: two that the other half of the warp names again (x2), or four (x4).
TEST(Advise, GroupsOfRows) {
  const auto twice = [](u32 l) { return u64{l % 8 * 64 + l / 8 % 2 * 16}; };
  const auto four = [](u32 l) { return u64{l % 8 * 64 + l / 8 % 2 * 16 + l / 16 * 512}; };
  const auto columns = [](u32 l) { return u64{l % 8 * 64 + l / 8 % 2 * 512 + l / 16 * 16}; };
  for (const Built& group :
       {site(Space::shared, Kind::load, 16, twice), site(Space::shared, Kind::load, 16, four),
        site(Space::shared, Kind::load, 16, columns)}) {
    const Advice advice = only(advise(group.site, group.context));
    EXPECT_NE(advice.change.find("keep chunk c of row r (16 bytes each) at c ^ (r / 2 % 4)"),
              std::string::npos)
        << advice.change;
    EXPECT_EQ(advice.after.wavefronts, advice.before.ideal_wavefronts);
  }
  const Built anywhere = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l * l * l % 61 * 32}; });
  EXPECT_NE(only(advise(anywhere.site, anywhere.context)).change.find("along no rows"), std::string::npos);
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
  // Where the copies would pay more than the loads gain, no longer rows help.
  launch.sites.push_back(launch.sites[1]);
  launch.sites.back().site.id = access::SiteId(2u);
  for (measure::SiteRecord& one : {std::ref(launch.sites[1]), std::ref(launch.sites[2])})
    one.distribution.classes[0].warps *= 10, one.counters[0] = one.distribution.classes[0].counts * 10;
  EXPECT_TRUE(only(advise_in(column, launch)).change.starts_with("keep chunk c of row r")) << exchange.change;
  launch.sites[1].site.function = launch.sites[2].site.function = "other";
  EXPECT_TRUE(only(advise_in(column, launch)).change.starts_with("make each row")) << "not written by them";
}

// Rows that vectors are stored to become longer by whole vectors, whatever reads them.
TEST(Advise, PaddingKeepsVectorsAligned) {
  Built column = site(Space::shared, Kind::load, 4, [](u32 l) { return u64{l} * 128; });
  Built vectors = site(Space::shared, Kind::store, 16, [](u32 l) { return u64{l} * 16; });
  for (Built* one : {&column, &vectors}) one->site.site.array = {access::ArrayKind::shared, "tile"};
  measure::LaunchRecord launch = launch_of({&column, &vectors});
  EXPECT_NE(only(advise_in(column, launch)).change.find("16 bytes longer"), std::string::npos);
  // Unless these are no vectors of the source, but what the compiler made of several words.
  EXPECT_NE(only(advise_in(column, launch)).change.find("4 bytes (132)"), std::string::npos);
  launch.sites[1].site.kind = Kind::async_copy;
  EXPECT_EQ(only(advise_in(column, launch)).change.find("4 bytes (132)"), std::string::npos);
  launch.sites[1].site.array.name = "other";
  EXPECT_NE(only(advise_in(column, launch)).change.find(" 4 bytes longer"), std::string::npos);
}

} // namespace
} // namespace warplens::advise
