// Signals that reach WarpLens go on to the program, and WarpLens itself stays to write the report.
//
// While the program runs, processes that lose their parent become children of WarpLens instead of init's
// (PR_SET_CHILD_SUBREAPER): those that are there when the program has ended are what it left running.
#include "os/foreground.h"
#include "os/file.h"
#include "os/interrupt.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warplens::os {
namespace {

// For the handler, which any thread may run.
std::array<std::atomic<pid_t>, most_side_by_side> children{}; // 0: none, or it has ended
std::atomic<bool> all_started = false;
std::atomic<u32> to_send = 0; // a bit for each signal that goes to the children, also before there are any

static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<u32>::is_always_lock_free);

std::atomic<i64> interrupted_at = 0; // milliseconds, by the monotonic clock; 0: never
std::atomic<bool> signalled = false;
static_assert(std::atomic<i64>::is_always_lock_free);

// Some senders tell a process and its group: a SIGINT that comes so soon after another is the same once more. And for so long the
// second Ctrl-C, which the program has as well, may end it by itself.
constexpr i64 the_same = 30, patience = 100;

i64 milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return i64{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// The handler fills to_send and then looks for children; who starts them says so and then looks here. So one of the two
// sends what came in between.
void send() {
  if (!all_started) return;
  const u32 numbers = to_send.exchange(0);
  for (const std::atomic<pid_t>& child : children)
    for (int number = 1; number < 32; ++number)
      if (const pid_t pid = child; pid > 0 && (numbers >> number & 1) != 0) kill(pid, number);
}

void kill_now(int) {
  to_send |= u32{1} << SIGKILL;
  send();
}

void kill_soon() {
  itimerval soon{};
  soon.it_value.tv_usec = patience * 1000;
  setitimer(ITIMER_REAL, &soon, nullptr);
}

// Ctrl-C goes to the whole foreground group: the program has it already. A signal that somebody sent to us
// does not. A program that outlives a Ctrl-C is killed by the next: the report is still to be written.
void pass_on(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const bool from_terminal = info != nullptr && info->si_code == SI_KERNEL;
  signalled = true;
  if (number == SIGINT) {
    i64 first = 0;
    if (const i64 now = milliseconds(); !interrupted_at.compare_exchange_strong(first, now)) {
      if (now - first > the_same)
        kill_soon();
      else
        number = 0;
    }
  }
  if (number != 0 && !from_terminal) {
    to_send |= u32{1} << number;
    send();
  }
  errno = saved;
}

constexpr std::array passed_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Installs pass_on for its lifetime. What arrives before there is a process to pass it on to waits.
class SignalGuard {
public:
  SignalGuard() {
    interrupted_at = 0;
    to_send = 0;
    signalled = false;
    sigset_t held;
    sigemptyset(&held);
    for (int number : passed_signals) sigaddset(&held, number);
    sigprocmask(SIG_BLOCK, &held, &mask_before_);
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < passed_signals.size(); ++i) {
      sigaction(passed_signals[i], &action, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) sigaction(passed_signals[i], &before_[i], nullptr); // nohup
    }
    // Before there was a program to pass it on to.
    if (const int early = DelayedSignals::which(); early != 0) signalled = true, to_send |= u32{1} << early;
    struct sigaction killing {};
    killing.sa_handler = kill_now;
    sigaction(SIGALRM, &killing, &alarm_before_);
  }
  ~SignalGuard() {
    all_started = false;
    constexpr itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    restore();
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  void children_are_there() const {
    all_started = true;
    send();
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  void restore() const {
    for (std::size_t i = 0; i < passed_signals.size(); ++i)
      sigaction(passed_signals[i], &before_[i], nullptr);
    sigaction(SIGALRM, &alarm_before_, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

private:
  struct sigaction alarm_before_ {};
  std::array<struct sigaction, passed_signals.size()> before_{};
  sigset_t mask_before_{};
};

// Orphans are waited for as init would: who looks whether one still runs must not find its remains.
void wait_for(std::vector<pid_t> pids, std::span<Result<ForegroundEnd>> ends) {
  for (auto running = std::ranges::count_if(pids, [](pid_t pid) { return pid > 0; }); running > 0;) {
    int status = 0;
    rusage used{};
    const pid_t done = wait4(-1, &status, 0, &used);
    if (done < 0 && errno == EINTR) continue;
    const std::string error = done < 0 ? strerror(errno) : "";
    for (std::size_t i = 0; i < pids.size(); ++i) {
      if (pids[i] <= 0 || (done > 0 && pids[i] != done)) continue;
      children[i] = pids[i] = 0, --running; // another process may get its number
      if (done > 0)
        ends[i] = ForegroundEnd{end_of(status), static_cast<u64>(used.ru_maxrss) * 1024, false, {}};
      else
        ends[i] = failure(diag::error("wait-failed", "cannot wait for the program: " + error));
    }
  }
}

std::vector<std::string> names_of_children() {
  std::vector<std::string> out;
  std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
  for (pid_t child = 0; children >> child;) {
    std::string name = "?";
    std::ifstream comm(fmt::format("/proc/{}/comm", child));
    std::getline(comm, name);
    out.push_back(name);
  }
  if (out.empty()) out.emplace_back("?"); // this kernel does not list children
  return out;
}

// Those that end with the program, or as soon as their pipe from it does, get the time for that; more of it where a signal
// came: those that launch stop their kernels first.
std::vector<std::string> left_running() {
  const int tries = signalled ? 200 : 20;
  constexpr std::chrono::milliseconds between(10);
  for (int i = 0; i < tries; ++i) {
    pid_t done = 0;
    while ((done = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (done < 0) return {};
    std::this_thread::sleep_for(between);
  }
  return names_of_children();
}

class AdoptsOrphans {
public:
  AdoptsOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~AdoptsOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  AdoptsOrphans(const AdoptsOrphans&) = delete;
  AdoptsOrphans& operator=(const AdoptsOrphans&) = delete;
};

// With SIGTERM instead a program could live on, and it would be emulated for nobody to see.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL); // it died before that
}

// What Foreground::again says. A terminal or a pipe was read by the run before. A file is opened anew: the place where one
// run reads is not another's.
void repeat_quietly() {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  const bool is_file = lseek(STDIN_FILENO, 0, SEEK_SET) >= 0;
  const int input = is_file ? open("/proc/self/fd/0", O_RDONLY) : nothing;
  if (input >= 0) dup2(input, STDIN_FILENO);
  if (input > STDERR_FILENO && input != nothing) close(input);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
}

void write_stderr_to(const char* path) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) dup2(file, STDERR_FILENO);
}

} // namespace

void signal_foreground(int number) {
  to_send |= u32{1} << number;
  send();
}

std::vector<Result<ForegroundEnd>> run_side_by_side(std::span<const Foreground> specs) {
  SignalGuard guard;
  AdoptsOrphans adopts;
  const pid_t parent = getpid();
  std::vector<Result<ForegroundEnd>> ends(specs.size());
  std::vector<pid_t> pids(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    Result<pid_t> child = start(specs[i].command, [&] {
      guard.restore();
      signal(SIGPIPE, SIG_DFL);
      restore_file_size_signal();
      end_with(parent);
      if (specs[i].again) repeat_quietly();
      if (!specs[i].stderr_to.empty()) write_stderr_to(specs[i].stderr_to.c_str());
      if (specs[i].stdout_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    });
    if (!child) ends[i] = failure(child.error());
    children[i] = pids[i] = child ? *child : 0;
  }
  guard.children_are_there();
  wait_for(std::move(pids), ends);
  for (Result<ForegroundEnd>& end : ends)
    if (end) end->signalled = signalled;
  if (!ends.empty() && ends[0]) ends[0]->left = left_running();
  return ends;
}

Result<ForegroundEnd> run_foreground(const Foreground& spec) {
  return std::move(run_side_by_side(std::span(&spec, 1)).front());
}

} // namespace warplens::os
