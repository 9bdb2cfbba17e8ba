#include "runtime/upcoming.h"
#include "ptx/parse.h"
#include "runtime/state.h"
#include <fmt/format.h>
#include <new>

namespace warplens::runtime {

std::unique_lock<std::recursive_mutex> Upcoming::lock(Runtime& runtime, const void* function) {
  std::unique_lock lock(runtime.mutex, std::try_to_lock);
  if (lock) return lock;
  add(function);
  lock.lock();
  remove(function);
  return lock;
}

void Upcoming::add(const void* function) {
  std::lock_guard lock(mutex_);
  ++launches_[function];
}

void Upcoming::remove(const void* function) {
  std::lock_guard lock(mutex_);
  if (auto found = launches_.find(function); found != launches_.end() && --found->second == 0)
    launches_.erase(found);
}

void Upcoming::tell(Runtime& runtime) {
  std::lock_guard lock(mutex_);
  if (launches_.empty()) return;
  constexpr std::size_t most_named = 10;
  u64 all = 0;
  std::vector<std::string> names;
  for (const auto& [function, times] : launches_) {
    all += times;
    const Kernel* kernel = runtime.binaries.kernel(function);
    if (names.size() == most_named) names.emplace_back("…");
    if (names.size() > most_named) continue;
    names.push_back((kernel != nullptr ? ptx::demangle(kernel->name) : "an unknown kernel") +
                    (times == 1 ? "" : fmt::format(" ({} times)", times)));
  }
  runtime.say(diag::warning("launches-not-started",
                            fmt::format("{} had not started when the program was stopped: {}",
                                        all == 1 ? "1 launch" : fmt::format("{} launches", all),
                                        fmt::join(names, ", "))));
}

void Upcoming::after_fork() {
  new (&mutex_) std::mutex;
  launches_.clear();
}

} // namespace warplens::runtime
