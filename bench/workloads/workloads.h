// What the compared systems run: for each kernel of kernels.cu and kernels.cl its arguments, its launch and,
// computed on the host, its result.
#pragma once
#include "base/types.h"
#include <bit>
#include <span>
#include <string>
#include <vector>

namespace warplens::bench {

using Words = std::vector<u32>; // every buffer is an array of 32-bit words: floats, integers or packed bytes

struct Argument {
  bool is_buffer = false;
  u32 word = 0;   // a scalar's bits
  u32 buffer = 0; // index into Case::buffers
  static Argument integer(u32 value) { return {false, value, 0}; }
  static Argument real(float value) { return {false, std::bit_cast<u32>(value), 0}; }
  static Argument array(u32 index) { return {true, 0, index}; }
};

// One kernel, ready to be launched. What a launch overwrites is set back to `buffers` before a result is
// checked.
struct Case {
  std::string kernel;
  Dim3 grid, block; // in CTAs (work-groups), in threads (work-items)
  std::vector<Words> buffers;
  std::vector<Argument> arguments;
  u32 result = 0;    // which buffer
  Words expected;    // its contents after one launch
  float within = -1; // floats: relative to the expected value; negative: equal words
};

struct Workload {
  const char* name; // of the kernel
  bool goal;        // counts for the goal against PoCL
  u32 full, quick, reduced, tiny;
  Case (*make)(u32 n);
};

// `reduced` is the size for systems that are orders of magnitude slower, `tiny` for tests.
std::span<const Workload> workloads();

// "element 7 is 1.5, expected 1.25", or nothing where `result` is what has to come out.
std::string difference(const Case&, const Words& result);

} // namespace warplens::bench
