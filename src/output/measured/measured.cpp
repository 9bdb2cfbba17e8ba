#include "measured/measured.h"
#include "measured/csv.h"
#include <algorithm>

namespace warplens::measured {

std::optional<u64> Counters::*counter_of(std::string_view name) {
  struct Known {
    std::string_view name;
    std::optional<u64> Counters::*counter;
  };
  static constexpr Known known[] = {
      {"inst_executed", &Counters::instructions},
      {"smsp__sass_inst_executed", &Counters::instructions},
      {"thread_inst_executed_true", &Counters::threads},
      {"smsp__sass_thread_inst_executed_pred_on", &Counters::threads},
      {"memory_l1_tag_requests_global", &Counters::tags},
      {"smsp__sass_l1tex_tags_mem_global", &Counters::tags},
      {"memory_l2_theoretical_sectors_global", &Counters::sectors},
      {"smsp__sass_sectors_mem_global", &Counters::sectors},
      {"memory_l2_theoretical_sectors_global_ideal", &Counters::ideal_sectors},
      {"smsp__sass_sectors_mem_global_ideal", &Counters::ideal_sectors},
      {"memory_l2_theoretical_sectors_local", &Counters::local_sectors},
      {"smsp__sass_sectors_mem_local", &Counters::local_sectors},
      {"memory_l1_wavefronts_shared", &Counters::wavefronts},
      {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", &Counters::wavefronts},
      {"memory_l1_wavefronts_shared_ideal", &Counters::ideal_wavefronts},
      {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", &Counters::ideal_wavefronts},
  };
  for (const Known& one : known)
    if (one.name == name) return one.counter;
  return nullptr;
}

std::optional<double> value_of(std::string_view text, std::string_view unit) {
  // Counts in units, times in nanoseconds, what there is of either for each second likewise.
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit units[] = {{"us", 1e3},    {"usecond", 1e3}, {"ms", 1e6},      {"msecond", 1e6},
                                   {"s", 1e9},     {"second", 1e9},  {"Kbyte", 1e3},   {"Mbyte", 1e6},
                                   {"Gbyte", 1e9}, {"Tbyte", 1e12},  {"Ksector", 1e3}, {"Msector", 1e6},
                                   {"Kinst", 1e3}, {"Minst", 1e6},   {"KB", 1e3},      {"MB", 1e6},
                                   {"GB", 1e9},    {"Khz", 1e3},     {"Mhz", 1e6},     {"Ghz", 1e9}};
  std::string digits(text.substr(0, text.find('%')));
  // nvprof joins both ("12.3GB/s"), and grades some ("Low (2)"). Nsight Compute lists parts behind a sum: "10 (4; 6)".
  const bool graded = !digits.empty() && digits.find_first_of("0123456789.+-") != 0;
  if (const std::size_t open = digits.find('('), close = digits.rfind(')');
      graded && open != digits.npos && close != digits.npos && close > open)
    digits = digits.substr(open + 1, close - open - 1);
  std::size_t end = digits.find_first_not_of("0123456789.,+-eE");
  while (end != digits.npos && end > 0 && (digits[end - 1] == 'e' || digits[end - 1] == 'E')) --end;
  std::string joined;
  if (unit.empty() && end != digits.npos) joined = digits.substr(end), unit = joined;
  std::optional<double> value = number_of(digits.substr(0, end));
  if (!value || (end != digits.npos && joined.empty())) return {};
  unit = unit.substr(0, unit.find('/'));
  const auto known = std::ranges::find(units, unit, &Unit::name);
  return *value * (known == std::end(units) ? 1 : known->factor);
}

} // namespace warplens::measured
