// What one launch did, counted: the result of measure/ and the input of advise/ and report/. A plain value
// that travels as one JSON line from the emulated program to the parent process (wire.h).
//
// Programs repeat themselves: launches are *alike* when nothing but their number and their time tells them apart. Such
// launches travel (once.h) and are kept (summary/launches.h) as one.
#pragma once
#include "access/site.h"
#include "arch/counts.h"
#include "base/diagnostic.h"
#include "measure/distribution.h"
#include <optional>
#include <string>
#include <vector>

namespace warplens::measure {

// Every executed warp of one site in one space.
struct SiteRecord {
  access::Site site{};
  access::Space space{};
  std::vector<arch::Counts> counters{}; // one per architecture of the run, same order as LaunchRecord::sm
  Pattern pattern{};                    // of the distribution
  Distribution distribution{};          // of its warps on the first architecture
  bool result_unused =
      false;             // of an `atom`: nobody reads what it returns, so the assembler makes a `red` of it
  bool adds_one = false; // of an `atom` or a `red`: it adds the constant 1, an integer of 32 bits
  bool loads_index = false; // each thread reads the index from memory (ir/loaded_index.h)
  bool follows_links =
      false; // and that index is what the same access, or its neighbour, found in the step before
  std::string
      declared{}; // what the source calls the array, where the kernel's name has no types: "const float *"
  // Of machine code: warps that came to it with a guard that holds for no lane. They move nothing, and are in no count above; a
  // profiler has them among the instructions.
  u64 predicated_off = 0;
  // Of a sampled launch: what is counted lies within this share of the true number, in 95 of 100 cases. 0: it is the true number;
  // 1: the sample met it so seldom that nothing can be said.
  double spread = 0;
  bool operator==(const SiteRecord&) const = default;
};

// An asynchronous copy has two records: of global memory, with all that a profiler says of the instruction, its
// wavefronts too; and this one of shared memory, with these wavefronts again, as the cost of the array that it writes.
inline bool is_copied_half(const SiteRecord& record) {
  return record.site.kind == access::Kind::async_copy && record.space == access::Space::shared;
}

// What a launch's counts are worth, best first. Sampled: some blocks were counted and stand for all (--budget). Partial: it was
// stopped before its end, by a signal, a time limit or the end of the program, and its counts are those of the blocks that ran.
// Of both LaunchContent::blocks says how many. A refused one did not run: CUDA returned an error for it, and so does a GPU.
enum class Status : u8 { exact, proved, sampled, partial, failed, unknown, refused };
std::string_view name(Status);
constexpr bool is_whole(Status status) { return status <= Status::proved; }    // every block is counted
constexpr bool is_counted(Status status) { return status <= Status::partial; } // its counts are worth a look
constexpr bool is_part(Status status) { return status == Status::sampled || status == Status::partial; }

// The blocks of a sampled or partial launch that were counted.
struct Blocks {
  u64 ended = 0;   // whose accesses are all counted
  u64 running = 0; // that were stopped in the middle; what they had done is counted
  bool operator==(const Blocks&) const = default;
};
std::string in_words(const Blocks&, u64 all); // "412 of 1000 blocks, and a part of 2 more"

// What alike launches have in common.
struct LaunchContent {
  std::string kernel, name; // mangled, demangled
  std::string module;       // which PTX: "compute_90 of app"
  // Of a library's kernel, where the program called the library: "main.cu:12", "train.py:14", before its lines are looked up a chain of
  // places (runtime/allocation_place.h). Empty where it is not known.
  std::string called_from;
  // The NVTX ranges that it was made in, as --nvtx-include names them: "epoch/forward". Empty: none, or they were not asked for.
  std::string range;
  // Accesses are counted as the machine code of that capability has them; 0: as PTX has them.
  u32 machine_code = 0;
  std::string
      assembler; // "ptxas 13.0": what made that code from the program's PTX; empty: it came with the program
  Dim3 grid, block;
  u64 shared_bytes = 0; // static + dynamic
  u64 local_bytes = 0;  // per thread
  u32 registers = 0;    // per thread; 0: not known, as of PTX
  std::vector<access::LocalArray> local_arrays;
  u32 device = 0;      // of those that the process sees (--devices)
  std::vector<u32> sm; // architectures counted, first = the device
  Status status = Status::exact;
  Blocks blocks{};    // sampled, partial: of the grid
  std::string reason; // failed, unknown, refused: why
  std::string error;  // refused: the CUDA error's name
  std::vector<diag::Diagnostic> diagnostics;
  std::vector<SiteRecord> sites; // every memory site of the kernel and what it calls, executed or not
  u64 warp_instructions = 0;
  bool operator==(const LaunchContent&) const = default;
};

struct LaunchRecord : LaunchContent {
  u64 index = 0;   // n-th launch of the process, 0-based
  i64 process = 0; // pid
  double seconds = 0;
};

// Equal for alike launches, and nearly never for others.
u64 digest(const LaunchContent&);

// The sum of so many alike launches.
LaunchContent repeated(LaunchContent, u64 times);

} // namespace warplens::measure
