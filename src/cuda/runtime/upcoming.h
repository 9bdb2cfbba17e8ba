// Launches that were asked for and have not begun: those of threads that wait for another one's launch to end, and those of a
// graph whose work is being done. Where the program is interrupted, they are named.
#pragma once
#include "base/types.h"
#include <map>
#include <mutex>

namespace warplens::runtime {

struct Runtime;

class Upcoming {
public:
  // The runtime's lock for a thread that is about to launch: while it waits, the launch is one of these.
  std::unique_lock<std::recursive_mutex> lock(Runtime&, const void* function);
  void add(const void* function);
  void remove(const void* function);
  void tell(Runtime&); // as a message; with the runtime's lock
  void after_fork();   // in the child: they are the parent's

private:
  std::mutex mutex_;
  std::map<const void*, u64> launches_; // by the host function
};

} // namespace warplens::runtime
