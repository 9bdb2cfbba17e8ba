#include "driver/cupti.h"
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// The folders of `parent` whose names begin so; of several versions the last first.
std::vector<fs::path> folders(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error))
    if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
  std::ranges::sort(out, std::greater());
  return out;
}

} // namespace

std::string find_cupti_that_counts_all() {
  std::vector<fs::path> places;
  auto nsight = [&](const fs::path& folder) { places.push_back(folder / "host/target-linux-x64"); };
  for (const fs::path& version : folders("/opt/nvidia/nsight-compute", "20")) nsight(version);
  for (const fs::path& toolkit : folders("/usr/local", "cuda")) {
    for (const fs::path& version : folders(toolkit, "nsight-compute-")) nsight(version);
    for (const char* folder : {"lib64", "extras/CUPTI/lib64"}) places.push_back(toolkit / folder);
  }
  std::error_code error;
  // As Nsight Compute calls them, and as toolkits do.
  for (const char* name :
       {"libcupti.so.12.9", "libcupti.so.2025.2.1", "libcupti.so.12.8", "libcupti.so.2025.1.1"})
    for (const fs::path& place : places)
      if (fs::is_regular_file(place / name, error)) return place / name;
  return {};
}

} // namespace warplens::driver
