// Which files a report may quote, on folders made for it.
#include "source/source.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

class Roots : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warplens-roots-XXXXXX").string();
    top = fs::canonical(mkdtemp(name.data()));
  }
  void TearDown() override { fs::remove_all(top); }

  std::string folder(const std::string& name) const {
    fs::create_directories(top / name);
    return (top / name).string();
  }
  std::string file(const std::string& name) const {
    fs::create_directories((top / name).parent_path());
    std::ofstream(top / name) << "line of " << name << "\n";
    return (top / name).string();
  }
  // With the home folder `home` below the top.
  bool shows(const std::string& path, const std::string& current, const std::string& program) const {
    return SourceRoots(current, program, (top / "home").string(), {}).contains(path);
  }

  fs::path top;
};

TEST_F(Roots, TheCurrentFolderAndTheProgramsBelong) {
  std::string here = folder("home/a"), there = folder("home/b"), source = file("home/a/x/k.cu");
  EXPECT_TRUE(shows(source, here, there));
  EXPECT_TRUE(shows(source, there, here));
  EXPECT_FALSE(shows(source, folder("other"), folder("another")));
  EXPECT_FALSE(shows("/etc/passwd", here, there));
}

TEST_F(Roots, AProgramInABuildFolderHasItsSourcesBesideIt) {
  std::string build = folder("home/project/build"), source = file("home/project/src/k.cu");
  EXPECT_TRUE(shows(source, build, build)) << "the parent";
  std::string deep = folder("home/project/build/release/bin");
  EXPECT_FALSE(shows(source, deep, deep));
  file("home/project/CMakeLists.txt"), file("home/project/build/Makefile");
  EXPECT_TRUE(shows(source, deep, deep)) << "the topmost build file";
  file("home/Makefile"), file("Makefile");
  EXPECT_FALSE(shows(file("home/notes.txt"), deep, deep)) << "never the home folder";
  folder("home/project/part/.git");
  std::string part = folder("home/project/part/build");
  EXPECT_TRUE(shows(file("home/project/part/k.cu"), part, part));
  EXPECT_FALSE(shows(source, part, part)) << "version control says where the project ends";
}

TEST_F(Roots, HomeAndSharedFoldersAreNoProjects) {
  std::string home = folder("home"), tools = folder("home/tools"), source = file("home/tools/k.cu");
  EXPECT_FALSE(shows(file("home/letter.txt"), tools, tools));
  EXPECT_TRUE(shows(source, home, home)) << "who works there means it";
  EXPECT_FALSE(shows(file("home/.ssh/id"), home, home)) << "but nothing hidden";
  std::string shared = folder("shared"), work = folder("shared/work");
  fs::permissions(shared, fs::perms::all);
  EXPECT_FALSE(shows(file("shared/else/x.cu"), work, work));
  EXPECT_FALSE(shows("/etc/passwd", "/", "/"));
  EXPECT_FALSE(shows("/usr/include/stdio.h", "/usr/bin", "/usr/bin"));
}

TEST_F(Roots, ALinkCountsAsWhatItLeadsTo) {
  std::string here = folder("home/a"), secret = file("elsewhere/secret");
  fs::create_symlink(secret, top / "home/a/k.cu");
  SourceFiles sources({here}, {here, here, "", {}});
  EXPECT_FALSE(sources.line(here + "/k.cu", 1));
  EXPECT_EQ(sources.withheld(), std::set<std::string>{secret});
  SourceFiles allowed({here}, {here, here, "", {folder("elsewhere")}});
  EXPECT_EQ(allowed.line(here + "/k.cu", 1), "line of elsewhere/secret");
  EXPECT_TRUE(allowed.withheld().empty());
}

TEST_F(Roots, AFileOfThatNameInTheProgramsFoldersIsShownOnlyWhereThereIsNoOther) {
  std::string here = folder("home/a"), outside = file("elsewhere/k.cu");
  file("home/a/k.cu");
  SourceFiles sources({here}, {here, here, "", {}});
  EXPECT_FALSE(sources.line(outside, 1)) << "its own lines are not to be shown, and these are another file's";
  EXPECT_EQ(sources.withheld(), std::set<std::string>{outside});
  EXPECT_EQ(sources.line("/no/such/k.cu", 1), "line of home/a/k.cu") << "compiled on another machine";
  EXPECT_FALSE(sources.line("/no/such/file.cu", 1)) << "it does not exist";
}

} // namespace
} // namespace warplens::source
