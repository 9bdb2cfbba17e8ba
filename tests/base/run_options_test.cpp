// Every option that the runtime needs comes through the environment as it was given, and onto the command line of a second run.
#include "base/run_options.h"
#include <gtest/gtest.h>
#include <map>

namespace warplens {
namespace {

// A value that no option has by itself.
void change(bool& value) { value = !value; }
void change(u32& value) { value += 3; }
void change(u64& value) { value += 5; }
void change(double& value) { value += 0.25; }
void change(std::optional<u64>& value) { value = 0; }
void change(std::string& value) { value += "x"; }
void change(std::vector<std::string>& value) { value = {"race", "sync"}; }

std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}
const char* variable(const char* name) { return variables()[name].c_str(); }

ProgramOptions through_environment(const ProgramOptions& options) {
  variables().clear();
  for (auto& [name, value] : environment_of(options)) variables()[name] = value;
  return options_from(variable);
}

TEST(RunOptions, EachComesThroughTheEnvironment){
#define OPTION_program(type, member, ...)                                                                    \
  {                                                                                                          \
    ProgramOptions given;                                                                                    \
    change(given.member);                                                                                    \
    EXPECT_EQ(through_environment(given).member, given.member) << #member;                                   \
    EXPECT_NE(ProgramOptions().member, given.member) << #member;                                             \
  }
#include "base/run_options.def"
}

TEST(RunOptions, WhatIsNotGivenStaysAsItIs) {
  variables().clear();
  const ProgramOptions none = options_from(variable), given = through_environment({});
#define OPTION_program(type, member, ...)                                                                    \
  EXPECT_EQ(none.member, ProgramOptions().member) << #member;                                                \
  EXPECT_EQ(given.member, ProgramOptions().member) << #member;
#include "base/run_options.def"
}

TEST(RunOptions, ValuesThatMakeNoSenseAreAsGoodAsNotSet) {
  variables() = {{"WARPLENS_WORKERS", "-4"}, {"WARPLENS_TIMEOUT", "soon"}, {"WARPLENS_LAUNCHES", "1x"}};
  const ProgramOptions read = options_from(variable);
  EXPECT_EQ(read.workers, 0u);
  EXPECT_EQ(read.timeout, 0);
  EXPECT_FALSE(read.launches);
}

TEST(RunOptions, ASecondRunIsToldWhatTheFirstWas) {
  const ProgramOptions initial;
  std::vector<std::string> words;
  add_option_words(words, "--keep-going", true, initial.keep_going);
  add_option_words(words, "-j,--workers", 7u, initial.workers);
  add_option_words(words, "--check", std::vector<std::string>{"race", "sync"}, initial.checks);
  add_option_words(words, "--launches", std::optional<u64>(0), initial.launches);
  add_option_words(words, "--memory", initial.memory, initial.memory);
  EXPECT_EQ(words, (std::vector<std::string>{"--keep-going", "--workers", "7", "--check", "race,sync",
                                             "--launches", "0"}));
}

} // namespace
} // namespace warplens
