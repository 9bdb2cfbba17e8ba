#include "driver/program/python.h"
#include "os/environment.h"

namespace warplens::driver {

std::vector<std::pair<std::string, std::string>> python_environment(const cache::Settings& cache) {
  std::vector<std::pair<std::string, std::string>> out;
  auto set = [&](const char* name, std::string value) {
    if (!os::is_set(name)) out.emplace_back(name, std::move(value));
  };
  if (const bool keeps = !cache.folder.empty() && cache.limit != 0; !keeps) {
    set("CUPY_CACHE_IN_MEMORY", "1");
    return out;
  }
  set("CUPY_CACHE_DIR", cache.folder + "/cupy");
  set("CUPY_CACHE_SAVE_CUDA_SOURCE", "1");
  set("NUMBA_CACHE_DIR", cache.folder + "/numba");
  return out;
}

std::string python_sources(const cache::Settings& cache) {
  if (os::is_set("CUPY_CACHE_DIR")) return os::variable("CUPY_CACHE_DIR");
  return cache.folder.empty() ? "" : cache.folder + "/cupy";
}

} // namespace warplens::driver
