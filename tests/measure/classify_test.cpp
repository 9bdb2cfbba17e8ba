// Patterns as values; the cases one by one, and their words, are in tests/report/pattern_text_test.cpp.
#include "arch/count.h"
#include "measure/classify.h"
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace warplens::measure {
namespace {

using access::Space;
using Addresses = std::function<u64(u32)>;

void add(PatternTally& tally, const Addresses& address, Space space = Space::global, u32 active = full_mask) {
  access::WarpAccess access{{.space = space}, active};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
  tally.add(observe(access, arch::count(*arch::find(90), access)));
}

Pattern pattern_of(const Addresses& address, Space space = Space::global, u32 active = full_mask) {
  PatternTally tally;
  add(tally, address, space, active);
  return tally.most_frequent();
}

u64 consecutive(u32 lane) { return 4096 + 4 * lane; }

TEST(Pattern, SaysOnlyWhatItsFormUses) {
  EXPECT_EQ(pattern_of(consecutive), (Pattern{.shape = {.form = Form::contiguous, .stride = 4}, .share = 1}));
  EXPECT_EQ(
      pattern_of([](u32 l) { return 65540 + 4 * (l % 16) + 4096 * (l / 16); }),
      (Pattern{
          .shape = {.form = Form::rows, .stride = 4, .rows = 2, .row_lanes = 16, .gap = 4096, .offset = 4},
          .share = 1}));
  EXPECT_EQ(pattern_of([](u32 l) { return 4096 + 400 * (l * 7919 % 101); }),
            (Pattern{.shape = {.form = Form::scattered}, .lanes = 32, .units = 32, .share = 1}));
  EXPECT_EQ(pattern_of(consecutive, Space::global, 0xfff0fff3),
            (Pattern{.shape = {.form = Form::with_gaps, .stride = 4}, .lanes = 26, .share = 1}));
  EXPECT_EQ(pattern_of([](u32 l) { return u64{128} * l; }, Space::shared),
            (Pattern{.shape = {.form = Form::conflict, .stride = 128}, .units = 32, .ways = 32, .share = 1}));
}

TEST(Pattern, ConflictsThatDifferHaveAnAverageAndAWorst) {
  PatternTally tally;
  auto in_banks = [](u32 ways) { // no stride: the first lanes all want one bank
    return [ways](u32 l) { return l < ways ? u64{128} * (l ^ 1) : u64{4} * l; };
  };
  add(tally, in_banks(4), Space::shared);
  add(tally, in_banks(8), Space::shared);
  Pattern pattern = tally.most_frequent();
  EXPECT_EQ(pattern.shape, Shape{.form = Form::conflict});
  EXPECT_EQ(pattern.units, 6u);
  EXPECT_EQ(pattern.most_units, 8u);
  EXPECT_EQ(pattern.ways, 8u);
}

TEST(Pattern, TheMostFrequentFormWinsAndItsShareIsTold) {
  PatternTally a, b;
  for (u32 i = 0; i < 3; ++i) add(a, consecutive);
  add(b, [](u32 l) { return 4096 + 8 * l; });
  a.add(b);
  Pattern pattern = a.most_frequent();
  EXPECT_EQ(pattern.shape.form, Form::contiguous);
  EXPECT_EQ(pattern.share, 0.75);
  EXPECT_EQ(PatternTally().most_frequent(), Pattern{});
  EXPECT_EQ(Pattern{}.kind(), PatternKind::unknown);
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
