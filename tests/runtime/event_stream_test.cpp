// What cannot be written is counted, and costs the program nothing but that.
#include "measure/unseen.h"
#include "os/shared_memory.h"
#include "runtime/event_stream.h"
#include <cerrno>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

class Stream : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/warplens-events-test-XXXXXX";
    close(mkstemp(name));
    path = name;
    new (memory->data()) measure::SharedLedger;
  }
  void TearDown() override { unlink(path.c_str()); }
  const measure::SharedLedger& ledger() const { return *static_cast<measure::SharedLedger*>(memory->data()); }
  // In a process of its own; its exit status.
  template <class F> static int apart(F&& f) {
    pid_t child = fork();
    if (child == 0) {
      f();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
  std::string path;
  Result<os::SharedMemory> memory = os::SharedMemory::create(sizeof(measure::SharedLedger));
};

TEST_F(Stream, LinesAreNumberedAndCounted) {
  EventStream stream(path, memory->name());
  stream.begin_launch();
  stream.send(measure::LaunchStarted{1, 0, "k"});
  stream.send(measure::LaunchRecord{});
  std::ifstream in(path);
  std::vector<u64> numbers;
  for (std::string line; std::getline(in, line);) {
    std::optional<u64> number;
    if (line.empty()) continue;
    ASSERT_TRUE(measure::decode(line, &number)) << line;
    if (number) numbers.push_back(*number);
  }
  EXPECT_EQ(numbers, (std::vector<u64>{0, 1}));
  EXPECT_EQ(ledger().begun, 1u);
  EXPECT_EQ(ledger().ended, 1u);
  EXPECT_EQ(ledger().lost, 0u);
}

TEST_F(Stream, ALimitOnTheSizeOfFilesDoesNotKill) {
  EXPECT_EQ(apart([&] {
              EventStream stream(path, memory->name());
              rlimit limit{300, 300};
              setrlimit(RLIMIT_FSIZE, &limit);
              for (int i = 0; i < 10; ++i) stream.send(measure::ProcessEnded{i});
              sigset_t pending;
              sigpending(&pending);
              if (sigismember(&pending, SIGXFSZ) != 0) _exit(1);
            }),
            0);
  EXPECT_GT(ledger().lost, 0u);
  EXPECT_LT(ledger().lost, 10u);
  EXPECT_EQ(ledger().error, static_cast<u32>(EFBIG));
}

TEST_F(Stream, AFileThatIsGoneIsNotMadeAnew) {
  unlink(path.c_str());
  EventStream stream(path, memory->name());
  stream.send(measure::ProcessEnded{1});
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_EQ(ledger().error, static_cast<u32>(ENOENT));
  ASSERT_EQ(symlink("/dev/null", path.c_str()), 0);
  stream.send(measure::ProcessEnded{1});
  EXPECT_EQ(ledger().lost, 2u);
}

} // namespace
} // namespace warplens::runtime
