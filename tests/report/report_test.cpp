// The writers on fixed records: exact text at two widths, no line wider than asked for, JSON that says what
// the records said. WARPLENS_REBASE=1 rewrites the golden files of tests/report/data.
#include "measure/collect.h"
#include "measure/totals.h"
#include "report/json.h"
#include "report/read.h"
#include "report/terminal.h"
#include "text/words.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace warplens::report {
namespace {

using access::AffineAccess;
using access::Site;
using namespace text;
using access::SiteId;
using access::Space;

Site make_site(u32 id, std::string opcode, u32 line, access::Kind kind = access::Kind::load) {
  return {.id = SiteId(id),
          .function = "_Z6matmulPKfS0_Pfi",
          .frames = {{"/src/matmul.cu", line, 9, ""}},
          .ptx_line = 40 + id,
          .opcode = std::move(opcode),
          .kind = kind,
          .element = access::ElementType::floating};
}

// Matrix multiply whose rows run along threadIdx.x, with a shared tile read column-wise: counted, not
// invented.
measure::LaunchRecord sample_launch(u64 index = 0) {
  measure::LaunchRecord launch;
  launch.index = index, launch.process = 4711, launch.kernel = "_Z6matmulPKfS0_Pfi";
  launch.name = "matmul(float const*, float const*, float*, int)", launch.module = "compute_90 of app";
  launch.grid = {4, 32, 1}, launch.block = {32, 8, 1}, launch.sm = {90, 20}, launch.shared_bytes = 4096;
  std::vector<Site> sites{
      make_site(0, "ld.global.f32", 15), make_site(1, "ld.global.f32", 15), make_site(2, "ld.shared.f32", 16),
      make_site(3, "st.global.f32", 18, access::Kind::store), make_site(4, "ld.const.f32", 19)};
  sites[2].space = Space::shared, sites[4].space = Space::constant;
  std::vector<const arch::Architecture*> architectures{arch::find(90), arch::find(20)};
  measure::Collector collector(architectures, sites, 1);
  access::Sink& sink = *collector.sinks()[0];
  for (u64 cta = 0; cta < launch.grid.count(); ++cta) {
    AffineAccess access{{.site = SiteId(0u)}};
    access.cta = cta, access.block = launch.block, access.base = 1 << 20, access.stride = {4096, 4, 0};
    sink.affine(access);
    access.site = SiteId(1u), access.stride = {0, 4096, 0};
    sink.affine(access);
    access.site = SiteId(2u), access.space = Space::shared, access.base = 0, access.stride = {128, 4, 0};
    sink.affine(access);
    access.site = SiteId(3u), access.space = Space::global, access.kind = access::Kind::store,
    access.stride = {4, 4096, 0};
    sink.affine(access);
  }
  launch.sites = collector.finish();
  launch.warp_instructions = 12345 + index; // no two are alike
  return launch;
}

Input sample_input() {
  Input input;
  input.command = {"./app"};
  input.sm = {90, 20};
  input.launches = {sample_launch(0), sample_launch(1)};
  measure::LaunchRecord failed = sample_launch(2);
  failed.kernel = "_Z3badPf", failed.name = "bad(float*)", failed.status = measure::Status::failed,
  failed.reason = "illegal address";
  failed.sites.clear();
  failed.diagnostics.push_back(diag::error("illegal-address",
                                           "thread (3,0,0) of block (0,0,0) reads past 'x'",
                                           {"bad.cu", 3, 1, 0}, "check the bounds"));
  input.launches.push_back(failed);
  input.unsupported = {{1, "cudaGraphLaunch", 2}, {2, "cudaGraphLaunch", 1}};
  input.outcome = {7, 0};
  return input;
}

std::optional<std::string> source(const std::string& file, u32 line) {
  if (file != "/src/matmul.cu") return {};
  if (line == 15) return "sum += A[row * n + k] * B[k * n + col];";
  return line == 16 ? "tile[threadIdx.x][threadIdx.y] += sum;" : "C[row * n + col] = sum * scale;";
}

Model sample_model() {
  Result<Model> model = build(sample_input(), source, {});
  EXPECT_TRUE(model);
  return std::move(*model);
}

void expect_golden(const std::string& name, const std::string& text) {
  std::string path = std::string(WARPLENS_TEST_DATA) + "/" + name;
  if (std::getenv("WARPLENS_REBASE")) std::ofstream(path) << text;
  std::stringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str()) << name << ": if the change is wanted, run with WARPLENS_REBASE=1";
}

TEST(Terminal, GoldenReports) {
  Model model = sample_model();
  expect_golden("narrow.txt", terminal(model, {80}));
  expect_golden("wide.txt", terminal(model, {.width = 120, .lines = true}));
  expect_golden("details.txt", terminal(model, {80, false, true}));
  expect_golden("run.json", json(model, "0.1.0"));
}

TEST(Terminal, NoLineIsWiderThanTheTerminal) {
  Input input = sample_input();
  measure::LaunchRecord& failed = input.launches[2].record;
  failed.name = std::string(300, 'n');
  failed.reason = "a reason with " + std::string(200, 'x') + " in it";
  failed.local_arrays = {access::LocalArray{std::string(200, 'a')}};
  constexpr i64 far = std::numeric_limits<i64>::min();
  constexpr u32 many = std::numeric_limits<u32>::max();
  for (measure::SiteRecord& site : input.launches[0].record.sites)
    site.pattern.shape = {measure::Form::rows, far, many, many, far, 0};
  Result<Model> model = build(input, [](const std::string&, u32) { return std::string(500, 's'); }, {});
  for (u32 width : {76u, 80u, 100u, 120u, 200u})
    for (bool details : {false, true}) {
      std::istringstream lines(terminal(*model, {width, false, details, 0}));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
    }
}

TEST(Terminal, TheFirstScreenIsTheAnswer) {
  Input input = sample_input();
  input.launches.pop_back(); // the one that failed
  input.unsupported.clear(), input.outcome = {};
  const Result<Model> model = build(std::move(input), source, {});
  const std::string screen = terminal(*model, {80}), wide = terminal(*model, {200});
  EXPECT_LE(lines_in(screen), 25u) << screen;
  for (std::string_view words :
       {"matmul.cu:16", "32 wavefronts per instruction where 1 would do",
        "Change: make each row of the shared array 4 bytes longer", "Gain:   32 times fewer wavefronts",
        "Time:   ", "matmul.cu:15: neighbouring threads are 4096 bytes apart", "limited by"})
    EXPECT_NE(wide.find(words), wide.npos) << words << " in:\n" << wide;
}

TEST(Terminal, AFirstScreenOfManyKernelsLeavesOutWhatHelpsLeast) {
  Input input = sample_input();
  input.launches.pop_back(); // the one that failed
  input.unsupported.clear(), input.outcome = {};
  for (u32 k = 1; k < 8; ++k) {
    measure::LaunchRecord other = sample_launch(k + 1);
    other.name = fmt::format("other{}", k), other.kernel = other.name;
    for (measure::SiteRecord& site : other.sites)
      site.site.frames = {{"/src/matmul.cu", site.site.frames[0].line + 10 * k, 9, ""}};
    input.launches.push_back(other);
  }
  const Result<Model> model = build(std::move(input), source, {});
  const std::string screen = terminal(*model, {80});
  EXPECT_LE(lines_in(screen), 25u) << screen;
  EXPECT_NE(screen.find("Gain:   "), screen.npos);
  EXPECT_NE(screen.find("(--top-lines 0 shows all)"), screen.npos);
  EXPECT_NE(screen.find("(--top-kernels 0 shows all)"), screen.npos);
  EXPECT_GT(lines_in(terminal(*model, {.width = 80, .top_kernels = 8})), 25u);
}

TEST(Terminal, ColourOnlyWhenAskedFor) {
  Model model = sample_model();
  EXPECT_EQ(terminal(model, {80}).find('\x1b'), std::string::npos);
  EXPECT_NE(terminal(model, {80, true}).find("\x1b[1m"), std::string::npos);
}

TEST(Terminal, ForeignTextCannotDriveTheTerminal) {
  Input input = sample_input();
  input.launches[0].record.name = input.launches[1].record.name = "evil\x1b[2Jname\n";
  Result<Model> model = build(input,
                              [](const std::string&, u32) {
                                return "a\x1b]0;x\x07"
                                       "b";
                              },
                              {});
  EXPECT_EQ(terminal(*model, {80}).find('\x1b'), std::string::npos);
}

TEST(Terminal, NothingLaunchedIsSaid) {
  Input input;
  input.sm = {90};
  EXPECT_NE(terminal(*build(input, source, {}), {80}).find("no kernel launch was seen"), std::string::npos);
}

TEST(Terminal, EveryWarpIsSaidToBeCountedOnlyWhereItWas) {
  auto text_of = [](auto&& change, const std::string& filter = "") {
    Input input = sample_input();
    input.launches.pop_back(); // the one that failed
    input.unsupported.clear();
    change(input);
    Result<Model> model = build(std::move(input), source, {filter});
    std::string text = terminal(*model, {.width = 200, .lines = true});
    EXPECT_EQ(model->complete, text.find("exact (every warp)") != text.npos) << text;
    return text;
  };
  auto says = [](const std::string& text, std::string_view words) {
    EXPECT_NE(text.find(words), text.npos) << words << " in:\n" << text;
  };
  says(text_of([](Input&) {}), "exact (every warp)");
  says(text_of([](Input& i) { i.missing.launches = 7; }), "7 more launches are missing");
  says(text_of([](Input& i) { i.missing.events = 1; }), "as far as it was counted");
  says(text_of([](Input& i) { i.missing.processes = 1; }), "as far as it was counted");
  says(text_of([](Input& i) { i.unsupported = {{1, "cudaGraphLaunch", 2}}; }), "cudaGraphLaunch");
  says(text_of([](Input& i) { i.interrupted = {{1, 5, "hung"}}; }), "hung");
  says(text_of([](Input&) {}, "nothing_like_it"), "no kernel that was launched matches --kernel");
  says(text_of([](Input&) {}, "matmull"), "did you mean 'matmul'?");
  std::string refused = text_of([](Input& i) {
    for (Launch& one : i.launches) {
      measure::LaunchRecord& launch = one.record;
      launch.status = measure::Status::refused, launch.error = "cudaErrorInvalidConfiguration";
      launch.reason = launch.error + ": a grid of 0 blocks", launch.sites.clear();
    }
  });
  says(refused, "2 launches were refused");
  says(refused, "matmul: 2 launches refused: cudaErrorInvalidConfiguration");
  EXPECT_EQ(refused.find("was seen"), refused.npos);
}

arch::Counts sum_of_sites(const measure::LaunchRecord& launch, std::size_t architecture) {
  arch::Counts sum;
  for (const measure::SiteRecord& site : launch.sites) sum += site.counters.at(architecture);
  return sum;
}

TEST(Model, KernelTotalsAreTheSumsOfItsLaunches) {
  Model model = sample_model();
  const Kernel& kernel = model.kernels[0];
  EXPECT_EQ(kernel.launches, 2u);
  for (std::size_t a = 0; a < 2; ++a) {
    arch::Counts launches, rows, totals;
    for (u32 l = 0; l < 2; ++l) launches += sum_of_sites(model.input.launches[l].record, a);
    for (const Line& line : kernel.lines)
      for (const AccessRow& row : line.rows) rows += row.counters[a];
    for (const auto& [space, counters] : kernel.totals) totals += counters[a];
    EXPECT_TRUE(launches == rows);
    EXPECT_TRUE(launches == totals);
  }
  double share = 0;
  for (const Line& line : kernel.lines) share += line.share;
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_EQ(kernel.never_executed.size(), 1u);
}

TEST(Model, WhatDependsOnTimingIsInNoTotal) {
  Input input = sample_input();
  input.launches.erase(input.launches.begin() + 1, input.launches.end());
  input.unsupported.clear();
  input.interrupted.clear();
  measure::SiteRecord& site = input.launches[0].record.sites[0];
  arch::Counts rest = sum_of_sites(input.launches[0].record, 0);
  Result<Model> exact = build(input, source, {});
  site.site.timing_dependent = access::Timing::race;
  Result<Model> model = build(input, source, {});
  ASSERT_TRUE(exact && model);
  const Kernel& kernel = model->kernels[0];
  EXPECT_EQ(kernel.timing_dependent, 1u);
  arch::Counts totals;
  for (const auto& [space, counters] : kernel.totals) totals += counters[0];
  EXPECT_EQ(totals.sectors + site.counters[0].sectors, rest.sectors);
  EXPECT_EQ(kernel.moved_bytes + measure::bytes_moved(site.counters[0], site.space),
            exact->kernels[0].moved_bytes);
  EXPECT_TRUE(model->complete);
  std::string text = terminal(*model, {.width = 200, .lines = true});
  EXPECT_NE(text.find("exact but for 1 access that depends on timing"), text.npos) << text;
  EXPECT_NE(text.find("depends on timing, "), text.npos) << text;
  nlohmann::json document = nlohmann::json::parse(json(*model, "0.1.0"));
  EXPECT_EQ(document["launches"][0]["sites"][0]["timing_dependent"], "race");
  EXPECT_FALSE(document["launches"][0]["sites"][1].contains("timing_dependent"));
}

TEST(Model, ARowOfSeveralLaunchesIsNamedAfterThePatternThatWastes) {
  Input input;
  input.sm = {90, 20};
  input.launches = {sample_launch(0), sample_launch(1), sample_launch(2)};
  for (std::size_t l : {0u, 2u}) { // twice the load is as good as the store
    std::vector<measure::SiteRecord>& sites = input.launches[l].record.sites;
    sites[0].counters = sites[3].counters, sites[0].pattern = sites[3].pattern;
    sites[0].distribution = sites[3].distribution;
  }
  measure::Shape wasteful = input.launches[1].record.sites[0].pattern.shape;
  ASSERT_NE(wasteful, input.launches[0].record.sites[0].pattern.shape);
  Result<Model> model = build(std::move(input), source, {});
  ASSERT_TRUE(model);
  for (const Line& line : model->kernels[0].lines)
    for (const AccessRow& row : line.rows)
      if (row.site.id == SiteId(0u)) {
        EXPECT_EQ(row.pattern.shape, wasteful);
        EXPECT_NEAR(row.pattern.share, 1 / 3.0, 1e-9);
      }
}

// Rows that start inside a sector are one pattern, however far apart; otherwise the distance counts.
TEST(Model, PatternsAreOneWhereTheirWordsAre) {
  auto rows = [](u32 offset) {
    Input input;
    input.sm = {90, 20};
    input.launches = {sample_launch(0), sample_launch(1)};
    for (i64 l : {0, 1})
      input.launches[static_cast<std::size_t>(l)].record.sites[0].distribution.classes[0].shape = {
          measure::Form::rows, 4, 2, 16, 4096 + l, offset};
    Result<Model> model = build(std::move(input), source, {});
    for (const Line& line : model->kernels[0].lines)
      for (const AccessRow& row : line.rows)
        if (row.site.id == SiteId(0u)) return row.pattern.share;
    return 0.0;
  };
  EXPECT_NEAR(rows(4), 1.0, 1e-9);
  EXPECT_NEAR(rows(0), 0.5, 1e-9);
}

// Fermi fetches lines for loads and sectors for stores: the unit follows the architecture, not the numbers.
// A kernel with one access of one CTA, as launch number `index`.
measure::LaunchRecord launch_of_one(u64 index, Space space, access::Kind kind, i64 stride) {
  measure::LaunchRecord launch;
  launch.index = index, launch.kernel = launch.name = "kernel" + std::to_string(index);
  launch.grid = {1, 1, 1}, launch.block = {32, 1, 1}, launch.sm = {90};
  std::vector<Site> sites{make_site(0, "any", 15, kind)};
  sites[0].space = space;
  std::vector<const arch::Architecture*> architectures{arch::find(90)};
  measure::Collector collector(architectures, sites, 1);
  AffineAccess access{{.site = SiteId(0u), .space = space, .kind = kind}};
  access.block = launch.block, access.base = 1 << 20, access.stride = {stride, 0, 0};
  collector.sinks()[0]->affine(access);
  launch.sites = collector.finish();
  return launch;
}

// 31 wavefronts of shared memory move more bytes for nothing than 28 sectors, and cost less.
TEST(Model, KernelsAreRankedByWhatTheirAccessesCost) {
  Input input;
  input.sm = {90};
  input.launches = {launch_of_one(0, Space::shared, access::Kind::load, 128),
                    launch_of_one(1, Space::global, access::Kind::store, 4096)};
  Result<Model> built = build(std::move(input), source, {});
  ASSERT_TRUE(built);
  const Model& model = *built;
  ASSERT_EQ(model.kernels.size(), 2u);
  EXPECT_EQ(model.kernels[0].name, "kernel1");
  EXPECT_GT(model.kernels[0].excess_cycles, model.kernels[1].excess_cycles);
  EXPECT_LT(model.kernels[0].excess_bytes, model.kernels[1].excess_bytes);
}

TEST(Model, CostIsInTheUnitThatTheArchitectureMoves) {
  Input input;
  input.sm = {20};
  input.launches = {sample_launch(0)};
  measure::LaunchRecord& launch = input.launches[0].record;
  launch.sm = {20};
  for (measure::SiteRecord& site : launch.sites) site.counters.erase(site.counters.begin());
  launch.sites[0].counters = launch.sites[3].counters; // contiguous: four sectors are one line, and 128 bytes
  Result<Model> model = build(std::move(input), source, {});
  ASSERT_TRUE(model);
  for (const Line& line : model->kernels[0].lines)
    for (const AccessRow& row : line.rows) {
      std::string_view unit = row.site.id == SiteId(2u)   ? "wavefronts"
                              : row.site.id == SiteId(3u) ? "sectors"
                                                          : "bytes";
      EXPECT_EQ(row.cost.unit, unit) << row.site.opcode;
      EXPECT_EQ(row.cost.actual == 4, row.site.id == SiteId(3u));
    }
}

TEST(Model, TheFilterLeavesOutAndSaysSo) {
  Result<Model> model = build(sample_input(), source, {"^bad"});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->filtered_out, 2u);
  EXPECT_EQ(model->kernels.size(), 1u);
  EXPECT_EQ(build(sample_input(), source, {"("}).error().kind, "bad-kernel-filter");
}

TEST(Json, SaysWhatTheRecordsSay) {
  nlohmann::json document = nlohmann::json::parse(json(sample_model(), "0.1.0"));
  EXPECT_EQ(document["schema"], 1);
  EXPECT_EQ(document["target"]["sm"], 90);
  const auto& site = document["launches"][0]["sites"][0];
  EXPECT_EQ(site["file"], "/src/matmul.cu");
  EXPECT_EQ(site["line"], 15);
  EXPECT_EQ(site["sectors"], 128 * 8 * 32);
  EXPECT_EQ(site["ideal_sectors"], 128 * 8 * 4);
  EXPECT_TRUE(site["wavefronts"].is_null());
  EXPECT_EQ(site["label"], "exact");
  EXPECT_TRUE(document["launches"][0]["sites"][2]["sectors"].is_null());
  EXPECT_EQ(document["launches"][2]["status"], "failed");
  EXPECT_EQ(document["unsupported"][0]["calls"], 3);
}

// One more launch of a kernel, which was stopped.
Input stopped_input() {
  Input input = sample_input();
  input.launches.pop_back();
  input.unsupported.clear();
  measure::LaunchRecord stopped = sample_launch(2);
  stopped.grid = {1000, 1, 1};
  stopped.status = measure::Status::partial, stopped.blocks = {412, 2};
  stopped.reason = "it ran when the program was stopped";
  input.launches.push_back(stopped);
  return input;
}

TEST(Partial, TakesPartInWhatIsSaidAndIsCalledThat) {
  Result<Model> model = build(stopped_input(), source, {});
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->complete);
  EXPECT_FALSE(passes_strict(*model));
  ASSERT_EQ(model->kernels.size(), 2u); // its counts do not mix with those of whole launches
  const Kernel& kernel = model->kernels[model->kernels[0].status == measure::Status::partial ? 0 : 1];
  EXPECT_EQ(blocks_of(kernel), "412 of 1000 blocks, and a part of 2 more");
  EXPECT_GT(kernel.share, 0);
  EXPECT_EQ(model->excess_cycles, model->kernels[0].excess_cycles + model->kernels[1].excess_cycles);
  const std::string text = terminal(*model, {.width = 120, .lines = true});
  EXPECT_NE(text.find("exact and partial as far as it was counted"), text.npos) << text;
  EXPECT_NE(text.find(": launch 2 is partial: 412 of 1000 blocks, and a part of 2 more."), text.npos) << text;
  EXPECT_NE(text.find("partial: 412 of 1000 blocks"), text.npos) << text;
  EXPECT_NE(text.find("Counted in part"), text.npos) << text;
  EXPECT_EQ(text.find("Not counted"), text.npos) << text;
}

TEST(Partial, IsReadAgain) {
  Result<Model> model = build(stopped_input(), source, {});
  ASSERT_TRUE(model);
  const std::string text = json(*model, "0.1.0");
  nlohmann::json document = nlohmann::json::parse(text);
  EXPECT_EQ(document["launches"][2]["status"], "partial");
  EXPECT_EQ(document["launches"][2]["blocks"],
            (nlohmann::json{{"counted", 412}, {"in_part", 2}, {"grid", 1000}}));
  EXPECT_FALSE(document["launches"][0].contains("blocks"));
  Result<Saved> saved = read_json(text, "saved.json");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->input.launches[2].record.blocks, (measure::Blocks{412, 2}));
  document["launches"][2]["blocks"]["counted"] = 999;
  EXPECT_EQ(read_json(document.dump(), "damaged.json").error().kind, "report-malformed");
}

// A thousand launches of one kernel, of which every third differs, and two of another process.
std::vector<measure::LaunchRecord> repeated_launches() {
  std::vector<measure::LaunchRecord> out;
  for (u64 i = 0; i < 1000; ++i) {
    out.push_back(sample_launch());
    out.back().index = i;
    if (i % 3 == 0) out.back().grid.x = 7, out.back().sites[0].counters[0].sectors += 1;
    if (i == 500) out.back().diagnostics.push_back(diag::warning("w", "once"));
    if (i >= 998) out.back().process = 4712;
  }
  return out;
}

TEST(Launches, ThoseThatAreAlikeAreKeptOnce) {
  Input input;
  LaunchList list(input.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) list.add(std::move(launch));
  ASSERT_EQ(input.launches.size(), 3u);
  EXPECT_EQ(count(input.launches), 1000u);
  EXPECT_EQ(input.launches[2].when, (std::vector<Occurrences>{{4711, 500, 1, 1}}));
  EXPECT_EQ(input.launches[0].when, (std::vector<Occurrences>{{4711, 0, 333, 3}, {4712, 999, 1, 1}}));
  std::set<u64> indices;
  for (const Launch& launch : input.launches)
    for (const Occurrences& some : launch.when)
      for (u64 i = 0; i < some.count; ++i) indices.insert(some.first + i * some.step);
  EXPECT_EQ(indices.size(), 1000u) << "each launch is told, and told once";
}

TEST(Launches, AReportOfAlikeOnesSaysWhatOneOfAllWouldSay) {
  Input once, each;
  once.sm = each.sm = {90, 20};
  LaunchList list(once.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) {
    list.add(launch);
    each.launches.emplace_back(std::move(launch));
  }
  Result<Model> a = build(std::move(once), source, {}), b = build(std::move(each), source, {});
  ASSERT_TRUE(a && b);
  TerminalOptions whole{.details = true, .top_lines = 0, .top_kernels = 0};
  std::string of_once = terminal(*a, whole), of_each = terminal(*b, whole);
  EXPECT_NE(of_once.find("1000 launches, 997 of them like an earlier one"), of_once.npos);
  EXPECT_EQ(of_once.substr(of_once.find("\n\n")), of_each.substr(of_each.find("\n\n")))
      << "but for the title";
  EXPECT_EQ(a->kernels[0].totals, b->kernels[0].totals);
  nlohmann::json kept = nlohmann::json::parse(json(*a, "0")), all = nlohmann::json::parse(json(*b, "0"));
  EXPECT_EQ(kept["kernels"], all["kernels"]);
  EXPECT_EQ(kept["launches"].size(), 3u);
  EXPECT_EQ(kept["launches"][0]["count"], 334);
}

TEST(Launches, AreReadAndWrittenAgainToTheByte) {
  Input input;
  input.sm = {90, 20};
  LaunchList list(input.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) list.add(std::move(launch));
  Result<Model> model = build(std::move(input), source, {});
  ASSERT_TRUE(model);
  std::string text = json(*model, "0");
  Result<Saved> saved = read_json(text, "r");
  ASSERT_TRUE(saved);
  EXPECT_EQ(json(*build(*saved), "0"), text);
  EXPECT_EQ(json(*build(saved_of(*model)), "0"), text) << "as if it had been written and read";
  MergedRuns runs;
  ASSERT_TRUE(runs.add(*saved) && runs.add(*saved));
  Result<Saved> both = std::move(runs).finish();
  ASSERT_TRUE(both);
  EXPECT_EQ(both->input.launches.size(), 3u);
  EXPECT_EQ(count(both->input.launches), 2000u);
}

// Two files of one program, compiled apart, have modules of one name, whose instructions count from 0 each.
TEST(Launches, InstructionsAreTheSameIfTheirKernelIs) {
  auto report = [](const char* kernel, const char* opcode) {
    Saved out;
    out.input.sm = {90};
    measure::LaunchRecord record;
    record.kernel = record.name = kernel;
    record.module = "sm_90 of app";
    record.sm = {90};
    access::Site& site = record.sites.emplace_back().site;
    site.id = access::SiteId(u32{0}), site.opcode = opcode, site.frames = {{"app.cu", 7, 0, ""}};
    LaunchList(out.input.launches).add(std::move(record));
    return out;
  };
  MergedRuns runs;
  EXPECT_TRUE(runs.add(report("gather", "LDG.E.U8")));
  EXPECT_TRUE(runs.add(report("scatter", "STG.E.U8")));
  Result<void> other_build = runs.add(report("gather", "LDG.E.64"));
  ASSERT_FALSE(other_build);
  EXPECT_EQ(other_build.error().message, "an instruction of 'sm_90 of app' is 'LDG.E.U8' of app.cu:7 in one "
                                         "report and 'LDG.E.64' of app.cu:7 in another");
}

Saved of_rank(u32 rank, const char* job, int signal, int exit_code = 0) {
  Saved out;
  out.input.sm = {90};
  out.input.outcome.signal = signal, out.input.outcome.exit_code = exit_code;
  out.input.ranks = {4, {{rank, {0}}}, job};
  return out;
}
std::string messages_of(std::vector<Saved> ranks) {
  MergedRuns runs;
  for (Saved& one : ranks)
    if (Result<void> added = runs.add(std::move(one)); !added) return added.error().message;
  Result<Saved> all = std::move(runs).finish();
  std::string out =
      fmt::format("{} ranks, signal {}", all->input.ranks.processes.size(), all->input.outcome.signal);
  for (const diag::Diagnostic& message : all->input.messages) out += "; " + message.message;
  return out;
}

// A launcher sends SIGTERM to the others: the rank that nobody told to end is named.
TEST(Launches, TheRankThatEndedFirstIsNamed) {
  EXPECT_EQ(messages_of({of_rank(0, "a", 15), of_rank(1, "a", 15), of_rank(2, "a", 9)}),
            "3 ranks, signal 9; rank 2 was killed by signal 9; the others were then ended");
  EXPECT_EQ(messages_of({of_rank(0, "a", 0), of_rank(1, "a", 0, 7)}),
            "2 ranks, signal 0; rank 1 ended with exit code 7");
  EXPECT_EQ(messages_of({of_rank(0, "a", 2), of_rank(1, "a", 15)}), "2 ranks, signal 2"); // Ctrl-C
}

// Ranks that launch the same take the memory of one.
TEST(Launches, ThoseOfRanksThatDoTheSameAreKeptOnce) {
  MergedRuns runs;
  for (u32 rank = 0; rank < 3; ++rank) {
    Saved one = of_rank(rank, "a", 0);
    LaunchList list(one.input.launches);
    for (u64 index : {0, 1, 2, 7}) { // the third rank has another last one
      measure::LaunchRecord launch = sample_launch();
      launch.process = 0, launch.index = rank == 2 && index == 7 ? 9 : index;
      list.add(std::move(launch));
    }
    ASSERT_TRUE(runs.add(std::move(one)));
  }
  Result<Saved> all = std::move(runs).finish();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->input.launches.size(), 1u);
  EXPECT_EQ(all->input.launches[0].when,
            (std::vector<Occurrences>{{0, 0, 3, 1, 3}, {0, 7, 1, 1, 2}, {2, 9, 1, 1, 1}}));
  EXPECT_EQ(count(all->input.launches), 12u);
  Result<Model> model = report::build(*all, {});
  ASSERT_TRUE(model);
  const nlohmann::json written = nlohmann::json::parse(json(*model, "0.1.0"))["launches"][0]["occurrences"];
  EXPECT_EQ(written.size(), 6u) << written; // one for each process
}

TEST(Launches, WhatOneRankHasNotLaunchedIsNotSaidOfAll) {
  auto ranks = [](bool launched) {
    std::vector<Saved> out{of_rank(0, "a", 0), of_rank(1, "a", 0)};
    if (launched) LaunchList(out[0].input.launches).add(measure::LaunchRecord());
    out[1].input.messages = {diag::warning("stopped-before-launch", "stopped"),
                             diag::warning("no-launch-seen", "none")};
    return out;
  };
  EXPECT_EQ(messages_of(ranks(true)), "2 ranks, signal 0");
  EXPECT_EQ(messages_of(ranks(false)), "2 ranks, signal 0; stopped; none");
}

TEST(Launches, ARankOfAJobIsCountedOnce) {
  EXPECT_EQ(messages_of({of_rank(0, "a", 0), of_rank(1, "a", 0), of_rank(0, "a", 0)}),
            "2 ranks, signal 0; rank 0 of the job is in several of the files, and counted once");
  EXPECT_EQ(messages_of({of_rank(0, "a", 0), of_rank(0, "b", 0)}),
            "1 ranks, signal 0; the files are of 2 jobs, and ranks of one number are added up");
  EXPECT_EQ(messages_of({of_rank(0, "", 0), of_rank(0, "", 0)}),
            "1 ranks, signal 0"); // not known of which job
  std::vector<Saved> programs{of_rank(0, "a", 0), of_rank(1, "a", 0), of_rank(2, "a", 0)};
  programs[0].input.command = {"./ocean"}, programs[1].input.command = {"/opt/ocean", "5"};
  EXPECT_EQ(messages_of(programs), "3 ranks, signal 0");
  programs[2].input.command = {"./ice"};
  EXPECT_EQ(messages_of(programs),
            "3 ranks, signal 0; the files are of 2 programs, and their numbers are added up: ice, ocean");
  Saved both = of_rank(0, "a", 0);
  both.input.ranks.processes[1] = {1};
  EXPECT_EQ(messages_of({of_rank(0, "a", 0), both}), "rank 0 of the job would count twice");
}

// What a kernel reads of its own parameters is no access that anybody wrote.
TEST(Terminal, LeavesOutWhatAKernelReadsOfItsParameters) {
  Input input = sample_input();
  std::erase_if(input.launches, [](const Launch& launch) { return launch.record.sites.empty(); });
  for (Launch& launch : input.launches) {
    measure::SiteRecord& site = launch.record.sites[0];
    site.space = site.site.space = access::Space::constant;
    site.site.array = {.kind = access::ArrayKind::parameter, .name = "read"};
    for (arch::Counts& counts : site.counters) counts = {.instructions = 4, .threads = 4, .requests = 4};
  }
  auto shown = [&] {
    return terminal(*build(input, source, {}), {.width = 200, .top_lines = 0, .lines = true});
  };
  EXPECT_EQ(shown().find("(1.00) requests"), std::string::npos) << shown();
  for (Launch& launch : input.launches)
    for (arch::Counts& counts : launch.record.sites[0].counters) counts.requests = 32; // different places
  EXPECT_NE(shown().find("(1.00) requests"), std::string::npos) << shown();
}

// A count that its access cannot have is not shown, so it is no part of the sums either.
TEST(Launches, CountsThatDoNotApplyAreLeftOut) {
  Input input;
  input.sm = {90};
  LaunchList list(input.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) {
    launch.sm = {90};
    list.add(std::move(launch));
  }
  nlohmann::json foreign = nlohmann::json::parse(json(*build(std::move(input), source, {}), "0"));
  for (nlohmann::json& launch : foreign["launches"]) {
    launch["sm"] = {91}; // no such capability: none of its rules is known
    for (nlohmann::json& site : launch["sites"]) site["data_wavefronts"] = 3;
  }
  Result<Saved> saved = read_json(foreign.dump(), "r");
  ASSERT_TRUE(saved);
  const std::string text = json(*build(*saved), "0");
  Result<Saved> again = read_json(text, "r");
  ASSERT_TRUE(again);
  EXPECT_EQ(json(*build(*again), "0"), text);
  EXPECT_EQ(nlohmann::json::parse(text)["totals"]["spaces"]["global"]["90"]["data_wavefronts"], 0);
}

TEST(Launches, OccurrencesThatCannotBeAreRefused) {
  Input input;
  input.sm = {90, 20};
  LaunchList list(input.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) list.add(std::move(launch));
  const nlohmann::json good = nlohmann::json::parse(json(*build(std::move(input), source, {}), "0"));
  auto refused = [&](const char* member, u64 value) {
    nlohmann::json bad = good;
    bad["launches"][0]["occurrences"][0][member] = value;
    Result<Saved> saved = read_json(bad.dump(), "r");
    EXPECT_FALSE(saved) << member;
    if (!saved) {
      EXPECT_NE(saved.error().message.find("launches[0]"), std::string::npos) << saved.error().message;
    }
  };
  refused("count", 0);
  refused("count", 332);
  refused("count", u64{1} << 50);
  refused("step", 0);
  refused("step", ~u64{0});
  refused("first", ~u64{0});
}

// As of the ranks of a job: a reader keeps what it has read.
TEST(Launches, TextsThatWereReadBeforeMeanTheSame) {
  Input input;
  input.sm = {90, 20};
  LaunchList list(input.launches);
  for (measure::LaunchRecord& launch : repeated_launches()) list.add(std::move(launch));
  nlohmann::json document = nlohmann::json::parse(json(*build(std::move(input), source, {}), "0"));
  for (nlohmann::json& launch : document["launches"]) launch.erase("sm"); // what the whole report says
  const std::string both = document.dump();
  document["launches"].erase(1);
  const std::string fewer = document.dump();
  document["target"]["all"] = {90};
  const std::string one_gpu = document.dump();
  ReportReader reader;
  for (const std::string& text : {both, fewer, one_gpu, both}) {
    Result<Saved> alone = read_json(text, "r"), after_others = reader.read(text, "r");
    ASSERT_TRUE(alone && after_others);
    EXPECT_EQ(json(*build(*after_others), "0"), json(*build(*alone), "0"));
  }
  auto refused = [&](std::string text, std::string_view with) {
    const std::string_view begin = "\"launches\":[";
    text.insert(text.find(begin) + begin.size(), with);
    Result<Saved> saved = reader.read(text, "r");
    return saved ? "" : saved.error().message;
  };
  EXPECT_EQ(refused(both, "7,"), "launches[0]: the element is not an object");
  EXPECT_EQ(refused(both, "7"), "this is not JSON");
  EXPECT_EQ(refused(both, "{}}"), "this is not JSON");
  EXPECT_EQ(refused(both.substr(0, both.size() / 2), ""), "the file ends inside the report");
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(human(9999), "9999");
  EXPECT_EQ(with_plain_blanks(human(12500)), "12.5 k");
  EXPECT_EQ(with_plain_blanks(human(999999)), "1.00 M");
  EXPECT_EQ(with_plain_blanks(human_bytes(1250)), "1.25 kB");
  EXPECT_EQ(with_plain_blanks(wrap("it moved all of " + human_bytes(1250), "", 20)),
            "it moved all of\n1.25 kB\n")
      << "a number stays with its unit";
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.001), "<1%");
  EXPECT_EQ(percent(0.999), ">99%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(clip("abcdefghij", 8), "abcde...");
  EXPECT_EQ(compute_capability(121), "12.1");
  EXPECT_EQ(human(1, "launch"), "1 launch");
  EXPECT_EQ(human(2, "launch"), "2 launches");
}

// The runtime's own message of an assertion begins with the place, and ends with a full stop.
TEST(Report, APlaceIsNotSaidTwice) {
  Input input = sample_input();
  input.launches.back().record.diagnostics[0].message = "bad.cu:3: void bad(): Assertion `x` failed.";
  Result<Model> model = build(input, source, {});
  ASSERT_TRUE(model);
  const std::string text = terminal(*model, {.width = 120, .lines = true});
  EXPECT_NE(text.find("\nbad.cu:3: void bad(): Assertion `x` failed: see"), std::string::npos)
      << text.substr(0, 600);
}

} // namespace
} // namespace warplens::report
