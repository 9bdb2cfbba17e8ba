// Files of profilers, as they are on disk: of an H200, Nsight Compute 2025.3.1 and our recorder, 22 November 2026 (data/). What
// NVIDIA's own reader says of the same reports is in expected.json.
#include "machine_code/machine_code.h"
#include "measured/launches.h"
#include "measured/read.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace warplens::measured {
namespace {

using nlohmann::json;

std::string content(const std::string& name) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA) + "/" + name, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

Measured measured(const std::string& name) {
  Result<Measured> out = read(content(name), name);
  EXPECT_TRUE(out.has_value()) << (out ? "" : diag::render(out.error()));
  return out ? std::move(*out) : Measured{};
}

const Instruction* at(const Launch& launch, u64 offset) {
  for (const Instruction& instruction : launch.instructions)
    if (instruction.offset == offset) return &instruction;
  return nullptr;
}

const measure::SiteRecord* site_at(const measure::LaunchRecord& launch, const std::string& file, u32 line,
                                   access::Kind kind, access::Space space) {
  for (const measure::SiteRecord& site : launch.sites)
    if (site.site.kind == kind && site.space == space && !site.site.frames.empty() &&
        site.site.frames[0].line == line && site.site.frames[0].file.ends_with(file))
      return &site;
  return nullptr;
}

class Reports : public testing::TestWithParam<const char*> {};

TEST_P(Reports, SayWhatNvidiasReaderSays) {
  const json expected = json::parse(content("expected.json"))[GetParam()];
  const Measured read = measured(std::string(GetParam()) + ".ncu-rep");
  EXPECT_EQ(read.machine.gpu, "NVIDIA H200");
  EXPECT_EQ(read.machine.tool, "Nsight Compute 2025.3.1.0");
  EXPECT_EQ(read.machine.driver, "580.159");
  EXPECT_EQ(read.machine.sm, 90u);
  ASSERT_EQ(read.launches.size(), expected.size());
  const std::vector<Counted> launches = measured::launches(read);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Launch& launch = read.launches[i];
    EXPECT_EQ(launch.kernel, expected[i]["kernel"].get<std::string>());
    EXPECT_EQ(launch.name, expected[i]["name"].get<std::string>());
    EXPECT_EQ((std::vector{launch.grid.x, launch.grid.y, launch.grid.z}),
              expected[i]["grid"].get<std::vector<u32>>());
    EXPECT_EQ((std::vector{launch.block.x, launch.block.y, launch.block.z}),
              expected[i]["block"].get<std::vector<u32>>());
    EXPECT_NEAR(launch.counters.at("gpu__time_duration.sum"), expected[i]["nanoseconds"].get<double>(), 1);
    EXPECT_EQ(launches[i].record.sites.size(), expected[i]["instructions"].size())
        << "every access and nothing else is a site";
    for (std::size_t k = 0; k < expected[i]["instructions"].size(); ++k) {
      const json& one = expected[i]["instructions"][k];
      const Instruction* found = at(launch, one["offset"]);
      ASSERT_NE(found, nullptr) << one;
      const json& counts = one["counts"];
      auto same = [&](const char* name, std::optional<u64> value) {
        if (counts.contains(name)) {
          EXPECT_EQ(value, counts[name].get<u64>()) << name << " of " << one;
        }
      };
      same("instructions", found->counters.instructions), same("threads", found->counters.threads);
      same("tags", found->counters.tags), same("sectors", found->counters.sectors);
      same("ideal_sectors", found->counters.ideal_sectors),
          same("local_sectors", found->counters.local_sectors);
      same("wavefronts", found->counters.wavefronts),
          same("ideal_wavefronts", found->counters.ideal_wavefronts);
      const access::Site& site = launches[i].record.sites[k].site;
      const std::optional<fatbin::MemoryOpcode> text = fatbin::memory_opcode(one["sass"].get<std::string>());
      ASSERT_TRUE(text.has_value()) << one;
      EXPECT_EQ(site.kind, text->kind) << one;
      EXPECT_EQ(site.space, text->space) << one;
      ASSERT_FALSE(site.frames.empty()) << one;
      // Of an inlined call that reader gives one place, this one all on the way.
      const bool there = std::ranges::any_of(site.frames, [&](const access::SourceFrame& frame) {
        return frame.line == one["line"].get<u32>() && frame.file.ends_with(one["file"].get<std::string>());
      });
      EXPECT_TRUE(there) << one;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Measured, Reports,
                         testing::Values("histogram", "transpose", "local_array", "reasons"));

TEST(Reports, AnInlinedFunctionHasItsCallersToo) {
  const std::vector<Counted> launches = measured::launches(measured("reasons.ncu-rep"));
  bool found = false;
  for (const measure::SiteRecord& site : launches[3].record.sites)
    if (site.site.frames.size() > 1) {
      found = true;
      EXPECT_TRUE(site.site.frames.all().back().file.ends_with("reasons.cu"));
    }
  EXPECT_TRUE(found) << "atomicAdd stands in a header of the toolkit";
}

// A report names the thread that a launch was asked for by: modules belong to its process.
TEST(Reports, LaunchesOfAnotherThreadHaveTheirLines) {
  const Measured read = measured("threads.ncu-rep");
  ASSERT_EQ(read.launches.size(), 20u);
  for (const Launch& launch : read.launches) EXPECT_EQ(launch.process, read.launches[0].process);
  const std::vector<Counted> counted = measured::launches(read);
  ASSERT_EQ(counted.size(), 20u);
  for (const Counted& launch : counted) {
    ASSERT_EQ(launch.record.sites.size(), 2u);
    for (const measure::SiteRecord& site : launch.record.sites) {
      ASSERT_FALSE(site.site.frames.empty());
      EXPECT_TRUE(site.site.frames[0].file.ends_with("threads.cu"));
      EXPECT_EQ(site.site.frames[0].line, 4u);
    }
  }
}

TEST(Recordings, SayWhatTheProfilerSays) {
  const Measured recorded = measured("histogram.jsonl"), profiled = measured("histogram.ncu-rep");
  EXPECT_EQ(recorded.machine.gpu, "NVIDIA H200");
  EXPECT_EQ(recorded.machine.driver, "580.159.04");
  ASSERT_EQ(recorded.launches.size(), 2u);
  const std::vector<Counted> ours = launches(recorded), theirs = launches(profiled);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ours[i].record.kernel, theirs[i].record.kernel);
    EXPECT_EQ(ours[i].record.grid, theirs[i].record.grid);
    EXPECT_TRUE(ours[i].counters.contains("gpu__time_duration.sum")) << "both passes are one launch";
    if (i != 0) continue; // CUPTI counted the first launch alone
    ASSERT_EQ(ours[i].record.sites.size(), theirs[i].record.sites.size());
    for (std::size_t k = 0; k < ours[i].record.sites.size(); ++k) {
      const measure::SiteRecord &a = ours[i].record.sites[k], &b = theirs[i].record.sites[k];
      EXPECT_EQ(a.site.opcode, b.site.opcode);
      EXPECT_EQ(a.site.frames.size(), b.site.frames.size());
      EXPECT_EQ(a.counters, b.counters) << a.site.opcode;
    }
  }
}

// Lines as the recorder writes them: two launches, of which the program's later runs count one each.
std::string run_of(const std::string& head, const std::string& launch) {
  return "{\"recording\":1," + head + "}\n{\"metrics\":[\"smsp__sass_inst_executed\"]}\n" + launch;
}
std::string launch_line(u32 index, u32 blocks, const std::string& rest) {
  return fmt::format("{{\"launch\":{},\"kernel\":\"k\",\"grid\":[{},1,1],\"block\":[32,1,1]{}}}\n", index,
                     blocks, rest);
}
const std::string two_launches =
    run_of("\"pass\":\"counters\"", launch_line(0, 1, "") + launch_line(1, 2, ""));
std::string counted(u32 index, u32 blocks, u32 value) {
  return run_of(
      fmt::format("\"pass\":\"instructions\",\"counted\":{}", index),
      launch_line(
          index, blocks,
          fmt::format(",\"functions\":[{{\"cubin\":7,\"function\":\"k\",\"rows\":[[16,{}]]}}]", value)));
}

TEST(Recordings, EachRunOfTheProgramAddsTheInstructionsOfALaunch) {
  Result<Measured> out = read(two_launches + counted(0, 1, 5) + counted(1, 2, 6), "runs");
  ASSERT_TRUE(out.has_value());
  ASSERT_EQ(out->launches.size(), 2u);
  EXPECT_EQ(out->launches[0].instructions.at(0).counters.instructions, 5u);
  EXPECT_EQ(out->launches[1].instructions.at(0).counters.instructions, 6u);
  EXPECT_EQ(out->launches[1].process, 0);
}

TEST(Recordings, ARunThatDidSomethingElseIsLeftOut) {
  Result<Measured> out = read(two_launches + counted(0, 1, 5) + counted(1, 3, 6), "runs");
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->launches[0].instructions.size(), 1u);
  EXPECT_TRUE(out->launches[1].instructions.empty());
  ASSERT_FALSE(out->messages.empty());
  EXPECT_NE(out->messages[0].message.find("'k' of 2×1×1 blocks"), std::string::npos)
      << out->messages[0].message;
}

TEST(Launches, AnInstructionHasOneIdInEveryFile) {
  const std::vector<Counted> recorded = launches(measured("histogram.jsonl")),
                             profiled = launches(measured("histogram.ncu-rep"));
  EXPECT_EQ(recorded[0].record.sites.at(0).site.id, profiled[0].record.sites.at(0).site.id);
  std::set<u32> ids; // a sum and an instruction share none
  for (const Counted& launch : recorded)
    for (const measure::SiteRecord& site : launch.record.sites)
      EXPECT_TRUE(ids.insert(site.site.id.value).second) << site.site.opcode;
}

TEST(Recordings, ANoteHasTheNextStepWhereTheUserCanMendIt) {
  auto help = [](const std::string& note) {
    Result<Measured> out = read(two_launches + "{\"note\":\"" + note + "\"}\n", "runs");
    return out && out->messages.size() == 1 ? out->messages[0].help : "?";
  };
  EXPECT_EQ(help("cuptiRangeProfilerStart: CUPTI_ERROR_HARDWARE_BUSY (26)"),
            "another profiler counts on this GPU: record again when it has ended");
  EXPECT_NE(help("cuptiX: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)").find("ERR_NVGPUCTRPERM"),
            std::string::npos);
  EXPECT_EQ(help("not recorded: 3 launches of CUDA graphs"), "");
}

TEST(Recordings, ALineThatWasNotWrittenWholeIsLeftOut) {
  std::string text = content("histogram.jsonl");
  text.resize(text.size() - 40);
  Result<Measured> out = read(text, "cut");
  ASSERT_TRUE(out.has_value());
  ASSERT_FALSE(out->messages.empty());
  EXPECT_EQ(out->messages.back().kind, "recording-cut");
}

TEST(Pages, RawHasTheSumsOfEachLaunch) {
  const Measured page = measured("raw.csv");
  ASSERT_EQ(page.launches.size(), 5u);
  EXPECT_EQ(page.machine.gpu, "NVIDIA H200");
  EXPECT_EQ(page.machine.sm, 90u);
  const Launch& spilled = page.launches[0];
  EXPECT_EQ(spilled.name, "spilled(const float *, float *, int)");
  EXPECT_EQ(spilled.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(spilled.counters.at("gpu__time_duration.sum"), 16576) << "given in µs";
  EXPECT_EQ(spilled.counters.at("l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum"), 115545)
      << "given with a comma";
  const Counted launch = launches(page)[0];
  EXPECT_TRUE(launch.record.sites.empty()) << "sums do not say which accesses there were";
  EXPECT_EQ(launch.counters, spilled.counters);
  EXPECT_TRUE(without_lines(page).has_value());
}

TEST(Pages, EveryCounterOfARowIsKeptAndNoneInvented) {
  const Measured page = measured("shared_sums.csv"); // shared memory alone was asked for
  ASSERT_EQ(page.launches.size(), 1u);
  EXPECT_EQ(page.machine.sm, 70u);
  const std::map<std::string, double> counted{
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 17061038},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 16012462}};
  EXPECT_EQ(page.launches[0].counters, counted);
  EXPECT_TRUE(launches(page)[0].record.sites.empty());
}

TEST(Pages, TextHasWhatCsvHas) {
  const Measured page = measured("ncu_metrics.txt");
  ASSERT_EQ(page.launches.size(), 3u);
  EXPECT_EQ(page.machine.sm, 90u);
  EXPECT_EQ(page.launches[1].name, "strided(float *, const float *, int)");
  EXPECT_EQ(page.launches[1].grid, (Dim3{64, 1, 1}));
  EXPECT_EQ(page.launches[1].block, (Dim3{256, 1, 1}));
  EXPECT_EQ(page.launches[1].process, 1138);
  EXPECT_EQ(page.launches[1].counters.size(), 4u);
  EXPECT_EQ(page.launches[1].counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 16384);
}

TEST(Pages, TextOfSectionsHasTheirLabels) {
  const Measured page = measured("ncu_details.txt");
  ASSERT_EQ(page.launches.size(), 1u);
  const std::map<std::string, double>& counters = page.launches[0].counters;
  EXPECT_EQ(counters.at("gpu__time_duration.sum"), 3170) << "given in µs";
  EXPECT_EQ(counters.at("Memory Throughput"), 10.39) << "in %, of the first section";
  EXPECT_EQ(counters.at("Memory Throughput (Gbyte/s)"), 21.58e9) << "of the memory section";
  EXPECT_EQ(counters.at("Threads"), 16384);
  EXPECT_FALSE(counters.contains("Cluster Scheduling Policy")) << "no number";
}

TEST(Pages, ASummaryHasMeans) {
  const Measured page = measured("ncu_summary.txt");
  ASSERT_EQ(page.launches.size(), 2u);
  EXPECT_EQ(page.launches[1].name, "strided(float *, const float *, int)");
  EXPECT_EQ(page.launches[1].counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 9216);
  ASSERT_EQ(page.messages.size(), 1u);
  EXPECT_EQ(page.messages[0].kind, "measured-means");
}

TEST(Pages, OlderTextHasADateAndOneLineOfDashes) {
  const Measured page = *read("  mm(float*, int), 2020-Jun-05 16:54:27, Context 1, Stream 7\n"
                              "    Section: Command line profiler metrics\n"
                              "    ------------------------------------------ --------- ----------\n"
                              "    Metric Name                                Unit      Metric Value\n"
                              "    ------------------------------------------------------------------\n"
                              "    l1tex__t_sectors.sum                       sector         1,024\n"
                              "    smsp__inst_executed.sum                                       7\n"
                              "    ------------------------------------------ --------- ----------\n",
                              "old");
  ASSERT_EQ(page.launches.size(), 1u);
  EXPECT_EQ(page.launches[0].name, "mm(float*, int)");
  EXPECT_EQ(page.launches[0].counters.at("l1tex__t_sectors.sum"), 1024);
  EXPECT_EQ(page.launches[0].counters.at("smsp__inst_executed.sum"), 7);
}

// Wherever in its last lines a file ends, but behind a cell.
TEST(Pages, WhatIsCutOffIsToldWithItsPlace) {
  for (const char* name : {"raw.csv", "nvprof.csv", "nvprof.txt", "source_cuda_sass.csv", "source_sass.csv",
                           "shared_sums.csv"}) {
    std::string text = content(name);
    for (std::size_t end = text.size() - 300; end < text.size(); ++end) {
      if (text[end - 1] == '\n' || text[end - 1] == '"') continue;
      const Result<Measured> cut = read(text.substr(0, end), name);
      ASSERT_FALSE(cut) << name << " " << end;
      EXPECT_EQ(cut.error().kind, "measured-malformed");
      EXPECT_EQ(cut.error().span.line,
                std::count(text.begin(), text.begin() + static_cast<long>(end), '\n') + 1);
    }
  }
}

TEST(Pages, RowsHaveAllCellsOfTheirTable) {
  for (const char* name :
       {"raw.csv", "nvprof.csv", "source_cuda_sass.csv", "source_sass.csv", "shared_sums.csv"}) {
    std::string text = content(name);
    text.pop_back();
    const std::size_t line = text.rfind('\n') + 1, cell = text.rfind(",\"");
    for (const std::string& cut :
         {text.substr(0, cell), text.substr(0, cell) + ",\"1", text.substr(0, line + 5)}) {
      const Result<Measured> out = read(cut + "\n" + text.substr(line) + "\n", name);
      if (out && cut.size() == line + 5) continue; // what does not begin as a row is somebody else's
      ASSERT_FALSE(out) << name << ": " << cut.substr(line);
      EXPECT_EQ(out.error().message, "this row has fewer cells than its table") << name;
    }
  }
  std::string raw = content("raw.csv");
  const std::size_t units = raw.find("\n\"\",") + 1, end = raw.find('\n', units);
  raw.erase(raw.rfind(',', end), end - raw.rfind(',', end));
  EXPECT_FALSE(read(raw, "units"));
  for (const char* name : {"raw.csv", "ncu_details.txt"}) { // saved by an editor
    std::string text = content(name);
    text.erase(text.find_last_not_of('\n') + 1);
    EXPECT_TRUE(read(text, name)) << name;
  }
}

TEST(Pages, ATextThatEndsWithinATableIsCutOff) {
  const std::string text = content("ncu_metrics.txt");
  const std::size_t value = text.rfind("1,056"), dashes = text.rfind("\n    ---");
  for (const std::size_t end : {value + 6, text.find('\n', text.rfind("Metric Name")) + 1}) {
    const Result<Measured> cut = read(text.substr(0, end), "cut");
    ASSERT_FALSE(cut) << end;
    EXPECT_EQ(cut.error().message, "the text ends within a table");
  }
  EXPECT_TRUE(read(text.substr(0, text.find('\n', dashes + 1) + 1), "whole"));
}

TEST(Nvprof, CsvAndTextAreRead) {
  const Measured csv = measured("nvprof.csv"), text = measured("nvprof.txt");
  EXPECT_EQ(csv.machine.gpu, "Tesla K40c");
  ASSERT_EQ(csv.launches.size(), 1u);
  EXPECT_EQ(csv.launches[0].name, "tr(int, double const *, double *)");
  const std::map<std::string, double> counted{
      {"gld_efficiency", 25}, {"gld_throughput", 103.3e9}, {"shared_utilization", 4}};
  EXPECT_EQ(csv.launches[0].counters, counted);
  EXPECT_NE(csv.messages[0].message.find("means"), std::string::npos) << "of two launches";
  ASSERT_EQ(text.launches.size(), 1u);
  const std::map<std::string, double> both{
      {"gld_efficiency", 100}, {"gld_transactions_per_request", 8}, {"shared_st_bank_conflict", 16012462}};
  EXPECT_EQ(text.launches[0].counters, both) << "events and metrics";
}

TEST(Values, HaveUnitsGradesAndParts) {
  EXPECT_EQ(value_of("1,234.5", "Kbyte"), 1234500);
  EXPECT_EQ(value_of("12.5GB/s"), 12.5e9);
  EXPECT_EQ(value_of("25.00%"), 25);
  EXPECT_EQ(value_of("Low (2)"), 2);
  EXPECT_EQ(value_of("10 (4; 6)"), 10);
  EXPECT_EQ(value_of("PolicySpread"), std::nullopt);
  EXPECT_EQ(value_of(""), std::nullopt);
}

TEST(Nvprof, TimesAloneAreRefusedWithTheOptionThatCounts) {
  Result<Measured> page =
      read("==1== NVPROF is profiling process 1\n==1== Profiling result:\n"
           " Type  Time(%)      Time     Calls  Name\n GPU activities:  100.00%  1.2ms  1  k\n",
           "times");
  ASSERT_FALSE(page.has_value());
  EXPECT_NE(page.error().help.find("--metrics"), std::string::npos);
}

TEST(Pages, SourceWithLinesHasThem) {
  const std::vector<Counted> all = launches(measured("source_cuda_sass.csv"));
  ASSERT_EQ(all.size(), 2u) << "a kernel is shown once for each file that it comes from";
  const measure::SiteRecord* store =
      site_at(all[0].record, "reasons.cu", 48, access::Kind::store, access::Space::global);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->counters[0].instructions, 16u);
  EXPECT_EQ(store->counters[0].sectors, 64u);
}

TEST(Pages, SourceOfMachineCodePrintsEachKernelTwice) {
  const Measured page = measured("source_sass.csv");
  ASSERT_EQ(page.launches.size(), 3u);
  EXPECT_EQ(launches(page)[0].record.sites.size(), 4u);
}

TEST(Pages, SourceWithoutCountersSaysWhatToPrint) {
  Result<Measured> page = read(content("source_cuda.csv"), "page");
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().kind, "measured-empty");
  EXPECT_NE(page.error().help.find("cuda,sass"), std::string::npos);
}

TEST(Hostile, EveryCutOfAReportIsRefusedOrRead) {
  const std::string whole = content("transpose.ncu-rep");
  for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 211) {
    Result<Measured> out = read(whole.substr(0, size), "cut");
    if (out) continue; // it ends between two launches
    EXPECT_FALSE(out.error().message.empty());
    EXPECT_TRUE(out.error().kind.starts_with("measured-")) << out.error().kind;
  }
}

TEST(Hostile, SizesThatAreTooLargeAreRefused) {
  std::string report = content("transpose.ncu-rep");
  for (std::size_t at : {std::size_t{4}, std::size_t{10}, std::size_t{14}}) {
    std::string wrong = report;
    for (int i = 0; i < 4; ++i) wrong[at + static_cast<std::size_t>(i)] = '\xff';
    Result<Measured> out = read(wrong, "wrong");
    ASSERT_FALSE(out.has_value());
    EXPECT_EQ(out.error().kind, "measured-malformed");
  }
}

TEST(Hostile, ANewerVersionIsReadWithAMessage) {
  std::string report = content("transpose.ncu-rep");
  ASSERT_EQ(report.substr(4, 6), std::string("\x02\0\0\0\x08\x07", 6));
  report[9] = '\x09';
  Result<Measured> out = read(report, "newer");
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->launches.size(), 3u);
  ASSERT_FALSE(out->messages.empty());
  EXPECT_EQ(out->messages[0].kind, "measured-newer");
}

TEST(Hostile, OtherFilesAreNamed) {
  for (const char* text : {"", "NVR", "hello", "\"a\",\"b\"\n", "{\"schema\": 1}", "{\"recording\":2}\n"}) {
    Result<Measured> out = read(text, "other");
    ASSERT_FALSE(out.has_value()) << text;
    EXPECT_FALSE(out.error().help.empty()) << text;
  }
}

} // namespace
} // namespace warplens::measured
