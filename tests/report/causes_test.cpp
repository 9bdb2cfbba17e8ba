// What a report says of the program as a whole: places with their calls, arrays, causes, totals, kernels with idle lanes.
#include "measure/collect.h"
#include "report/json.h"
#include "report/read.h"
#include "report/terminal.h"
#include "summary/findings.h"
#include <gtest/gtest.h>

namespace warplens::report {
namespace {

using access::AffineAccess;
using access::ArrayKind;
using access::Site;
using access::SiteId;
using access::Space;

struct Made {
  std::string kernel;
  std::vector<Site> sites;
  std::vector<i64> strides; // bytes from lane to lane, one per site
  u32 lanes = 32;
  std::vector<u64> offsets{}; // of the first lane; else 0
  u32 sm = 90;
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
  launch.grid = {2, 1, 1}, launch.block = {64, 1, 1}, launch.sm = {made.sm};
  std::vector<const arch::Architecture*> rows{arch::find(made.sm)};
  measure::Collector collector(rows, made.sites, 1);
  std::vector<u32> active(2, made.lanes == 32 ? full_mask : (1u << made.lanes) - 1);
  for (u64 cta = 0; cta < 2; ++cta)
    for (u32 i = 0; i < made.sites.size(); ++i) {
      AffineAccess access{{.site = SiteId(i)}};
      access.space = made.sites[i].space;
      access.cta = cta, access.block = launch.block,
      access.base = (1 << 20) + (made.offsets.empty() ? 0 : made.offsets[i]),
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
  input.sm = launches.at(0).sm;
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
  std::string text = terminal(model, {.width = 100, .lines = true});
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
  std::string text = terminal(model, {.width = 120, .lines = true});
  EXPECT_TRUE(says(text, "100% of the waste: 4 accesses of u, v, w (hydro, flux)"));
  EXPECT_TRUE(says(text, "a.cu:20-22 (hydro)"));
  u64 excess = 0;
  for (const ProgramLine& line : model.lines) excess += line.excess_cycles;
  EXPECT_EQ(excess, model.excess_cycles);
  EXPECT_EQ(model.kernels[0].share + model.kernels[1].share, 1);
  EXPECT_EQ(model.lines[0].lines.size(), 2u); // line 20 is in both kernels
}

// What is lost is most of the waste, and next to nothing of what the program's accesses cost.
TEST(Causes, ASmallCauseIsNoHeadline) {
  std::vector<Site> sites;
  for (u32 i = 0; i < 200; ++i) sites.push_back(load(i, {{"/s/a.cu", 3 + i, 1, ""}}));
  const Model busy = model_of({counted({"busy", sites, std::vector<i64>(200, 4)}),
                               counted({"small", {load(0, {{"/s/b.cu", 3, 1, ""}})}, {8}}, 1)});
  ASSERT_EQ(busy.findings.size(), 1u);
  EXPECT_EQ(busy.findings[0].share, 1);
  EXPECT_LT(busy.excess_cycles * 100, busy.cycles);
  const std::string text = terminal(busy, {.width = 100});
  EXPECT_TRUE(says(text, "1 cause below 1% of what all accesses cost (--top-lines 0 shows all)"));
  EXPECT_EQ(text.find("of the waste"), text.npos);
  EXPECT_TRUE(says(terminal(busy, {.width = 100, .top_lines = 0}), " 1. 100% of the waste: small, b.cu:3"));
}

// Bytes between warps and the L1, and passes of shared memory: not added up.
TEST(Causes, SharedMemoryHasAColumnOfItsOwn) {
  Site tile = load(1, {{"/s/a.cu", 4, 1, ""}});
  tile.space = Space::shared;
  const std::string text = terminal(
      model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}), tile}, {4, 128}})}), {.width = 100});
  EXPECT_TRUE(says(text, "for nothing  conflicts  limited by"));
  EXPECT_TRUE(says(text, "k                1      512 B           0%        97%"));
}

// What another stage does meanwhile is not waited for.
TEST(Causes, WasteOfAStageThatIsNotTheBusiest) {
  const auto text = [&](i64 stride) {
    Made made{.kernel = "k"};
    for (u32 i = 0; i < 9; ++i) made.sites.push_back(load(i, {{"/s/a.cu", 3 + i, 1, ""}}));
    made.sites[8].space = Space::constant;
    made.strides.assign(9, stride), made.strides[8] = 4;
    return terminal(model_of({counted(made)}), {.width = 400, .lines = true});
  };
  EXPECT_TRUE(says(text(4096), "accesses; an SM is busier with "));
  EXPECT_EQ(text(4).find("an SM is busier"), std::string::npos);
}

TEST(Causes, ParametersAreNoAccessesOfTheFirstScreen) {
  Site parameter = load(1, {{"/s/a.cu", 3, 1, ""}}, "x");
  parameter.space = Space::constant;
  const std::string text = terminal(
      model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), parameter}, {4, 0}})}), {.width = 100});
  EXPECT_TRUE(says(text, "load x: 4 sectors"));
  EXPECT_EQ(text.find("constant x"), text.npos);
}

TEST(Causes, IdleLanesAreNotCalledFine) {
  std::string idle = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}, 2})}),
                              {.width = 100, .lines = true});
  EXPECT_TRUE(says(idle, "only 2.0 of 32 lanes are active"));
  EXPECT_EQ(idle.find("Nothing to fix"), idle.npos);
  EXPECT_EQ(idle.find("Nothing is wasted"), idle.npos);
  const std::string one = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}, 1})}),
                                   {.width = 400, .lines = true});
  EXPECT_TRUE(says(one, "12% are asked for. Change: let all lanes of the warp take part"));
  std::string fine = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}})}),
                              {.width = 100, .lines = true});
  EXPECT_TRUE(says(fine, "Nothing to fix, no access moves more than it needs: k"));
}

TEST(Causes, AKernelWithAMistakeIsNotCalledFine) {
  Input input = model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}})}).input;
  input.launches[0].record.diagnostics = {diag::warning("kernel-out-of-bounds", "outside")};
  const std::string text =
      terminal(*build(input, [](const auto&, u32) { return std::nullopt; }, {}), {.width = 100});
  EXPECT_EQ(text.find("Nothing"), text.npos) << text;
  input.launches[0].record.status = measure::Status::failed;
  const std::string failed =
      terminal(*build(input, [](const auto&, u32) { return std::nullopt; }, {}), {.width = 100});
  EXPECT_TRUE(says(failed, "-            -  failed"))
      << failed; // how much it was depends on when it was stopped
}

TEST(Causes, ABroadcastIsNotRed) {
  std::string text =
      terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {0}})}), {100, true});
  EXPECT_TRUE(says(text, "broadcast"));
  EXPECT_TRUE(says(text, "load: 1 sector (on 1.0: 32 transactions); broadcast")) << "one of them";
  EXPECT_EQ(text.find("\x1b[31m"), text.npos);
  EXPECT_EQ(text.find("\x1b[33m"), text.npos);
}

// Those that stand in few words, too.
TEST(Causes, EachHasALine) {
  std::vector<measure::LaunchRecord> launches;
  for (const auto& [kernel, line, stride] :
       {std::tuple{"f", 3u, i64{4096}}, {"g", 20u, i64{16}}, {"h", 40u, i64{8}}}) {
    Made made{kernel, {}, {}};
    for (u32 i = 0; i < 3; ++i) {
      made.sites.push_back(load(i, {{"/s/a.cu", line + 5 * i, 1, ""}}, "x"));
      made.sites.back().function = kernel;
      made.strides.push_back(stride);
    }
    launches.push_back(counted(made, launches.size()));
  }
  const std::string text = terminal(model_of(std::move(launches)), {80});
  EXPECT_TRUE(says(text, "3 accesses of x (f)\n    a.cu:3, 8, 13\n"));
  EXPECT_TRUE(says(text, "3 accesses of x (g), a.cu:20 and 2 more: "));
  EXPECT_TRUE(says(text, "3 accesses of x (h), a.cu:40 and 2 more: "));
}

TEST(Causes, ALongPathLeavesRoomForItsAccess) {
  for (const u32 length : {30u, 60u, 300u}) {
    const std::string file = "/s/" + std::string(length, 'x') + ".cu";
    const std::string text =
        terminal(model_of({counted({"k", {load(0, {{file, 3, 1, ""}}, "a")}, {4}})}), {80});
    EXPECT_TRUE(says(text, "x.cu:3  load a: 4 sectors; coalesced\n"));
  }
}

TEST(Causes, MessagesThatDifferInANameAreOne) {
  Input input;
  input.sm = {90};
  input.launches.emplace_back(counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}}));
  for (const char* name : {"scan", "sort", "sum"})
    input.messages.push_back(
        diag::warning("as-ptx", std::string("'") + name + "' runs as PTX: texture", {}, "help"));
  input.messages.push_back(diag::warning("as-ptx", "'other' runs as PTX: a call", {}, "help"));
  Result<Model> model = build(std::move(input), [](const std::string&, u32) { return std::nullopt; }, {});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->warnings.size(), 2u);
  EXPECT_EQ(model->warnings[0].diagnostic.message, "'scan' runs as PTX: texture; the same of 'sort', 'sum'");
  EXPECT_EQ(model->warnings[1].diagnostic.message, "'other' runs as PTX: a call");
}

TEST(Causes, WithoutLineInformationFunctionsAreNamedAndTheCureToo) {
  std::string text =
      terminal(model_of({counted({"k", {load(0, {}), load(1, {}), load(2, {})}, {64, 64, 64}})}),
               {.width = 100, .lines = true});
  EXPECT_TRUE(says(text, "NVCC_APPEND_FLAGS=-lineinfo"));
  EXPECT_LT(text.find("-lineinfo"), text.find("for nothing"));
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
  lines[1] = "extern \"C\" __global__ void k(const float* __restrict__ a) {"; // whose name has no types
  model = model_of({counted({"k", {site}, {64}})}, source);
  EXPECT_EQ(model.kernels[0].lines[0].rows[0].declared, "const float * __restrict__");
}

TEST(Causes, APredictionIsOfAllAccessesOfTheFinding) {
  // 64 bytes apart: 32 sectors where 4 would do; 16 bytes apart: 16.
  Model model = model_of({counted(
      {"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), load(1, {{"/s/a.cu", 4, 1, ""}}, "x")}, {64, 16}})});
  ASSERT_EQ(model.findings.size(), 1u);
  const Finding& finding = model.findings[0];
  ASSERT_TRUE(finding.predicted);
  EXPECT_EQ(finding.predicted->metric, advise::Metric::sectors);
  EXPECT_EQ(finding.predicted->before, finding.counts.sectors);
  u64 after = 0;
  for (const Finding::Access& access : finding.accesses) {
    const AccessRow& row = model.kernels[access.kernel].lines[access.line].rows[access.row];
    after += row.advice[0].after.sectors;
  }
  EXPECT_EQ(finding.predicted->after, after);
  const std::string text = terminal(model, {.width = 400, .lines = true});
  EXPECT_TRUE(says(text, "Gain:   6 times fewer sectors; saves 83% of the")); // (32 + 16) / (4 + 4)
  // The access that is named has its own numbers.
  EXPECT_TRUE(says(
      text, "32 sectors per request where 4 would do; both accesses: 5.12 kB of 6.14 kB (83%) for nothing"));
}

// The factor and the share are of the same bytes, where transactions are larger than what is asked for.
TEST(Causes, AGainIsInTheUnitOfTheCost) {
  for (const auto& [stride, gain] :
       {std::pair<i64, const char*>{64, "16 times fewer bytes; saves 94% of the"},
        {12, "3 times fewer bytes; saves 67% of the"}}) {
    const Model model = model_of({counted(
        {.kernel = "k", .sites = {load(0, {{"/s/a.cu", 3, 1, ""}}, "x")}, .strides = {stride}, .sm = 20})});
    const std::string text = terminal(model, {.width = 400, .lines = true});
    EXPECT_TRUE(says(text, "bytes per request where"));
    EXPECT_TRUE(says(text, gain));
  }
}

// A share of the waste is one of cycles, to which passes of shared memory belong: the bytes may have quite another.
TEST(Causes, AShareOfTheBytesIsSaidWhereItIsAnother) {
  std::vector<Site> sites;
  for (u32 i = 0; i < 12; ++i) {
    sites.push_back(load(i, {{"/s/a.cu", 3 + i, 1, ""}}, std::string(1, static_cast<char>('a' + i))));
    if (i < 10) sites.back().space = Space::shared;
  }
  std::vector<i64> strides(10, 128);
  strides.push_back(12), strides.push_back(4096);
  Made made{.kernel = "k", .sites = sites, .strides = strides};
  const std::string mixed = terminal(model_of({counted(made)}), {.width = 400, .top_lines = 0});
  EXPECT_TRUE(says(mixed, "of the wasted bytes)"));
  made.sites.erase(made.sites.begin(), made.sites.begin() + 10);
  for (u32 i = 0; i < 2; ++i) made.sites[i].id = SiteId(i);
  made.strides = {12, 4096};
  const std::string alike = terminal(model_of({counted(made)}), {.width = 400, .top_lines = 0});
  EXPECT_EQ(alike.find("of the wasted bytes)"), alike.npos) << alike;
}

TEST(Causes, IdleLanesAreACauseBesideTheirDistance) {
  const Made few{
      .kernel = "k", .sites = {load(0, {{"/s/a.cu", 3, 1, ""}}, "x")}, .strides = {64}, .lanes = 8};
  EXPECT_TRUE(
      says(terminal(model_of({counted(few)}), {.width = 400}), "64 bytes apart, 8.0 of 32 lanes active"));
}

// Two instructions of one statement of an unrolled loop, with different conflicts and different advice.
TEST(Causes, ConflictsOfOneArrayOnOneLineAreOneFinding) {
  std::vector<Site> sites{load(0, {{"/s/a.cu", 3, 1, ""}}), load(1, {{"/s/a.cu", 3, 1, ""}}),
                          load(2, {{"/s/a.cu", 4, 1, ""}})};
  for (Site& site : sites) site.space = access::Space::shared, site.array = {ArrayKind::shared, "part"};
  Model model = model_of({counted({"k", sites, {128, 8, 4}})});
  ASSERT_EQ(model.findings.size(), 1u);
  EXPECT_EQ(model.findings[0].accesses.size(), 2u);
}

// One stride by chance: a row for each thread, and a column that is read once.
TEST(Causes, WhatIsMendedInAnotherWayIsAnotherFinding) {
  const Site column = load(0, {{"/s/a.cu", 3, 1, ""}}, "u"), row = load(0, {{"/s/b.cu", 3, 1, ""}}, "v");
  measure::LaunchRecord once = counted({"once", {column}, {4096}}),
                        loop = counted({"loop", {row}, {4096}}, 1);
  measure::SiteRecord& walked = loop.sites[0];
  walked.counters[0] *= 8, walked.distribution *= 8;
  walked.distribution.first_block.rows = 64, walked.distribution.first_block.row_elements = 512;
  walked.distribution.first_block.row_lanes = 8;
  const Model model = model_of({once, loop});
  ASSERT_EQ(model.findings.size(), 2u);
  const std::string text = terminal(model, {.width = 200});
  EXPECT_TRUE(says(text, "give each row to 8 lanes"));
  EXPECT_TRUE(says(text, "swap the index order"));
  EXPECT_EQ(model_of({once, counted({"twice", {row}, {4096}}, 1)}).findings.size(), 1u);
}

// One kernel goes along rows in a loop, another down a column: one layout serves both, unless a third has lanes side by side there.
TEST(Causes, OneArrayGetsOneLayout) {
  auto of = [](const std::string& kernel, u64 index, bool walks, i64 beside, const std::string& array = "u") {
    std::vector<Site> sites{load(0, {{"/s/a.cu", 3, 1, ""}}, "u"), load(1, {{"/s/a.cu", 4, 1, ""}}, array)};
    measure::LaunchRecord out = counted({kernel, sites, {4096, beside}}, index);
    if (!walks) return out;
    measure::SiteRecord& walked = out.sites[0];
    walked.counters[0] *= 8, walked.distribution *= 8;
    walked.distribution.first_block.rows = 64, walked.distribution.first_block.row_elements = 512;
    walked.distribution.first_block.row_lanes = 8;
    return out;
  };
  const Model model = model_of({of("once", 0, false, 4096), of("loop", 1, true, 4096, "alike")});
  EXPECT_EQ(model.findings.size(), 1u) << "'alike' is walked as u is";
  const std::string text = terminal(model, {.width = 200});
  EXPECT_TRUE(says(text, "store the array the other way round: u[k*count + i] instead of u[1024*i + k]"));
  EXPECT_TRUE(says(text, "8 times fewer sectors"));
  EXPECT_EQ(text.find("give each row"), text.npos);
  EXPECT_EQ(text.find("threadIdx.x"), text.npos);
  EXPECT_TRUE(
      says(terminal(model_of({of("once", 0, false, 4), of("loop", 1, true, 4096, "v")}), {.width = 200}),
           "give each row to 8 lanes"));
}

// What another kernel goes along, on the other side, stays as it is; whoever reads it, too, would change with it.
TEST(Causes, AnArrayThatAnotherKernelGoesAlongKeepsItsLayout) {
  for (const i64 stride : {i64{36}, i64{64}}) {
    auto change = [&](const std::string& array, access::Kind kind) {
      measure::LaunchRecord across = counted({"across", {load(0, {{"/s/a.cu", 3, 1, ""}}, "u")}, {stride}});
      across.sites[0].site.kind = access::Kind::store;
      across.sites[0].counters[0] *= 8, across.sites[0].distribution *= 8; // a loop
      measure::LaunchRecord along = counted({"along", {load(0, {{"/s/b.cu", 3, 1, ""}}, array)}, {4}}, 1);
      along.sites[0].site.kind = kind;
      along.sites[0].counters[0] *= 8, along.sites[0].distribution *= 8;
      return terminal(model_of({across, along}), {.width = 300});
    };
    EXPECT_TRUE(says(change("u", access::Kind::load), "give each row to a warp"));
    EXPECT_TRUE(says(change("u", access::Kind::load), "Leave the array's layout, which along needs"));
    EXPECT_TRUE(says(change("v", access::Kind::load), "u[k*count + i]"));
    EXPECT_TRUE(says(change("u", access::Kind::store), "u[k*count + i]"))
        << "its own values, to another array maybe";
  }
}

// Where it loses less than the others gain, the layout is changed, and the loss is no gain.
TEST(Causes, WhatAnotherKernelLosesIsNoGain) {
  for (const u64 times : {u64{32}, u64{64}, u64{256}}) {
    measure::LaunchRecord across = counted({"across", {load(0, {{"/s/a.cu", 3, 1, ""}}, "u")}, {64}});
    across.sites[0].site.kind = access::Kind::store;
    across.sites[0].counters[0] *= times, across.sites[0].distribution *= times;
    measure::LaunchRecord along = counted({"along", {load(0, {{"/s/b.cu", 3, 1, ""}}, "u")}, {4}}, 1);
    along.sites[0].counters[0] *= 8, along.sites[0].distribution *= 8;
    const Model model = model_of({across, along});
    ASSERT_EQ(model.findings.size(), 1u);
    const Finding::Prediction& gain = model.findings[0].predicted.value();
    const u64 lost = 8 * 2 * 2 * (32 - 4); // each lane's sector, where 4 serve a warp
    EXPECT_EQ(gain.saved_bytes, 32 * (gain.before - gain.after - lost));
    const std::string text = terminal(model, {.width = 300});
    EXPECT_TRUE(says(text, "u[k*count + i]"));
    EXPECT_TRUE(says(text, "along then moves 28.7 kB more"));
  }
}

// Rows of different lengths that one loop reads: whether a warp or a thread has them is decided once.
TEST(Causes, LoadsOfOneLoopChangeTogether) {
  for (const auto& [of_x, of_y] : {std::pair<i64, i64>{64, 4096}, {32, 4096}, {64, 512}}) {
    measure::LaunchRecord loop = counted(
        {"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), load(1, {{"/s/a.cu", 4, 1, ""}}, "y")}, {of_x, of_y}});
    for (measure::SiteRecord& walked : loop.sites) {
      walked.declared = "const float *";
      walked.counters[0] *= 16, walked.distribution *= 16;
      walked.distribution.first_block.rows = 64;
      walked.distribution.first_block.row_elements = 64 * static_cast<u64>(of_x) / 4;
      walked.distribution.first_block.row_lanes = 16;
    }
    const std::string text = terminal(model_of({loop}), {.width = 300, .top_lines = 0});
    EXPECT_TRUE(says(text, "2 accesses of x, y"));
    EXPECT_TRUE(says(text, "give each row to"));
    EXPECT_EQ(text.find("take neighbouring elements"), text.npos) << text;
  }
}

// What accesses of one line gain in another way is no gain of this one.
TEST(Causes, APredictionIsOfOneKindOfChange) {
  for (const auto& [far, near] : {std::pair<i64, i64>{4096, 16}, {1024, 8}, {512, 32}}) {
    const Model model = model_of({counted(
        {"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), load(1, {{"/s/a.cu", 3, 9, ""}}, "x")}, {far, near}})});
    ASSERT_EQ(model.findings.size(), 1u);
    auto row = [&](std::size_t n) -> const AccessRow& {
      const Finding::Access& access = model.findings[0].accesses.at(n);
      return model.kernels[access.kernel].lines[access.line].rows[access.row];
    };
    ASSERT_NE(row(0).advice.at(0).way, row(1).advice.at(0).way);
    EXPECT_EQ(model.findings[0].predicted->after,
              row(0).advice[0].after.sectors + row(1).counters[0].sectors);
  }
}

// Counts are of lanes, which no other access changes: causes do not wait for each other.
TEST(Causes, AGainDoesNotDependOnOtherCauses) {
  Site tile = load(0, {{"/s/a.cu", 9, 1, ""}}, "t");
  tile.space = Space::shared;
  const Site x = load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), y = load(0, {{"/s/a.cu", 4, 1, ""}}, "y");
  for (const auto& [one, other, of_one, of_other] :
       {std::tuple<Site, Site, i64, i64>{x, y, 64, 4096}, {x, tile, 64, 128}, {tile, y, 128, 12}}) {
    Site second = other;
    second.id = SiteId(1u);
    const Model both = model_of({counted({"k", {one, second}, {of_one, of_other}})});
    ASSERT_EQ(both.findings.size(), 2u);
    for (const auto& [site, stride] : {std::pair(one, of_one), {other, of_other}}) {
      const Model alone = model_of({counted({"k", {site}, {stride}})});
      const auto after = alone.findings.at(0).predicted->after;
      EXPECT_TRUE(std::ranges::any_of(
          both.findings, [&](const Finding& f) { return f.predicted && f.predicted->after == after; }));
    }
  }
}

TEST(Causes, TimeIsThatOfTheKernelThatTakesLongest) {
  const Site site = load(0, {{"/s/a.cu", 3, 1, ""}}, "u");
  Model model = model_of({counted({"small", {site}, {4096}}), counted({"large", {site}, {4096}}, 1)});
  ASSERT_EQ(model.findings.size(), 1u);
  const u32 worst = model.findings[0].accesses[0].kernel;
  model.kernels[1 - worst].cycles *= 10;
  model.kernels[1 - worst].limiter = summary::Limiter::memory;
  EXPECT_TRUE(says(terminal(model, {.width = 200}), "costs time: memory limits this kernel"));
}

TEST(Causes, TheReportSaysWhoseNumbersItShows) {
  measure::LaunchRecord launch = counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {64}});
  EXPECT_EQ(terminal(model_of({launch}), {.width = 100}).find("(shown"), std::string::npos);
  launch.sm = {90, 100};
  launch.sites[0].counters.push_back(launch.sites[0].counters[0]);
  EXPECT_TRUE(says(terminal(model_of({launch}), {.width = 100}), "PTX for 9.0 (shown), 10.0"));
}

TEST(Causes, KernelsThatTheirShortNamesDoNotTellApart) {
  const auto named = [](const char* name, u64 index) {
    return counted({name, {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}}, index);
  };
  const std::string scan = "DeviceRadixSortScanOfAllTheDigitsKernel",
                    sort = "DeviceRadixSortPassOverAllTheDigitsKernel";
  const std::string text =
      terminal(model_of({named(scan.c_str(), 0), named(sort.c_str(), 1), named("small", 2)}), {.width = 80});
  EXPECT_TRUE(says(text, "\n" + scan + "\n   "));
  EXPECT_TRUE(says(text, "\n" + sort + "\n   "));
  EXPECT_TRUE(says(text, "\nsmall  "));
}

TEST(Causes, LaunchesWithOtherBlocksAreOneAccessAndOneTable) {
  measure::LaunchRecord small = counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x")}, {64}}), large = small;
  large.index = 1, large.block = {128, 1, 1};
  measure::LaunchRecord other = counted({"other", {load(0, {{"/s/a.cu", 9, 1, ""}}, "y")}, {16}}, 2);
  std::string text = terminal(model_of({small, large, other}), {.width = 100, .lines = true});
  EXPECT_TRUE(says(text, "k [2 block sizes], a.cu:3"));
  EXPECT_TRUE(says(text, "lines as of block 64 above"));
  measure::LaunchRecord fine = counted({"fine", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x")}, {4}}), wide = fine;
  wide.index = 1, wide.block = {128, 1, 1};
  EXPECT_TRUE(says(terminal(model_of({fine, wide}), {.width = 100, .lines = true}),
                   "more than it needs: fine [2 block sizes]"));
  EXPECT_EQ(text.find("2 accesses"), text.npos);
}

TEST(Causes, StretchesOfInlinedLinesSayTheCallOnce) {
  std::vector<Site> sites;
  for (u32 i = 0; i < 3; ++i)
    sites.push_back(load(i, {{"/s/a.cu", 20 + i, 1, "f"}, {"/s/a.cu", 5, 1, ""}}, "x"));
  EXPECT_TRUE(says(terminal(model_of({counted({"k", sites, {64, 64, 64}})}), {.width = 100, .lines = true}),
                   "a.cu:5 → a.cu:20-22\n"));
}

TEST(Causes, WhatL1ServesComesLast) {
  std::vector<Site> sites{load(0, {{"/s/a.cu", 3, 1, ""}}, "x"), load(1, {{"/s/a.cu", 4, 1, ""}}, "x"),
                          load(2, {{"/s/a.cu", 5, 1, ""}}, "x")};
  Model model = model_of({counted({"blur", sites, {4, 4, 4}, 32, {0, 4, 124}}),
                          counted({"other", {load(0, {{"/s/a.cu", 9, 1, ""}}, "y")}, {64}, 2}, 1)});
  ASSERT_EQ(model.findings.size(), 2u);
  EXPECT_EQ(model.findings[1].rule, findings::Rule::halo_access);
  EXPECT_GE(model.findings[1].excess_cycles, model.findings[0].excess_cycles);
  EXPECT_TRUE(says(terminal(model, {.width = 100, .lines = true}), "Costs little, as the L1 serves it: "));
}

// Each sector comes from L2 once, but every request takes a pass of the L1 for each line.
TEST(Causes, WhatL1ServesIsLostWhereItLimitsTheKernel) {
  for (const u64 turns : {1, 4000}) {
    Site site = load(0, {{"/s/a.cu", 3, 1, ""}}, "x");
    site.bytes = 8;
    measure::LaunchRecord launch = counted({"k", {site}, {416}});
    launch.block = {512, 1, 1};
    measure::SiteRecord& row = launch.sites[0];
    row.distribution.first_block.sectors = 4 * row.distribution.first_block.distinct_sectors;
    row.counters[0].ideal_sectors *= 2; // of elements of 8 bytes
    row.counters[0] *= turns, row.distribution *= turns;
    const std::string text = terminal(model_of({launch}), {.width = 100});
    EXPECT_EQ(text.find("as the L1 serves it") == text.npos, turns == 4000) << text;
  }
}

TEST(Causes, CodeOfALibraryIsCalledThat) {
  const std::string cub = "/usr/local/cuda/include/cub/agent.cuh";
  std::string text =
      terminal(model_of({counted({"k", {load(0, {{cub, 3, 1, ""}})}, {64}})}), {.width = 100, .lines = true});
  EXPECT_TRUE(says(text, "agent.cuh:3 (a library's code)"));
  text = terminal(model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {64}})}),
                  {.width = 100, .lines = true});
  EXPECT_EQ(text.find("a library's"), text.npos);
}

TEST(Causes, BlocksForFewSMsAreSaid) {
  measure::LaunchRecord launch = counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {64}});
  EXPECT_TRUE(says(terminal(model_of({launch}), {.width = 100, .lines = true}),
                   "block 64; blocks for 2 of 132 SMs; exact"));
  launch.grid = {66, 1, 1};
  EXPECT_TRUE(
      says(terminal(model_of({launch}), {.width = 100, .lines = true}), "; 1.0 of 64 warps on an SM; exact"));
  launch.grid = {1056, 1, 1};
  EXPECT_TRUE(says(terminal(model_of({launch}), {.width = 100, .lines = true}), "block 64; exact"));
}

TEST(Causes, WhatDependsOnTimingIsNamedBeforeWhatIsFine) {
  measure::LaunchRecord launch =
      counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}), load(1, {{"/s/a.cu", 9, 1, ""}})}, {4, 4}});
  launch.sites[1].site.timing_dependent = access::Timing::spin;
  const std::string text = terminal(model_of({launch}), {.width = 100, .lines = true});
  EXPECT_TRUE(says(text, "but for what depends on timing, which is not judged (a.cu:9): k"));
  EXPECT_LT(text.find("  a.cu:9"), text.find("  a.cu:3"));
}

TEST(Causes, WhatDependsOnTimingIsCountedOnTheFirstScreen) {
  measure::LaunchRecord launch =
      counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}), load(1, {{"/s/a.cu", 9, 1, ""}})}, {4, 64}});
  launch.sites[1].site.timing_dependent = access::Timing::race;
  const std::string text = terminal(model_of({launch}), {.width = 400});
  EXPECT_TRUE(says(text,
                   "In no total, as it depends on timing: 4.10 kB in this run. Most for nothing: 3.58 kB at "
                   "a.cu:9 (k), 32 sectors per request where 4 would do."));
  EXPECT_EQ(text.find("Nothing is wasted"), text.npos);
}

TEST(Causes, AKernelAllOfWhichDependsOnTimingUsesMemory) {
  measure::LaunchRecord launch = counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}});
  launch.sites[0].site.timing_dependent = access::Timing::race;
  const std::string text = terminal(model_of({launch}), {.width = 100});
  EXPECT_TRUE(says(text, "but for what depends on timing, which is not judged (a.cu:3): k"));
  EXPECT_FALSE(says(text, "No memory that is counted"));
}

TEST(Causes, ASampledKernelIsNamedBeforeTheReasonsOfOthers) {
  std::vector<measure::LaunchRecord> launches;
  for (u64 i = 0; i < 4; ++i) {
    launches.push_back(
        counted({"k" + std::to_string(i), {load(0, {{"/s/a.cu", 3, 1, ""}})}, {i < 3 ? 64 : 4}}, i));
    launches.back().reason = "emulated in full: why";
  }
  launches.back().status = measure::Status::sampled;
  launches.back().blocks = {1, 0};
  EXPECT_TRUE(says(terminal(model_of(launches), {.width = 100}), "~ k3: sampled 1 of 2 blocks"));
}

TEST(Causes, ACopyOfNothingSaysSo) {
  measure::LaunchRecord launch = counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {4}});
  launch.sites[0].site.kind = access::Kind::async_copy;
  const u64 instructions = launch.sites[0].counters[0].instructions;
  launch.sites[0].counters[0] = {.instructions = instructions};
  const std::string text = terminal(model_of({launch}), {.width = 100, .lines = true});
  EXPECT_TRUE(says(text, "copies nothing: its sizes are 0"));
  EXPECT_EQ(text.find("0.00"), text.npos);
}

TEST(Causes, AFindingWithoutAFixSaysSo) {
  Model model = model_of({counted({"k", {load(0, {{"/s/a.cu", 3, 1, ""}}, "x")}, {64}})});
  model.kernels[0].lines[0].rows[0].advice.clear();
  EXPECT_TRUE(says(terminal(model, {.width = 100, .lines = true}), "Change: none that WarpLens knows"));
}

TEST(Causes, AnAccessWithoutALineSaysSoWhereOthersHaveOne) {
  const Site alone = load(0, {}, "x"), placed = load(1, {{"/s/a.cu", 3, 1, ""}});
  EXPECT_TRUE(
      says(terminal(model_of({counted({"k", {alone, placed}, {64, 4}})}), {.width = 100, .lines = true}),
           "k, no source line"));
  EXPECT_FALSE(says(terminal(model_of({counted({"k", {alone}, {64}})}), {.width = 100, .lines = true}),
                    "no source line"));
}

TEST(Causes, ALibrarysLinesAreRankedAndNobodyIsToldToChangeThem) {
  const std::string header = "/usr/local/cuda/include/cub/agent/agent_sort.cuh";
  Model model = model_of({counted({"k", {load(0, {{header, 3, 1, ""}}, "x")}, {64}})});
  ASSERT_EQ(model.findings.size(), 1u);
  EXPECT_EQ(main_advice(model.kernels[0].lines[0].rows[0]), nullptr);
  EXPECT_TRUE(
      says(terminal(model, {.width = 100, .lines = true}), "Change: none in the library's own lines"));
  Model called =
      model_of({counted({"k", {load(0, {{header, 3, 1, ""}, {"/s/a.cu", 5, 1, ""}}, "x")}, {64}})});
  EXPECT_TRUE(says(terminal(called, {.width = 100, .lines = true}),
                   "a.cu:5 (in a library's code: agent_sort.cuh:3)"));
}

TEST(Causes, LocalArraysHaveTheNamesOfAllThatItMayBe) {
  std::vector<std::string> lines{
      "__device__ int pick(const int* p, int i) { int best[4], n = i; return best[p[i]]; }",
      "__global__ void k(int* out, int i) {", "  int first[8], count = 0;",
      "  out[0] = pick(first, i) + first[count];", "}"};
  auto source = [&](const std::string&, u32 line) -> std::optional<std::string> {
    if (line == 0 || line > lines.size()) return {};
    return lines[line - 1];
  };
  auto named = [&](std::vector<access::SourceFrame> frames) {
    Site site = load(0, std::move(frames));
    site.space = access::Space::local, site.array = {ArrayKind::local, "__local_depot0"};
    measure::LaunchRecord launch = counted({"k", {site}, {4}});
    launch.local_arrays = {access::LocalArray{"__local_depot0", 48}};
    Model model = model_of({launch}, source);
    return array_name(model.kernels[0].lines[0].rows[0].site.array) + ": " +
           text_of(model.kernels[0].local_arrays);
  };
  EXPECT_EQ(named({{"/s/a.cu", 4, 1, ""}}), "first: first (48 bytes)");
  EXPECT_EQ(named({{"/s/a.cu", 1, 1, "pick(int const*, int)"}, {"/s/a.cu", 4, 1, ""}}),
            "best or first: best or first (48 bytes)");
  lines[2] = "  int count = 0;";
  EXPECT_EQ(named({{"/s/a.cu", 4, 1, ""}}), "a local array: local variables (48 bytes)");
}

TEST(Causes, AChangedSourceIsMarked) {
  auto source = [](const std::string&, u32) { return std::optional<std::string>("x = a[i];"); };
  Site site = load(0, {{"/s/a.cu", 3, 1, ""}});
  Model model =
      model_of({counted({"k", {site}, {64}})}, source, {"", "", [](const std::string&) { return true; }});
  EXPECT_TRUE(says(terminal(model, {.width = 100, .lines = true}), "changed after the program was built"));
  model =
      model_of({counted({"k", {site}, {64}})}, source, {"", "", [](const std::string&) { return false; }});
  EXPECT_EQ(terminal(model, {.width = 100, .lines = true}).find("changed after"), std::string::npos);
}

TEST(Causes, BlocksTellLaunchesOfOneKernelApart) {
  measure::LaunchRecord small =
      counted({"void norm<float>(float*)", {load(0, {{"/s/a.cu", 3, 1, ""}})}, {64}});
  measure::LaunchRecord large = small;
  large.block = {128, 1, 1};
  Model model = model_of({small, large});
  std::string text = terminal(model, {.width = 100, .lines = true});
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
