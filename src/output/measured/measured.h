// What a GPU counted, as profilers tell it: whichever file it came in, read into one plain value. launches.h makes the
// launches of a report of it.
//
// Numbers are those of the hardware, under the names that profilers give them. What WarpLens knows by a name of its own are the
// counters per instruction; the others are kept as they come.
#pragma once
#include "access/access.h"
#include "access/site.h"
#include "base/diagnostic.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplens::measured {

// Who measured, and on what. Empty where the file does not say.
struct Machine {
  std::string tool;   // "Nsight Compute 2025.3.1"
  std::string gpu;    // "NVIDIA H200"
  std::string driver; // "580.159.04"
  u32 sm = 0;         // compute capability 9.0: 90
};

// The counters per machine instruction that WarpLens predicts.
struct Counters {
  std::optional<u64> instructions, threads, tags, sectors, ideal_sectors, local_sectors, wavefronts,
      ideal_wavefronts;
};

// By Nsight Compute's name or CUPTI's; null for others.
std::optional<u64> Counters::*counter_of(std::string_view name);

// What a profiler printed as a value: "1,234.5" with the unit "Kbyte", "12.3GB/s", "25.00%", "Low (2)". In units, times in
// nanoseconds. Nothing where it is no number.
std::optional<double> value_of(std::string_view text, std::string_view unit = {});

struct Instruction {
  std::string function;               // mangled; empty: the kernel's own
  u64 offset = 0;                     // bytes from the function's start
  std::string sass;                   // its text; empty where the file has none
  std::optional<access::Space> space; // where the profiler says so
  std::optional<access::Kind> kind;
  u32 bytes = 0;              // per lane; 0: unknown
  access::SourceStack frames; // where the file says so; else the machine code does
  Counters counters;
};

struct Launch {
  std::string kernel, name; // mangled, demangled; one of the two may be empty
  Dim3 grid, block;
  u64 shared_bytes = 0;
  i64 process = 0;
  u64 number = 0;                  // of the launches of its process, as a recording has it
  std::optional<std::size_t> code; // Measured::code
  std::vector<Instruction> instructions;
  std::map<std::string, double> counters; // of the whole launch; times in nanoseconds
};

struct Measured {
  Machine machine;
  u64 mismatches = 0;                         // launches of a recording that another run of it does not have
  double gpu_memory_share = 0;                // in use at a recorded launch, at most; 0: not known
  std::vector<Launch> launches;               // in order
  std::vector<std::string> code;              // cubins
  std::map<std::string, std::string> sources; // texts of files that came with the report
  std::vector<diag::Diagnostic> messages;     // what could not be read
};

} // namespace warplens::measured
