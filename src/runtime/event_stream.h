// The way out of the emulated program: each event is one line, appended with one write, so that lines of
// several threads and of forked children do not mix and every launch that ended survives whatever the program
// does next.
#pragma once
#include "measure/wire.h"
#include <mutex>
#include <string>

namespace warplens::runtime {

class EventStream {
public:
  // `destination`: a path, or the number of an open file descriptor; empty: events are dropped.
  explicit EventStream(std::string destination);
  void send(measure::Event);
  // In a forked child: a lock that another thread of the parent held would never be released.
  void after_fork();

private:
  bool open();
  std::string destination_;
  int descriptor_ = -1;
  measure::SiteTable sites_;
  std::mutex mutex_;
};

} // namespace warplens::runtime
