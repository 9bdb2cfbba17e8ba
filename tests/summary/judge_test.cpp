// What a run's report becomes as findings.
#include "findings/words.h"
#include "measure/collect.h"
#include "summary/access_findings.h"
#include "summary/broken_rule.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::summary {
namespace {

using access::Site;
using testing::HasSubstr;

struct Made {
  Site site;
  i64 stride; // bytes from lane to lane
};

Site load(u32 line, const char* file = "/here/a.cu") {
  return {.id = access::SiteId(line),
          .function = "k",
          .frames = {{file, line, 7, {}}, {"/here/main.cu", 90, 1, {}}},
          .ptx_line = line,
          .opcode = "ld.global.f32",
          .element = access::ElementType::floating};
}

measure::LaunchRecord launch_of(const std::string& kernel, std::vector<Made> made) {
  measure::LaunchRecord launch;
  launch.kernel = launch.name = launch.module = kernel;
  launch.grid = {1, 1, 1}, launch.block = {64, 1, 1}, launch.sm = {90};
  std::vector<const arch::Architecture*> rows{arch::find(90)};
  std::vector<Site> sites;
  for (const Made& one : made) {
    sites.push_back(one.site);
    sites.back().id = access::SiteId(static_cast<u32>(sites.size() - 1));
  }
  measure::Collector collector(rows, sites, 1);
  const std::vector<u32> active(2, full_mask);
  for (u32 i = 0; i < made.size(); ++i) {
    access::AffineAccess access{{.site = access::SiteId(i)}};
    access.space = sites[i].space;
    access.block = launch.block, access.base = 1 << 20, access.stride = {made[i].stride, 0, 0};
    access.active = active;
    collector.sinks()[0]->affine(access);
  }
  launch.sites = collector.finish();
  return launch;
}

findings::List found_in(std::vector<measure::LaunchRecord> launches) {
  Input input;
  input.sm = {90};
  for (measure::LaunchRecord& launch : launches) input.launches.emplace_back(std::move(launch));
  Result<Model> model = build(
      std::move(input), [](const std::string&, u32) { return std::optional<std::string>("x = a[i];"); }, {});
  return findings_of(*model, [](const std::string& file) { return file.substr(file.rfind('/') + 1); });
}

TEST(Judge, OnePlaceInSeveralKernelsIsOneFindingWithTheSumOfBoth) {
  findings::List list = found_in({launch_of("f", {{load(3), 128}}), launch_of("g", {{load(3), 16}})});
  ASSERT_EQ(list.findings.size(), 1);
  const findings::Finding& one = list.findings[0];
  EXPECT_EQ(one.rule, findings::Rule::uncoalesced_load);
  EXPECT_EQ(one.kernel, "f, g");
  ASSERT_EQ(one.place.size(), 2) << "with the call that was inlined";
  EXPECT_EQ(one.place[0].file, "a.cu");
  EXPECT_EQ(one.place[1].line, 90);
  ASSERT_EQ(one.costs.size(), 1);
  EXPECT_EQ(one.costs[0].average, 24) << "32 sectors of one, 16 of the other";
  EXPECT_EQ(one.costs[0].least, 16);
  EXPECT_EQ(one.costs[0].most, 32);
  EXPECT_EQ(one.costs[0].needed, 4);
  EXPECT_EQ(one.costs[0].fixed, 4);
  EXPECT_EQ(one.weight->moved_bytes, 4 * 24 * 32);
  EXPECT_EQ(one.weight->share, 1);
  EXPECT_NEAR(one.weight->saved, 20.0 / 24, 1e-9);
  EXPECT_EQ(one.source, "x = a[i];");
  EXPECT_EQ(list.accesses.size(), 1);
}

// What gates hold a limit of the run to is what the report calls moved: shared memory is counted in passes, and is none of it.
TEST(Judge, OfAllOnlyTrafficIsMoved) {
  Site shared = load(4);
  shared.space = access::Space::shared;
  findings::List list = found_in({launch_of("f", {{load(3), 128}, {shared, 128}})});
  ASSERT_TRUE(list.all);
  EXPECT_EQ(list.all->moved_bytes, 2 * 32 * 32);
  EXPECT_EQ(list.all->excess_bytes, 2 * 28 * 32);
  for (const findings::Finding& one : list.findings)
    EXPECT_EQ(one.weight->saved, one.place[0].line == 3 ? 28.0 / 32 : 0);
}

// An error says that something the program asked for was not done.
TEST(Judge, ErrorsComeFirstAndAreNotStrict) {
  Input input;
  input.sm = {90};
  input.launches.emplace_back(launch_of("f", {{load(3), 4}}));
  auto built = [&] {
    return build(input, [](const std::string&, u32) { return std::optional<std::string>(); }, {});
  };
  input.messages = {diag::warning("library-kernel", "a warning")};
  Result<Model> model = built();
  ASSERT_TRUE(model);
  EXPECT_TRUE(passes_strict(*model));
  input.messages.push_back(diag::error("library-missing", "an error"));
  model = built();
  ASSERT_TRUE(model);
  EXPECT_FALSE(passes_strict(*model));
  EXPECT_EQ(model->warnings[0].diagnostic.message, "an error");
}

TEST(Judge, WhatCostsMostComesFirst) {
  findings::List list = found_in({launch_of("f", {{load(3), 8}, {load(4), 128}, {load(5), 4}})});
  ASSERT_EQ(list.findings.size(), 3);
  EXPECT_EQ(list.findings[0].place[0].line, 4);
  EXPECT_EQ(list.findings[1].place[0].line, 3);
  EXPECT_EQ(list.findings[2].rule, findings::Rule::narrow_access) << "which gates do not show unless asked";
  EXPECT_EQ(list.accesses.size(), 3);
}

// Less than twice what would do, and less of the waste than can be seen.
TEST(Judge, LittleWasteIsANote) {
  const auto severity = [](i64 stride, u32 others) -> std::optional<findings::Severity> {
    std::vector<measure::LaunchRecord> launches{launch_of("f", {{load(3), stride}})};
    for (u32 i = 0; i < others; ++i)
      launches.push_back(launch_of("g" + std::to_string(i), {{load(4), 4096}}));
    for (const findings::Finding& finding : found_in(std::move(launches)).findings)
      if (finding.place[0].line == 3) return finding.severity;
    return {};
  };
  EXPECT_EQ(severity(6, 100), findings::Severity::note);
  EXPECT_EQ(severity(6, 1), findings::Severity::warning) << "a part that is seen";
  EXPECT_EQ(severity(8, 100), findings::Severity::warning) << "twice what would do";
}

TEST(Judge, StoresAndConflictsHaveRulesOfTheirOwn) {
  Site store = load(3), shared = load(4);
  store.kind = access::Kind::store;
  shared.space = access::Space::shared;
  findings::List list = found_in({launch_of("f", {{store, 128}, {shared, 128}})});
  std::set<std::string> rules;
  for (const findings::Finding& finding : list.findings) rules.emplace(findings::name(finding.rule));
  EXPECT_EQ(rules, (std::set<std::string>{"bank-conflict", "uncoalesced-store"}));
}

TEST(Judge, WhatDependsOnTimingIsLeftOut) {
  Site site = load(3);
  site.timing_dependent = access::Timing::spin;
  findings::List list = found_in({launch_of("f", {{site, 128}})});
  EXPECT_TRUE(list.findings.empty());
  EXPECT_TRUE(list.accesses.empty());
}

TEST(Judge, ALaunchThatWasNotCountedIsAFinding) {
  measure::LaunchRecord launch = launch_of("f", {});
  launch.status = measure::Status::failed;
  launch.reason = "it stopped";
  launch.diagnostics.push_back(
      diag::error("memory-out-of-bounds", "beyond the end", {"/here/a.cu", 8, 1, 0}));
  findings::List list = found_in({launch});
  ASSERT_EQ(list.findings.size(), 2);
  EXPECT_EQ(list.findings[0].rule, findings::Rule::program_mistake);
  EXPECT_EQ(list.findings[0].place[0].line, 8);
  EXPECT_EQ(list.findings[1].rule, findings::Rule::uncounted_launch);
  EXPECT_THAT(list.findings[1].message, HasSubstr("it stopped"));
}

TEST(Judge, APartialLaunchIsAFindingBesideItsOwn) {
  measure::LaunchRecord launch = launch_of("f", {{load(3), 128}});
  launch.status = measure::Status::partial;
  launch.grid = {1000, 1, 1}, launch.blocks = {412, 0};
  launch.reason = "it ran when the program was stopped";
  std::map<std::string, std::string> messages;
  for (const findings::Finding& finding : found_in({launch}).findings)
    messages[std::string(findings::name(finding.rule))] = finding.message;
  EXPECT_THAT(messages["uncounted-launch"], HasSubstr("partial, 412 of 1000 blocks"));
  EXPECT_TRUE(messages.contains("uncoalesced-load"));
}

// Files that were compiled apart are modules of one description, and count their accesses from 0 each.
TEST(Judge, AnArrayIsNamedByTheKernelThatMakesTheAccess) {
  const std::map<std::string, std::vector<std::string>> files{
      {"/here/a.cu", {"__global__ void step(float* p, int n) {", "x = p[i];", "}"}},
      {"/here/b.cu", {"__global__ void turn(float* in, float* out) {", "x = in[i];", "}"}},
      {"/here/c.cu", {"__global__ void walk(float* q, int n) {", "x = q[i];", "}"}}};
  Input input;
  input.sm = {90};
  for (auto [file, function] :
       {std::pair("/here/a.cu", "step"), {"/here/b.cu", "turn"}, {"/here/c.cu", "walk"}}) {
    Site site = load(2, file);
    site.frames = {{file, 2, 5, {}}}, site.function = function;
    site.array = {.kind = access::ArrayKind::parameter, .parameter = 0, .parameters = 2};
    measure::LaunchRecord launch = launch_of(function, {{site, 128}});
    launch.module = "compute_90 of app";
    input.launches.emplace_back(std::move(launch));
  }
  Result<Model> model = build(std::move(input),
                              [&](const std::string& file, u32 line) -> std::optional<std::string> {
                                auto found = files.find(file);
                                if (found == files.end() || line > found->second.size()) return {};
                                return found->second[line - 1];
                              },
                              {});
  std::map<std::string, std::string> arrays;
  for (const findings::Finding& one :
       findings_of(*model, [](const std::string& file) { return file; }).findings)
    arrays[one.place.front().file] = one.array;
  EXPECT_EQ(arrays, (std::map<std::string, std::string>{
                        {"/here/a.cu", "p"}, {"/here/b.cu", "in"}, {"/here/c.cu", "q"}}));
}

TEST(Judge, ARunThatEndedEarlyLacksFindings) {
  auto conclusive = [](measure::Status status, measure::Stop stopped) {
    Input input;
    input.sm = {90};
    input.outcome.stopped = stopped;
    measure::LaunchRecord launch = launch_of("f", {{load(3), 128}});
    launch.status = status, launch.grid = {1000, 1, 1}, launch.blocks = {412, 0};
    input.launches.emplace_back(std::move(launch));
    Result<Model> model =
        build(std::move(input), [](const std::string&, u32) { return std::optional<std::string>(); }, {});
    return findings::is_conclusive(findings_of(*model, [](const std::string& file) { return file; }));
  };
  EXPECT_FALSE(conclusive(measure::Status::sampled, measure::Stop::at_budget));
  EXPECT_FALSE(conclusive(measure::Status::partial, measure::Stop::no))
      << "its own handler of a signal returned";
  EXPECT_TRUE(conclusive(measure::Status::sampled, measure::Stop::no)) << "a sample stands for the launch";
  EXPECT_TRUE(conclusive(measure::Status::exact, measure::Stop::at_results)) << "every launch was counted";
}

} // namespace
} // namespace warplens::summary
