// Processes that are shell scripts: exit codes, arguments, output, signals, programs that cannot start.
#include "os/captured.h"
#include "os/foreground.h"
#include "os/interrupt.h"
#include "os/temp_dir.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace warplens::os {
namespace {

namespace fs = std::filesystem;

class Process : public ::testing::Test {
protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::string path = folder.path() + "/" + name;
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string script(const std::string& text) const { return file("program", "#!/bin/sh\n" + text); }
  Foreground foreground(const std::string& text) const { return {{script(text), {"program"}, {}}}; }

  TempDir folder = std::move(*TempDir::create());
};

TEST_F(Process, KeepsItsExitCodeArgumentsAndEnvironment) {
  std::string result = folder.path() + "/result";
  setenv("WARPLENS_TEST_KEPT", "kept", 1);
  setenv("WARPLENS_TEST_SET", "before", 1);
  Result<ProcessEnd> end = run_foreground(
      {{script("echo \"$1|$2|$WARPLENS_TEST_KEPT|$WARPLENS_TEST_SET\" > " + result + "; exit 7"),
        {"program", "a b", "--flag"},
        {{"WARPLENS_TEST_SET", "90,70"}}}});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(end->signal, 0);
  std::string line;
  std::ifstream in(result);
  std::getline(in, line);
  EXPECT_EQ(line, "a b|--flag|kept|90,70");
}

TEST_F(Process, AKilledOneGives128PlusTheSignal) {
  Result<ProcessEnd> end = run_foreground(foreground("kill -SEGV $$"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGSEGV);
  EXPECT_EQ(end->exit_code, 128 + SIGSEGV);
  Result<Captured> captured = run_captured({script("kill -SEGV $$")});
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->exit_code, 128 + SIGSEGV);
}

// Sends signals to ourselves as soon as the script says that its trap is set: a loaded machine may take its time.
std::jthread signals_when(const std::string& ready, int signal, u32 times) {
  return std::jthread([=] {
    while (!fs::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (u32 i = 0; i < times; ++i) {
      kill(getpid(), signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(200)); // two at once are one
    }
  });
}

TEST_F(Process, SignalsSentToUsReachItAndWeSurvive) {
  std::string ready = folder.path() + "/ready";
  std::jthread sender = signals_when(ready, SIGTERM, 1);
  Result<ProcessEnd> end =
      run_foreground(foreground("trap 'exit 9' TERM; : > " + ready + "; while :; do sleep 0.05; done"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 9);
}

// Another thread takes the signal, perhaps before the one that started the program knows its number.
TEST_F(Process, ASignalSentWhileItStartsReachesIt) {
  std::jthread idle([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  for (int i = 0; i < 50; ++i) {
    Result<ProcessEnd> end = run_foreground(foreground("kill -TERM $PPID; while :; do sleep 0.05; done"));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->signal, SIGTERM);
  }
}

// The helpers' guard had it, and no helper ran: the program gets it as soon as it is there.
TEST_F(Process, ASignalSentBeforeItStartsReachesIt) {
  struct sigaction none {};
  none.sa_handler = [](int) {}; // what the guard gives back at its end
  struct sigaction before {};
  sigaction(SIGTERM, &none, &before);
  {
    const DelayedSignals guard;
    raise(SIGTERM);
    Result<ForegroundEnd> end = run_foreground(foreground("while :; do sleep 0.05; done"));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->signal, SIGTERM);
    EXPECT_TRUE(end->signalled);
  }
  sigaction(SIGTERM, &before, nullptr);
}

TEST_F(Process, ASecondInterruptKillsAProgramThatIgnoresTheFirst) {
  std::signal(SIGINT, SIG_DFL); // which a shell's background jobs ignore
  std::string ready = folder.path() + "/ready";
  std::jthread sender = signals_when(ready, SIGINT, 2);
  Result<ProcessEnd> end =
      run_foreground(foreground("trap '' INT; : > " + ready + "; while :; do sleep 0.05; done"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

// Each has its own end, whichever comes first; what cannot be started keeps no other from it.
TEST_F(Process, SeveralRunSideBySide) {
  const std::string met = folder.path() + "/met";
  auto one = [&](const std::string& text) {
    const std::string path = file("program" + std::to_string(text.size()), "#!/bin/sh\n" + text);
    return Foreground{{path, {"program"}, {}}};
  };
  const std::vector<Foreground> specs = {one("until [ -e " + met + " ]; do sleep 0.01; done; exit 1"),
                                         {{folder.path() + "/absent", {"absent"}, {}}},
                                         one(": > " + met + "; exit 2")};
  const std::vector<Result<ForegroundEnd>> ends = run_side_by_side(specs);
  ASSERT_EQ(ends.size(), 3u);
  ASSERT_TRUE(ends[0] && ends[2]);
  EXPECT_EQ(ends[0]->exit_code, 1);
  EXPECT_FALSE(ends[1]);
  EXPECT_EQ(ends[2]->exit_code, 2);
  EXPECT_GT(ends[0]->peak_bytes, 100'000u);
}

TEST_F(Process, SignalsReachAllThatRun) {
  const std::string ready = folder.path() + "/ready";
  std::jthread sender = signals_when(ready, SIGTERM, 1);
  const Foreground waits = foreground("trap 'exit 9' TERM; mkdir " + ready + ".1 2> /dev/null || : > " +
                                      ready + "; while :; do sleep 0.05; done");
  for (const Result<ForegroundEnd>& end : run_side_by_side(std::vector{waits, waits})) {
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit_code, 9);
  }
}

TEST_F(Process, SignalsAndTheirMaskAreAsBeforeAfterwards) {
  struct sigaction before {
  }, after{};
  sigset_t mask_before, mask_after;
  sigaction(SIGTERM, nullptr, &before);
  sigprocmask(SIG_SETMASK, nullptr, &mask_before);
  ASSERT_TRUE(run_foreground(foreground("exit 0")));
  ASSERT_FALSE(run_foreground({{folder.path() + "/absent", {"absent"}, {}}}));
  sigaction(SIGTERM, nullptr, &after);
  sigprocmask(SIG_SETMASK, nullptr, &mask_after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_EQ(sigismember(&mask_before, SIGTERM), sigismember(&mask_after, SIGTERM));
}

TEST_F(Process, ItsOutputCanGoWhereItsErrorsGo) {
  Foreground spec = foreground("echo words");
  spec.stdout_to_stderr = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  ASSERT_TRUE(run_foreground(spec));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "words\n");
}

TEST_F(Process, WhatItSaysIsCapturedInOrderAndAsItComes) {
  std::string seen;
  Result<Captured> captured =
      run_captured({script("echo one; echo two >&2; cat; echo \"$1\"; exit 3"), "three"},
                   [&](std::string_view piece) { seen += piece; });
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->exit_code, 3);
  EXPECT_EQ(captured->output, "one\ntwo\nthree\n") << "and its standard input is empty";
  EXPECT_EQ(seen, captured->output);
}

TEST_F(Process, IsEndedWithWhatItStartedWhenItsResultIsNotWanted) {
  std::stop_source source;
  // The shell's child keeps the output open, as compilers' passes do; both say that they run before they are stopped.
  const std::string helper = script("sh -c 'echo runs; sleep 1000' & wait; sleep 1000");
  bool stopped = false;
  Result<Captured> captured = run_captured(
      {helper},
      [&](std::string_view said) {
        if (said.starts_with("runs")) stopped = source.request_stop();
      },
      source.get_token());
  EXPECT_TRUE(stopped);
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->exit_code, 128 + SIGTERM);
}

TEST_F(Process, IsNotTouchedByAStopThatComesLater) {
  std::stop_source source;
  EXPECT_EQ(run_captured({script("exit 3")}, {}, source.get_token())->exit_code, 3);
  source.request_stop();
}

TEST_F(Process, AProgramThatCannotStartIsADiagnostic) {
  std::string odd = file("odd", "#!/no/such/interpreter\n");
  Result<ProcessEnd> end = run_foreground({{odd, {"odd"}, {}}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, "start-failed");
  Result<Captured> captured = run_captured({folder.path() + "/absent"});
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().kind, "start-failed");
  EXPECT_NE(captured.error().message.find("/absent': No such file"), std::string::npos);
}

// A process that has closed its outputs may need a moment more; a dead one may wait for who adopted it.
bool ends_soon(pid_t process) {
  auto runs = [&] {
    std::string state;
    for (std::ifstream in("/proc/" + std::to_string(process) + "/status"); std::getline(in, state);)
      if (state.starts_with("State:")) return state[7] != 'Z';
    return false;
  };
  for (int tries = 0; runs() && tries < 2000; ++tries) usleep(10'000);
  return !runs();
}

TEST_F(Process, ASignalToUsEndsTheCapturedGroupAndThenUs) {
  std::string started = folder.path() + "/started",
              helper = script("sh -c 'echo $$ > " + started + "; exec sleep 60'; exit 0");
  pid_t us = fork();
  if (us == 0) {
    signal(SIGTERM, SIG_DFL);
    {
      DelayedSignals signals;
      Result<Captured> captured = run_captured({helper});
      if (!captured || captured->exit_code != 128 + SIGTERM || !DelayedSignals::seen()) _exit(1);
      if (run_captured({helper})) _exit(2); // nothing is started any more
    }
    _exit(3);
  }
  pid_t sleeper = 0;
  while (sleeper == 0) {
    usleep(10'000);
    std::ifstream(started) >> sleeper;
  }
  kill(us, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(us, &status, 0), us);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_TRUE(ends_soon(sleeper)) << "what the helper started still runs";
}

TEST_F(Process, WhenWeAreKilledTheCapturedGroupEnds) {
  std::string started = folder.path() + "/started";
  std::string helper = script("sh -c 'echo $$ > " + started + "; exec sleep 60'; exit 0");
  pid_t us = fork();
  if (us == 0) {
    Result<Captured> captured = run_captured({helper});
    _exit(1);
  }
  pid_t sleeper = 0;
  while (sleeper == 0) {
    usleep(10'000);
    std::ifstream(started) >> sleeper;
  }
  kill(us, SIGKILL);
  ASSERT_EQ(waitpid(us, nullptr, 0), us);
  EXPECT_TRUE(ends_soon(sleeper)) << "what the helper started still runs";
}

TEST_F(Process, TellsWhatItLeftRunning) {
  Result<ForegroundEnd> end = run_foreground(foreground("sleep 0.05 & exit 0"));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->left.empty()) << "as good as over";
  end = run_foreground(foreground("sleep 3 & exit 0"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->left, std::vector<std::string>{"sleep"});
}

} // namespace
} // namespace warplens::os
