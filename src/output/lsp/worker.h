// Work that is done beside the conversation, one job at a time: each after a pause, superseded by the next of the same key
// whether it waits or runs. What runs is asked to stop, and its result must not be used any more once it was.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace warplens::lsp {

class Worker {
public:
  using Job = std::function<void(const std::stop_token&)>;

  Worker();
  ~Worker(); // asks what runs to stop, drops what waits, and waits for the end

  void start(const std::string& key, std::chrono::milliseconds pause, Job);
  void cancel(const std::string& key);

private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Clock::time_point due;
    Job job;
  };
  void work(const std::stop_token& end);
  void stop_running(const std::string& key);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Waiting> waiting_;
  std::string running_;
  std::stop_source running_stop_{std::nostopstate};
  std::jthread thread_; // last: it uses the others
};

} // namespace warplens::lsp
