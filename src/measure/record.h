// What one launch did, counted: the result of measure/ and the input of advise/ and report/. A plain value
// that travels as one JSON line from the emulated program to the parent process (wire.h).
#pragma once
#include "access/site.h"
#include "diag/diagnostic.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplens::measure {

// Sums over every executed warp of one site in one space, under one architecture's rules (MODEL:
// docs/MODEL.md).
struct Counters {
  u64 instructions = 0; // warp-level executions with at least one active lane
  u64 threads = 0;      // lanes that performed it
  u64 requests = 0, tags = 0, sectors = 0, ideal_sectors = 0;    // global, local
  u64 wavefronts = 0, ideal_wavefronts = 0, data_wavefronts = 0; // shared
  u64 transactions = 0, transaction_bytes = 0;                   // device memory
  u64 bytes_used = 0; // bytes asked for by active lanes, each byte once per request
};

enum class PatternKind : u8 {
  unknown,
  broadcast,
  contiguous,
  strided,
  misaligned,
  permuted,
  scattered,
  conflict_free,
  bank_conflict
};
// What the measured lanes looked like: the most frequent pattern of the site and its share of the classified
// warps.
struct Pattern {
  PatternKind kind = PatternKind::unknown;
  i64 stride = 0;   // bytes between neighbouring lanes, strided and contiguous
  u32 ways = 0;     // bank_conflict: worst seen
  double share = 0; // 0…1 of the warps that were classified
  std::string text; // "stride 128 bytes", "2 rows of 16 lanes, 4096 bytes apart", "8-way bank conflict"
};

struct SiteRecord {
  access::Site site;
  access::Space space{};
  std::vector<Counters> counters; // one per architecture of the run, same order as LaunchRecord::sm
  Pattern pattern;
};

enum class Status : u8 { exact, proved, sampled, failed, unknown };
std::string_view name(Status);

struct LaunchRecord {
  u64 index = 0;            // n-th launch of the process, 0-based
  i64 process = 0;          // pid
  std::string kernel, name; // mangled, demangled
  std::string module;       // which PTX: "compute_90 of app"
  Dim3 grid, block;
  u64 shared_bytes = 0; // static + dynamic
  u64 local_bytes = 0;  // per thread, from PTX
  std::vector<std::string> local_arrays;
  std::vector<u32> sm; // architectures counted, first = the device
  Status status = Status::exact;
  std::string reason; // failed, unknown: why
  std::vector<diag::Diagnostic> diagnostics;
  std::vector<SiteRecord> sites; // every memory site of the kernel and what it calls, executed or not
  u64 warp_instructions = 0;
  double seconds = 0;
};

} // namespace warplens::measure
