// See host_library.h.
#include "libraries/host_library.h"
#include "runtime/state.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace warplens::runtime {

#define HOST_LIBRARY(id, what, first, second, package, serves)                                               \
  constexpr HostLibrary id{{first, second}, package};
#include "base/host_libraries.def"
#undef HOST_LIBRARY

namespace {

struct Opened {
  void* handle = nullptr;
  std::size_t file = 0; // HostLibrary::files[]
};

// The program may have functions of these names itself: the library's own are taken.
Opened open(const HostLibrary& library) {
  for (std::size_t i = 0; i < std::size(library.files); ++i)
    if (library.files[i] != nullptr)
      if (void* handle = dlopen(library.files[i], RTLD_LAZY | RTLD_LOCAL)) return {handle, i};
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.say(
      diag::error("library-missing",
                  fmt::format("'{}' is not installed: calls of CUDA's library that need it return an error",
                              library.files[0]),
                  {}, fmt::format("apt install {}", library.package)));
  return {};
}

Opened opened(const HostLibrary& library) {
  static auto* all = new std::map<const HostLibrary*, Opened>;
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  auto [entry, first] = all->try_emplace(&library);
  if (first) entry->second = open(library);
  return entry->second;
}

} // namespace

void* host_function(const HostLibrary& library, const char* name) {
  const Opened found = opened(library);
  return found.handle ? dlsym(found.handle, name) : nullptr;
}

bool is_second_choice(const HostLibrary& library) { return opened(library).file != 0; }

} // namespace warplens::runtime
