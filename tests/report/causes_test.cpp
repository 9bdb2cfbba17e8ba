// What a report says of the program as a whole: places with their calls, arrays, causes, totals, kernels with idle lanes.
#include "measure/collect.h"
#include "report/json.h"
#include "report/read.h"
#include "report/terminal.h"
#include <gtest/gtest.h>

namespace warplens::report {
namespace {

using access::AffineAccess;
using access::ArrayKind;
using access::Site;
using access::SiteId;

struct Made {
  std::string kernel;
  std::vector<Site> sites;
  std::vector<i64> strides; // bytes from lane to lane, one per site
  u32 lanes = 32;
};

Site load(u32 id, std::vector<access::SourceFrame> frames, const std::string& array = "") {
  Site site{.id = SiteId(id),
            .function = "k",
            .frames = std::move(frames),
            .ptx_line = id,
            .opcode = "ld.global.f32",
            .element = access::ElementType::floating};
  if (!array.empty()) site.array = {ArrayKind::parameter, array, 0, 1};
  return site;
}

measure::LaunchRecord counted(const Made& made, u64 index = 0) {
  measure::LaunchRecord launch;
  launch.index = index, launch.kernel = made.kernel, launch.name = made.kernel, launch.module = made.kernel;
  launch.grid = {2, 1, 1}, launch.block = {64, 1, 1}, launch.sm = {90};
  std::vector<const arch::Architecture*> rows{arch::find(90)};
  measure::Collector collector(rows, made.sites, 1);
  std::vector<u32> active(2, made.lanes == 32 ? full_mask : (1u << made.lanes) - 1);
  for (u64 cta = 0; cta < 2; ++cta)
    for (u32 i = 0; i < made.sites.size(); ++i) {
      AffineAccess access{{.site = SiteId(i)}};
      access.cta = cta, access.block = launch.block, access.base = 1 << 20,
      access.stride = {made.strides[i], 0, 0};
      access.active = active;
      collector.sinks()[0]->affine(access);
    }
  launch.sites = collector.finish();
  return launch;
}

Model model_of(std::vector<measure::LaunchRecord> launches, const SourceLines& source = {},
               const Options& options = {}) {
  Input input;
  input.sm = {90};
  for (measure::LaunchRecord& launch : launches) input.launches.emplace_back(std::move(launch));
  SourceLines none = [](const std::string&, u32) { return std::nullopt; };
  Result<Model> model = build(std::move(input), source ? source : none, options);
  EXPECT_TRUE(model);
  return std::move(*model);
}

::testing::AssertionResult says(const std::string& text, std::string_view words) {
  if (text.find(words) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << words << "' in:\n" << text;
}

TEST(Causes, CallsOfAnAccessorAreTwoPlaces) {
  Model model = model_of({counted({"k",
                                   {load(0, {{"/s/grid.h", 4, 1, "at"}, {"/s/main.cu", 10, 2, ""}}),
                                    load(1, {{"/s/grid.h", 4, 1, "at"}, {"/s/main.cu", 11, 2, ""}})},
                                   {4096, 4096}})});
  ASSERT_EQ(model.kernels[0].lines.size(), 2u);
  std::string text = terminal(model, {100});
  EXPECT_TRUE(says(text, "main.cu:10 → grid.h:4"));
  EXPECT_TRUE(says(text, "main.cu:11 → grid.h:4"));
}

TEST(Causes, OnePatternOfSeveralArraysIsOneFinding) {
  std::vector<Site> sites;
  for (u32 i = 0; i < 4; ++i)
    sites.push_back(load(i, {{"/s/a.cu", 20 + i, 1, ""}}, std::string(1, static_cast<char>('u' + i))));
  Model model =
      model_of({counted({"hydro", sites, {64, 64, 64, 4}}), counted({"flux", {sites[0]}, {64}}, 1)});
  ASSERT_EQ(model.findings.size(), 1u);
  EXPECT_EQ(model.findings[0].accesses.size(), 4u);
  EXPECT_NEAR(model.findings[0].share, 1, 1e-9);
  EXPECT_EQ(model.findings[0].counts.sectors, 4u * 4 * 32);
  std::string text = terminal(model, {120});
  EXPECT_TRUE(says(text, "100% of the waste: 4 accesses of u, v, w (hydro, flux)"));
  EXPECT_TRUE(says(text, "a.cu:20-22 (hydro)"));
  u64 excess = 0;
  for (const ProgramLine& line : model.lines) excess += line.excess_cycles;
  EXPECT_EQ(excess, model.excess_cycles);
  EXPECT_EQ(model.kernels[0].share + model.kernels[1].share, 1);
  EXPECT_EQ(model.lines[0].lines.size(), 2u); // line 20 is in both kernels
}

TEST(Causes, IdleLanesAreNotCalledFine) {
  std::string idle = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}, 2})}), {100});
  EXPECT_TRUE(says(idle, "only 2.0 of 32 lanes are active"));
  EXPECT_EQ(idle.find("Nothing to fix"), idle.npos);
  std::string fine = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}})}), {100});
  EXPECT_TRUE(says(fine, "Nothing to fix, no access moves more than it needs: k"));
}

TEST(Causes, ABroadcastIsNotRed) {
  std::string text =
      terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {0}})}), {100, true});
  EXPECT_TRUE(says(text, "broadcast"));
  EXPECT_EQ(text.find("\x1b[31m"), text.npos);
  EXPECT_EQ(text.find("\x1b[33m"), text.npos);
}

TEST(Causes, WithoutLineInformationFunctionsAreNamedAndTheCureToo) {
  std::string text =
      terminal(model_of({counted({"k", {load(0, {}), load(1, {}), load(2, {})}, {64, 64, 64}})}), {100});
  EXPECT_TRUE(says(text, "NVCC_APPEND_FLAGS=-lineinfo"));
  EXPECT_LT(text.find("-lineinfo"), text.find("Moved for nothing"));
  EXPECT_TRUE(says(text, "function k"));
  EXPECT_EQ(text.find("PTX line"), text.npos);
}

TEST(Causes, AParameterIsCalledAsInTheSource) {
  std::vector<std::string> lines{"struct View { float* data; int n; };", "__global__ void k(View view) {",
                                 "  view.data[8 * i];", "}"};
  auto source = [&](const std::string&, u32 line) -> std::optional<std::string> {
    if (line == 0 || line > lines.size()) return {};
    return lines[line - 1];
  };
  Site site = load(0, {{"/s/a.cu", 3, 1, ""}});
  site.array = {ArrayKind::parameter, "", 0, 1};
  Model model = model_of({counted({"k", {site}, {64}})}, source);
  EXPECT_EQ(model.kernels[0].lines[0].rows[0].site.array.name, "view.data");
  lines[1] = "__global__ void k(View view, int more) {"; // another kernel than the one that ran
  model = model_of({counted({"k", {site}, {64}})}, source);
  EXPECT_EQ(array_name(model.kernels[0].lines[0].rows[0].site.array), "parameter 1");
}

TEST(Causes, AChangedSourceIsMarked) {
  auto source = [](const std::string&, u32) { return std::optional<std::string>("x = a[i];"); };
  Site site = load(0, {{"/s/a.cu", 3, 1, ""}});
  Model model =
      model_of({counted({"k", {site}, {64}})}, source, {"", "", [](const std::string&) { return true; }});
  EXPECT_TRUE(says(terminal(model, {100}), "changed after the program was built"));
  model =
      model_of({counted({"k", {site}, {64}})}, source, {"", "", [](const std::string&) { return false; }});
  EXPECT_EQ(terminal(model, {100}).find("changed after"), std::string::npos);
}

TEST(Causes, BlocksTellLaunchesOfOneKernelApart) {
  measure::LaunchRecord small =
      counted({"void norm<float>(float*)", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {64}});
  measure::LaunchRecord large = small;
  large.block = {128, 1, 1};
  Model model = model_of({small, large});
  std::string text = terminal(model, {100});
  EXPECT_TRUE(says(text, "norm [block 64]"));
  EXPECT_TRUE(says(text, "norm [block 128]"));
}

TEST(Causes, ASavedReportIsTheSameReport) {
  Site site = load(0, {{"/s/src/a.cu", 3, 1, ""}}, "p");
  Model model = model_of({counted({"k", {site}, {64}})},
                         [](const std::string&, u32) { return std::optional<std::string>("x = a[i];"); },
                         {"", "/s", [](const std::string&) { return true; }});
  std::string text = json(model, "0");
  Result<Saved> saved = read_json(text, "r.json");
  ASSERT_TRUE(saved);
  Result<Model> again = build(*saved);
  ASSERT_TRUE(again);
  EXPECT_EQ(json(*again, "0"), text);
  EXPECT_EQ(terminal(*again, {80}), terminal(model, {80}));
}

} // namespace
} // namespace warplens::report
