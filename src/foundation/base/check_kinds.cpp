#include "base/check_kinds.h"
#include <utility>

namespace warplens::diag {

Check check_of(std::string_view kind) {
  using enum Check;
  static constexpr std::pair<std::string_view, Check> findings[] = {
      {"sync-divergent-block", sync},    {"sync-divergent-warp", sync}, {"sync-ended-threads", sync},
      {"sync-mbarrier-overflow", sync},  {"sync-mbarrier-phase", sync}, {"sync-missing-lanes", sync},
      {"sync-mixed-barrier", sync},      {"sync-not-named", sync},      {"sync-thread-counts", sync},
      {"memory-failed-call", memory},    {"memory-leak", memory},       {"memory-uninitialized", memory},
      {"memory-use-after-free", memory}, {"race-shared", race},         {"race-warp", race},
  };
  for (const auto& [name, check] : findings)
    if (name == kind) return check;
  return none;
}

} // namespace warplens::diag
