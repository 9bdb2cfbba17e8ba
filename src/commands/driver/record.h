// `record`: the program on a machine with a GPU, with the recorder's library in it (src/output/measured/recorder): once for the
// counters of its launches, and once for their instructions, where a CUPTI is found that counts all; else once more for each launch.
#pragma once
#include "driver/run.h"
#include <optional>

namespace warplens::driver {

struct RecordOptions {
  std::vector<std::string> command; // the program, then its arguments
  std::string output = "recording.jsonl";
  bool counters = true; // and times of whole launches, which takes a run of their own
  u64 launches = 20;    // the first so many of each process are recorded
  u64 jobs = 0;         // runs for a launch each at once; 0: as many as the machine seems to have room for
  // The library that counts all launches by instruction. Not given: it is looked for; empty: there is none.
  std::optional<std::string> cupti;
  bool colour = false;
};

// The program has its input and output in the first run alone. The exit code: its own, of that run; 2 when it could not be
// started, or nothing was recorded.
int record(const RecordOptions&, const RunOutput&);

} // namespace warplens::driver
