// Folders of processes that come and go at the same time, each of which removes what it takes for an orphan.
#include "os/environment.h"
#include "os/temp_dir.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace warplens::os {
namespace {

namespace fs = std::filesystem;

TEST(TempDir, OneThatIsInUseIsNobodysOrphan) {
  const TempDir shared = std::move(*TempDir::create());
  const std::string before = variable("TMPDIR");
  setenv("TMPDIR", shared.path().c_str(), 1);
  constexpr int processes = 16, folders = 300;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    for (int made = 0; made < folders; ++made) {
      Result<TempDir> folder = TempDir::create();
      if (!folder) _exit(2);
      const std::string file = folder->path() + "/file";
      std::ofstream(file) << "in use";
      usleep(100);
      if (!fs::exists(file)) _exit(1);
    }
    _exit(0);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "1: a folder was taken away; 2: none could be made";
  }
  if (before.empty())
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", before.c_str(), 1);
}

} // namespace
} // namespace warplens::os
