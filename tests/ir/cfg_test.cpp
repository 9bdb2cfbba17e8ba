// Post-dominators against their definition on random graphs: b is post-dominated by p when removing p leaves
// no path from b to an exit; the immediate one is the closest.
#include "ir/cfg.h"
#include <gtest/gtest.h>
#include <random>

namespace warplens::ir {
namespace {

// A function of empty-handed instructions: one per block, with these edges; a block without successors
// returns.
Function graph(const std::vector<std::vector<u32>>& edges) {
  Function f;
  for (u32 b = 0; b < edges.size(); ++b) {
    f.instructions.emplace_back();
    f.blocks.push_back({b, 1, {}});
    for (u32 to : edges[b]) f.blocks[b].successors.push_back(BlockId(to));
  }
  return f;
}

bool reaches_exit(const Function& f, u32 from, u32 without) {
  std::vector<bool> seen(f.blocks.size());
  std::vector<u32> open{from};
  if (from == without) return false;
  while (!open.empty()) {
    u32 b = open.back();
    open.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    if (f.blocks[b].successors.empty()) return true;
    for (BlockId s : f.blocks[b].successors)
      if (s.value != without) open.push_back(s.value);
  }
  return false;
}

// The post-dominator of `b` that every other post-dominator of `b` post-dominates too.
BlockId by_definition(const Function& f, u32 b) {
  constexpr u32 nothing = 0xffffffffu;
  if (!reaches_exit(f, b, nothing)) return {}; // an endless loop
  std::vector<u32> all;
  for (u32 p = 0; p < f.blocks.size(); ++p)
    if (p != b && !reaches_exit(f, b, p)) all.push_back(p);
  for (u32 p : all) {
    bool closest = true;
    for (u32 q : all) closest = closest && (q == p || !reaches_exit(f, p, q));
    if (closest) return BlockId(p);
  }
  return {};
}

TEST(Cfg, PostDominatorsOfRandomGraphs) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 2000; ++round) {
    u32 blocks = 1 + random() % 12;
    std::vector<std::vector<u32>> edges(blocks);
    for (u32 b = 0; b < blocks; ++b)
      for (u32 n = random() % 3; n > 0; --n) edges[b].push_back(random() % blocks);
    Function f = graph(edges);
    Cfg cfg = analyse(f);
    for (u32 b = 0; b < blocks; ++b)
      ASSERT_EQ(cfg.post_dominator[b], by_definition(f, b)) << "round " << round << " block " << b;
  }
}

TEST(Cfg, ReversePostOrderPutsBlocksBeforeTheirSuccessorsUnlessTheyLoop) {
  Function f = graph({{1, 2}, {3}, {3}, {1, 4}, {}, {4}}); // block 5 is not reachable
  Cfg cfg = analyse(f);
  ASSERT_EQ(cfg.reverse_post_order.size(), 5u);
  EXPECT_EQ(cfg.reverse_post_order.front(), BlockId(u32{0}));
  EXPECT_EQ(cfg.reverse_post_order.back(), BlockId(u32{4}));
  EXPECT_EQ(cfg.predecessors[3].size(), 2u);
}

TEST(Cfg, LongFunctionsNeedNoRecursion) {
  std::vector<std::vector<u32>> edges(200'000);
  for (u32 b = 0; b + 1 < edges.size(); ++b) edges[b].push_back(b + 1);
  Cfg cfg = analyse(graph(edges));
  EXPECT_EQ(cfg.post_dominator[0], BlockId(u32{1}));
}

// for (;;) { if (found) { 3: …; break; } if (last) return; } 4: ret
TEST(Cfg, LanesOfAKernelMeetWhereThoseDoThatGoOn) {
  Function f = graph({{1}, {3, 2}, {1, 4}, {4}, {}});
  EXPECT_EQ(analyse(f).meeting[1], BlockId(u32{4})); // of a function: who returns is waited for
  f.entry = true;
  Cfg cfg = analyse(f);
  EXPECT_EQ(cfg.post_dominator[1], BlockId(u32{4}));
  EXPECT_EQ(cfg.meeting[1], BlockId(u32{3}));
  EXPECT_EQ(cfg.meeting[2], BlockId(u32{1}));
  EXPECT_EQ(cfg.meeting[3], BlockId(u32{4}));
  f = graph(std::vector<std::vector<u32>>{{0, 1}, {}}); // a loop that only the end is behind
  f.entry = true;
  EXPECT_EQ(analyse(f).meeting[0], BlockId(u32{1}));
}

} // namespace
} // namespace warplens::ir
