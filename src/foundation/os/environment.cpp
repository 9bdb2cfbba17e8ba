// See environment.h. A program that runs with more rights than its caller has (setuid) must not be steered by the
// caller's variables: for it none is set.
#include "os/environment.h"
#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace warplens::os {

const char* variable(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

bool is_set(const char* name) { return secure_getenv(name) != nullptr; }

std::string executable() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size > 0 ? static_cast<std::size_t>(size) : 0);
}

u64 physical_memory() {
  return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

} // namespace warplens::os
