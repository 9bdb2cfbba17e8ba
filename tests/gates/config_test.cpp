// .warplens.toml: what it may say, and where a mistake in it is.
#include "gates/config.h"
#include "gates/glob.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::gates {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(Config, SaysWhatTheCommandLineMaySay) {
  Result<Config> out = parse_config(R"(
sm = ["90", 70]
fail-on = ["warning", "sectors-per-request>8, excess>20%"]
baseline = "ci/../known.json"
least-excess = "5%"
compiler = "clang"
compile-options = "-Iinclude -DFAST"
block = [32, 8]
[set]
n = 1024
m = -1
[severity]
bank-conflict = "error"
halo-access = "off"
[paths]
include = "src"
exclude = ["third_party/**", "*.inc"]
)",
                                    "/p/q/.warplens.toml");
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT(out->sm, ElementsAre("90", "70"));
  ASSERT_EQ(out->fail_on->size(), 3);
  EXPECT_EQ(out->baseline, "/p/q/known.json");
  EXPECT_EQ(out->least_excess, 0.05);
  EXPECT_EQ(out->compiler, "clang");
  EXPECT_EQ(out->compile_options, "-Iinclude -DFAST");
  EXPECT_EQ(out->compile_options_place.line, 7u);
  EXPECT_EQ(out->block, (Dim3{32, 8, 1}));
  EXPECT_EQ(out->set, (std::map<std::string, i64>{{"m", -1}, {"n", 1024}}));
  EXPECT_EQ(out->levels.at(findings::Rule::bank_conflict), Level::error);
  EXPECT_EQ(out->levels.at(findings::Rule::halo_access), Level::off);
  EXPECT_THAT(out->include, ElementsAre("src"));
  EXPECT_EQ(out->exclude.size(), 2);
  EXPECT_TRUE(parse_config("", "/x")) << "nothing asked";
  EXPECT_EQ(parse_config("block = 256", "/x")->block, (Dim3{256, 1, 1}));
}

std::string error_of(std::string_view text) {
  Result<Config> out = parse_config(text, "/p/c.toml");
  if (out) return "none";
  const diag::Diagnostic& d = out.error();
  return std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " + d.message + "; " + d.help;
}

// Names nest as brackets do.
TEST(Config, WhatIsNestedTooDeepIsToldWithItsPlace) {
  auto repeated = [](std::string_view text, u32 times) {
    std::string out;
    for (u32 i = 0; i < times; ++i) out += text;
    return out;
  };
  const std::string name = repeated("a.", 100000) + "a";
  for (const std::string& text :
       {name + " = 1", "[" + name + "]", "[[" + name + "]]", "x = {" + name + " = 1}",
        "x = " + repeated("{a = ", 100000), "x = " + repeated("[", 100000),
        "x = [\"\"\"\n# ' \"\"\", {" + name + " = 1}]"})
    EXPECT_THAT(error_of("\n" + text), testing::HasSubstr("this is nested more than 200 deep"))
        << text.substr(0, 20);
  EXPECT_THAT(error_of("\n" + name + " = 1"), StartsWith("2:"));
  // 256 brackets, with 200 names in each
  EXPECT_THAT(error_of("x = " + repeated("[\n{" + repeated("a.", 150) + "a = ", 100)),
              StartsWith("3:0: this is nested"));
  EXPECT_THAT(error_of("exclude = [\"" + repeated("a.", 1000) + "\"] # " + repeated(".", 1000)),
              StartsWith("1:1: there is no 'exclude'"));
  EXPECT_THAT(error_of(repeated("a.b = 1\n", 300)), StartsWith("2:")) << "each name begins anew";
}

TEST(Config, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(error_of("\nsm = [1 2]"), StartsWith("2:9: this is not TOML"));
  EXPECT_THAT(error_of("\nsm = \"x"), StartsWith("2:"));
  EXPECT_EQ(error_of("sm = 90\nfail_on = \"error\""), "2:1: there is no 'fail_on'; did you mean 'fail-on'?");
  EXPECT_EQ(error_of("[paths]\nincluded = []"), "2:1: there is no 'paths.included'; did you mean 'include'?");
  EXPECT_THAT(error_of("fail-on = [\"error\",\n \"warnin\"]"), StartsWith("2:2: 'warnin' is no severity"));
  EXPECT_THAT(error_of("fail-on = 1.5"), StartsWith("1:11: this is no word in quotes"));
  EXPECT_THAT(error_of("[severity]\nbank-conflit = \"error\""),
              StartsWith("2:1: there is no rule 'bank-conflit'; did you mean 'bank-conflict'?"));
  EXPECT_THAT(error_of("[severity]\nbank-conflict = \"loud\""),
              StartsWith("2:17: the severity of 'bank-conflict'"));
  EXPECT_THAT(error_of("[severity]\nbank-conflict = 3"), StartsWith("2:17: the severity of"));
  EXPECT_THAT(error_of("compiler = \"gcc\""), StartsWith("1:12: there is no such compiler; it is"));
  EXPECT_THAT(error_of("compile-options = 3"), StartsWith("1:19: the compiler's options are no text"));
  EXPECT_THAT(error_of("block = [32,\n 33]"), StartsWith("2:2: this is not the size of a block"));
  EXPECT_THAT(error_of("block = [1, 1, 1, 1]"), StartsWith("1:19: this is not the size"));
  EXPECT_THAT(error_of("block = []"), StartsWith("1:9: this is not the size"));
  EXPECT_THAT(error_of("block = \"32,8\""), StartsWith("1:9: this is not the size"));
  EXPECT_THAT(error_of("block = 0"), StartsWith("1:9: this is not the size"));
  EXPECT_THAT(error_of("set = 3"), StartsWith("1:7: set is not a table"));
  EXPECT_THAT(error_of("[set]\nn = \"many\""), StartsWith("2:5: the value of 'n' is no whole number"));
  EXPECT_THAT(error_of("severity = 3"), StartsWith("1:12: severity is not a table"));
  EXPECT_THAT(error_of("paths = 3"), StartsWith("1:9: paths is not a table"));
  EXPECT_THAT(error_of("baseline = 3"), StartsWith("1:12: the baseline is not"));
  for (const char* bad : {"5", "\"5\"", "\"-1%\"", "\"101%\"", "\"%\"", "\"nan%\"", "[]"})
    EXPECT_THAT(error_of(std::string("least-excess = ") + bad), StartsWith("1:16: least-excess is no"))
        << bad;
}

TEST(Config, HostileTextIsNoCrash) {
  EXPECT_NE(error_of(std::string(100000, '[')), "none");
  EXPECT_NE(error_of("a=" + std::string(100000, '[')), "none");
  EXPECT_NE(error_of(std::string_view("\0\xff\x1b", 3)), "none");
  EXPECT_NE(error_of("a" + std::string(5000, '.')), "none");
  for (const char* no_key : {"[=]", "x={=1}", "=1", "[.a]", "x={,}", "[[\n]]", "\"\\", "x=[\n,", "{"})
    EXPECT_NE(error_of(no_key), "none") << no_key;
}

TEST(Levels, AreReadFromTheCommandLine) {
  std::map<findings::Rule, Level> levels;
  EXPECT_TRUE(add_level("bank-conflict=note", levels));
  EXPECT_EQ(levels.at(findings::Rule::bank_conflict), Level::note);
  for (const char* bad : {"", "=", "bank-conflict", "bank-conflict=", "bank-conflict=loud", "bank=error"})
    EXPECT_FALSE(add_level(bad, levels)) << bad;
}

TEST(Glob, StarsStayInAFolderAndTwoDoNot) {
  EXPECT_TRUE(path_matches("src/*.cu", "src/a.cu"));
  EXPECT_FALSE(path_matches("src/*.cu", "src/b/a.cu"));
  EXPECT_TRUE(path_matches("src/**/*.cu", "src/b/c/a.cu"));
  EXPECT_TRUE(path_matches("src/**/*.cu", "src/a.cu"));
  EXPECT_TRUE(path_matches("src", "src/b/a.cu")) << "a folder is all that is in it";
  EXPECT_TRUE(path_matches("third_party", "x/third_party/a.cu")) << "without a slash: anywhere";
  EXPECT_FALSE(path_matches("./x/third_party", "third_party/a.cu"));
  EXPECT_TRUE(path_matches("*.cu?", "x/y.cuh"));
  EXPECT_FALSE(path_matches("*.cu", "x/y.cuh"));
  EXPECT_TRUE(path_matches("**", "a/b"));
  EXPECT_FALSE(path_matches("", "a"));
  EXPECT_FALSE(path_matches("a*b*c*d*e*f*g*h", std::string(100000, 'a'))) << "and at once";
  EXPECT_FALSE(path_matches("**/**/**/**/x", "a/a/a/a/a/a/a/a/a/a/a"));
}

} // namespace
} // namespace warplens::gates
