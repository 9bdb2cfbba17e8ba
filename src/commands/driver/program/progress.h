// What the program is doing, while it runs: a line on the terminal, from its second second on; in a log file a line a minute.
//
// The program's processes keep it in the ledger (measure/ledger.h). The line is drawn behind the cursor, which stays where it is,
// and is cut off at the margin instead of wrapped. A process of the program erases it when its launch or its wait for results
// ends, before it writes again. While the program does its own work, nobody can do that: there the line is drawn only while
// the program writes nothing, at the right margin, where what it writes next is not in its way.
#pragma once
#include "measure/ledger.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace warplens::driver {

// The words for it. `width`: columns. `hint`: what Ctrl-C gives is said, too; and after half a minute, if `offers_budget`, what
// answers sooner.
std::string progress_text(const measure::Ledger&, std::chrono::seconds since_start, u32 width, bool hint,
                          bool offers_budget = false);

class ProgressLine {
public:
  // `offers_budget`: no option limits the run yet.
  ProgressLine(measure::Ledger&, bool wanted, bool offers_budget);
  ~ProgressLine(); // erases it
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

private:
  using Clock = std::chrono::steady_clock;
  void run();
  void draw(Clock::time_point now);

  measure::Ledger& ledger_;
  const bool terminal_, offers_budget_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point quiet_since_ = start_; // the program did its own work and wrote nothing
  u64 state_ = 0;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_; // last: it uses what is above
};

} // namespace warplens::driver
