// Starting the program and waiting for it: signals that reach WarpLens go on to the program, and WarpLens
// itself stays to write the report. Whether exec succeeded comes back through a pipe that closes when it
// does.
#include "driver/child.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace warplens::driver {
namespace {

volatile pid_t child_pid = 0; // for the handler; one child at a time

volatile std::sig_atomic_t interrupts = 0;

// Ctrl-C goes to the whole foreground group: the program has it already. A signal that somebody sent to us
// does not. A program that outlives a Ctrl-C is killed by the next: the report is still to be written.
void pass_on(int number, siginfo_t* info, void*) {
  if (child_pid <= 0) return;
  bool from_terminal = info != nullptr && info->si_code == SI_KERNEL;
  if (number == SIGINT) interrupts = interrupts + 1;
  if (number == SIGINT && interrupts > 1)
    kill(child_pid, SIGKILL);
  else if (!from_terminal)
    kill(child_pid, number);
}

constexpr std::array passed_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Installs pass_on for its lifetime.
class SignalGuard {
public:
  SignalGuard() {
    interrupts = 0;
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < passed_signals.size(); ++i)
      sigaction(passed_signals[i], &action, &before_[i]);
  }
  ~SignalGuard() {
    child_pid = 0;
    restore();
  }
  void restore() const {
    for (std::size_t i = 0; i < passed_signals.size(); ++i)
      sigaction(passed_signals[i], &before_[i], nullptr);
  }

private:
  std::array<struct sigaction, passed_signals.size()> before_{};
};

std::vector<std::string> environment_of(const ChildSpec& spec) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : spec.environment)
      replaced |= text.starts_with(name) && text.substr(name.size()).starts_with('=');
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : spec.environment) out.push_back(name + '=' + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Waits until the process ends, but no longer than a tick takes: a short program must not wait for the next
// one.
class TickClock {
public:
  explicit TickClock(pid_t pid) : process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~TickClock() {
    if (process_ >= 0) close(process_);
  }
  TickClock(const TickClock&) = delete;
  TickClock& operator=(const TickClock&) = delete;
  void wait() const {
    constexpr int milliseconds = 20;
    pollfd end{process_, POLLIN, 0};
    poll(&end, process_ >= 0 ? 1 : 0, milliseconds); // without a descriptor (an old kernel): sleeps
  }

private:
  int process_;
};

Result<ChildEnd> wait_for(pid_t pid, const std::function<void()>& tick) {
  int status = 0;
  TickClock clock(pid);
  while (true) {
    pid_t done = waitpid(pid, &status, tick ? WNOHANG : 0);
    if (done == pid) break;
    if (done < 0 && errno != EINTR)
      return failure(
          diag::error("wait-failed", fmt::format("cannot wait for the program: {}", strerror(errno))));
    if (done == 0) {
      tick();
      clock.wait();
    }
  }
  if (WIFSIGNALED(status)) return ChildEnd{128 + WTERMSIG(status), WTERMSIG(status)};
  return ChildEnd{WEXITSTATUS(status), 0};
}

} // namespace

Result<ChildEnd> run_child(const ChildSpec& spec, const std::function<void()>& tick) {
  std::vector<std::string> arguments = spec.arguments, environment = environment_of(spec);
  std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  int failed[2]; // closes when exec succeeds, else carries errno
  if (pipe2(failed, O_CLOEXEC) != 0)
    return failure(diag::error("start-failed", fmt::format("cannot create a pipe: {}", strerror(errno))));
  SignalGuard guard;
  pid_t pid = fork();
  if (pid == 0) {
    guard.restore();
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG,
          SIGTERM); // should this process be killed outright, the program does not run on unseen
    if (spec.stdout_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    execve(spec.path.c_str(), argv.data(), envp.data());
    int error = errno;
    [[maybe_unused]] ssize_t written = write(failed[1], &error, sizeof error);
    _exit(127);
  }
  int error = pid < 0 ? errno : 0;
  close(failed[1]);
  child_pid = pid;
  if (pid > 0 && read(failed[0], &error, sizeof error) == sizeof error) waitpid(pid, nullptr, 0);
  close(failed[0]);
  if (error != 0)
    return failure(
        diag::error("start-failed", fmt::format("cannot start '{}': {}", spec.path, strerror(error))));
  return wait_for(pid, tick);
}

} // namespace warplens::driver
