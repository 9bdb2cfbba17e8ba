#include "driver/cupti.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// What is in `parent` under names that begin so; of several versions the last first.
std::vector<fs::path> named(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error))
    if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
  std::ranges::sort(out, std::greater());
  return out;
}

std::vector<fs::path> toolkits() {
  std::vector<fs::path> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable); folder != nullptr) out.emplace_back(folder);
  std::ranges::copy(named("/usr/local", "cuda"), std::back_inserter(out));
  out.emplace_back("/opt/cuda");
  return out;
}

} // namespace

std::string find_cupti_that_counts_all() {
  std::vector<fs::path> places;
  auto nsight = [&](const fs::path& folder) { places.push_back(folder / "host/target-linux-x64"); };
  for (const fs::path& version : named("/opt/nvidia/nsight-compute", "20")) nsight(version);
  for (const fs::path& toolkit : toolkits()) {
    for (const fs::path& version : named(toolkit, "nsight-compute-")) nsight(version);
    for (const char* folder : {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib"})
      places.push_back(toolkit / folder);
  }
  std::error_code error;
  // As Nsight Compute calls them, and as toolkits do.
  for (const char* name :
       {"libcupti.so.12.9", "libcupti.so.2025.2.", "libcupti.so.12.8", "libcupti.so.2025.1."})
    for (const fs::path& place : places)
      for (const fs::path& file : named(place, name))
        if (fs::is_regular_file(file, error)) return file;
  return {};
}

} // namespace warplens::driver
