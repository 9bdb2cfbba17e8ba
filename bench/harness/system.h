// One of the compared systems, behind the few verbs that a comparison needs, and the loop that serves them to
// the driver. Each system is a program of its own: the driver starts it pinned to the cores of the
// comparison, and lets the programs take turns.
//
// The protocol is one line per request on standard input and one line per answer on standard output:
//   load NAME SIZE     → ok                       inputs in place, nothing run yet
//   check MODE         → ok | wrong REASON        a launch from fresh inputs, its result compared with the host's
//   time MODE SECONDS  → ok MEDIAN LAUNCHES THREAD_INSTRUCTIONS SECTORS
//                        launches again and again for so long (at least once), seconds of the median one
// A launch is all steps of the workload.
// MODE is "plain" or "counting". What makes a request impossible ends the program with exit code 2 and a
// message.
#pragma once
#include "workloads/workloads.h"

namespace warplens::bench {

struct Launch {
  double seconds = 0;
  u64 thread_instructions = 0, sectors = 0; // 0 where the system does not count them
};

class System {
public:
  virtual ~System() = default;
  virtual std::string description() const = 0; // versions, device, compiler: one line
  virtual void load(const Case&) = 0;          // takes the place of what was loaded before
  virtual void reset(const Case&) = 0;         // the buffers as they were
  virtual Launch launch(bool counting) = 0;
  virtual Words read(u32 buffer) = 0;
};

// Answers requests until standard input ends. Before that one line: "ok DESCRIPTION".
int serve(System&);
// The table of workloads, one a line: NAME GOAL PROGRAM FULL QUICK REDUCED TINY.
void print_workloads();

[[noreturn]] void fail(const std::string& message); // to standard error, exit code 2
double now();                                       // seconds

} // namespace warplens::bench
