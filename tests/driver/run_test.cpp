// run's parent process against programs that are shell scripts and write the event stream themselves: exit
// codes, signals, reports, refusals. No emulator is needed.
#include "driver/program/events.h"
#include "driver/program/program.h"
#include "driver/program/source_program.h"
#include "driver/run.h"
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

class Run : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warplens-run-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string file(const std::string& name, const std::string& text, bool executable = false) const {
    std::string path = (folder / name).string();
    std::ofstream(path) << text;
    if (executable) fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string script(const std::string& text) const { return file("program", "#!/bin/sh\n" + text, true); }

  int run_with(RunOptions options) {
    out.clear(), err.clear();
    return run(options, {[&](std::string_view t) { return out += t, true; },
                         [&](std::string_view t) { return err += t, true; }});
  }

  fs::path folder;
  std::string out, err;
};

TEST_F(Run, RefusesWhatCannotRunBeforeStartingAnything) {
  auto refused = [&](RunOptions options, std::string_view words) {
    EXPECT_EQ(run_with(options), 2);
    EXPECT_NE(err.find(words), err.npos) << err;
  };
  std::string touched = (folder / "touched").string(), program = script("touch " + touched);
  refused({.command = {(folder / "absent").string()}}, "does not exist");
  refused({.command = {folder.string()}}, "is a folder");
  refused({.command = {file("text", "words")}}, "neither an ELF program nor a script");
  refused({.command = {file("unready", "#!/bin/sh\n")}}, "is not executable");
  refused({.command = {file("words", "words", true)}}, "neither an ELF program nor a script");
  RunOptions options{.command = {program}};
  options.sm = "4242";
  refused(options, "4242");
  options.sm = "";
  refused(options, "unknown compute capability ''");
  refused({.command = {program}, .json = (folder / "no/such/file").string()}, "cannot write");
  refused({.command = {program}, .report = folder.string()}, "cannot write");
  refused({.command = {program}, .kernel = "("}, "regular expression");
  EXPECT_FALSE(fs::exists(touched));
}

TEST_F(Run, OutputsAreNeverInputsAndAreKeptWhereTheyCannotBeWritten) {
  std::string touched = (folder / "touched").string(), program = script("touch " + touched);
  std::string other = file("other", "what was there");
  fs::create_hard_link(program, folder / "hard");
  auto refused = [&](RunOptions options, std::string_view words) {
    EXPECT_EQ(run_with(options), 2);
    EXPECT_NE(err.find(words), err.npos) << err;
  };
  refused({.command = {program}, .json = program}, "--json would write over");
  refused({.command = {program}, .report = (folder / "hard").string()}, "--report would write over");
  refused({.command = {program, other}, .json = other}, "which belongs to the program");
  refused({.command = {program}, .json = other, .report = (folder / "./other").string()}, "both write");
  EXPECT_FALSE(fs::exists(touched));
  std::ifstream in(other);
  std::string words((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(words, "what was there");
}

TEST_F(Run, WhyNoLaunchWasSeenFitsTheProgram) {
  auto told = [](Program program, bool loaded) { return diag::render(no_launch_seen(program, loaded)); };
  auto has = [](const std::string& text, std::string_view words) { return text.find(words) != text.npos; };
  EXPECT_TRUE(has(told({.linkage = Linkage::shared, .loses_preload = true}, false), "setuid"));
  EXPECT_TRUE(has(told({.linkage = Linkage::shared, .device_code = true}, false), "clears LD_PRELOAD"));
  std::string no_launch = told({.linkage = Linkage::shared, .device_code = true}, true);
  EXPECT_TRUE(has(no_launch, "may not reach a launch"));
  EXPECT_FALSE(has(no_launch, "rebuild"));
  EXPECT_TRUE(has(told({.dynamic = true}, false), "a stripped library with kernels"));
  EXPECT_TRUE(has(told({.linkage = Linkage::script}, false), "it is a script"));
  Program program{.linkage = Linkage::shared, .device_code = true};
  EXPECT_TRUE(
      has(diag::render(no_launch_seen(program, true, {"cudaGraphCreate"})), "it called cudaGraphCreate"));
  EXPECT_TRUE(has(diag::render(no_launch_seen(program, false, {}, 127)), "it did not start"));
  const std::string killed = diag::render(no_launch_seen(program, true, {}, 0, true));
  EXPECT_TRUE(has(killed, "killed before it launched one") && !has(killed, "arguments")) << killed;
  // Of a script that failed it is only said that it did.
  // So is it of a program that the loader refused.
  for (const Program& script :
       {Program{.path = "/usr/bin/python3"}, Program{.linkage = Linkage::script}, program}) {
    const std::string failed = diag::render(no_launch_seen(script, false, {}, 1));
    EXPECT_TRUE(has(failed, "exit code 1") && !has(failed, "numba") && !has(failed, "LD_PRELOAD")) << failed;
  }
  EXPECT_TRUE(has(told({.path = "/usr/bin/python3"}, false), "PyTorch, JAX, Triton, CuPy or numba"));
  program.driver_api = "libcuda.so.1";
  EXPECT_TRUE(has(told(program, true), "it uses libcuda.so.1"));
}

TEST_F(Run, DamagedElfFilesAreRefusedOrHarmless) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string bytes(4096, 0);
  self.read(bytes.data(), 4096);
  for (std::size_t length : {4u, 20u, 63u, 64u, 100u, 4096u}) {
    Result<Program> program = inspect_program(file("damaged", bytes.substr(0, length), true));
    if (program) {
      EXPECT_EQ(static_cast<int>(program->linkage), static_cast<int>(Linkage::none));
    }
  }
}

TEST_F(Run, ASourceFileIsCompiledFirstAndItsErrorsAreRelayed) {
  std::string source = file("broken.cu", "int main( {\n");
  setenv("WARPLENS_CLANG",
         script("case $1 in --version) echo 'clang version 19.1.7';; *) echo 'broken.cu:1: "
                "no'; exit 1;; esac")
             .c_str(),
         1);
  EXPECT_EQ(run_with({.command = {source}, .compiler = "clang"}), 2);
  unsetenv("WARPLENS_CLANG");
  EXPECT_NE(err.find("broken.cu:1: no"), err.npos) << err;
  EXPECT_NE(err.find("clang 19.1.7 could not compile"), err.npos) << err;
  EXPECT_EQ(run_with({.command = {source}, .compile_options = "-DX='a"}), 2);
  EXPECT_NE(err.find("is not closed"), err.npos) << err;
  EXPECT_EQ(run_with({.command = {(folder / "absent.cu").string()}}), 2);
  EXPECT_NE(err.find("does not exist"), err.npos) << err;
}

TEST(Words, SplitLikeAShellButExpandNothing) {
  using Words = std::vector<std::string>;
  auto split = [](std::string_view line) { return split_words(line).value_or(Words{"refused"}); };
  EXPECT_EQ(split(""), Words{});
  EXPECT_EQ(split("  -O3\t-DA=1\n"), (Words{"-O3", "-DA=1"}));
  EXPECT_EQ(split("'-DA=\"x y\"' \"-I a'b\""), (Words{"-DA=\"x y\"", "-I a'b"}));
  EXPECT_EQ(split("a\\ b '' $HOME 'c\\d'"), (Words{"a b", "", "$HOME", "c\\d"}));
  EXPECT_EQ(split(R"("a\b" "\"q\" \\" -D"X=\$1")"), (Words{R"(a\b)", R"("q" \)", "-DX=$1"}));
  EXPECT_EQ(split("-DA='x"), Words{"refused"});
  EXPECT_EQ(split_words("-DA='x' \"b c\"", "\"").value_or(Words{}), (Words{"-DA='x'", "b c"}));
}

TEST(Events, LaunchesThatNeverEndedAndCutOffLinesAreTold) {
  measure::LaunchRecord done;
  done.process = 1, done.index = 0;
  std::string text = measure::encode(measure::LaunchStarted{1, 0, "k"}) + measure::encode(done) +
                     measure::encode(measure::LaunchStarted{2, 0, "k"}) +
                     measure::encode(measure::LaunchStarted{1, 1, "hung"});
  text += measure::encode(done).substr(0, 20);
  std::istringstream stream(text);
  summary::Input input;
  add_events(stream, {}, input);
  EXPECT_EQ(count(input.launches), 1u);
  ASSERT_EQ(input.interrupted.size(), 2u);
  EXPECT_EQ(input.interrupted[1].name, "hung");
  ASSERT_EQ(input.messages.size(), 1u);
  EXPECT_EQ(input.messages[0].kind, "events-lost");
}

std::string line_of(u64 index, u64 sequence) {
  measure::LaunchRecord launch;
  launch.process = 1, launch.index = index;
  return measure::encode(launch, sequence);
}

TEST(Events, AGapInTheNumbersIsALoss) {
  std::istringstream whole(line_of(0, 0) + line_of(1, 1)), holed(line_of(0, 0) + line_of(2, 2));
  summary::Input complete, missing;
  add_events(whole, {}, complete);
  EXPECT_EQ(complete.missing.events, 0u);
  EXPECT_TRUE(complete.messages.empty());
  add_events(holed, {}, missing);
  EXPECT_EQ(missing.missing.events, 1u);
  ASSERT_EQ(missing.messages.size(), 1u);
  EXPECT_EQ(missing.messages[0].kind, "events-lost");
}

TEST(Events, AProcessThatStartsAnotherProgramCountsAnew) {
  std::istringstream stream(measure::encode(measure::ProcessStarted{1}, 0) + line_of(0, 1) +
                            measure::encode(measure::ProcessStarted{1}, 0) + line_of(0, 1));
  summary::Input input;
  add_events(stream, {}, input);
  EXPECT_EQ(input.missing.events, 0u);
}

TEST(Events, TheLedgerTellsOfLaunchesWhoseEndIsMissing) {
  std::string text = line_of(0, 0) + measure::encode(measure::LaunchStarted{1, 1, "full"}, 1) +
                     measure::encode(measure::LaunchStarted{1, 5, "running"}, 5);
  std::istringstream stream(text);
  summary::Input input;
  add_events(stream, Tally{.begun = 6, .ended = 5, .lost = 4, .error = ENOSPC}, input);
  ASSERT_EQ(input.interrupted.size(), 1u);
  EXPECT_EQ(input.interrupted[0].name, "running");
  EXPECT_EQ(input.missing.launches, 4u);
  ASSERT_EQ(input.messages.size(), 1u);
  EXPECT_NE(input.messages[0].message.find("4 launches are missing: the disk"), std::string::npos);
  EXPECT_NE(input.messages[0].message.find("is full"), std::string::npos);
}

TEST(Events, ALaunchLikeOneThatWasLostIsUnknown) {
  measure::Sender sender;
  auto line = [&](u64 index) {
    measure::LaunchRecord launch;
    launch.process = 1, launch.index = index, launch.name = "k";
    return measure::encode(sender.shorten(measure::LaunchStarted{1, index, "k"}), 2 * index) +
           measure::encode(sender.shorten(launch), 2 * index + 1);
  };
  std::string first = line(0), second = line(1), third = line(2);
  summary::Input input, holed;
  std::istringstream whole(first + second + third),
      cut(measure::encode(measure::LaunchStarted{1, 0, "k"}, 0) + second);
  add_events(whole, {}, input);
  ASSERT_EQ(input.launches.size(), 1u);
  EXPECT_EQ(input.launches[0].count(), 3u);
  EXPECT_TRUE(input.interrupted.empty());
  add_events(cut, {}, holed);
  ASSERT_EQ(holed.launches.size(), 1u);
  EXPECT_EQ(holed.launches[0].record.status, measure::Status::unknown);
  EXPECT_EQ(holed.launches[0].record.name, "k");
  EXPECT_EQ(holed.missing.events, 1u);
  EXPECT_EQ(holed.interrupted.size(), 1u);
}

// A process that starts another program keeps its number; what the first program told is not what the second means.
TEST(Events, WhatAProgramToldIsForgottenWhenTheProcessStartsAnother) {
  measure::LaunchRecord launch;
  launch.process = 1, launch.name = "k";
  std::istringstream stream(measure::encode(measure::ProcessStarted{1}, 0) + measure::encode(launch, 1) +
                            measure::encode(measure::ProcessStarted{1}, 0) +
                            measure::encode(measure::LaunchAlike{1, 1, 0}, 1));
  summary::Input input;
  add_events(stream, {}, input);
  ASSERT_EQ(input.launches.size(), 2u);
  EXPECT_EQ(input.launches[1].record.status, measure::Status::unknown);
}

} // namespace
} // namespace warplens::driver
