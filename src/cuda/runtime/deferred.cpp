// The launches that wait, in order, and who makes them run: deferred.h says when.
#include "runtime/deferred.h"
#include "runtime/launch.h"
#include <algorithm>
#include <set>

namespace warplens::runtime {
namespace {

// So many that looking through them at every call stays cheap.
constexpr std::size_t most_waiting = 1 << 14, looked_back = 256;

// Whether the range has one of `size` bytes at `address`; by distances, since `size` may be anything.
bool overlaps(const sim::Memory::Range& range, u64 address, u64 size) {
  return address - range.begin < range.end - range.begin ||
         (range.begin - address < size && range.begin < range.end);
}

} // namespace

cudaError_t Deferrals::add(Runtime& runtime, DeferredLaunch launch) {
  drop_overwritten(runtime, launch);
  waiting_.push_back(std::move(launch));
  return waiting_.size() < most_waiting ? cudaSuccess : run_all(runtime);
}

cudaError_t Deferrals::before_read(Runtime& runtime, u64 address, u64 size, bool for_host) {
  if (waiting_.empty()) return cudaSuccess;
  auto is_read = [&](const DeferredLaunch::Touch& touch) {
    return touch.memory.written && overlaps(touch.memory.range, address, size);
  };
  if (for_host && runtime.options.no_results &&
      std::ranges::any_of(waiting_, [&](const DeferredLaunch& launch) {
        return std::ranges::any_of(launch.touches, is_read);
      }))
    runtime.end_early(measure::Stop::at_results);
  return run_through(runtime, is_read);
}

cudaError_t Deferrals::before_write(Runtime& runtime, u64 address, u64 size, bool every_byte) {
  if (waiting_.empty()) return cudaSuccess;
  sim::Memory::Range range = runtime.memory().range(address);
  if (every_byte && range.begin == address && range.end == address + size) {
    mark_lost(address); // what it held is of no use any more, but to launches that read it before
    drop_unneeded();
  }
  return run_through(runtime, [&](const DeferredLaunch::Touch& touch) {
    return overlaps(touch.memory.range, address, size);
  });
}

cudaError_t Deferrals::run_all(Runtime& runtime) { return run_first(runtime, waiting_.size()); }

void Deferrals::forget() {
  waiting_.clear();
  held_.clear();
}

bool Deferrals::hold(Runtime& runtime, u64 address) {
  if (!touched(address)) return false;
  auto range = runtime.memory().range(address);
  mark_lost(address);
  drop_unneeded();
  bool keep = touched(address);
  if (keep) held_.push_back(range);
  release_held(runtime);
  return keep;
}

bool Deferrals::holds(u64 address) const {
  return std::any_of(held_.begin(), held_.end(), [&](const auto& r) { return overlaps(r, address, 1); });
}

u64 Deferrals::held_bytes() const {
  u64 sum = 0;
  for (const sim::Memory::Range& range : held_) sum += range.end - range.begin;
  return sum;
}

bool Deferrals::writes(sim::Memory::Range range) const {
  for (const DeferredLaunch& launch : waiting_)
    for (const DeferredLaunch::Touch& touch : launch.touches)
      if (touch.memory.written && overlaps(touch.memory.range, range.begin, range.end - range.begin))
        return true;
  return false;
}

// Runs the launches up to the last one of which a touch is `concerned`.
template <class Concerned> cudaError_t Deferrals::run_through(Runtime& runtime, Concerned&& concerned) {
  std::size_t count = waiting_.size();
  while (count > 0 &&
         std::none_of(waiting_[count - 1].touches.begin(), waiting_[count - 1].touches.end(), concerned))
    --count;
  return run_first(runtime, count);
}

cudaError_t Deferrals::run_first(Runtime& runtime, std::size_t count) {
  if (count == 0) return cudaSuccess;
  std::vector<DeferredLaunch> now(
      std::make_move_iterator(waiting_.begin()),
      std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  runtime.progress.computing(true);
  for (const DeferredLaunch& launch : now) {
    if (runtime.sticky != cudaSuccess) break;
    run_deferred(runtime, launch);
    ++ran_;
  }
  runtime.progress.computing(false);
  drop_unneeded();
  release_held(runtime);
  return runtime.sticky;
}

void Deferrals::mark_lost(u64 begin) {
  for (DeferredLaunch& launch : waiting_)
    for (DeferredLaunch::Touch& touch : launch.touches)
      if (touch.memory.range.begin == begin) touch.lost = true;
}

// A launch is needed when something it writes is still there, or is read by a later one that is needed.
void Deferrals::drop_unneeded() {
  std::set<u64> wanted;
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    const std::vector<DeferredLaunch::Touch>& touches = waiting_[i].touches;
    bool needed = std::any_of(touches.begin(), touches.end(), [&](const DeferredLaunch::Touch& t) {
      return t.memory.written && (!t.lost || wanted.contains(t.memory.range.begin));
    });
    if (!needed) {
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    for (const DeferredLaunch::Touch& t : touches)
      if (t.memory.read) wanted.insert(t.memory.range.begin);
  }
}

void Deferrals::drop_overwritten(Runtime& runtime, const DeferredLaunch& by) {
  std::set<u64> read; // by what follows the launch at hand
  auto note = [&](const DeferredLaunch& launch) {
    for (const DeferredLaunch::Touch& t : launch.touches)
      if (t.memory.read) read.insert(t.memory.range.begin);
  };
  auto is_read = [&](const DeferredLaunch::Touch& t) {
    return t.memory.written && read.contains(t.memory.range.begin);
  };
  note(by);
  const std::size_t oldest = waiting_.size() - std::min(waiting_.size(), looked_back);
  for (std::size_t i = waiting_.size(); i-- > oldest;) {
    if (waiting_[i].writes != by.writes) {
      note(waiting_[i]);
      continue;
    }
    if (std::none_of(waiting_[i].touches.begin(), waiting_[i].touches.end(), is_read)) {
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      release_held(runtime);
    }
    return;
  }
}

bool Deferrals::touched(u64 begin) const {
  for (const DeferredLaunch& launch : waiting_)
    for (const DeferredLaunch::Touch& touch : launch.touches)
      if (touch.memory.range.begin == begin) return true;
  return false;
}

void Deferrals::release_held(Runtime& runtime) {
  std::erase_if(held_, [&](const sim::Memory::Range& range) {
    if (touched(range.begin)) return false;
    runtime.memory().release(range.begin);
    return true;
  });
}

} // namespace warplens::runtime
