#include "sim/children.h"
#include <utility>

namespace warplens::sim {

std::vector<ChildLaunch> DeviceRuntime::take_children() {
  std::lock_guard lock(mutex_);
  errors_.clear();
  return std::exchange(waiting_, {});
}

void DeviceRuntime::allow_children(bool allowed) {
  std::lock_guard lock(mutex_);
  full_ = !allowed;
}

void DeviceRuntime::set_conditional(u64 handle, u32 value) {
  std::lock_guard lock(mutex_);
  conditionals_[handle] = value;
}

u32 DeviceRuntime::conditional(u64 handle) const {
  std::lock_guard lock(mutex_);
  auto known = conditionals_.find(handle);
  return known == conditionals_.end() ? 0 : known->second;
}

bool DeviceRuntime::may_launch() const {
  std::lock_guard lock(mutex_);
  return !full_;
}

void DeviceRuntime::prepare(ChildLaunch child) {
  std::lock_guard lock(mutex_);
  child.number = waiting_.size();
  waiting_.push_back(child);
}

bool DeviceRuntime::launch(u64 parameters, bool tail) {
  std::lock_guard lock(mutex_);
  for (ChildLaunch& child : waiting_) {
    if (child.parameters != parameters || child.launched) continue;
    child.launched = true, child.tail = tail;
    return true;
  }
  return false;
}

void DeviceRuntime::change_conditional(u64 handle, u32 value) {
  std::lock_guard lock(mutex_);
  if (auto known = conditionals_.find(handle); known != conditionals_.end()) known->second = value;
}

void DeviceRuntime::fail(Thread thread, u64 error) {
  std::lock_guard lock(mutex_);
  errors_[thread] = error;
}

u64 DeviceRuntime::last_error(Thread thread, bool forget) {
  std::lock_guard lock(mutex_);
  auto known = errors_.find(thread);
  if (known == errors_.end()) return 0;
  const u64 out = known->second;
  if (forget) errors_.erase(known);
  return out;
}

} // namespace warplens::sim
