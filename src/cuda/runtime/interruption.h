// A launch that does not come to its end because the process has to: by a signal such as Ctrl-C's, a crash of another thread,
// or exit() there. The launch stops then, what was counted of it is sent, and the process ends as it would have.
//
// For that, signals that would end the process are handled while a launch runs, and only then: at all other times nothing is
// lost, and they do what they always did. Signals that the program handles, ignores or blocks are left to it. A second
// SIGINT ends the process at once.
#pragma once
#include <atomic>

namespace warplens::runtime::interruption {

// Around everything from the announcement of a launch until its record is sent. By the thread that has the runtime's lock; may
// be nested.
class Guard {
public:
  Guard();
  ~Guard(); // ends the process where that was asked for
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  bool ends_process() const; // as it goes
};

// Set while the launch is to stop: sim::LaunchOptions::cancel.
const std::atomic<bool>& asked();

// The launch takes more than a few milliseconds: rarer signals are handled from now on, and crashes. From any thread.
void lasts();

// The process is about to end in an orderly way: waits until the launch of another thread has sent what it counted.
void stop_launch();

// After the guard and the runtime's lock have gone: does not go on where another thread ends the process, and may need that lock.
void leave_to_others();

void after_fork(); // in the child, which runs no launch

} // namespace warplens::runtime::interruption
