#include "os/pager.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/process.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warplens::os {
namespace {

// Is there more than one screen of it?
bool is_long(std::string_view text, int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return false;
  return std::ranges::count(text, '\n') >= size.ws_row; // the shell's prompt takes a line
}

// While the pager has the terminal, Ctrl-C is meant for it, and a pipe that it closes early is no accident.
class WithoutSignals {
public:
  WithoutSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &ignore, &before_[i]);
  }
  ~WithoutSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  static void undo() { // in the new process
    for (int number : numbers) signal(number, SIG_DFL);
  }

private:
  static constexpr std::array numbers{SIGINT, SIGQUIT, SIGPIPE};
  std::array<struct sigaction, numbers.size()> before_{};
};

} // namespace

bool page(std::string_view text, int descriptor) {
  const std::string pager = is_set("PAGER") ? variable("PAGER") : "less";
  if (pager.empty() || pager == "cat" || isatty(descriptor) == 0 || !is_long(text, descriptor)) return false;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  Descriptor from_us(ends[0]), to_pager(ends[1]);
  Command command{"/bin/sh", {"sh", "-c", pager}, {}};
  if (*variable("LESS") == '\0')
    command.environment.emplace_back("LESS", "FRX"); // ends where all fits; colours; no second screen
  WithoutSignals aside;
  Result<pid_t> process = start(command, [&] {
    WithoutSignals::undo();
    dup2(from_us.get(), STDIN_FILENO);
    if (descriptor != STDOUT_FILENO) dup2(descriptor, STDOUT_FILENO);
  });
  if (!process) return false;
  from_us.reset();
  write_all(to_pager.get(), std::as_bytes(std::span(text))); // whoever has read enough closes it
  to_pager.reset();
  int status = 0;
  while (waitpid(*process, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int not_executable = 126, not_found = 127; // of the shell
  const int code = end_of(status).exit_code;
  return code != not_executable && code != not_found;
}

} // namespace warplens::os
