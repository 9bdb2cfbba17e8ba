#include "sim/grid/team.h"
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warplens::sim {
namespace {

// Which of `count` jobs ran, each adding one.
std::vector<int> calls(u32 count) {
  std::vector<int> out(count);
  run_together(count, [&](u32 i) { ++out[i]; });
  return out;
}

TEST(Team, EveryJobOnceWhateverTheirNumber) {
  for (u32 count : {1u, 4u, 2u, 9u, 3u, 64u}) EXPECT_EQ(calls(count), std::vector<int>(count, 1));
}

TEST(Team, JobsRunAtTheSameTime) {
  std::atomic<u32> arrived = 0;
  run_together(4, [&](u32) { // each waits for all
    ++arrived;
    while (arrived != 4) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 4u);
}

TEST(Team, CallersDoNotWaitForEachOther) {
  std::atomic<u32> arrived = 0;
  auto meet = [&](u32) {
    ++arrived;
    while (arrived != 8) std::this_thread::yield();
  };
  std::jthread other([&] { run_together(4, meet); });
  run_together(4, meet);
}

// A program may hold a signal back in all threads that it knows of, and wait for it.
TEST(Team, SignalsAreLeftToOtherThreads) {
  pid_t child = fork(); // an unwelcome signal would end the process
  if (child == 0) {
    alarm(20);
    calls(4);
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    kill(getpid(), SIGUSR1);
    timespec soon{5, 0};
    _exit(sigtimedwait(&one, nullptr, &soon) == SIGUSR1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Team, AForkedChildHasItsOwn) {
  EXPECT_EQ(calls(4), std::vector<int>(4, 1));
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(calls(4) == std::vector<int>(4, 1) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace warplens::sim
