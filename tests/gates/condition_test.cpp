// The words of --fail-on and of expectations.
#include "gates/condition.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::gates {
namespace {

std::string error_of(std::string_view text) {
  Result<std::vector<Condition>> out = parse_conditions(text, {});
  return out ? "none" : out.error().message + "; " + out.error().help;
}

TEST(Condition, IsASeverityARuleOrAComparison) {
  Result<std::vector<Condition>> out =
      parse_conditions("warning, bank-conflict ,sectors > 8.5,excess>=20%,never", {});
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(out->size(), 5);
  EXPECT_EQ(std::get<findings::Severity>((*out)[0].what), findings::Severity::warning);
  EXPECT_EQ(std::get<findings::Rule>((*out)[1].what), findings::Rule::bank_conflict);
  const Comparison& sectors = std::get<Comparison>((*out)[2].what);
  EXPECT_EQ(sectors.measure, Measure::sectors);
  EXPECT_EQ(sectors.relation, Relation::more);
  EXPECT_EQ(sectors.limit, 8.5);
  EXPECT_EQ(std::get<Comparison>((*out)[3].what).limit, 0.2);
}

TEST(Condition, WhatIsMeantIsSaid) {
  EXPECT_EQ(error_of("warnings"),
            "'warnings' is no severity, no rule and no comparison; did you mean 'warning'?");
  EXPECT_EQ(error_of("excess>20"),
            "excess is a share: write 20%; write e.g. sectors-per-request>8, wavefronts<=2 or excess>20%");
  EXPECT_THAT(error_of("excess>0.25"), testing::StartsWith("excess is a share: write 25%;"));
  EXPECT_NE(error_of("sectors>20%"), "none");
  EXPECT_NE(error_of(""), "none");
  EXPECT_NE(error_of("warning,"), "none");
  EXPECT_NE(error_of("sectors>nan"), "none");
  EXPECT_NE(error_of("sectors>-1"), "none");
  EXPECT_NE(error_of("sectors>1e999"), "none");
}

TEST(Comparison, OfARangeMayBeUnknown) {
  Comparison at_most = *parse_comparison("sectors<=4", {});
  EXPECT_EQ(judge(at_most, {.least = 1, .most = 4}), Verdict::holds);
  EXPECT_EQ(judge(at_most, {.least = 4, .most = 5}), Verdict::unknown);
  EXPECT_EQ(judge(at_most, {.least = 5, .most = 9}), Verdict::fails);
  EXPECT_EQ(judge(at_most, {.least = 1, .most = 9, .reached = true}), Verdict::fails) << "some warp pays 9";
  EXPECT_EQ(judge(at_most, {.least = 1, .most = 9, .average = 3.9}), Verdict::holds) << "a run knows";
  Comparison equal = *parse_comparison("sectors==4", {});
  EXPECT_EQ(judge(equal, {.least = 4, .most = 4}), Verdict::holds);
  EXPECT_EQ(judge(equal, {.least = 1, .most = 9}), Verdict::unknown);
  EXPECT_EQ(judge(equal, {.least = 5, .most = 9}), Verdict::fails);
  EXPECT_FALSE(holds(*parse_comparison("sectors<4", {}), 4));
  EXPECT_TRUE(holds(*parse_comparison("sectors>=4", {}), 4));
}

} // namespace
} // namespace warplens::gates
