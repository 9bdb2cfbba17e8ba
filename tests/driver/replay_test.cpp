// replay and gpus as the command line calls them: text in, text and exit code out.
#include "arch/table.h"
#include "driver/gpus.h"
#include "driver/options/architectures.h"
#include "driver/replay.h"
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace warplens::driver {
namespace {

using testing::HasSubstr;

struct Outcome {
  std::string out, diagnostics;
  int code = 0;
};

Outcome run(const std::string& text, ReplayOptions options) {
  options.path = testing::TempDir() + "warplens_replay_" + std::to_string(getpid());
  std::ofstream(options.path) << text;
  Outcome outcome;
  TextSinks sinks{[&](std::string_view line) { return outcome.out += line, true; },
                  [&](std::string_view line) { outcome.diagnostics += line; }};
  outcome.code = replay(options, sinks);
  std::remove(options.path.c_str());
  return outcome;
}

// A half-warp's and a warp's floats; `permuted` swaps the first two lanes.
std::string floats(const char* id, const char* mask, bool permuted, const char* space = "global",
                   u64 first = 0) {
  std::string out = std::string("{\"id\":") + id + ",\"space\":\"" + space +
                    "\",\"op\":\"load\",\"bytes\":4,\"mask\":\"" + mask + "\",\"addresses\":[";
  for (u64 lane = 0; lane < 32; ++lane)
    out += (lane ? "," : "") + std::to_string(first + 4 * (permuted && lane < 2 ? 1 - lane : lane));
  return out + "]}\n";
}

TEST(Replay, JsonHasTheKeysOfTheSpaceAndTheSameId) {
  Outcome outcome = run(floats("7", "0xffffffff", false) + floats("\"x\"", "0xffffffff", false, "shared") +
                            floats("9", "0xffffffff", false, "constant"),
                        {.json = true});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "{\"id\":7,\"requests\":1,\"tags\":1,\"tag_passes\":1,\"sectors\":4,\"ideal_sectors\":4,"
            "\"data_wavefronts\":1,\"transactions\":4,\"transaction_bytes\":128}\n"
            "{\"id\":\"x\",\"wavefronts\":1,\"ideal_wavefronts\":1,\"data_wavefronts\":1}\n"
            "{\"id\":9,\"requests\":32}\n");
}

std::string fetch(const char* space) {
  std::string out = std::string("{\"space\":\"") + space +
                    "\",\"op\":\"load\",\"bytes\":4,\"mask\":\"0xffffffff\",\"texels\":[";
  for (int lane = 0; lane < 32; ++lane) { // quads of 2 × 2 texels
    int quad = lane / 4, x = quad % 2 * 2 + lane % 2, y = quad / 2 * 2 + lane / 2 % 2;
    out += (lane ? ",[" : "[") + std::to_string(x) + "," + std::to_string(y) + "]";
  }
  return out + "]}\n";
}

TEST(Replay, ATextureInAnArrayKeepsNeighbouringRowsInASector) {
  EXPECT_EQ(nlohmann::json::parse(run(fetch("texture2d_pitch_linear"), {.json = true}).out)["sectors"], 16);
  Outcome outcome = run(fetch("texture2d_array"), {.json = true});
  EXPECT_EQ(outcome.out,
            "{\"id\":1,\"requests\":8,\"sectors\":8,\"transactions\":8,\"transaction_bytes\":256}\n");
  outcome = run(fetch("texture2d_array"), {.sm = "7.0", .json = true});
  EXPECT_THAT(outcome.out, HasSubstr("\"estimate\":true"));
}

TEST(Replay, APermutedHalfWarpOnTheFirstArchitectureIsSixteenTransactions) {
  Outcome outcome = run(floats("1", "0xffff", true), {.sm = "1.0", .json = true});
  auto line = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(line["transactions"], 16);
  EXPECT_EQ(line["transaction_bytes"], 512);
}

TEST(Replay, AListOfArchitecturesNamesEach) {
  Outcome outcome = run(floats("1", "0xffffffff", false), {.sm = "20,sm_90", .json = true});
  EXPECT_THAT(outcome.out, HasSubstr("{\"id\":1,\"sm\":20,"));
  EXPECT_THAT(outcome.out, HasSubstr("{\"id\":1,\"sm\":90,"));
}

TEST(Replay, TheTableIsAlignedAndEndsWithTheSum) {
  Outcome outcome = run(floats("1", "0xffffffff", false) + floats("2", "0x1", false), {});
  std::vector<std::size_t> widths;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) widths.push_back(line.size());
  ASSERT_EQ(widths.size(), 4u);
  EXPECT_THAT(widths, testing::Each(widths[0]));
  EXPECT_THAT(outcome.out, HasSubstr("sum"));
}

TEST(Replay, MalformedLinesStopOrArePassedOver) {
  std::string text = floats("1", "1", false) + "{\"id\":\n" + floats("2", "1", false);
  Outcome stopped = run(text, {.json = true});
  EXPECT_EQ(stopped.code, 2);
  EXPECT_THAT(stopped.out, testing::Not(HasSubstr("\"id\":2")));
  EXPECT_THAT(stopped.diagnostics, HasSubstr(":2:"));
  EXPECT_THAT(stopped.diagnostics, HasSubstr("--keep-going"));
  Outcome kept = run(text, {.json = true, .keep_going = true});
  EXPECT_EQ(kept.code, 1);
  EXPECT_THAT(kept.out, HasSubstr("\"id\":2"));
  EXPECT_THAT(kept.diagnostics, HasSubstr("1 malformed line was not counted"));
}

TEST(Replay, MisalignedAccessesAreCountedWithAWarning) {
  Outcome outcome = run(floats("1", "1", false, "global", 30), {.json = true});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\"sectors\":2"));
  EXPECT_THAT(outcome.diagnostics, HasSubstr("lane 0 accesses 0x1e, which is not aligned"));
}

TEST(Replay, StopsQuietlyWhenNobodyReads) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += floats("1", "1", false);
  ReplayOptions options{.path = testing::TempDir() + "warplens_replay_pipe_" + std::to_string(getpid()),
                        .json = true};
  std::ofstream(options.path) << text;
  int writes = 0;
  TextSinks sinks{[&](std::string_view) { return ++writes, false; }, [](std::string_view) {}};
  EXPECT_EQ(replay(options, sinks), 0);
  EXPECT_EQ(writes, 1);
  std::remove(options.path.c_str());
}

TEST(Architectures, AreNamedInSeveralWays) {
  for (const char* name : {"90", "9.0", "sm_90", "compute_90"})
    EXPECT_EQ(sm(**architecture_named(name)), 90u) << name;
  EXPECT_EQ(sm(**architecture_named("1.0")), 10u);
  EXPECT_EQ(sm(**architecture_named("12.1")), 121u);
  for (const char* name : {"", "91", "9", "9.00", ".90", "9.", "90a", "-10", "sm_", "1.0.0", "4294967386"})
    EXPECT_FALSE(architecture_named(name)) << name;
  EXPECT_EQ(architectures_named("10,2.0,sm_90")->size(), 3u);
  EXPECT_FALSE(architectures_named("10,"));
}

TEST(Gpus, EveryRowHasItsRulesWithGradesAndSources) {
  auto document = nlohmann::json::parse(gpus_json());
  EXPECT_EQ(document["schema"], 1);
  ASSERT_EQ(document["gpus"].size(), arch::all().size());
  for (const auto& row : document["gpus"])
    for (const char* space : {"global", "shared", "constant", "local", "texture"}) {
      EXPECT_FALSE(row["rules"][space]["source"].get<std::string>().empty());
      EXPECT_THAT(row["rules"][space]["grade"].get<std::string>(),
                  testing::AnyOf("documented", "measured", "inferred"));
    }
  EXPECT_THAT(gpus_text(), HasSubstr("NVIDIA H100 80GB HBM3"));
}

} // namespace
} // namespace warplens::driver
