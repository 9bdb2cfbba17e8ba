// What the compared systems run: for each workload of kernels.cu and kernels.cl its arguments, its launches and,
// computed on the host, its result.
#pragma once
#include "base/types.h"
#include <span>
#include <string>
#include <vector>

namespace warplens::bench {

using Words = std::vector<u32>; // every buffer is an array of 32-bit words: floats, integers or packed bytes

struct Argument {
  bool is_buffer = false;
  u32 word = 0;   // a scalar's bits
  u32 buffer = 0; // index into Case::buffers
};

struct Step { // one launch of one kernel
  std::string kernel;
  Dim3 grid, block; // in CTAs (work-groups), in threads (work-items)
  std::vector<Argument> arguments;
};

// A workload with its inputs, ready to be launched: its steps one after the other. They may be launched again and again.
// What they overwrite is set back to `buffers` before a result is checked.
struct Case {
  std::vector<Words> buffers;
  std::vector<Step> steps{};
  u32 result = 0;    // which buffer
  Words expected{};  // its contents after the steps
  float within = -1; // floats: relative to the expected value; negative: equal words
  float least = 0;   // floats: what is expected nearer to 0 counts as this, where sums cancel
};

struct Workload {
  const char* name;
  bool goal;    // counts for the goal against PoCL
  bool program; // the kernels of a whole program
  u32 full, quick, reduced, tiny;
  Case (*make)(u32 n);
};

// `reduced` is the size for systems that are orders of magnitude slower, `tiny` for tests.
std::span<const Workload> workloads();

// "element 7 is 1.5, expected 1.25", or nothing where `result` is what has to come out.
std::string difference(const Case&, const Words& result);

} // namespace warplens::bench
