// What this process is doing, for the progress line: kept in the ledger, where the process that draws it reads
// (driver/program/progress.h). Only the end of the line is this side's: it goes before the program writes again.
#pragma once
#include "measure/ledger.h"

namespace warplens::runtime {

class Progress {
public:
  explicit Progress(measure::Ledger* ledger) : ledger_(ledger) {} // null: nobody looks
  void launch_begins(u64 index, std::string_view kernel, bool first_of_kernel);
  void blocks(u64 done, u64 total) const; // of the launch that runs; from any thread
  void launch_ends(bool proved) const;
  void computing(bool begins) const; // results that were put off
  void took(double seconds);         // a launch, or such results
  void erase() const;

private:
  measure::Ledger* ledger_;
  double untold_ = 0; // milliseconds, less than one
};

} // namespace warplens::runtime
