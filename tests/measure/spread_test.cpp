// The half-width holds the truth in about 95 of 100 samples, of populations that launches have; those with few heavy blocks are hardest.
#include "measure/record.h"
#include "measure/spread.h"
#include <functional>
#include <gmock/gmock.h>
#include <random>

namespace warplens::measure {
namespace {

// In how many of 1000 samples the total of a grid of 2000 blocks lies within the half-width, one block of each of 62 strata.
double covered(const std::function<double(std::mt19937&, int block)>& sectors) {
  std::mt19937 random(1);
  int within = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    constexpr int blocks = 1984, strata = 62, each = blocks / strata;
    std::vector<u64> of_block;
    for (int b = 0; b < blocks; ++b) of_block.push_back(static_cast<u64>(sectors(random, b)));
    u64 truth = 0;
    for (u64 value : of_block) truth += value;
    std::vector<Stratum> sample(strata);
    arch::Counts total;
    for (int s = 0; s < strata; ++s) {
      sample[s] = {{.sectors = of_block[s * each + random() % each]}, each};
      total += sample[s].counts * each;
    }
    const double off = std::abs(static_cast<double>(total.sectors) - static_cast<double>(truth));
    within += off <= spread_of(sample, total) * static_cast<double>(total.sectors);
  }
  return within / 1000.0;
}

TEST(Spread, CoversTheTruth) {
  EXPECT_GE(covered([](auto& r, int) { return 100 + r() % 100; }), 0.94);
  EXPECT_GE(covered([](auto& r, int b) { return b + r() % 50; }), 0.94);
  EXPECT_GE(covered([](auto& r, int) { return std::exponential_distribution<>(0.01)(r); }), 0.92);
  EXPECT_GE(covered([](auto& r, int b) { return b < 1000 ? r() % 1000 : 10; }), 0.92);
}

TEST(Spread, IsNoneWhereAllAreAlike) {
  std::vector<Stratum> alike;
  arch::Counts total;
  for (u64 batches : {3, 40, 7}) {
    alike.push_back({{.instructions = 7, .sectors = 28}, batches});
    total += alike.back().counts * batches;
  }
  EXPECT_EQ(spread_of(alike, total), 0);
  EXPECT_EQ(spread_of(std::vector<Stratum>(), arch::Counts()), 0);
}

TEST(Spread, IsWidenedWhereTheSampleMissedWhatTookTheTime) {
  const auto widened = [](std::vector<double> spreads, double off) {
    std::vector<SiteRecord> sites(spreads.size());
    for (std::size_t i = 0; i < sites.size(); ++i) sites[i].spread = spreads[i];
    widen(sites, off);
    std::vector<double> out;
    for (const SiteRecord& site : sites) out.push_back(site.spread);
    return out;
  };
  using testing::ElementsAre;
  EXPECT_THAT(widened({0, 0.05, 1}, 0.04), ElementsAre(0, 0.05, 1)); // as far as the sample said itself
  EXPECT_THAT(widened({0, 0.05, 1}, 0.125), ElementsAre(0.5, 0.5, 1));
  EXPECT_THAT(widened({0, 0}, 3), ElementsAre(1, 1));
}

TEST(Spread, OneStratumOrOneThatHasAllTheWorkJudgesNothing) {
  EXPECT_EQ(spread_of(std::vector<Stratum>(1), arch::Counts{.sectors = 1}), 1);
  for (const std::size_t heavy : {0, 30, 61}) {
    std::vector<Stratum> strata(62, {{}, 100});
    strata[heavy].counts.sectors = 5;
    EXPECT_EQ(spread_of(strata, {.sectors = 500}), 1) << heavy;
  }
}

TEST(Spread, OfOneNumberIsThatOfACounter) {
  std::vector<Stratum> strata;
  std::vector<u64> values{1}, batches{1}; // at the edge, which stands for itself
  arch::Counts total{.sectors = 1};
  for (u64 i = 0; i < 62; ++i) {
    strata.push_back({{.sectors = 100 + i * 7 % 13}, 30}), total += strata.back().counts * 30;
    values.push_back(strata.back().counts.sectors), batches.push_back(30);
  }
  EXPECT_EQ(spread_of(values, batches), spread_of(strata, total));
  EXPECT_GT(spread_of(values, batches), 0);
}

// What few strata have in common with a slope is no spread.
TEST(Spread, ASlopeIsNarrow) {
  std::vector<Stratum> strata;
  arch::Counts total;
  for (u64 i = 0; i < 60; ++i)
    strata.push_back({{.sectors = 1000 + 10 * i}, 5}), total += strata.back().counts * 5;
  EXPECT_LT(spread_of(strata, total), 0.002);
}

} // namespace
} // namespace warplens::measure
