// The stream from the emulated program to the parent: one JSON object a line, flushed per launch, so that
// whatever happens to the program, the parent has every launch that ended. Readers skip lines that are cut off
// and say so. Each process numbers its events, so that one that is missing is seen; what only a progress line
// needs has no number. What was said before is referred to (once.h).
#pragma once
#include "measure/record.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warplens::measure {

struct ProcessStarted {
  i64 process = 0;
  std::string executable;
  std::string target;
  u32 sm = 0;
};
// Sent before the launch runs: what was running when a program died.
struct LaunchStarted {
  i64 process = 0;
  u64 index = 0;
  std::string name;
  Dim3 grid, block;
  std::optional<u64>
      as{}; // an earlier launch of the process that was told of with the same name and shape (once.h)
};
// A launch that ended, of which only the number differs from an earlier one of its process.
struct LaunchAlike {
  i64 process = 0;
  u64 index = 0;
  u64 as = 0; // the index of the earlier one
};
// A launch that ended and was not to be counted (--launches and the like).
struct LeftOut {
  i64 process = 0;
  u64 index = 0;
  std::string name;  // of its kernel, demangled
  std::string range; // the NVTX ranges that it was in; empty where a launch before it was in the same
};
// Kernels that the program could launch, mangled; some of them, where there are very many.
struct KernelsKnown {
  i64 process = 0;
  std::vector<std::string> names;
};
// A CUDA function that is not implemented was called.
struct Unsupported {
  i64 process = 0;
  std::string function;
  u64 calls = 0;
};
// Calls of a CUDA function that returned an error (--check memory).
struct FailedCall {
  i64 process = 0;
  std::string function, error; // their names
  std::string place;           // of the call, as host code's are given; empty where it is not known
  u64 calls = 0;
};
// Anything else the user must know.
struct Message {
  i64 process = 0;
  diag::Diagnostic diagnostic;
};
struct ProcessEnded {
  i64 process = 0;
};
using Event = std::variant<ProcessStarted, LaunchStarted, LaunchRecord, LaunchAlike, LeftOut, KernelsKnown,
                           Unsupported, FailedCall, Message, ProcessEnded>;

// One line, newline included. `sequence`: n-th event of its process, 0-based.
std::string encode(const Event&, std::optional<u64> sequence = {});
Result<Event> decode(std::string_view line, std::optional<u64>* sequence = nullptr);

} // namespace warplens::measure
