// See interrupt.h. The handler itself passes the signal on: nothing that waits has to be woken up.
#include "os/interrupt.h"

namespace warplens::os {
namespace {

volatile std::sig_atomic_t signal_seen = 0;
volatile pid_t helpers = 0; // the process group that is told

void pass_on(int number) {
  bool again = signal_seen != 0;
  if (!again) signal_seen = number;
  if (helpers > 0) kill(-helpers, again ? SIGKILL : number);
}

sigset_t signals_passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : DelayedSignals::numbers) sigaddset(&set, number);
  return set;
}

} // namespace

DelayedSignals::DelayedSignals() {
  signal_seen = 0;
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_mask = signals_passed_on();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers[i], &action, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) sigaction(numbers[i], &before_[i], nullptr); // nohup, a shell's "&"
  }
}

DelayedSignals::~DelayedSignals() {
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
  if (int number = signal_seen; number != 0) {
    signal_seen = 0;
    raise(number);
  }
}

int DelayedSignals::which() { return signal_seen; }

HeldSignals::HeldSignals() {
  sigset_t held = signals_passed_on();
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

void HeldSignals::release() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void HeldSignals::release_to(pid_t group) const {
  helpers = group;
  release();
}

std::thread thread_without_signals(std::function<void()> run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread out(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return out;
}

} // namespace warplens::os
