// Starting another program, without a shell. Two ways to use one stand on this: captured.h reads what it
// says, foreground.h leaves it the terminal.
#pragma once
#include "base/diagnostic.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace warplens::os {

struct Command {
  std::string path;                                             // PATH is not searched
  std::vector<std::string> arguments;                           // first = the name it sees
  std::vector<std::pair<std::string, std::string>> environment; // set in addition to ours
};

struct ProcessEnd {
  int exit_code = 0;
  int signal = 0; // that killed it; exit_code is then 128 + signal, as a shell reports it
};

// From here on a write past the limit on the size of files (ulimit -f) is an error, as on a full disk, and does not end us, nor
// the helpers that we start. A child that becomes the user's program takes that back.
void survive_file_size_limit();
void restore_file_size_signal();

// The new process, once it runs the program; whoever starts it waits for it. `prepare` is called in it before,
// to set up descriptors and signals: it may call nothing but what a signal handler may. Fails with the reason
// why the program cannot be started.
Result<pid_t> start(const Command&, const std::function<void()>& prepare);

ProcessEnd end_of(int status); // of waitpid

// Whether the kernel starts that file with rights that this process does not have (setuid, setgid, capabilities). Then the dynamic
// linker preloads nothing.
bool gives_more_rights(const std::string& path);

} // namespace warplens::os
