// Sets of CTAs and conditions on them, by brute force over small grids: parts of a set hold each of its
// members exactly once, and every member that conditions leave satisfies them.
#include "fold/conditions.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace warplens::fold {
namespace {

using Random = std::mt19937_64;
u32 below(Random& random, u32 n) { return static_cast<u32>(random() % n); }

constexpr Dim3 grid{12, 7, 5};

template <class F> void each_cta(F&& f) {
  for (u64 i = 0; i < grid.count(); ++i)
    f(Dim3{static_cast<u32>(i % grid.x), static_cast<u32>(i / grid.x % grid.y),
           static_cast<u32>(i / grid.x / grid.y)});
}

bool contains(const CtaSet& set, Dim3 cta) {
  // Longer steps first: the shorter ones together never reach as far as one long step.
  std::array<Axis, most_axes> longest_first = set.axis;
  std::ranges::stable_sort(longest_first, std::greater{}, &Axis::step);
  const std::array<u32, 3> at{cta.x, cta.y, cta.z}, begin{set.first.x, set.first.y, set.first.z};
  for (u8 of = 0; of < 3; ++of) {
    if (at[of] < begin[of]) return false;
    u32 left = at[of] - begin[of];
    for (const Axis& a : longest_first)
      if (a.of == of) left -= std::min(left / a.step, a.count - 1) * a.step;
    if (left != 0) return false;
  }
  return true;
}

// How often the members of `whole` are in `parts`: once each; and nothing else is.
void expect_partition(const CtaSet& whole, const std::vector<CtaSet>& parts) {
  u64 sum = 0, members = 0;
  for (const CtaSet& part : parts) sum += part.count();
  EXPECT_EQ(sum, whole.count());
  each_cta([&](Dim3 cta) {
    u32 times = 0;
    for (const CtaSet& part : parts) times += contains(part, cta);
    EXPECT_EQ(times, contains(whole, cta) ? 1u : 0u) << cta.x << " " << cta.y << " " << cta.z;
    members += contains(whole, cta);
  });
  EXPECT_EQ(members, whole.count());
}

Similarity random_likeness(Random& random, const CtaSet& set) {
  Similarity out;
  for (u32 a = 0; a < most_axes; ++a) {
    out.last[a] = below(random, set.axis[a].count);
    out.every[a] = 1 + below(random, out.last[a] + 1);
  }
  return out;
}

TEST(CtaSets, PartsHoldEveryMemberOnce) {
  Random random(1);
  for (u32 round = 0; round < 300; ++round) {
    CtaSet set = whole_grid(grid);
    for (u32 step = 0; step < 4; ++step) {
      std::vector<CtaSet> parts;
      u32 a = below(random, most_axes);
      if (below(random, 2) && has_free_axis(set) && set.axis[a].count > 2) {
        parts = split(set, a, 2 + below(random, set.axis[a].count - 2));
      } else {
        Similarity like = random_likeness(random, set);
        parts.push_back(alike(set, like));
        append_rest(set, like, parts);
      }
      expect_partition(set, parts);
      set = parts[below(random, static_cast<u32>(parts.size()))];
    }
    if (testing::Test::HasFailure()) return;
  }
}

// The steps of every member that a likeness leaves, one after the other.
template <class F> void each_step(const Similarity& like, F&& f) {
  std::array<i64, most_axes> t{};
  while (true) {
    f(t);
    u32 a = 0;
    for (; a < most_axes; ++a) {
      t[a] += like.every[a];
      if (t[a] <= like.last[a]) break;
      t[a] = 0;
    }
    if (a == most_axes) return;
  }
}

TEST(Conditions, HoldForEveryMemberOfTheSolution) {
  Random random(2);
  for (u32 round = 0; round < 500; ++round) {
    CtaSet set = whole_grid(grid);
    if (below(random, 2)) set = split(set, 0, 2 + below(random, 9))[0];
    Conditions conditions(set);
    struct Asked {
      PerStep k{};
      i64 slack = 0, multiple = 0;
    };
    std::vector<Asked> asked;
    for (u32 i = below(random, 4); i-- > 0;) {
      Asked one;
      for (i64& k : one.k) k = below(random, 3) == 0 ? static_cast<i64>(below(random, 41)) - 20 : 0;
      if (below(random, 3) == 0) {
        one.multiple = 1 + below(random, 24);
        conditions.multiple_of(one.k, static_cast<u64>(one.multiple));
      } else {
        one.slack = below(random, 100);
        conditions.at_most(one.k, one.slack);
      }
      asked.push_back(one);
    }
    each_step(conditions.solve(), [&](const auto& t) {
      for (const Asked& one : asked) {
        i64 sum = 0;
        for (u32 a = 0; a < most_axes; ++a) sum += one.k[a] * t[a];
        if (one.multiple != 0)
          EXPECT_EQ(sum % one.multiple, 0);
        else
          EXPECT_LE(sum, one.slack);
      }
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Conditions, OfOneAxisAreSolvedExactly) {
  CtaSet set = whole_grid({1000, 1, 1});
  Conditions conditions(set);
  conditions.at_most({7}, 699);
  conditions.at_most({-3}, 0); // holds everywhere
  conditions.multiple_of({48}, 256);
  Similarity like = conditions.solve();
  EXPECT_EQ(like.last[0], 99u);
  EXPECT_EQ(like.every[0], 16u);
}

} // namespace
} // namespace warplens::fold
