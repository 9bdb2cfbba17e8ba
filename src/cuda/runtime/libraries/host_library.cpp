// See host_library.h.
#include "runtime/libraries/host_library.h"
#include "runtime/state.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace warplens::runtime {

constexpr HostLibrary host_blas{{"libopenblas.so.0", "libblas.so.3"}, "libopenblas0"};
constexpr HostLibrary host_lapack{{"libopenblas.so.0", "liblapack.so.3"},
                                  "libopenblas0"}; // the first has both
constexpr HostLibrary host_fftw_single{{"libfftw3f.so.3", nullptr}, "libfftw3-single3"};
constexpr HostLibrary host_fftw_double{{"libfftw3.so.3", nullptr}, "libfftw3-double3"};

namespace {

// The program may have functions of these names itself: the library's own are taken.
void* open(const HostLibrary& library) {
  for (const char* file : library.files)
    if (file)
      if (void* handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL)) return handle;
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.say(
      diag::error("library-missing",
                  fmt::format("'{}' is not installed: calls of CUDA's library that need it return an error",
                              library.files[0]),
                  {}, fmt::format("apt install {}", library.package)));
  return nullptr;
}

} // namespace

void* host_function(const HostLibrary& library, const char* name) {
  static auto* opened = new std::map<const HostLibrary*, void*>;
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  auto [entry, first] = opened->try_emplace(&library, nullptr);
  if (first) entry->second = open(library);
  return entry->second ? dlsym(entry->second, name) : nullptr;
}

} // namespace warplens::runtime
