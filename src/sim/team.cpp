#include "sim/team.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warplens::sim {
namespace {

class Team {
public:
  void run(u32 count, const std::function<void(u32)>& job) {
    u32 helpers = grow(count - 1);
    job_ = &job;
    busy_ = helpers;
    for (u32 i = 0; i < helpers; ++i) members_[i]->start.release();
    job(0);
    for (u32 i = helpers + 1; i < count; ++i) job(i); // for want of threads
    for (u32 busy; (busy = busy_) != 0;) busy_.wait(busy);
  }
  std::mutex mutex; // one run at a time

private:
  struct Member {
    std::binary_semaphore start{0};
  };

  // How many of `wanted` members there are, new ones included.
  u32 grow(u32 wanted) {
    try {
      while (members_.size() < wanted) {
        auto member = std::make_unique<Member>();
        u32 number = static_cast<u32>(members_.size()) + 1;
        std::thread([this, number, m = member.get()] {
          while (true) {
            m->start.acquire();
            (*job_)(number);
            if (--busy_ == 0) busy_.notify_one();
          }
        }).detach();
        members_.push_back(std::move(member));
      }
    } catch (const std::system_error&) { // no more threads to be had
    }
    return std::min(wanted, static_cast<u32>(members_.size()));
  }

  const std::function<void(u32)>* job_ = nullptr;
  std::atomic<u32> busy_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
};

// Never destroyed: programs launch kernels until the very end. A forked child has none of its parent's
// threads, so it gets a team of its own.
Team& team() {
  static std::mutex mutex;
  static Team* current = nullptr;
  static pid_t owner = 0;
  std::lock_guard lock(mutex);
  if (current == nullptr || owner != getpid()) {
    current = new Team;
    owner = getpid();
  }
  return *current;
}

} // namespace

void run_together(u32 count, const std::function<void(u32)>& job) {
  if (count <= 1) return job(0);
  Team& shared = team();
  std::unique_lock lock(shared.mutex, std::try_to_lock);
  if (lock.owns_lock()) return shared.run(count, job);
  std::vector<std::jthread> threads; // another thread's launch has the team
  for (u32 i = 1; i < count; ++i) threads.emplace_back([&job, i] { job(i); });
  job(0);
}

} // namespace warplens::sim
