#include "toolchain/process.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace warplens::toolchain {
namespace {

diag::Diagnostic cannot_start(const std::string& program, int error) {
  return diag::error("toolchain-cannot-start",
                     fmt::format("cannot start '{}': {}", program, std::strerror(error)));
}

std::string read_all(int descriptor, const OnOutput& on_output) {
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

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int killed = 128; // as a shell reports it
  return WIFSIGNALED(status) ? killed + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& arguments, const OnOutput& on_output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure(cannot_start(arguments[0], errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return failure(cannot_start(arguments[0], error));
  }
  ProcessResult result;
  result.output = read_all(ends[0], on_output);
  close(ends[0]);
  result.exit_code = wait_for(child);
  return result;
}

} // namespace warplens::toolchain
