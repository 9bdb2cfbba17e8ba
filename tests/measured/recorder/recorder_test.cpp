// What the recorder writes of a program's launches, with a driver and a CUPTI that are none (fake_cuda.h). A program is a child of the test, as
// the recorder lives as long as its process. tests/hardware/recorded.py asks the same of a GPU.
#include "measured/recorder/fake_cuda.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using nlohmann::json;
using namespace fake;

const CUcontext a = context(1), b = context(2);
const CUstream s = stream(1), captured = stream(2);

struct Recording {
  int exit_code = -1;
  std::vector<json> lines;

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    for (const json& line : lines)
      if (line.contains("note")) out.push_back(line["note"]);
    return out;
  }
  // Of each launch its blocks and what was counted, -1: nothing.
  std::vector<std::pair<int, int>> launches() const {
    std::vector<std::pair<int, int>> out;
    for (const json& line : lines) {
      if (!line.contains("launch")) continue;
      int counted = -1;
      if (line.contains("counters")) counted = line["counters"].begin()->get<int>();
      if (line.contains("functions"))
        for (const json& function : line["functions"]) counted = function["rows"][0][1];
      out.emplace_back(line["grid"][0].get<int>(), counted);
    }
    return out;
  }
};

class Recorder : public testing::TestWithParam<const char*> {
protected:
  // `program` returns its exit code; `late` is called when the recorder has ended.
  Recording record(const std::function<int()>& program, void (*late)() = nullptr) const {
    std::string folder = testing::TempDir() + "recorderXXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("WARPLENS_RECORD", folder.c_str(), 1);
      ::setenv("WARPLENS_RECORD_PASS", GetParam(), 1);
      ::setenv("WARPLENS_RECORD_CUPTI", WARPLENS_FAKE_CUDA, 1);
      if (late != nullptr) std::atexit(late); // the last that is registered is called first
      void* library = ::dlopen(WARPLENS_RECORDER, RTLD_NOW);
      if (library == nullptr) ::_exit(99);
      reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))();
      std::exit(program());
    }
    Recording out;
    int status = 0;
    ::waitpid(child, &status, 0);
    out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      std::ifstream text(file.path());
      for (std::string line; std::getline(text, line);) out.lines.push_back(json::parse(line));
    }
    std::filesystem::remove_all(folder);
    return out;
  }
};

using Launches = std::vector<std::pair<int, int>>;
using Notes = std::vector<std::string>;

TEST_P(Recorder, EachLaunchHasItsOwnCountsWhicheverThreadAsks) {
  const Recording recorded = record([] {
    std::vector<std::thread> threads;
    for (unsigned t = 1; t <= 4; ++t)
      threads.emplace_back([t] {
        for (int i = 0; i < 50; ++i) launch(a, stream(t), "k", t);
      });
    for (std::thread& thread : threads) thread.join();
    return 0;
  });
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_EQ(recorded.launches().size(), 200u);
  for (auto [blocks, counted] : recorded.launches()) EXPECT_EQ(counted, blocks);
  EXPECT_EQ(recorded.notes(), Notes{});
  EXPECT_EQ(recorded.lines.back().value("end", 0), 200);
}

TEST_P(Recorder, GraphsAndRefusedLaunchesAreNone) {
  const Recording recorded = record([] {
    launch(a, s, "k", 1);
    launch_graph(a, s, "k", 10);
    launch(a, s, "k", 0);
    launch(a, s, "k", 2);
    launch_graph(a, s, "g", 20);
    launch_graph(a, s, "k", 10);
    launch(a, s, "k", 3);
    return 0;
  });
  EXPECT_EQ(recorded.launches(), (Launches{{1, 1}, {2, 2}, {3, 3}}));
  EXPECT_EQ(recorded.notes(), Notes{"not recorded: 3 launches of CUDA graphs"});
}

TEST_P(Recorder, NoCaptureIsLost) {
  const Recording recorded = record([] {
    launch(a, s, "k", 1);
    begin_capture(a, captured);
    launch(a, s, "k", 5);
    launch(a, s, "cold", 6); // for the first time
    launch(a, captured, "k", 7);
    if (end_capture(a, captured) != CUDA_SUCCESS) return 1;
    launch_graph(a, captured, "k", 7);
    launch(a, s, "cold", 2);
    return 0;
  });
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_EQ(recorded.launches(), (Launches{{1, 1}, {2, 2}}));
  EXPECT_EQ(recorded.notes(), (Notes{"not recorded: 1 launch of CUDA graphs",
                                     "not recorded: 2 launches while a stream was captured"}));
}

TEST_P(Recorder, ACaptureLastsUntilItEnds) {
  const Recording recorded = record([] {
    begin_capture(a, captured);
    begin_capture(a, stream(3));
    begin_capture(a, captured); // an error
    end_capture(a, stream(3));
    end_capture(a, captured, true);
    launch(a, s, "k", 5);
    if (end_capture(a, captured) != CUDA_SUCCESS) return 1;
    launch(a, s, "k", 1);
    begin_capture(a, captured);
    destroy(a, captured);
    launch(a, s, "k", 2);
    return 0;
  });
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_EQ(recorded.launches(), (Launches{{1, 1}, {2, 2}}));
  EXPECT_EQ(recorded.notes(), Notes{"not recorded: 1 launch while a stream was captured"});
}

TEST_P(Recorder, ASecondContextIsNotCountedAndChangesNoCount) {
  const Recording recorded = record([] {
    launch(a, s, "k", 1);
    launch_graph(a, s, "k", 10);
    launch(b, stream(3), "k", 2);
    launch(b, stream(3), "k", 3);
    launch(a, s, "k", 4);
    return 0;
  });
  EXPECT_EQ(recorded.launches().size(), 4u);
  for (auto [blocks, counted] : recorded.launches())
    EXPECT_EQ(counted, blocks == 2 || blocks == 3 ? -1 : blocks) << blocks;
  EXPECT_EQ(recorded.notes(),
            (Notes{"launches of a second context are not counted", "not recorded: 1 launch of CUDA graphs"}));
}

// Static objects of a program are destroyed after the recorder has ended; a child of the program ends without its threads.
TEST_P(Recorder, TheEndIsTheLastLineAndThereIsOne) {
  const Recording recorded = record(
      [] {
        launch(a, s, "k", 1);
        if (const pid_t child = ::fork(); child == 0)
          std::exit(0);
        else
          ::waitpid(child, nullptr, 0);
        launch(a, s, "k", 2);
        begin_capture(a, stream(3));
        return 0;
      },
      [] {
        launch(a, s, "k", 9);
        begin_capture(a, captured);
        launch(a, s, "k", 9);
        destroy(a, captured);
        destroy(a, stream(3));
      });
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_EQ(recorded.launches(), (Launches{{1, 1}, {2, 2}}));
  EXPECT_EQ(recorded.lines.back().value("end", 0), 2);
  EXPECT_EQ(std::ranges::count_if(recorded.lines, [](const json& line) { return line.contains("end"); }), 1);
}

INSTANTIATE_TEST_SUITE_P(Passes, Recorder, testing::Values("instructions", "counters"));

} // namespace
