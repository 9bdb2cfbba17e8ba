// The launches of a run. Those that are alike (measure/record.h) are kept once, with which launches they were, so that a
// loop of 100,000 launches takes no more memory, and no longer report, than one of ten.
#pragma once
#include "measure/record.h"
#include <map>
#include <unordered_map>
#include <vector>

namespace warplens::summary {

// Launches of one process: number first, first + step, … `count` of them, at least one. The processes behind it have launches of the
// same numbers, as a job's ranks mostly do.
struct Occurrences {
  i64 process = 0;
  u64 first = 0, count = 1, step = 1;
  u64 processes = 1; // this one, and how many behind it
  template <class F> void each_process(const F& f) const {
    for (u64 n = 0; n < processes; ++n) f(process + static_cast<i64>(n));
  }
  bool operator==(const Occurrences&) const = default;
};

struct Launch {
  Launch(measure::LaunchRecord); // a single one
  measure::LaunchRecord record;  // of the first
  // What a GPU counted for the whole launch, by the profiler's names; times in nanoseconds. Empty where WarpLens counted.
  std::map<std::string, double> counters;
  std::vector<Occurrences> when; // never empty
  u64 count() const;             // how many
  void repeat(i64 process, u64 index);
  void repeat(const Occurrences&);
};

u64 count(const std::vector<Launch>&); // of launches, alike or not

// The capability of the machine code that any of them executed; 0: all executed PTX.
u32 machine_code_of(const std::vector<Launch>&);

// Adds launches to a list in which no two elements are alike, and keeps it so.
class LaunchList {
public:
  explicit LaunchList(std::vector<Launch>&); // empty, or made by another of these
  std::size_t add(Launch);                   // gives the place in the list

private:
  std::vector<Launch>& launches_;
  std::unordered_multimap<u64, std::size_t> by_digest_;
};

} // namespace warplens::summary
