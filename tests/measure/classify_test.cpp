// Patterns as values; the cases one by one, and their words, are in tests/report/pattern_text_test.cpp.
#include "arch/count.h"
#include "base/bits.h"
#include "measure/distribution.h"
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace warplens::measure {
namespace {

using access::Space;
using Addresses = std::function<u64(u32)>;

Distribution warps_of(const Addresses& address, Space space = Space::global, u32 active = full_mask,
                      u64 warps = 1) {
  access::WarpAccess access{{.space = space}, active};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
  return {.classes = {class_of(access, warps, *arch::find(90))}};
}

Pattern pattern_of(const Addresses& address, Space space = Space::global, u32 active = full_mask) {
  return measure::pattern_of(warps_of(address, space, active));
}

u64 consecutive(u32 lane) { return 4096 + 4 * lane; }

TEST(Pattern, SaysOnlyWhatItsFormUses) {
  EXPECT_EQ(pattern_of(consecutive), (Pattern{.shape = {.form = Form::contiguous, .stride = 4}, .share = 1}));
  EXPECT_EQ(
      pattern_of([](u32 l) { return 65540 + 4 * (l % 16) + 4096 * (l / 16); }),
      (Pattern{
          .shape = {.form = Form::rows, .stride = 4, .rows = 2, .row_lanes = 16, .gap = 4096, .offset = 4},
          .share = 1,
          .excess_share = 1}));
  EXPECT_EQ(
      pattern_of([](u32 l) { return 4096 + 400 * (l * 7919 % 101); }),
      (Pattern{.shape = {.form = Form::scattered}, .lanes = 32, .units = 32, .share = 1, .excess_share = 1}));
  EXPECT_EQ(pattern_of(consecutive, Space::global, 0xfff0fff3),
            (Pattern{.shape = {.form = Form::with_gaps, .stride = 4}, .lanes = 26, .share = 1}));
  EXPECT_EQ(pattern_of([](u32 l) { return u64{128} * l; }, Space::shared),
            (Pattern{.shape = {.form = Form::conflict, .stride = 128},
                     .units = 32,
                     .ways = 32,
                     .share = 1,
                     .excess_share = 1}));
}

// A periodic border: some lanes are out of turn.
TEST(Pattern, AStrideThatWrapsAroundIsAStride) {
  auto shape = [](const Addresses& address) { return pattern_of(address).shape; };
  const auto strided = [](i64 stride, u32 parts) {
    return Shape{.form = Form::strided, .stride = stride, .rows = parts};
  };
  EXPECT_EQ(shape([](u32 l) { return 4096 + 76 * ((l + 31) % 32); }), strided(76, 2));
  EXPECT_EQ(shape([](u32 l) { return 4096 + 76 * ((l + 1) % 32); }), strided(76, 2));
  EXPECT_EQ(shape([](u32 l) { return 4096 + 32 * ((l + 95) % 96); }), strided(32, 2));
  EXPECT_EQ(shape([](u32 l) { return 4096 + 32 * (l % 2 * 16 + l / 2 % 2 * 8 + l / 4); }), strided(32, 32))
      << "another order";
  EXPECT_EQ(shape([](u32 l) { return 4096 + 256 * ((l % 16 + 255) % 256) + l / 16; }), strided(256, 4))
      << "a border in rows of lanes";
  EXPECT_EQ(shape([](u32 l) { return 4096 + 4 * ((l + 90) % 96 + 1); }).form, Form::scattered) << "no stride";
  EXPECT_EQ(shape([](u32 l) { return 4096 + 64 * (l * l % 61); }).form, Form::scattered);
}

TEST(Pattern, ConflictsThatDifferHaveAnAverageAndAWorst) {
  auto in_banks = [](u32 ways) { // no stride: the first lanes all want one bank
    return [ways](u32 l) { return l < ways ? u64{128} * (l ^ 1) : u64{4} * l; };
  };
  Distribution both = warps_of(in_banks(4), Space::shared);
  add(both, warps_of(in_banks(8), Space::shared));
  Pattern pattern = measure::pattern_of(both);
  EXPECT_EQ(pattern.shape, Shape{.form = Form::conflict});
  EXPECT_EQ(pattern.units, 6u);
  EXPECT_EQ(pattern.most_units, 8u);
  EXPECT_EQ(pattern.ways, 8u);
}

TEST(Pattern, TheShapeThatExplainsTheExcessIsNamed) {
  Distribution warps = warps_of(consecutive, Space::global, full_mask, 900);
  add(warps, warps_of([](u32 l) { return 4096 + u64{8} * l; }, Space::global, full_mask, 60));
  add(warps, warps_of([](u32 l) { return 4096 + u64{128} * l; }, Space::global, full_mask, 40));
  Pattern pattern = measure::pattern_of(warps);
  EXPECT_EQ(pattern.shape, (Shape{.form = Form::strided, .stride = 128}));
  EXPECT_DOUBLE_EQ(pattern.share, 0.04);
  EXPECT_DOUBLE_EQ(pattern.excess_share, 28.0 * 40 / (28.0 * 40 + 4.0 * 60));
  EXPECT_EQ(measure::pattern_of({}), Pattern{});
  EXPECT_EQ(Pattern{}.kind(), PatternKind::unknown);
}

TEST(Pattern, WithoutExcessTheMostFrequentShapeIsNamed) {
  Distribution warps = warps_of(consecutive, Space::global, full_mask, 3);
  add(warps, warps_of([](u32) { return u64{64}; }));
  Pattern pattern = measure::pattern_of(warps);
  EXPECT_EQ(pattern, (Pattern{.shape = {.form = Form::contiguous, .stride = 4}, .share = 0.75}));
}

TEST(Pattern, ConflictsOfManyStridesAreOnePattern) {
  Distribution warps;
  for (u64 step : {8, 16, 24, 40, 56}) add(warps, warps_of([=](u32 l) { return step * l; }, Space::shared));
  add(warps, warps_of(consecutive, Space::shared));
  Pattern pattern = measure::pattern_of(warps);
  EXPECT_EQ(pattern.shape, (Shape{.form = Form::conflict}));
  EXPECT_DOUBLE_EQ(pattern.excess_share, 1);
  EXPECT_DOUBLE_EQ(pattern.share, 5.0 / 6);
  EXPECT_EQ(pattern.most_units, 4u);
}

TEST(Distribution, ClassesBeyondTheMostKeepTheSums) {
  Distribution warps;
  arch::Counts all;
  for (u32 lanes = 2; lanes <= 32; ++lanes) {
    Distribution more = warps_of([](u32 l) { return 4096 + u64{400} * (l * 7919 % 101); }, Space::global,
                                 low_lanes(lanes), lanes);
    all += more.classes[0].counts;
    add(warps, more);
  }
  add(warps, warps_of(consecutive)); // without excess, and the only one of its shape
  all += warps_of(consecutive).classes[0].counts;
  EXPECT_EQ(warps.classes.size(), Distribution::most_classes);
  arch::Counts sum = warps.other;
  for (const WarpClass& c : warps.classes) sum += c.counts;
  EXPECT_TRUE(sum == all);
  EXPECT_EQ(warps.warps(), all.instructions);
  EXPECT_EQ(measure::pattern_of(warps).shape.form, Form::scattered);
  Pattern pattern = measure::pattern_of(warps);
  warps *= 3;
  EXPECT_EQ(warps.warps(), 3 * all.instructions);
  EXPECT_EQ(measure::pattern_of(warps), pattern);
}

TEST(Pattern, EveryFormHasANameOfItsOwnAndAKind) {
  std::set<std::string_view> names;
  u32 forms = 0;
  for (u32 i = 0; i < 256; ++i) {
    Form form = static_cast<Form>(i);
    if (name(form).empty()) continue;
    ++forms;
    names.insert(name(form));
    EXPECT_EQ(kind_of({.form = form}) == PatternKind::unknown, form == Form::none) << name(form);
  }
  EXPECT_EQ(forms, static_cast<u32>(Form::local_apart) + 1);
  EXPECT_EQ(names.size(), forms);
}

} // namespace
} // namespace warplens::measure
