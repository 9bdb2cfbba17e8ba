// What was said before is referred to, and understood.
#include "measure/once.h"
#include <gtest/gtest.h>

namespace warplens::measure {
namespace {

TEST(SiteTable, ASiteTravelsWholeOnceAndByNumberAfterwards) {
  LaunchRecord launch;
  launch.module = "compute_90 of app";
  launch.sm = {90};
  for (u32 id : {3u, 8u}) {
    SiteRecord site;
    site.site.id = access::SiteId(id);
    site.site.opcode = "ld.global.f32";
    site.site.function = "k";
    site.site.frames = {{"a.cu", id, 1, ""}};
    site.counters.resize(1);
    launch.sites.push_back(site);
  }
  SiteTable sender, receiver;
  std::vector<std::size_t> lengths;
  for (int i = 0; i < 3; ++i) {
    LaunchRecord sent = launch;
    sender.shorten(sent);
    std::string line = encode(sent);
    lengths.push_back(line.size());
    Result<Event> event = decode(line);
    ASSERT_TRUE(event.has_value());
    LaunchRecord& got = std::get<LaunchRecord>(*event);
    EXPECT_TRUE(receiver.complete(got));
    ASSERT_EQ(got.sites.size(), 2u);
    EXPECT_EQ(got.sites[0].site, launch.sites[0].site);
    EXPECT_EQ(got.sites[1].site, launch.sites[1].site);
  }
  EXPECT_LT(lengths[1], lengths[0]);
  EXPECT_EQ(lengths[1], lengths[2]);
}

TEST(SiteTable, AReferenceToWhatWasLostIsToldFromOneThatIsKnown) {
  LaunchRecord described;
  described.sites.resize(1);
  described.sites[0].site.id = access::SiteId(7u);
  described.sites[0].site.opcode = "ld.global.f32";
  SiteTable sender, receiver;
  LaunchRecord second = described;
  sender.shorten(described);
  sender.shorten(second);
  EXPECT_FALSE(receiver.complete(second)) << "the first record did not arrive";
  EXPECT_TRUE(receiver.complete(described));
  EXPECT_TRUE(receiver.complete(second));
}

TEST(SiteTable, AnotherModuleOfTheSameNameIsToldAgain) {
  LaunchRecord a, b;
  a.module = b.module = "compute_90 of app";
  a.sites.resize(1);
  a.sites[0].site.id = access::SiteId(0u);
  a.sites[0].site.opcode = "ld.global.f32";
  b = a;
  b.sites[0].site.opcode = "st.global.f32";
  SiteTable sender, receiver;
  for (const LaunchRecord& launch : {a, b, a, b}) {
    LaunchRecord sent = launch;
    sender.shorten(sent);
    EXPECT_TRUE(receiver.complete(sent));
    EXPECT_EQ(sent.sites[0].site, launch.sites[0].site);
  }
}

LaunchRecord launch_at(u64 index) {
  LaunchRecord launch;
  launch.process = 1, launch.index = index, launch.seconds = static_cast<double>(index);
  launch.kernel = launch.name = "k", launch.module = "m", launch.sm = {90};
  launch.sites.resize(1);
  launch.sites[0].site.id = access::SiteId(0u);
  launch.sites[0].site.opcode = "ld.global.f32";
  launch.sites[0].counters.resize(1);
  return launch;
}

TEST(Sender, ALaunchThatIsAlikeIsALineThatNamesTheFirst) {
  Sender sender;
  EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(launch_at(0))));
  for (u64 index : {1u, 2u, 500u}) {
    std::string line = encode(sender.shorten(launch_at(index)), index);
    Result<Event> back = decode(line);
    ASSERT_TRUE(back);
    const auto* alike = std::get_if<LaunchAlike>(&*back);
    ASSERT_NE(alike, nullptr);
    EXPECT_EQ(alike->process, 1);
    EXPECT_EQ(alike->index, index);
    EXPECT_EQ(alike->as, 0u);
    EXPECT_LT(line.size(), 80u);
  }
}

TEST(Sender, WhatDiffersIsToldWhole) {
  Sender sender;
  (void)sender.shorten(launch_at(0));
  LaunchRecord other = launch_at(1);
  other.sites[0].counters[0].sectors = 1;
  EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(other)));
  other.sites[0].pattern.share = 0.5;
  EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(other)));
  other.diagnostics.push_back(diag::warning("w", "differs"));
  EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(other)));
  other.index = 5;
  Event again = sender.shorten(other);
  ASSERT_TRUE(std::holds_alternative<LaunchAlike>(again));
  EXPECT_EQ(std::get<LaunchAlike>(again).as, 1u);
}

// Two modules of one description, whose sites have the same numbers: nothing that a number says is then alike.
TEST(Sender, LaunchesOfAnotherModuleOfTheSameNameAreNotAlike) {
  Sender sender;
  LaunchRecord other = launch_at(1);
  other.sites[0].site.opcode = "ld.global.f64";
  for (u64 round = 0; round < 3; ++round) {
    EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(launch_at(0))));
    EXPECT_TRUE(std::holds_alternative<LaunchRecord>(sender.shorten(other)));
  }
}

TEST(Sender, AStartNamesTheOneThatToldItsKernelAndShape) {
  Sender sender;
  StartTable receiver;
  auto started = [&](u64 index, const char* name, u32 x) {
    Event event = sender.shorten(LaunchStarted{1, index, name, {x, 1, 1}, {32, 1, 1}});
    Result<Event> back = decode(encode(event));
    LaunchStarted out = std::get<LaunchStarted>(*back);
    bool refers = out.as.has_value();
    EXPECT_TRUE(receiver.complete(out));
    EXPECT_EQ(out.index, index);
    EXPECT_EQ(out.name, name);
    EXPECT_EQ(out.grid.x, x);
    return refers;
  };
  EXPECT_FALSE(started(0, "a", 1));
  EXPECT_FALSE(started(1, "b", 1));
  EXPECT_FALSE(started(2, "a", 2));
  EXPECT_TRUE(started(3, "a", 1));
  EXPECT_TRUE(started(4, "a", 2));
  LaunchStarted lost{.process = 1, .index = 9, .as = 8};
  EXPECT_FALSE(receiver.complete(lost));
}

} // namespace
} // namespace warplens::measure
