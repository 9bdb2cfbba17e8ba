// Both outputs of the process share one pipe, so that they come in the order in which they were written.
//
// Between us and the process stands a warden, the leader of its group, which does nothing but wait for it: should we be
// killed outright, the warden hears of it, and ends the group. Compilers start processes of their own, and these learn
// neither of our end nor of that of the process that started them.
#include "os/captured.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/process.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::os {
namespace {

// Where it is to stop the group is told so again, until nobody is left that could write: a process that was being made when it
// was told first may have missed it.
std::string read_to_end(int descriptor, const OnOutput& on_output, const std::stop_token& stop, pid_t group) {
  constexpr int patience = 200; // ms
  std::string all;
  char buffer[4096];
  for (;;) {
    pollfd one{descriptor, POLLIN, 0};
    if (poll(&one, 1, stop.stop_possible() ? patience : -1) == 0) {
      if (stop.stop_requested()) kill(-group, SIGTERM);
      continue;
    }
    ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    std::string_view piece(buffer, static_cast<std::size_t>(count));
    all += piece;
    if (on_output) on_output(piece);
  }
}

constexpr int owner_ended = SIGUSR1;

void end_group(int) {
  kill(0, SIGTERM); // which the warden ignores
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

// In a child of `owner`, before it becomes the process that is wanted: returns in a child of its own, which does, and stays
// behind as the warden. Where no more processes are to be had it returns without one.
void leave_warden(pid_t owner) {
  setpgid(0, 0); // what it starts gets our signals too, and a terminal's once
  const pid_t process = fork();
  if (process <= 0) return;
  for (int number : DelayedSignals::numbers) signal(number, SIG_IGN); // the process decides
  signal(owner_ended, end_group);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_PDEATHSIG, owner_ended);
  if (getppid() != owner) end_group(owner_ended);
  close_range(0, ~0u, 0); // the pipes' other ends wait for these to be closed
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

} // namespace

Result<Captured> run_captured(const std::vector<std::string>& arguments, const OnOutput& on_output,
                              const std::stop_token& stop) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return failure(diag::error("start-failed",
                               fmt::format("cannot start '{}': {}", arguments[0], std::strerror(errno))));
  Descriptor output(ends[0]), input(ends[1]);
  HeldSignals signals;
  if (DelayedSignals::seen())
    return failure(
        diag::error("interrupted", fmt::format("'{}' was not started: interrupted", arguments[0])));
  Result<pid_t> child = start({arguments[0], arguments, {}}, [&, owner = getpid()] {
    leave_warden(owner);
    signals.release();
    prctl(PR_SET_PDEATHSIG, SIGTERM); // should the warden be killed
    dup2(input.get(), STDOUT_FILENO);
    dup2(input.get(), STDERR_FILENO);
    close(STDIN_FILENO); // the lowest free number is what open gives
    open("/dev/null", O_RDONLY);
  });
  input.reset();
  if (!child) return failure(child.error());
  signals.release_to(*child);
  Captured result;
  {
    std::stop_callback end(stop,
                           [group = *child] { kill(-group, SIGTERM); }); // gone before the number is free
    result.output = read_to_end(output.get(), on_output, stop, *child);
  }
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  signals.release_to(0); // its number may soon be another's
  result.exit_code = end_of(status).exit_code;
  return result;
}

} // namespace warplens::os
