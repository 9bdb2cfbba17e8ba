// Each member waits for a semaphore of its own; the last one that is done wakes the caller.
#include "sim/grid/team.h"
#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <semaphore>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warplens::sim {
namespace {

// Threads begin with the signals held back that their maker holds back. Those that a program sends or is sent
// are for threads of its own, which may wait for them; faults come to whoever made them.
class SignalBlocker {
public:
  SignalBlocker() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalBlocker() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlocker(const SignalBlocker&) = delete;

private:
  sigset_t before_;
};

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
  const pid_t owner = getpid();

private:
  struct Member {
    std::binary_semaphore start{0};
  };

  // How many of `wanted` members there are, new ones included.
  u32 grow(u32 wanted) {
    if (members_.size() >= wanted) return wanted;
    SignalBlocker while_threads_start;
    while (members_.size() < wanted) {
      Member* member = members_.emplace_back(std::make_unique<Member>()).get();
      u32 number = static_cast<u32>(members_.size());
      try {
        std::thread([this, number, member] { serve(number, *member); }).detach();
      } catch (const std::system_error&) { // no more threads to be had
        members_.pop_back();
        break;
      }
    }
    return static_cast<u32>(members_.size());
  }

  [[noreturn]] void serve(u32 number, Member& member) {
    while (true) {
      member.start.acquire();
      (*job_)(number);
      if (--busy_ == 0) busy_.notify_one();
    }
  }

  const std::function<void(u32)>* job_ = nullptr;
  std::atomic<u32> busy_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
};

// Never destroyed: programs launch kernels until the very end. A forked child has none of its parent's
// threads, so it gets a team of its own.
Team& team() {
  static std::atomic<Team*> current = nullptr; // no lock: a child would find it as another thread left it
  Team* known = current;
  if (known != nullptr && known->owner == getpid()) return *known;
  auto fresh = std::make_unique<Team>();
  return current.compare_exchange_strong(known, fresh.get()) ? *fresh.release() : *known;
}

} // namespace

void run_together(u32 count, const std::function<void(u32)>& job) {
  if (count <= 1) return job(0);
  Team& shared = team();
  std::unique_lock lock(shared.mutex, std::try_to_lock);
  if (lock.owns_lock()) return shared.run(count, job);
  std::vector<std::jthread> threads; // another thread's launch has the team
  u32 next = 1;
  try {
    const SignalBlocker while_threads_start;
    for (; next < count; ++next) threads.emplace_back([&job, i = next] { job(i); });
  } catch (const std::system_error&) { // no more threads to be had
  }
  job(0);
  for (; next < count; ++next) job(next);
}

} // namespace warplens::sim
