// Signals that would end us while helpers (compilers) work and files wait to be removed.
#pragma once
#include <array>
#include <csignal>
#include <functional>
#include <sys/types.h>
#include <thread>

namespace warplens::os {

// For its lifetime SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless they are ignored, do not end us: they go on to the process
// group that run_captured() runs at that moment, which a second one kills outright. The destructor restores what was and
// raises what came, so that we end as the sender meant, with everything cleaned up that this object outlives.
// One at a time.
class DelayedSignals {
public:
  DelayedSignals();
  ~DelayedSignals();
  DelayedSignals(const DelayedSignals&) = delete;
  DelayedSignals& operator=(const DelayedSignals&) = delete;
  static int which(); // the first that came; 0: none did, or there is no such object
  static bool seen() { return which() != 0; }

  static constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

private:
  std::array<struct sigaction, numbers.size()> before_{};
};

// For run_captured(). While one exists, no signal of DelayedSignals is handled, so that none falls between the question
// whether one came and the start of a process that should have got it.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  void release() const;
  void release_to(pid_t group) const; // and from now on to that group; 0: to nobody

private:
  sigset_t before_{};
};

// A thread that no signal of the process comes to.
std::thread thread_without_signals(std::function<void()> run);

} // namespace warplens::os
