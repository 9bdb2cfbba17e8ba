// `record`: the program on a machine with a GPU, with the recorder's library in it (src/measured/recorder), once for each pass.
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct RecordOptions {
  std::vector<std::string> command; // the program, then its arguments
  std::string output = "recording.jsonl";
  bool counters = true;        // the second pass: counters and times of whole launches
  std::optional<u64> launches; // record so many of each process
  bool colour = false;
};

// The exit code: the program's own, of its first pass; 2 when it could not be started, or nothing was recorded.
int record(const RecordOptions&, const RunOutput&);

} // namespace warplens::driver
