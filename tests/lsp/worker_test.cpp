// Jobs beside the conversation: the newest of a key wins, whether the one before waits or runs.
#include "lsp/worker.h"
#include <atomic>
#include <future>
#include <gtest/gtest.h>

namespace warplens::lsp {
namespace {

using std::chrono::milliseconds;

TEST(Worker, OneThatWaitsIsReplaced) {
  std::atomic<int> first = 0;
  std::promise<void> done;
  Worker worker;
  worker.start("a", std::chrono::hours(1), [&](auto&) { ++first; });
  worker.start("a", milliseconds(0), [&](auto&) { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(first, 0);
}

TEST(Worker, OneThatRunsIsToldToStop) {
  std::promise<void> runs, done;
  bool stopped = false;
  Worker worker;
  worker.start("a", milliseconds(0), [&](const std::stop_token& stop) {
    runs.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
    stopped = true;
  });
  runs.get_future().wait();
  worker.start("b", milliseconds(0), [](auto&) {}); // of another key: lets it run
  worker.start("a", milliseconds(0), [&](const std::stop_token& stop) {
    EXPECT_FALSE(stop.stop_requested());
    done.set_value();
  });
  done.get_future().wait();
  EXPECT_TRUE(stopped);
}

TEST(Worker, WhatIsCancelledDoesNotRun) {
  std::promise<void> go_on, done;
  Worker worker;
  worker.start("b", milliseconds(0), [&](auto&) { go_on.get_future().wait(); });
  worker.start("a", milliseconds(0), [](auto&) { FAIL(); }); // waits its turn
  worker.start("c", milliseconds(0), [&](auto&) { done.set_value(); });
  worker.cancel("a");
  worker.cancel("none");
  go_on.set_value();
  done.get_future().wait();
}

TEST(Worker, TheEndWaitsForNoPause) {
  Worker worker;
  worker.start("a", std::chrono::hours(1), [](auto&) { FAIL(); });
}

TEST(Worker, TheEndStopsWhatRuns) {
  std::promise<void> runs;
  {
    Worker worker;
    worker.start("a", milliseconds(0), [&](const std::stop_token& stop) {
      runs.set_value();
      while (!stop.stop_requested()) std::this_thread::yield();
    });
    runs.get_future().wait();
  }
}

} // namespace
} // namespace warplens::lsp
