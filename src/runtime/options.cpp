// See options.h: what each variable means. One that makes no sense is as good as not set.
#include "runtime/options.h"
#include "os/environment.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace warplens::runtime {

static bool names(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == wanted) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

static std::vector<u32> numbers(std::string_view text) {
  std::vector<u32> out;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    u32 value = 0;
    if (std::from_chars(item.data(), item.data() + item.size(), value).ec == std::errc{})
      out.push_back(value);
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  return out;
}

static void take_count(const char* variable, u64& out) {
  std::string_view text = os::variable(variable);
  u64 value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) out = value;
}

Options options_from_environment() {
  using namespace std::string_view_literals;
  Options options;
  options.events = os::variable("WARPLENS_EVENTS");
  options.ledger = os::variable("WARPLENS_LEDGER");
  options.returned = os::variable("WARPLENS_RETURNED");
  if (std::vector<u32> sm = numbers(os::variable("WARPLENS_SM")); !sm.empty()) options.sm = std::move(sm);
  if (std::vector<u32> workers = numbers(os::variable("WARPLENS_WORKERS")); !workers.empty())
    options.workers = workers[0];
  options.strict_memory = os::variable("WARPLENS_MEMORY") == "strict"sv;
  std::string_view checks = os::variable("WARPLENS_CHECK");
  options.checks = {names(checks, "sync"), names(checks, "memory"), names(checks, "race")};
  if (double seconds = std::atof(os::variable("WARPLENS_TIMEOUT")); seconds > 0) options.timeout = seconds;
  const std::string_view code = os::variable("WARPLENS_COUNT_AS");
  options.count_as = code == "ptx"            ? CountAs::ptx
                     : code == "machine-code" ? CountAs::machine_code
                                              : CountAs::best;
  options.count_only = os::variable("WARPLENS_COUNT_ONLY") == "1"sv;
  options.no_results = os::variable("WARPLENS_NO_RESULTS") == "1"sv;
  options.keep_going = os::variable("WARPLENS_KEEP_GOING") == "1"sv;
  take_count("WARPLENS_LAUNCH_SKIP", options.launch_skip);
  take_count("WARPLENS_LAUNCHES", options.launches);
  take_count("WARPLENS_PER_KERNEL", options.per_kernel);
  options.launch_blocking = os::variable("CUDA_LAUNCH_BLOCKING") == "1"sv;
  return options;
}

} // namespace warplens::runtime
