#include "runtime/options.h"
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace warplens::runtime {

static std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : std::string_view{};
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

Options options_from_environment() {
  Options options;
  options.events = variable("WARPLENS_EVENTS");
  if (std::vector<u32> sm = numbers(variable("WARPLENS_SM")); !sm.empty()) options.sm = std::move(sm);
  if (std::vector<u32> workers = numbers(variable("WARPLENS_WORKERS")); !workers.empty())
    options.workers = workers[0];
  options.strict_memory = variable("WARPLENS_MEMORY") == "strict";
  if (std::string_view timeout = variable("WARPLENS_TIMEOUT"); !timeout.empty()) {
    double seconds = std::atof(timeout.data());
    if (seconds > 0) options.timeout = seconds;
  }
  options.count_only = variable("WARPLENS_COUNT_ONLY") == "1";
  options.launch_blocking = variable("CUDA_LAUNCH_BLOCKING") == "1";
  return options;
}

} // namespace warplens::runtime
