#include "runtime/environment_options.h"
#include "os/environment.h"
#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace warplens::runtime {

std::vector<u32> Options::capabilities() const {
  std::vector<u32> out;
  for (std::string_view rest = sm; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    u32 value = 0;
    if (std::from_chars(item.data(), item.data() + item.size(), value).ec == std::errc{})
      out.push_back(value);
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return out;
}

sim::LaunchChecks Options::launch_checks() const {
  auto has = [&](std::string_view check) { return std::ranges::find(checks, check) != checks.end(); };
  return {has("sync"), has("memory"), has("race")};
}

Code Options::which_code() const {
  if (code == "ptx" || code == "machine") return code == "ptx" ? Code::ptx : Code::machine;
  return checks.empty()
             ? Code::best
             : Code::ptx_first; // machine code leaves out what synchronises lanes that run together
}

// As a driver (580.159.04) reads "1,0,9" (two devices), "1,-1,0" (one), "" (none) and "0,0" (an error). UUIDs are those of GPUs
// elsewhere: each stands for one.
VisibleDevices visible_devices(u32 devices, const char* variable) {
  if (variable == nullptr) return {devices};
  VisibleDevices out;
  std::set<u32> seen;
  for (std::string_view rest = variable; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    u32 number = out.count;
    const bool is_uuid = item.starts_with("GPU-") || item.starts_with("MIG-");
    if (!is_uuid && std::from_chars(item.data(), item.data() + item.size(), number).ec != std::errc{}) break;
    if (number >= devices) break;
    if (!seen.insert(number).second) return {0, true};
    ++out.count;
  }
  return out;
}

Options options_from_environment() {
  Options out{options_from(os::variable)};
  out.events = os::variable("WARPLENS_EVENTS");
  out.ledger = os::variable("WARPLENS_LEDGER");
  out.returned = os::variable("WARPLENS_RETURNED");
  out.launch_blocking = std::string_view(os::variable("CUDA_LAUNCH_BLOCKING")) == "1";
  return out;
}

} // namespace warplens::runtime
