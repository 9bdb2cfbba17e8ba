// Advice for what a thread moves one by one, though it lies together: vectors, gathered structures, a structure of its own in a loop.
#include "advise/built.h"

namespace warplens::advise {
namespace {

// Accesses of one place to the array "p", of 4 bytes.
template <class F> std::vector<Built> pieces(u32 parts, F&& address, Kind kind = Kind::load) {
  std::vector<Built> out;
  for (u64 k = 0; k < parts; ++k) {
    out.push_back(site(Space::global, kind, 4, [&](u32 l) { return address(l) + 4 * k; }));
    out[k].site.site.frames = {{"a.cu", 5, 3, ""}};
    out[k].site.site.array = {access::ArrayKind::parameter, "p"};
  }
  return out;
}

measure::LaunchRecord launch_with(std::vector<Built>& parts) {
  std::vector<Built*> all;
  for (Built& part : parts) all.push_back(&part);
  return launch_of(all);
}

// Rows of an odd length: the first of two elements is in the middle of what one access may move.
TEST(Vectors, BeginWhereTheyMay) {
  auto change = [](u32 parts, u64 start, u32 starts) {
    std::vector<Built> all = pieces(parts, [&](u32 l) { return start + u64{l} * 4 * parts; });
    for (Built& one : all) one.site.distribution.classes[0].starts |= starts;
    return only(advise_in(all[0], launch_with(all))).change;
  };
  for (const u32 parts : {2u, 4u}) {
    EXPECT_NE(change(parts, 0, 0).find("at once"), std::string::npos) << change(parts, 0, 0);
    EXPECT_EQ(change(parts, 4, 0).find("at once"), std::string::npos) << "every row is off by one";
    EXPECT_EQ(change(parts, 0, 1u << 4).find("at once"), std::string::npos) << "some warps are";
    EXPECT_EQ(change(parts, 4, 0).find("-byte vector"), std::string::npos) << change(parts, 4, 0);
  }
}

// Warps of two costs, of which other ones are the first: what looks like one vector is a part of two.
TEST(Vectors, ClassesOfWarpsAgree) {
  std::vector<Built> all = pieces(2, [](u32 l) { return 8 + u64{l} * 8; });
  EXPECT_NE(only(advise_in(all[0], launch_with(all))).change.find("at once"), std::string::npos);
  for (Built& one : all) {
    measure::WarpClass second = one.site.distribution.classes[0];
    for (u64& address : second.example.address) address += &one == &all[0] ? 24 : 36;
    one.site.distribution.classes.push_back(second);
    one.site.counters[0] *= 2;
  }
  EXPECT_EQ(only(advise_in(all[0], launch_with(all))).change.find("at once"), std::string::npos);
}

// A small structure whose members are loaded one by one, from where an index leads to.
TEST(Vectors, AGatheredStructureIsMovedAtOnce) {
  for (const u32 parts : {2u, 4u, 8u})
    for (const Kind kind : {Kind::load, Kind::store}) {
      auto first = [&](u32 l) { return u64{l * 7919 % 101} * 64; };
      std::vector<Built> all = pieces(parts, first, kind);
      const Advice advice = only(advise_in(all[0], launch_with(all)));
      const u32 bytes = std::min(4 * parts, 16u);
      EXPECT_NE(advice.change.find("alignas(" + std::to_string(bytes) + ")"), std::string::npos)
          << advice.change;
      EXPECT_EQ(advice.before.sectors, advice.after.sectors * bytes / 4);
      EXPECT_EQ(advice.before.instructions, advice.after.instructions * bytes / 4);
      std::vector<Built> off = pieces(
          parts, [&](u32 l) { return first(l) + 4; }, kind);
      if (parts != 8) {
        EXPECT_EQ(only(advise_in(off[0], launch_with(off))).change.find("alignas"), std::string::npos);
      }
      std::vector<Built> mixed = pieces(
          parts, [&](u32 l) { return first(l) + l % 2 * 4; }, kind);
      EXPECT_EQ(only(advise_in(mixed[0], launch_with(mixed))).change.find("alignas"), std::string::npos);
    }
}

// Threads that follow links and compare what they find there: one access reads the node.
TEST(Vectors, ANodeIsReadAtOnce) {
  for (const u64 node : {u64{8}, u64{12}}) {
    auto member = [&](u32 line) {
      Built out = site(Space::global, Kind::load, 4,
                       [=](u32 l) { return u64{(l * 7919 + 3) % 101} * node + (line - 1) * 4; });
      out.site.site.array = {access::ArrayKind::parameter, "nodes"};
      out.site.site.frames = {{"a.cu", line, 1, ""}};
      out.site.follows_links = out.site.loads_index = true;
      return out;
    };
    Built key = member(1), next = member(2);
    const Advice both = only(advise_in(key, launch_of({&key, &next})));
    const std::string aligned = "alignas(" + std::to_string(std::bit_ceil(node)) + ")";
    EXPECT_NE(both.change.find(aligned), std::string::npos) << both.change;
    EXPECT_EQ(both.change.find("pointer jumping"), std::string::npos) << both.change;
    EXPECT_LT(both.after.sectors, both.before.sectors * 2 / 3);
    EXPECT_GE(both.after.sectors, both.before.sectors / 3);
    EXPECT_NE(only(advise_in(key, launch_of({&key}))).change.find("pointer jumping"), std::string::npos);
  }
}

// A generator's state, which a loop loads and stores in every round.
TEST(Vectors, AThreadsOwnStructureIsKeptInTheLoop) {
  for (const u64 stride : {u64{24}, u64{48}}) {
    auto member = [&](Kind kind, u64 place, u64 lane) {
      Built out = site(
          Space::global, kind, 8, [=](u32 l) { return place + u64{l} * lane; }, 1600);
      out.site.site.array = {access::ArrayKind::parameter, "state"};
      measure::FirstBlock& block = out.site.distribution.first_block;
      block.requests = 16, block.sectors = 512, block.distinct_sectors = 32;
      return out;
    };
    Built load = member(Kind::load, 0, stride), store = member(Kind::store, 8, stride),
          elsewhere = member(Kind::load, stride, stride), other = member(Kind::load, 0, 8);
    auto first = [](const Built& of, const measure::LaunchRecord& launch) {
      return advise_in(of, launch).at(0);
    };
    for (const Built* one : {&load, &store}) {
      const Advice advice = first(*one, launch_of({&load, &store}));
      EXPECT_NE(advice.change.find("into a local variable before the loop"), std::string::npos)
          << advice.change;
      EXPECT_EQ(advice.before.sectors, 16 * advice.after.sectors);
    }
    for (Built* one : {&elsewhere, &other})
      EXPECT_EQ(first(load, launch_of({&load, &store, one})).change.find("local variable"), std::string::npos)
          << "another thread's";
    Built walks = store; // along elements of the thread's own, not the same again
    walks.site.distribution.first_block.rows = 32, walks.site.distribution.first_block.row_elements = 512;
    EXPECT_EQ(first(walks, launch_of({&load, &walks})).change.find("local variable"), std::string::npos);
    load.site.distribution.first_block.distinct_sectors = 512; // another structure in each round
    EXPECT_EQ(first(load, launch_of({&load, &store})).change.find("local variable"), std::string::npos);
  }
}

// Pairs of rows, and of launches whose lanes lie otherwise: the stride does not tell what lies together, the lanes do.
TEST(Vectors, PairsInRowsAreMovedAtOnce) {
  const auto rows = [](u32 l) { return u64{l} / 4 * 64 + l % 4 * 8; };
  std::vector<Built> all = pieces(2, rows, Kind::store),
                     apart = pieces(
                         2, [](u32 l) { return u64{l} * 16; }, Kind::store);
  all[1].site.site.frames = {{"a.cu", 6, 3, ""}};
  for (std::vector<Built>* launch : {&all, &apart}) {
    const measure::LaunchRecord record = launch_with(*launch);
    all[0].site.site = (*launch)[0].site.site;
    const Advice advice = only(advise_in(all[0], record));
    EXPECT_NE(advice.change.find("alignas(8)"), std::string::npos) << advice.change;
    EXPECT_EQ(advice.before.sectors, 800u);
    EXPECT_EQ(advice.after.sectors, 400u) << "half as many requests, of as many sectors";
  }
}

} // namespace
} // namespace warplens::advise
