// Who does what: the handler, on whichever thread, asks the launch to stop and returns; the thread that launches ends the process
// when the record is sent. A thread that crashed cannot go on: it waits in the handler, and ends the process itself.
//
// Nobody is lost between them: the handler says first that the end was asked for and then looks whether a launch runs; the
// thread that launches says first that none runs and then looks whether the end was asked for.
#include "runtime/interruption.h"
#include "base/types.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <span>
#include <sys/syscall.h>
#include <unistd.h>

namespace warplens::runtime::interruption {
namespace {

constexpr std::array at_once{SIGINT, SIGTERM, SIGHUP};
constexpr std::array if_it_lasts{SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2};
constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

constexpr int by_exit = -1; // as a reason: another thread ends the process

std::atomic<bool> cancel{false};
std::atomic<int> reason{0};                // a signal, by_exit, or 0: the process need not end
std::atomic<i64> since{0};                 // milliseconds: when the first signal came
std::atomic<pid_t> owner{0}, launching{0}; // process, and thread that launches; 0: none
std::atomic<bool> told{false};             // what was counted has been sent
enum class Handled : u8 { at_once, being_set, all };
std::atomic<Handled> handled{Handled::at_once}; // which signals, of those that the program leaves to us
u32 depth = 0;                                  // of guards; of the thread that launches
std::atomic<const void*> outermost{nullptr};    // guard, on that thread's stack

pid_t thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

i64 milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return i64{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void nap() {
  constexpr timespec little{0, 2'000'000};
  nanosleep(&little, nullptr);
}

// As the signal does by default. Returns only where it is blocked while its handler runs; it ends the process after that.
void end_by(int number) {
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  kill(getpid(), number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

// Stacks grow down. A handler of the program may have left the launch by siglongjmp(), guard and all.
bool is_left(const void* here) { return here > outermost.load(); }

bool is_mine() { // a process made by vfork() has our memory
  return launching != 0 && owner == getpid() &&
         !(launching == thread() && is_left(__builtin_frame_address(0)));
}

void on_signal(int number) {
  const int saved = errno;
  constexpr i64 the_same =
      100; // some senders tell the process and its group, and WarpLens passes on what it gets
  int none = 0;
  if (reason.compare_exchange_strong(none, number)) {
    since = milliseconds();
  } else if (number == SIGINT && none != by_exit && milliseconds() - since > the_same) {
    end_by(number);
  }
  cancel = true;
  if (!is_mine()) end_by(number);
  errno = saved;
}

// Whether the launch has sent what it counted, after some time at most: it may need what the crash left locked. A busy machine
// needs seconds.
constexpr i64 patience = 10'000; // milliseconds

void wait_until_told() {
  for (const i64 begin = milliseconds(); !told && is_mine() && milliseconds() - begin < patience;) nap();
}

void on_crash(int number, siginfo_t* info, void*) {
  const int saved = errno;
  if (is_mine() && launching != thread()) {
    int none = 0;
    reason.compare_exchange_strong(none, by_exit);
    cancel = true;
    wait_until_told();
  }
  signal(number, SIG_DFL); // the instruction that crashed does it again
  if (info == nullptr || info->si_code <= 0) kill(getpid(), number);
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return action.sa_handler == on_signal || action.sa_sigaction == on_crash;
}

void handle(std::span<const int> numbers, bool crash) {
  struct sigaction action {};
  if (crash)
    action.sa_sigaction = on_crash;
  else
    action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | (crash ? SA_SIGINFO | SA_ONSTACK : 0);
  for (int number : numbers) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL)
      sigaction(number, &action, nullptr);
  }
}

// Where the program has set a handler of its own since, that stays.
void leave(std::span<const int> numbers) {
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  for (int number : numbers) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (is_ours(now)) sigaction(number, &none, nullptr);
  }
}

} // namespace

Guard::Guard() {
  if (depth != 0 && is_left(this)) depth = 0;
  if (depth++ != 0) return;
  outermost = this;
  // Handlers for the end run last to first: before the one that unregisters the program's device code, which would wait for the launch.
  [[maybe_unused]] static const int registered = on_exit([](int, void*) { stop_launch(); }, nullptr);
  told = false;
  owner = getpid();
  launching = thread();
  handle(at_once, false);
}

Guard::~Guard() {
  if (--depth != 0) return;
  told = true;
  launching = 0;
  leave(at_once);
  if (handled.exchange(Handled::at_once) == Handled::all) leave(if_it_lasts), leave(crashes);
  const int why = reason;
  if (why > 0) end_by(why);
}

void leave_to_others() {
  constexpr i64 longer = patience + 1000;
  for (const i64 begin = milliseconds(); reason == by_exit && milliseconds() - begin < longer;) nap();
}

bool Guard::ends_process() const { return depth == 1 && reason != 0; }

const std::atomic<bool>& asked() { return cancel; }

// No worker goes on before the handlers are set: what it runs next may let another thread of the program crash.
void lasts() {
  if (launching == 0) return;
  Handled now = Handled::at_once;
  if (handled.compare_exchange_strong(now, Handled::being_set)) {
    handle(if_it_lasts, false);
    handle(crashes, true);
    handled = Handled::all;
    return;
  }
  while (handled == Handled::being_set) nap();
}

void stop_launch() {
  if (!is_mine() || launching == thread()) return;
  int none = 0;
  reason.compare_exchange_strong(none, by_exit);
  cancel = true;
  wait_until_told();
}

void after_fork() {
  cancel = false, told = false, reason = 0, launching = 0;
  if (handled == Handled::being_set) handled = Handled::at_once; // the thread that set them is not here
}

} // namespace warplens::runtime::interruption
