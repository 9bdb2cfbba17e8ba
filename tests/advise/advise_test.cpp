// Each rule on a site built from a known access: which advice, and the counts before and after.
#include "advise/advise.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::advise {
namespace {

using access::Kind;
using access::Space;
using measure::Form;

// A site as if `warps` full warps had executed `address(lane)`.
struct Built {
  measure::SiteRecord site;
  Context context;
};

measure::Pattern lanes(Form form, i64 stride = 0, u32 ways = 0) {
  return {.shape = {.form = form, .stride = stride}, .ways = ways, .share = 1};
}

template <class F>
Built site(Space space, Kind kind, u32 bytes, measure::Pattern pattern, F&& address, u64 warps = 100,
           u32 sm = 90) {
  Built out;
  out.context.architecture = arch::find(sm);
  access::WarpAccess access{{.space = space, .kind = kind, .bytes = static_cast<u8>(bytes)}, full_mask};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
  out.site.site.bytes = static_cast<u8>(bytes);
  out.site.site.kind = kind;
  out.site.space = space;
  out.site.counters = {arch::count(*out.context.architecture, access) * warps};
  out.site.pattern = std::move(pattern);
  return out;
}

void expect(const Built& built, std::string_view rule, u64 before, u64 after) {
  std::vector<Advice> list = advise(built.site, built.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].rule, rule);
  EXPECT_EQ(value(list[0].metric, list[0].before), before);
  EXPECT_EQ(value(list[0].metric, list[0].after), after);
}

TEST(Advise, Strided) {
  measure::Pattern row = lanes(Form::strided, 4096), structure = lanes(Form::strided, 12);
  expect(site(Space::global, Kind::load, 4, row, [](u32 l) { return u64{l} * 4096; }), "strided-access", 3200,
         400);
  expect(site(Space::global, Kind::store, 4, structure, [](u32 l) { return u64{l} * 12; }), "strided-access",
         1200, 400);
}

TEST(Advise, MisalignedAndScattered) {
  expect(site(Space::global, Kind::load, 4, lanes(Form::misaligned, 4), [](u32 l) { return 4 + u64{l} * 4; }),
         "misaligned-access", 500, 400);
  expect(site(Space::global, Kind::load, 4, lanes(Form::scattered), [](u32 l) { return u64{l} * l * 64; }),
         "scattered-access", 3200, 400);
}

TEST(Advise, BroadcastIsANote) {
  Built b = site(Space::global, Kind::load, 4, lanes(Form::broadcast), [](u32) { return u64{64}; });
  expect(b, "broadcast-load", 100, 100);
  EXPECT_DOUBLE_EQ(advise(b.site, b.context)[0].gain(), 1.0);
}

TEST(Advise, TheFirstArchitecturesMoveMoreThanTheSectors) {
  Built shifted = site(
      Space::global, Kind::load, 8, lanes(Form::contiguous, 8), [](u32 l) { return 64 + u64{l} * 8; }, 100,
      10);
  expect(shifted, "misaligned-access", 3200, 200); // half-warps must start at a multiple of 128 bytes
  Built one = site(
      Space::global, Kind::load, 4, lanes(Form::broadcast), [](u32) { return u64{64}; }, 100, 10);
  std::vector<Advice> list = advise(one.site, one.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].change.find("nothing is lost"), std::string::npos);
}

TEST(Advise, NarrowContiguous) {
  expect(site(Space::global, Kind::load, 4, lanes(Form::contiguous, 4), [](u32 l) { return u64{l} * 4; }),
         "narrow-access", 100, 25);
  Built wide =
      site(Space::global, Kind::load, 16, lanes(Form::contiguous, 16), [](u32 l) { return u64{l} * 16; });
  EXPECT_TRUE(advise(wide.site, wide.context).empty());
  Built single = site(
      Space::global, Kind::load, 4, lanes(Form::contiguous, 4), [](u32 l) { return u64{l} * 4; }, 1);
  EXPECT_TRUE(advise(single.site, single.context).empty());
}

TEST(Advise, BankConflict) {
  expect(
      site(Space::shared, Kind::load, 4, lanes(Form::conflict, 128, 32), [](u32 l) { return u64{l} * 128; }),
      "bank-conflict", 3200, 100);
  expect(
      site(Space::shared, Kind::store, 8, lanes(Form::conflict, 256, 16), [](u32 l) { return u64{l} * 256; }),
      "bank-conflict", 3200, 200);
  Built free =
      site(Space::shared, Kind::load, 4, lanes(Form::no_conflict, 4, 1), [](u32 l) { return u64{l} * 4; });
  EXPECT_TRUE(advise(free.site, free.context).empty());
}

TEST(Advise, ConstantAndLocal) {
  expect(site(Space::constant, Kind::load, 4, lanes(Form::scattered, 4), [](u32 l) { return u64{l} * 4; }),
         "constant-serialised", 3200, 100);
  expect(site(Space::local, Kind::load, 4, lanes(Form::scattered), [](u32 l) { return u64{l} * 4; }),
         "local-array", 3200, 400);
  expect(site(Space::local, Kind::store, 4, lanes(Form::contiguous), [](u32) { return u64{8}; }),
         "local-array", 400, 0);
}

TEST(Advise, LocalArraysAreNamed) {
  Built b = site(Space::local, Kind::store, 4, lanes(Form::contiguous), [](u32) { return u64{8}; });
  measure::LaunchRecord launch;
  launch.local_arrays = {"histogram"};
  b.context.launch = &launch;
  EXPECT_NE(advise(b.site, b.context)[0].cause.find("(histogram)"), std::string::npos);
}

TEST(Advise, AtomicsOnOneAddress) {
  expect(site(Space::global, Kind::reduction, 4, lanes(Form::broadcast), [](u32) { return u64{0}; }),
         "same-address-atomics", 3200, 100);
  expect(site(Space::shared, Kind::atomic, 4, lanes(Form::broadcast), [](u32) { return u64{0}; }),
         "same-address-atomics", 3200, 100);
}

// The report, JSON and its schema say which count an advice lowers: by name.
TEST(Advise, EveryMetricHasANameThatTheSchemaKnows) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/docs/schema/run-1.schema.json");
  nlohmann::json schema = nlohmann::json::parse(file);
  std::vector<std::string> names;
  for (u8 i = 0; !name(static_cast<Metric>(i)).empty(); ++i) names.emplace_back(name(static_cast<Metric>(i)));
  EXPECT_EQ(names.size(), 1u + static_cast<u8>(Metric::threads));
  EXPECT_EQ(nlohmann::json(names), schema["$defs"]["advice"]["properties"]["metric"]["enum"]);
  Built atomics = site(Space::global, Kind::reduction, 4, lanes(Form::broadcast), [](u32) { return u64{0}; });
  EXPECT_EQ(name(advise(atomics.site, atomics.context)[0].metric), "threads");
}

TEST(Advise, PartialWarpsAreSpreadEvenly) {
  Built b = site(Space::global, Kind::load, 4, lanes(Form::strided, 128), [](u32 l) { return u64{l} * 128; });
  b.site.counters[0].threads = 1650; // 16 or 17 lanes a warp
  std::vector<Advice> list = advise(b.site, b.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].after.threads, 1650u);
  EXPECT_EQ(list[0].after.instructions, 100u);
  EXPECT_EQ(list[0].after.sectors, 50u * 2 + 50u * 3);
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
