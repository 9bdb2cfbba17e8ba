// `record`: the program on a machine with a GPU, with the recorder's library in it (src/measured/recorder): once for the
// counters of its launches, then once more for the instructions of each launch, since CUPTI counts those of one launch in the
// life of a process.
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct RecordOptions {
  std::vector<std::string> command; // the program, then its arguments
  std::string output = "recording.jsonl";
  bool counters =
      true; // the first run: counters and times of whole launches; else it tells which launches there are
  u64 launches = 20; // the first so many of each process are recorded; the program runs once more for each
  bool colour = false;
};

// The program has its input and output in the first run alone. The exit code: its own, of that run; 2 when it could not be
// started, or nothing was recorded.
int record(const RecordOptions&, const RunOutput&);

} // namespace warplens::driver
