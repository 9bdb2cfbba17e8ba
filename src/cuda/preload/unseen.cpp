// All ways to start a program (exec…, posix_spawn, system, popen) end in libc's execve, which is made to jump here. WarpLens is kept
// out of a program
//
//   * that gets more rights than this process has, since the dynamic linker then preloads nothing;
//   * whose environment lacks what WarpLens put there (`env -i`);
//   * that runs as another user, or below another root folder, and does not get at the files of the run;
//   * that needs no dynamic linker.
//
// Whether it uses CUDA is read from its file, and from those that a script, or the arguments of a shell, of sudo and the like name. What
// is not seen is a program that opens CUDA's libraries by itself (Python), or that is named without a folder.
//
// This may run in a child of vfork(), which has its parent's memory: it leaves nothing allocated and takes no lock.
#include "preload/unseen.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/process.h"
#include "preload/takeover.h"
#include "runtime/run_ledger.h"
#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

using os::Elf;

// Kept from the time before the program could change its rights or its environment.
measure::SharedLedger* ledger = nullptr;
std::string& folder() { // of this library
  static auto* only = new std::string;
  return *only;
}
std::string& events() {
  static auto* only = new std::string;
  return *only;
}

bool uses_cuda(const Elf& elf) {
  if (elf.find(".nv_fatbin") != nullptr || elf.find("__nv_relfatbin") != nullptr) return true;
  const std::vector<std::string_view> needed = elf.needed();
  return std::any_of(needed.begin(), needed.end(), [](std::string_view name) {
    return name.starts_with("libcudart.so") || name.starts_with("libcuda.so") ||
           name.starts_with("libnvrtc.so");
  });
}

bool uses_cuda(const std::string& path) {
  if (::access(path.c_str(), X_OK) != 0) return false;
  const os::MappedFile file(path.c_str());
  const std::optional<Elf> elf = Elf::parse(file.bytes());
  return elf && uses_cuda(*elf);
}

std::string_view value_in(char* const* environment, std::string_view name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
      return entry.substr(name.size() + 1);
  }
  return {};
}

// Why WarpLens cannot be in what that starts, or in what it starts itself; null: it can.
const char* obstacle(const char* path, char* const* environment) {
  if (os::gives_more_rights(path))
    return "it is setuid, setgid or has capabilities, so nothing is preloaded into it";
  if (value_in(environment, "LD_PRELOAD").find(folder()) == std::string_view::npos ||
      value_in(environment, "WARPLENS_EVENTS") != events())
    return "it was started with another environment, in which LD_PRELOAD or a variable of WarpLens is "
           "missing";
  if (events().starts_with('/') && faccessat(AT_FDCWD, events().c_str(), W_OK, AT_EACCESS) != 0)
    return "it was started by another user or below another root folder, where the files of the run cannot "
           "be reached";
  return nullptr;
}

// Programs that start what their arguments name. Others that name a program with CUDA may only copy it.
bool starts_others(std::string_view path) {
  constexpr std::string_view names[] = {
      "bash",   "chroot",  "dash",    "doas",    "env",     "ksh",     "mpiexec", "mpirun", "nice",
      "nohup",  "nsenter", "numactl", "pkexec",  "runuser", "setpriv", "setsid",  "sh",     "srun",
      "stdbuf", "su",      "sudo",    "taskset", "time",    "timeout", "unshare", "xargs",  "zsh"};
  return std::ranges::find(names, path.substr(path.rfind('/') + 1)) != std::end(names);
}

// The first file that a command line names and that uses CUDA; empty: there is none. The lines of a script that it names count, too.
std::string program_in(std::string_view text, bool in_script = false) {
  constexpr std::size_t longest = 64 << 10;
  text = text.substr(0, longest);
  while (!text.empty()) {
    const std::string word(text.substr(0, text.find_first_of(" \t\n;&|()<>'\"")));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.find('/') == std::string::npos) continue;
    if (uses_cuda(word)) return word;
    const os::MappedFile file(in_script ? "" : word.c_str());
    if (const std::string_view script = os::as_text(file.bytes()); script.starts_with("#!"))
      if (std::string found = program_in(script, true); !found.empty()) return found;
  }
  return {};
}

// What uses CUDA of that program and of what it is to start; empty: nothing.
std::string program_with_cuda(const char* path, char* const* arguments) {
  std::string found = program_in(path);
  if (!found.empty() || !starts_others(path) || arguments == nullptr || arguments[0] == nullptr) return found;
  for (char* const* argument = arguments + 1; found.empty() && *argument != nullptr; ++argument)
    found = program_in(*argument);
  return found;
}

void note(const std::string& program, const char* why) {
  const u64 index = ledger->unseen++;
  if (index >= ledger->unseen_programs.size()) return;
  measure::UnseenProgram& entry = ledger->unseen_programs[index];
  const std::string text = "'" + program + "': " + why;
  entry.text[text.copy(entry.text, sizeof entry.text - 1)] = '\0';
  entry.written = true;
}

void look_at(const char* path, char* const* arguments, char* const* environment) {
  if (path == nullptr || ::access(path, X_OK) != 0) return;
  if (const char* why = obstacle(path, environment)) {
    if (const std::string program = program_with_cuda(path, arguments); !program.empty()) note(program, why);
    return;
  }
  const os::MappedFile file(path);
  const std::optional<Elf> elf = Elf::parse(file.bytes());
  if (elf && !elf->has(SHT_DYNAMIC) && uses_cuda(*elf))
    note(path, "it is linked statically as a whole, so no library can be preloaded into it");
}

int start_program(const char* path, char* const* arguments, char* const* environment) {
  const int before = errno;
  look_at(path, arguments, environment);
  errno = before;
  return static_cast<int>(syscall(SYS_execve, path, arguments, environment));
}

} // namespace

void watch_starts(const std::vector<Elf::Symbol>& symbols, u64 base) {
  Dl_info own{};
  ledger = run_ledger(os::variable("WARPLENS_LEDGER"));
  if (ledger == nullptr || dladdr(reinterpret_cast<const void*>(&start_program), &own) == 0) return;
  folder() = std::string(own.dli_fname).substr(0, std::string_view(own.dli_fname).rfind('/') + 1);
  events() = os::variable("WARPLENS_EVENTS");
  for (const Elf::Symbol& symbol : symbols)
    if (symbol.defined && symbol.name == "execve" && symbol.size >= jump_size)
      return jump(reinterpret_cast<std::byte*>(base + symbol.value),
                  reinterpret_cast<void (*)()>(start_program));
}

} // namespace warplens::runtime
