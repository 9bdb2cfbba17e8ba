// The choice of the instruction set: lower than what the processor has, never higher, and never by a wrong name.
#include "base/cpu.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace warplens::cpu {
namespace {

TEST(Cpu, ANameLowersTheTarget) {
  for (Target best : targets)
    for (Target wanted : targets) {
      auto target = target_named(name(wanted), best);
      EXPECT_EQ(target.has_value(), wanted <= best) << name(wanted) << " of " << name(best);
      EXPECT_EQ(target.value_or(wanted), wanted);
    }
}

TEST(Cpu, WhatIsWrongIsSaid) {
  EXPECT_EQ(target_named("avx512", Target::avx2).error(),
            "this processor cannot run 'avx512'; the most it has is 'avx2'");
  EXPECT_EQ(target_named("AVX2", Target::avx512).error(),
            "there is no target 'AVX2'; there are baseline, avx2 and avx512");
  EXPECT_FALSE(target_named("", Target::avx512).has_value());
}

TEST(Cpu, TheEnvironmentIsAskedAndWrongNamesFallBack) {
  Target in_use = target(); // chosen before the variable changes, and for good
  ::setenv("WARPLENS_TARGET", "baseline", 1);
  EXPECT_EQ(wanted_target(), Target::baseline);
  ::setenv("WARPLENS_TARGET", "banana", 1);
  EXPECT_FALSE(wanted_target().has_value());
  ::setenv("WARPLENS_TARGET", "", 1);
  EXPECT_EQ(wanted_target(), best_target());
  ::unsetenv("WARPLENS_TARGET");
  EXPECT_EQ(wanted_target(), best_target());
  EXPECT_EQ(target(), in_use);
}

} // namespace
} // namespace warplens::cpu
