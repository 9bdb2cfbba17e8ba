// What a launch did, line by line.
#pragma once
#include <array>
#include <warplens/access.h>

namespace warplens {

// How a number came about; see docs/understand/how-it-works.md.
enum class Label : std::uint8_t {
  exact,   // every warp was emulated
  proved,  // a few blocks stand for all, provably
  sampled, // some blocks were counted, and stand for all
  partial, // it was stopped before its end: counts are those of the blocks that ran
  failed,  // it did not run to its end, by a fault of its own: counts are those up to it
  unknown, // it may have worked on wrong data, or did not run
  refused  // CUDA returned an error for it, as it would on a GPU: it did not run
};
WARPLENS_API std::string_view name(Label);

struct SourceFrame {
  std::string file;
  std::uint32_t line = 0, column = 0; // from 1; 0 where unknown
};

// One static memory instruction, summed over the warps that executed it.
struct SiteCounts {
  std::vector<SourceFrame>
      frames;              // innermost first, then where each was inlined; empty without line information
  std::string function;    // of the PTX (mangled)
  std::string instruction; // as written: "ld.global.nc.v2.f32"
  std::uint32_t ptx_line = 0;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  std::uint8_t bytes = 4;     // per lane and instruction
  std::string pattern;        // in words: "stride 128 bytes (32 floats)"; empty where nothing ran
  std::vector<Counts> counts; // one for each of LaunchRecord::sm
};

struct LaunchRecord {
  std::string kernel, name; // mangled, demangled
  std::string module;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  Label label = Label::exact;
  std::uint64_t blocks_counted = 0; // sampled, partial: that came to their ends
  std::string reason;               // partial, failed, unknown: why; proved: what stands for what
  std::vector<int> sm;
  std::vector<SiteCounts> sites;       // executed or not
  std::vector<std::string> messages;   // warnings, and what ended it
  std::uint64_t warp_instructions = 0; // of all kinds; like the counts, of one launch
  std::uint64_t count = 1;             // launches that are alike, which a report keeps once
};

} // namespace warplens
