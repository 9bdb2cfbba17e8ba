#include "fuzz/target.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace warplens::fuzz {
namespace {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

} // namespace

Registered::Registered(std::string_view name, void (*run)(std::string_view)) {
  targets().push_back({name, run});
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) return &target;
  return nullptr;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

File::File(std::string_view content, bool executable) : descriptor_(memfd_create("input", 0)) {
  require(descriptor_ >= 0, "a file in memory can be made");
  if (executable) require(fchmod(descriptor_, 0755) == 0, "a file in memory can be made executable");
  while (!content.empty()) {
    ssize_t written = write(descriptor_, content.data(), content.size());
    require(written > 0, "a file in memory can be written");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  std::snprintf(path_, sizeof path_, "/proc/self/fd/%d", descriptor_);
}

File::~File() { close(descriptor_); }

} // namespace warplens::fuzz
