// Two reports held against each other, from records that were counted: lines that moved, kernels with another name, launches
// that differ, what is left out and said, and the writers.
#include "diff/gate.h"
#include "diff/model.h"
#include "diff/writers.h"
#include "findings/finding.h"
#include "measure/collect.h"
#include "text/layout.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::diff {
namespace {

using access::AffineAccess;
using access::Space;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// An access of a kernel's line whose lanes are `stride` bytes apart.
struct At {
  u32 line = 0;
  std::string text;
  i64 stride = 4;
  Space space = Space::global;
  access::Timing timing = access::Timing::none;
};

struct Code {
  std::string kernel = "k";
  std::vector<At> accesses;
  Dim3 grid{64, 1, 1}, block{32, 1, 1};
  u64 launches = 1;
  measure::Status status = measure::Status::exact;
  double spread = 0;
};

measure::LaunchRecord launch_of(const Code& code, const std::vector<u32>& sm, u64 index) {
  measure::LaunchRecord launch;
  launch.index = index, launch.kernel = code.kernel, launch.name = code.kernel + "(float*)";
  launch.grid = code.grid, launch.block = code.block, launch.sm = sm, launch.status = code.status;
  std::vector<access::Site> sites;
  for (const At& at : code.accesses)
    sites.push_back({.id = access::SiteId(static_cast<u32>(sites.size())),
                     .function = code.kernel,
                     .frames = {{"/src/a.cu", at.line, 3, ""}},
                     .ptx_line = 1,
                     .opcode = "ld",
                     .space = at.space,
                     .timing_dependent = at.timing});
  std::vector<const arch::Architecture*> architectures;
  for (u32 one : sm) architectures.push_back(arch::find(one));
  measure::Collector collector(architectures, sites, 1);
  for (u64 cta = 0; cta < code.grid.count(); ++cta)
    for (std::size_t i = 0; i < code.accesses.size(); ++i) {
      AffineAccess access{{.site = access::SiteId(static_cast<u32>(i)), .space = code.accesses[i].space}};
      access.cta = cta, access.block = code.block, access.base = 0;
      access.stride = {code.accesses[i].stride, 0, 0};
      collector.sinks()[0]->affine(access);
    }
  launch.sites = collector.finish();
  for (measure::SiteRecord& site : launch.sites) site.spread = code.spread;
  return launch;
}

summary::Model run_of(const std::vector<Code>& kernels, const std::vector<u32>& sm = {90}) {
  summary::Input input;
  input.command = {"./app"};
  input.sm = sm;
  std::map<u32, std::string> text;
  for (const Code& code : kernels) {
    for (const At& at : code.accesses) text[at.line] = at.text;
    for (u64 i = 0; i < code.launches; ++i) input.launches.emplace_back(launch_of(code, sm, i));
  }
  auto source = [&](const std::string&, u32 line) -> std::optional<std::string> {
    auto found = text.find(line);
    return found == text.end() ? std::nullopt : std::optional(found->second);
  };
  auto model = summary::build(std::move(input), source, {.root = "/src"});
  return model ? std::move(*model) : summary::Model{};
}

Model diff_of(const summary::Model& before, const summary::Model& after, u32 sm = 0) {
  auto model = compare(diff::Run{"old.json", before}, diff::Run{"new.json", after}, sm);
  EXPECT_TRUE(model);
  return model ? std::move(*model) : Model{};
}

Model diff_of(const std::vector<Code>& before, const std::vector<Code>& after) {
  return diff_of(run_of(before), run_of(after));
}

std::vector<std::string> failures_of(const Model& model, std::string_view words) {
  auto conditions = parse_conditions(words);
  EXPECT_TRUE(conditions) << words;
  return conditions ? failures(model, *conditions) : std::vector<std::string>();
}

const At strided{10, "out[i] = in[i * 32];", 128}, contiguous{14, "out[i] = in[i * 32];", 4};

TEST(Diff, ALineThatMovedIsTheSameLineAndBetter) {
  const Model model = diff_of({{.accesses = {strided, {12, "sum += w[i];"}}}},
                              {{.accesses = {contiguous, {16, "sum += w[i];"}}}});
  EXPECT_EQ(model.change, Change::better);
  ASSERT_EQ(model.kernels.size(), 1u);
  EXPECT_EQ(model.kernels[0].change, Change::better);
  ASSERT_EQ(model.kernels[0].lines.size(), 2u);
  const Line& line = model.kernels[0].lines[0]; // what changed most
  ASSERT_TRUE(line.before && line.after);
  EXPECT_EQ(line.before->line, 10u);
  EXPECT_EQ(line.after->line, 14u);
  ASSERT_EQ(line.accesses.size(), 1u);
  EXPECT_EQ(line.accesses[0].before->each, 32);
  EXPECT_EQ(line.accesses[0].after->each, 4);
  EXPECT_EQ(line.accesses[0].before->requests, 64u);
  EXPECT_EQ(model.kernels[0].lines[1].change, Change::same);
  const std::string text = terminal(model, {});
  EXPECT_THAT(text, HasSubstr("a.cu:14 (was 10)"));
  EXPECT_THAT(text, HasSubstr("32.00 → 4.00 sectors"));
  EXPECT_THAT(text, HasSubstr("1 line as before"));
  EXPECT_TRUE(failures_of(model, "worse,worse-line").empty());
}

TEST(Diff, TheOtherWayRoundItIsWorseAndFails) {
  const Model model = diff_of({{.accesses = {contiguous}}}, {{.accesses = {strided}}});
  EXPECT_EQ(model.change, Change::worse);
  EXPECT_EQ(failures_of(model, "worse").size(), 2u); // the run and the kernel
  EXPECT_EQ(failures_of(model, "worse-line").size(), 3u);
  EXPECT_TRUE(failures_of(model, "worse>100000%").empty());
  EXPECT_TRUE(failures_of(model, "never").empty());
  for (const char* words : {"", "better", "worse>5", "worse>-1%", "worse>x%", "never>5%", "worse,"})
    EXPECT_FALSE(parse_conditions(words)) << words;
}

TEST(Diff, AWorseLineOfABetterKernelFailsOnlyWhereLinesAreAskedFor) {
  const Model model = diff_of({{.accesses = {{10, "a[i * 32]", 128}, {11, "b[i * 2]", 4}}}},
                              {{.accesses = {{10, "a[i * 32]", 4}, {11, "b[i * 2]", 8}}}});
  EXPECT_EQ(model.change, Change::better);
  EXPECT_TRUE(failures_of(model, "worse").empty());
  EXPECT_EQ(failures_of(model, "worse-line").size(), 1u);
}

TEST(Diff, KernelsAreFoundAgainByNameElseByWhatTheyDo) {
  const std::vector<At> lines{strided, {12, "sum += w[i];"}};
  const Model renamed =
      diff_of({{.kernel = "before", .accesses = lines}}, {{.kernel = "after", .accesses = lines}});
  ASSERT_EQ(renamed.kernels.size(), 1u);
  EXPECT_TRUE(renamed.kernels[0].renamed);
  EXPECT_EQ(renamed.kernels[0].change, Change::same);
  // Which of the two it was is not clear.
  const Model unclear = diff_of({{.kernel = "before", .accesses = lines}},
                                {{.kernel = "one", .accesses = lines}, {.kernel = "two", .accesses = lines}});
  ASSERT_EQ(unclear.kernels.size(), 3u);
  EXPECT_EQ(unclear.kernels[0].change, Change::added);
  EXPECT_EQ(unclear.kernels[2].change, Change::removed);
  EXPECT_THAT(unclear.warnings, Contains(HasSubstr("only the new run launches")));
  EXPECT_THAT(unclear.warnings, Contains(HasSubstr("only the old run launches")));
}

TEST(Diff, WhatMatchTookLeavesAKernelOfItsNameThatIsGone) {
  const std::vector<At> lines{strided, {12, "sum += w[i];"}};
  const summary::Model both =
      run_of({{.kernel = "aes<0>", .accesses = lines}, {.kernel = "aes<1>", .accesses = {{11, "b[i]", 4}}}});
  const Result<Model> model = compare(diff::Run{"a", both}, diff::Run{"b", both}, 0, {{"aes<0>", "aes<1>"}});
  ASSERT_TRUE(model.has_value());
  std::vector<Change> changes;
  for (const Kernel& kernel : model->kernels)
    if (!kernel.asked) changes.push_back(kernel.change);
  EXPECT_THAT(changes, testing::UnorderedElementsAre(Change::added, Change::removed));
}

TEST(Diff, LaunchesThatDifferAreComparedOneByOneAndSaid) {
  const Model model =
      diff_of({{.accesses = {strided}, .launches = 2}}, {{.accesses = {strided}, .launches = 6}});
  ASSERT_EQ(model.kernels.size(), 1u);
  EXPECT_TRUE(model.kernels[0].per_launch);
  EXPECT_EQ(model.kernels[0].change, Change::same);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("k (2 → 6)")));
  EXPECT_EQ(model.change, Change::worse); // the run as a whole
}

TEST(Diff, ARunThatWasEndedEarlyIsNotBetterForLaunchingLess) {
  summary::Model before = run_of({{.accesses = {strided}, .launches = 6}}),
                 after = run_of({{.accesses = {strided}, .launches = 2}});
  EXPECT_EQ(diff_of(before, after).change, Change::better);
  after.input.outcome.stopped = measure::Stop::at_budget;
  EXPECT_EQ(diff_of(before, after).change, Change::same);
}

// The same accesses by more blocks: more SMs share them.
TEST(Diff, WorkThatIsSpreadOverMoreSMsIsBetter) {
  Model model = diff_of({{.accesses = {contiguous}, .grid = {4, 1, 1}, .block = {1024, 1, 1}}},
                        {{.accesses = {contiguous}, .grid = {128, 1, 1}}});
  EXPECT_EQ(model.before.cost.cycles, model.after.cost.cycles);
  EXPECT_EQ(model.change, Change::better);
  EXPECT_EQ(model.kernels[0].change, Change::better);
  EXPECT_THAT(terminal(model, {}),
              AllOf(HasSubstr("cycles of the busiest SM"), HasSubstr("more SMs share the work")));
  model.kernels[0].after->grids = model.kernels[0].before->grids; // then it is another stage that decides
  EXPECT_THAT(terminal(model, {}), AllOf(HasSubstr("its busiest stage, the L1's data stage, has less to do"),
                                         Not(HasSubstr("more SMs share the work"))));
}

TEST(Diff, SamplesDifferByMoreThanTheirSpreads) {
  auto sampled = [](u32 blocks, double spread) {
    return Code{
        .accesses = {strided}, .grid = {blocks, 1, 1}, .status = measure::Status::sampled, .spread = spread};
  };
  const Model alike = diff_of({sampled(1320, 0.05)}, {sampled(1452, 0.06)}); // 10 % more
  EXPECT_EQ(alike.change, Change::same);
  EXPECT_EQ(alike.kernels[0].change, Change::same);
  EXPECT_TRUE(failures_of(alike, "worse").empty());
  const Model other = diff_of({sampled(1320, 0.02)}, {sampled(1452, 0.02)});
  EXPECT_EQ(other.change, Change::worse);
  EXPECT_THAT(terminal(other, {}), HasSubstr("~"));
  EXPECT_THAT(other.warnings, Contains(HasSubstr("counted a sample (~) of k")));
}

TEST(Diff, RunsWithoutACommonKernelAreNotCompared) {
  const Model model = diff_of({{.kernel = "one", .accesses = {strided}}},
                              {{.kernel = "two", .accesses = {{7, "b[i] = 0;", 4, Space::shared}}}});
  EXPECT_THAT(terminal(model, {}), HasSubstr("Not comparable: no kernel was counted in both runs"));
}

TEST(Diff, WhatDependsOnTimingIsLeftOutAndSaid) {
  At spin{20, "while (flag[0]);", 4};
  spin.timing = access::Timing::spin;
  At more = spin;
  more.stride = 128;
  const Model model = diff_of({{.accesses = {strided, spin}}}, {{.accesses = {strided, more}}});
  EXPECT_EQ(model.change, Change::same);
  EXPECT_EQ(model.kernels[0].lines.size(), 1u);
  EXPECT_THAT(model.notes, Contains(HasSubstr("timing")));
}

TEST(Diff, WhatWasNotCountedIsNotComparedAndSaid) {
  const Model model =
      diff_of({{.accesses = {strided}}}, {{.accesses = {contiguous}, .status = measure::Status::failed}});
  ASSERT_EQ(model.kernels.size(), 1u);
  EXPECT_EQ(model.kernels[0].change, Change::removed);
  EXPECT_FALSE(model.after.complete);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("did not count it to the end: k")));
}

TEST(Diff, PartialCountsAreNotHeldAgainstWholeOnes) {
  const Model model =
      diff_of({{.accesses = {strided}}}, {{.accesses = {contiguous}, .status = measure::Status::partial}});
  ASSERT_EQ(model.kernels.size(), 1u);
  EXPECT_EQ(model.kernels[0].change, Change::removed);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("did not count it to the end: k")));
}

TEST(Diff, ArchitecturesMustMeet) {
  const std::vector<Code> code{{.accesses = {strided}}};
  const summary::Model hopper = run_of(code, {90}), both = run_of(code, {70, 90}), volta = run_of(code, {70});
  EXPECT_FALSE(compare(diff::Run{"a", hopper}, diff::Run{"b", volta}));
  const Model model = diff_of(hopper, both);
  EXPECT_EQ(model.sm, 90u);
  EXPECT_EQ(model.change, Change::same); // counted for the same, whichever came first
  EXPECT_THAT(model.warnings, Contains(HasSubstr("the devices differ, 9.0 and 7.0")));
  EXPECT_FALSE(compare(diff::Run{"a", hopper}, diff::Run{"b", both}, 70));
}

TEST(Diff, NoLineIsWiderThanTheTerminal) {
  std::vector<Code> before, after;
  for (int i = 0; i < 40; ++i) {
    std::string name = "a_kernel_with_quite_a_long_name_" + std::to_string(i);
    before.push_back({.kernel = name,
                      .accesses = {strided, {12, "sum += w[i] * some_function(of, many, words) + more;"}}});
    after.push_back(
        {.kernel = name,
         .accesses = {contiguous, {16, "sum += w[i] * some_function(of, many, words) + more;", 64}}});
  }
  const Model model = diff_of(before, after);
  for (u32 width : {60u, 80u, 200u})
    for (u32 top : {5u, 0u}) {
      std::string text = terminal(model, {.width = width, .top_lines = top, .top_kernels = top});
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        EXPECT_LE(text::width_of(text.substr(at, end - at)), width) << text.substr(at, end - at);
        at = end + 1;
      }
    }
}

TEST(Diff, MarkdownAndJsonSayTheSame) {
  Code hostile{.kernel = "k", .accesses = {{10, "a[i] = b|c<script>;", 128}}};
  Code after = hostile;
  after.accesses[0].stride = 4;
  const Model model = diff_of({hostile}, {after});
  const std::string table = markdown(model, {"a reason"});
  EXPECT_THAT(table, HasSubstr("b\\|c&lt;script>;"));
  EXPECT_THAT(table, HasSubstr("32.00 → 4.00 sectors"));
  EXPECT_THAT(table, HasSubstr("**fails**: a reason"));
  const auto document = nlohmann::json::parse(json(model, {"a reason"}, "1"));
  EXPECT_EQ(document["change"], "better");
  EXPECT_EQ(document["fails"][0], "a reason");
  EXPECT_EQ(document["kernels"][0]["lines"][0]["accesses"][0]["before"]["each"], 32.0);
}

gates::Baseline baseline_of(std::vector<gates::Known> findings) { return {std::move(findings)}; }

TEST(Diff, BaselinesAreComparedByWhatARequestCosts) {
  auto finding = [](u32 line, std::string text, double sectors) {
    return gates::Known{"uncoalesced-load", "a.cu", std::move(text), "k", line, {{90, "sectors", sectors}}};
  };
  const gates::Baseline before = baseline_of({finding(3, "a[i * n]", 32), finding(9, "w[i]", 8),
                                              finding(11, "gone(p[3 * i])", 5)}),
                        after = baseline_of({finding(5, "a[i * n]", 16), finding(9, "w[i]", 9),
                                             finding(20, "q.z[j] + fresh", 7)});
  auto model = compare(Findings{"old", before}, Findings{"new", after});
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->counted);
  std::map<Change, int> changes;
  for (const Line& line : model->kernels.at(0).lines) ++changes[line.change];
  EXPECT_EQ(changes, (std::map<Change, int>{
                         {Change::worse, 1}, {Change::better, 1}, {Change::added, 1}, {Change::removed, 1}}));
  EXPECT_EQ(failures_of(*model, "worse").size(), 2u);
  EXPECT_THAT(terminal(*model, {}), HasSubstr("4 findings: 1 worse, 1 better, 1 new, 1 gone, 0 as before"));
  EXPECT_THAT(terminal(*model, {}), Not(HasSubstr("cycles")));
  auto none = compare(Findings{"old", {}}, Findings{"new", after});
  ASSERT_TRUE(none);
  EXPECT_EQ(failures_of(*none, "worse").size(), 3u);
}

} // namespace
} // namespace warplens::diff
