// A site: one static memory instruction, and where in the user's source it stands.
#pragma once
#include "access/access.h"
#include <string>
#include <vector>

namespace warplens::access {

// A place in source code. Lines and columns are 1-based; 0 where unknown.
struct SourceFrame {
  std::string file;
  u32 line = 0;
  u32 column = 0;
  std::string function; // demangled where known; empty otherwise
  bool operator==(const SourceFrame&) const = default;
};

struct Site {
  SiteId id;
  std::string function; // the PTX function that contains it (mangled)
  std::vector<SourceFrame>
      frames;         // innermost first; then where each was inlined. Empty without line information
  u32 ptx_line = 0;   // line in the PTX text, 1-based
  std::string opcode; // as written: "ld.global.nc.v2.f32"
  Kind kind = Kind::load;
  Cache cache = Cache::none;
  u8 bytes = 4; // per lane and instruction, vectors included
  u8 matrices = 0;
  bool operator==(const Site&) const = default;
};

} // namespace warplens::access
