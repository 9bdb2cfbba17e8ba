// Both outputs of the process share one pipe, so that they come in the order in which they were written.
#include "os/captured.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/process.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::os {
namespace {

std::string read_to_end(int descriptor, const OnOutput& on_output) {
  std::string all;
  char buffer[4096];
  for (;;) {
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    std::string_view piece(buffer, static_cast<std::size_t>(count));
    all += piece;
    if (on_output) on_output(piece);
  }
}

} // namespace

Result<Captured> run_captured(const std::vector<std::string>& arguments, const OnOutput& on_output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return failure(diag::error("start-failed",
                               fmt::format("cannot start '{}': {}", arguments[0], std::strerror(errno))));
  Descriptor output(ends[0]), input(ends[1]);
  HeldSignals signals;
  if (DelayedSignals::seen())
    return failure(
        diag::error("interrupted", fmt::format("'{}' was not started: interrupted", arguments[0])));
  Result<pid_t> child = start({arguments[0], arguments, {}}, [&] {
    setpgid(0, 0); // what it starts gets our signals too, and a terminal's once
    signals.release();
    prctl(PR_SET_PDEATHSIG, SIGTERM); // should we be killed outright, it does not work on unseen
    dup2(input.get(), STDOUT_FILENO);
    dup2(input.get(), STDERR_FILENO);
    close(STDIN_FILENO); // the lowest free number is what open gives
    open("/dev/null", O_RDONLY);
  });
  input.reset();
  if (!child) return failure(child.error());
  signals.release_to(*child);
  Captured result;
  result.output = read_to_end(output.get(), on_output);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  signals.release_to(0); // its number may soon be another's
  result.exit_code = end_of(status).exit_code;
  return result;
}

} // namespace warplens::os
