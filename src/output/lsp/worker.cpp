#include "lsp/worker.h"
#include <algorithm>

namespace warplens::lsp {

Worker::Worker() : thread_([this](const std::stop_token& end) { work(end); }) {}

Worker::~Worker() {
  thread_.request_stop();
  std::lock_guard lock(mutex_);
  running_stop_.request_stop();
}

void Worker::stop_running(const std::string& key) {
  if (running_ == key) running_stop_.request_stop();
}

void Worker::start(const std::string& key, std::chrono::milliseconds pause, Job job) {
  std::lock_guard lock(mutex_);
  stop_running(key);
  waiting_[key] = {Clock::now() + pause, std::move(job)};
  changed_.notify_all();
}

void Worker::cancel(const std::string& key) {
  std::lock_guard lock(mutex_);
  stop_running(key);
  waiting_.erase(key);
}

void Worker::work(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    auto next = std::ranges::min_element(waiting_, {}, [](const auto& one) { return one.second.due; });
    if (next == waiting_.end()) {
      changed_.wait(lock, end, [&] { return !waiting_.empty(); });
      continue;
    }
    if (const Clock::time_point due = next->second.due; due > Clock::now()) {
      changed_.wait_until(lock, end, due, [&] { // or something else is due
        return std::ranges::any_of(waiting_, [&](const auto& one) { return one.second.due < due; });
      });
      continue;
    }
    running_ = next->first;
    Job job = std::move(next->second.job);
    waiting_.erase(next);
    running_stop_ = std::stop_source();
    const std::stop_token token = running_stop_.get_token();
    lock.unlock();
    job(token);
    lock.lock();
    running_.clear();
    running_stop_ = std::stop_source(std::nostopstate);
  }
}

} // namespace warplens::lsp
