#include "measured/measured.h"

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

bool is_launch_counter(std::string_view name) {
  if (name == "gpu__time_duration.sum" || name == "sm__cycles_elapsed.max" || name == "idc__requests.sum")
    return true;
  return name.ends_with(".sum") && (name.starts_with("l1tex__") || name.starts_with("smsp__sass_") ||
                                    name.starts_with("smsp__inst_executed") || name.starts_with("lts__t_") ||
                                    name.starts_with("dram__"));
}

} // namespace warplens::measured
