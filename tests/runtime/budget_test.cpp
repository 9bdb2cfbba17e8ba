// --budget: which launches are counted in full, which run uncounted, and when the program ends.
#include "runtime/budget.h"
#include "runtime/module.h"
#include <gtest/gtest.h>

namespace warplens::runtime {
namespace {

using Rest = sim::Sampling::Rest;

Options of_seconds(double seconds) {
  Options options;
  options.budget = seconds;
  return options;
}

// A launch of which a sample of a thousandth took `seconds` / 1000.
Rest rest_of(Budget& budget, const Kernel& kernel, double seconds) {
  return budget
      .next(kernel, {}, {.weights = {}, .ctas = 1, .warp_instructions = 1, .of_grid = 1000}, seconds / 1000)
      .rest;
}

// What it then takes: as much, where it is counted.
Rest launch(Budget& budget, const Kernel& kernel, double seconds) {
  const Rest rest = rest_of(budget, kernel, seconds);
  if (rest != Rest::left_out) budget.spend(&kernel, {}, seconds, 0, rest == Rest::counted);
  return rest;
}

TEST(Budget, HalfOfItIsForFullCounts) {
  Budget one(of_seconds(60));
  Kernel kernel;
  for (int i = 0; i < 29; ++i) EXPECT_EQ(launch(one, kernel, 1), Rest::counted) << i;
  for (int i = 0; i < 5; ++i) launch(one, kernel, 1);
  EXPECT_EQ(launch(one, kernel, 1), Rest::uncounted);
}

TEST(Budget, WhatLightKernelsLeaveIsForHeavyOnes) {
  Budget budget(of_seconds(60));
  std::vector<Kernel> light(20);
  Kernel heavy;
  for (Kernel& kernel : light) EXPECT_EQ(launch(budget, kernel, 0.1), Rest::counted);
  for (int i = 0; i < 27; ++i) EXPECT_EQ(launch(budget, heavy, 1), Rest::counted) << i;
  for (int i = 0; i < 5; ++i) launch(budget, heavy, 1);
  EXPECT_EQ(launch(budget, heavy, 1), Rest::uncounted);
  for (Kernel& kernel : light) EXPECT_EQ(launch(budget, kernel, 0.1), Rest::counted);
}

TEST(Budget, EachOfManyHeavyKernelsHasItsTurn) {
  Budget budget(of_seconds(60));
  std::vector<Kernel> heavy(9);
  int counted = 0;
  for (Kernel& kernel : heavy) counted += launch(budget, kernel, 6) == Rest::counted;
  EXPECT_EQ(counted, 5);
}

TEST(Budget, ASampleOfSomeMillisecondsEndsNoProgram) {
  Budget budget(of_seconds(60));
  Kernel kernel;
  EXPECT_EQ(rest_of(budget, kernel, 80), Rest::uncounted); // 80 ms, of which some are the sample's own
  EXPECT_EQ(rest_of(budget, kernel, 200), Rest::left_out);
  Options work;
  work.budget_work = 60;
  EXPECT_EQ(rest_of(*std::make_unique<Budget>(work), kernel, 0), Rest::left_out); // of 1000
}

// A sample of which few parts have all the work ends no program, and grows where it is to stand for a launch.
TEST(Budget, ASampleThatDiffersMuchGrows) {
  const auto next = [](Budget& budget, std::vector<u64> work, double seconds) {
    sim::Sampled sampled{std::vector<u64>(work.size(), 1000), work};
    for (u64 one : work) sampled.warp_instructions += one;
    sampled.of_grid = 1000 * sampled.warp_instructions;
    return budget.next({}, {}, sampled, seconds);
  };
  std::vector<u64> one_heavy(60), alike(60, 100), every_eighth(60);
  one_heavy[20] = 100;
  for (std::size_t i = 3; i < 60; i += 8) every_eighth[i] = 100;
  Budget budget(of_seconds(60));
  EXPECT_EQ(next(budget, alike, 1).times, 1u); // the whole takes 1000 s, for sure
  EXPECT_EQ(next(budget, alike, 1).rest, Rest::left_out);
  for (const std::vector<u64>& work : {one_heavy, every_eighth}) {
    EXPECT_EQ(next(budget, work, 0.01).times, 1u); // 10 s, or twice that
    EXPECT_GT(next(budget, work, 1).times, 10u);
    EXPECT_LE(next(budget, work, 1).times, 30u); // half of what is left
    EXPECT_EQ(next(budget, work, 20).times, 1u);
  }
  EXPECT_NE(next(budget, one_heavy, 1).rest, Rest::left_out); // it may be the only one
  Options work;
  work.budget_work = 50'000;
  EXPECT_EQ(next(*std::make_unique<Budget>(work), one_heavy, 0).rest,
            Rest::left_out); // nothing would stop it
}

} // namespace
} // namespace warplens::runtime
