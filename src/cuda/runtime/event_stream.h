// The way out of the emulated program: each event is one line, appended with one write, so that lines of
// several threads and of forked children do not mix and every launch that ended survives whatever the program
// does next.
//
// What cannot be written is counted where no disk is needed (measure/ledger.h), so that the parent knows what
// it did not get. A process that cannot even do that says so on standard error, once.
#pragma once
#include "measure/ledger.h"
#include "measure/once.h"
#include <mutex>
#include <string>

namespace warplens::runtime {

class EventStream {
public:
  // `destination`: a file that exists, or the number of an open file descriptor; empty: events are dropped.
  // `ledger`: the name of shared memory; empty: nobody compares.
  EventStream(std::string destination, const std::string& ledger);
  measure::Ledger* ledger() const { return ledger_; } // null: there is none
  void begin_launch();                                // to be called once for each that will be sent
  void send(measure::Event);
  // In a forked child: a lock that another thread of the parent held would never be released.
  void after_fork();

private:
  bool open();
  int write(std::string_view line);
  void note_lost(int error);

  std::string destination_;
  measure::Ledger* ledger_ = nullptr; // in shared memory
  int descriptor_ = -1;
  u64 sequence_ = 0;
  measure::Sender sender_;
  std::mutex mutex_;
};

} // namespace warplens::runtime
