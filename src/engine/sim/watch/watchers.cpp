#include "sim/watch/watchers.h"
#include "sim/watch/access_checks.h"
#include "sim/watch/sync_check.h"

namespace warplens::sim {

void add_watchers(Exec& x) {
  const LaunchChecks& checks = x.launch.options.checks;
  if (checks.sync) x.watchers.push_back(std::make_unique<SyncCheck>(x));
  if (!checks.memory && !checks.race) return;
  auto accesses = std::make_unique<AccessChecks>(x);
  x.loop = accesses.get();
  x.watchers.push_back(std::move(accesses));
}

} // namespace warplens::sim
