// Finding compilers in folders made for the purpose: fakes that answer --version.
#include "os/temp_dir.h"
#include "toolchain/find.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace warplens::toolchain {
namespace {

using os::TempDir;

class Find : public testing::Test {
protected:
  TempDir folder = std::move(*TempDir::create());

  void fake(const std::string& name, const std::string& script) {
    std::filesystem::path file = folder.path() + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  void fake_clang(const std::string& name, const std::string& version) {
    fake(name, "echo 'Debian clang version " + version + " (x)'");
  }
  void fake_nvcc(const std::string& name) {
    fake(name, "case $1 in --version) echo 'release 12.4, V12.4.131';; *) printf "
               "'compute_90\\ncompute_50\\n';; esac");
  }
  Search search(std::vector<std::string> path, std::vector<std::string> toolkits = {}) {
    for (std::string& p : path) p = folder.path() + "/" + p;
    for (std::string& t : toolkits) t = folder.path() + "/" + t;
    return {{}, {}, std::move(toolkits), std::move(path)};
  }
};

TEST_F(Find, NewestNameOfClangFirst) {
  fake_clang("bin/clang", "14.0.6");
  fake_clang("bin/clang-19", "19.1.7");
  auto found = find_compiler(Compiler::clang, search({"bin"}));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->version, "19.1.7");
  EXPECT_EQ(found->major, 19u);
}

TEST_F(Find, AutomaticPrefersNvccOfAToolkitOutsideThePath) {
  fake_clang("bin/clang-19", "19.1.7");
  fake_nvcc("cuda/bin/nvcc");
  auto found = find_compiler(Compiler::automatic, search({"bin"}, {"cuda"}));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->kind, Compiler::nvcc);
  EXPECT_EQ(found->version, "12.4.131");
  EXPECT_THAT(found->architectures, testing::ElementsAre(50, 90));
}

TEST_F(Find, NothingThereNamesThePackage) {
  auto found = find_compiler(Compiler::automatic, search({"bin"}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "toolchain-no-compiler");
  EXPECT_THAT(found.error().help, testing::HasSubstr("apt-get install clang-19"));
}

TEST_F(Find, NoNvccSuggestsClang) {
  fake_clang("bin/clang-19", "19.1.7");
  auto found = find_compiler(Compiler::nvcc, search({"bin"}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "toolchain-no-nvcc");
  EXPECT_THAT(found.error().help, testing::HasSubstr("--compiler clang"));
}

TEST_F(Find, AnOldClangIsRefused) {
  fake_clang("bin/clang", "11.0.1");
  auto found = find_compiler(Compiler::clang, search({"bin"}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "toolchain-old-compiler");
}

TEST_F(Find, ANamedCompilerThatIsNoneIsAnErrorNotAFallback) {
  fake("bin/odd", "echo hello");
  fake_clang("bin/clang-19", "19.1.7");
  Search s = search({"bin"});
  s.clang = folder.path() + "/bin/odd";
  auto found = find_compiler(Compiler::clang, s);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "toolchain-unknown-compiler");
  s.clang = folder.path() + "/bin/missing";
  EXPECT_EQ(find_compiler(Compiler::clang, s).error().kind, "start-failed");
}

TEST_F(Find, PtxasBesideNvcc) {
  fake_nvcc("cuda/bin/nvcc");
  EXPECT_FALSE(find_ptxas(search({}, {"cuda"})));
  fake("cuda/bin/ptxas", "exit 0");
  EXPECT_EQ(find_ptxas(search({}, {"cuda"})), folder.path() + "/cuda/bin/ptxas");
  Search named = search({}, {"cuda"});
  named.ptxas = "/none";
  EXPECT_FALSE(find_ptxas(named)); // it says that there is none
  fake("other", "exit 0");
  named.ptxas = folder.path() + "/other";
  EXPECT_EQ(find_ptxas(named), named.ptxas);
}

} // namespace
} // namespace warplens::toolchain
