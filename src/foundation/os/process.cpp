// fork and exec. Whether exec succeeded comes back through a pipe that closes when it does.
#include "os/process.h"
#include "os/file.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char** environ;

namespace warplens::os {
namespace {

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : command.environment)
      replaced |= text.starts_with(name) && text.substr(name.size()).starts_with('=');
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) out.push_back(name + '=' + value);
  return out;
}

sighandler_t file_size_handler = SIG_ERR; // what SIGXFSZ did before; SIG_ERR: it was not changed

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

} // namespace

void survive_file_size_limit() { file_size_handler = signal(SIGXFSZ, SIG_IGN); }

void restore_file_size_signal() {
  if (file_size_handler != SIG_ERR) signal(SIGXFSZ, file_size_handler);
}

Result<pid_t> start(const Command& command, const std::function<void()>& prepare) {
  auto cannot = [&](int error) {
    return failure(
        diag::error("start-failed", fmt::format("cannot start '{}': {}", command.path, strerror(error))));
  };
  std::vector<std::string> arguments = command.arguments, environment = environment_of(command);
  std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot(errno);
  Descriptor from_child(ends[0]), to_parent(ends[1]);
  pid_t pid = fork();
  if (pid < 0) return cannot(errno);
  if (pid == 0) {
    prepare();
    execve(command.path.c_str(), argv.data(), envp.data());
    int error = errno;
    write_all(to_parent.get(), std::as_bytes(std::span(&error, 1)));
    _exit(127);
  }
  to_parent.reset();
  if (int error = 0; read_all(from_child.get(), &error, sizeof error)) {
    waitpid(pid, nullptr, 0);
    return cannot(error);
  }
  return pid;
}

ProcessEnd end_of(int status) {
  constexpr int killed = 128;
  if (WIFSIGNALED(status)) return {killed + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

bool gives_more_rights(const std::string& path) {
  struct stat file;
  struct statvfs system;
  if (stat(path.c_str(), &file) != 0) return false;
  if (statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_NOSUID) != 0) return false;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  const bool user = (file.st_mode & S_ISUID) != 0 && file.st_uid != geteuid();
  const bool group =
      (file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getegid();
  return user || group || (geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

} // namespace warplens::os
