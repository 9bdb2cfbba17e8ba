// What a compilation depended on: found in what compilers say, and checked against the file system.
#include "os/temp_dir.h"
#include "toolchain/inputs.h"
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace warplens::toolchain {
namespace {

using os::TempDir;

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(Inputs, LineMarkersNameEveryFileOnce) {
  EXPECT_THAT(files_of_line_markers("# 0 \"a.cu\"\n# 1 \"/work//\"\n# 0 \"<built-in>\"\n"
                                    "# 1 \"/usr/include/x.h\" 1 3 4\nint x; // # 1 \"no.h\"\n"
                                    "# 2 \"a.cu\" 2\n#pragma once\n# 1 \"odd \\\"name\\\\.h\" 1\n"),
              ElementsAre("/usr/include/x.h", "a.cu", "odd \"name\\.h"));
  EXPECT_THAT(files_of_line_markers(""), ElementsAre());
}

TEST(Inputs, MakeRulesNameTheirPrerequisites) {
  EXPECT_THAT(
      files_of_rule("out.o: a.cu /usr/x.h \\\n  with\\ blank.h dollar$$.h \\\n hash\\#.h\nother: b\n"),
      ElementsAre("a.cu", "/usr/x.h", "with blank.h", "dollar$.h", "hash#.h"));
  EXPECT_THAT(files_of_rule("no rule"), ElementsAre());
}

TEST(Inputs, TheSearchPathIsWhatTheCompilerSays) {
  SearchPath path = search_path_of("ignoring nonexistent directory \"/not/there\"\n"
                                   "ignoring duplicate directory \"/usr/include\"\n"
                                   "#include \"...\" search starts here:\n /quoted\n"
                                   "#include <...> search starts here:\n /a b\n /usr/include\n"
                                   "End of search list.\n /no more\n");
  EXPECT_THAT(path.folders, ElementsAre("/quoted", "/a b", "/usr/include"));
  EXPECT_THAT(path.missing, ElementsAre("/not/there"));
}

class Files : public testing::Test {
protected:
  std::string write(const std::string& name, const std::string& text) {
    fs::path path = folder_->path() + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  static u64 later() { return (static_cast<u64>(std::time(nullptr)) + 10) * 1'000'000'000; }
  std::string at(const std::string& name) const { return folder_->path() + "/" + name; }
  std::optional<Inputs> gather(const std::vector<std::string>& files, u64 start = later()) const {
    return gather_inputs(files, {{at("first"), at("second")}, {at("missing")}}, start);
  }
  Result<TempDir> folder_ = TempDir::create();
};

TEST_F(Files, ContentsCountAndMustBeThere) {
  std::vector<std::string> files = {write("a.cu", "#include \"b.h\"\n"), write("b.h", "int b;")};
  std::optional<Inputs> inputs = gather(files);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs_of_text(to_text(*inputs)), inputs);
  std::optional<cache::Digest> before = content_of(*inputs);
  ASSERT_TRUE(before);
  EXPECT_EQ(content_of(*inputs), before);
  write("b.h", "int c;");
  EXPECT_TRUE(content_of(*inputs));
  EXPECT_NE(content_of(*inputs), before);
  write("b.h", "int b;");
  EXPECT_EQ(content_of(*inputs), before) << "back again";
  fs::remove(at("b.h"));
  EXPECT_FALSE(content_of(*inputs));
}

TEST_F(Files, AHeaderThatWouldBeFoundEarlierIsNoticed) {
  write("first/other.h", "");
  write("second/sub/found.h", "");
  std::vector<std::string> files = {
      write("src/a.cu", "#include <found.h>\n #  include \"sub/found.h\" // twice\n#include MACRO\n"
                        "#if 0\n#include \"never.h\"\n#endif\n#if defined X && __has_include( <asked.h> )\n"),
      write("second/found.h", ""), at("second/sub/found.h"), write("deep/er/macro.h", "")};
  std::optional<Inputs> inputs = gather(files);
  ASSERT_TRUE(inputs);
  EXPECT_TRUE(content_of(*inputs));
  for (const char* name :
       {"first/found.h", "first/sub", "src/sub", "src/never.h", "first/never.h", "second/never.h",
        "first/asked.h", "second/asked.h", "missing", "first/macro.h", "second/er"})
    EXPECT_THAT(inputs->absent, Contains(at(name)));
  EXPECT_THAT(inputs->absent, Not(Contains(at("second/found.h"))));
  EXPECT_THAT(inputs->absent, Not(Contains(at("src/asked.h")))) << "<…> does not look beside the file";
  for (const char* name : {"first/found.h", "first/sub/found.h", "second/asked.h", "src/never.h",
                           "missing/x.h", "first/macro.h"}) {
    fs::path there = write(name, "");
    EXPECT_FALSE(content_of(*inputs)) << name;
    fs::remove(there);
    if (!content_of(*inputs)) fs::remove(there.parent_path());
    EXPECT_TRUE(content_of(*inputs)) << name;
  }
}

TEST_F(Files, WhatCannotBeKnownIsNotKept) {
  std::string plain = write("a.cu", "int a;");
  EXPECT_TRUE(gather({plain}));
  EXPECT_FALSE(gather({plain, at("gone.h")}));
  EXPECT_FALSE(gather({plain, folder_->path()})) << "a folder";
  for (const char* text : {"const char* t = __TIME__;", "__DATE__", "__TIMESTAMP__",
                           "asm(\".incbin \\\"x\\\"\");", "#embed <x>"})
    EXPECT_FALSE(gather({plain, write("b.h", text)})) << text;
  EXPECT_FALSE(gather({plain}, 1)) << "changed after the compilation began";
}

TEST(Inputs, DamagedListsAreRefused) {
  for (const char* text : {"", "+relative\n", "-/only/absent\n", "+/a\nx\n", "+/a\n\n"})
    EXPECT_FALSE(inputs_of_text(text)) << text;
  EXPECT_TRUE(inputs_of_text("+/a\n-/b\n"));
}

} // namespace
} // namespace warplens::toolchain
