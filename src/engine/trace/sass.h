// What a SASS opcode says about a memory access: traces of real GPUs name instructions this way.
#pragma once
#include "access/access.h"
#include <optional>
#include <string_view>

namespace warplens::trace {

struct SassAccess {
  access::Space space;
  access::Kind kind;
  access::Cache cache;
  u8 bytes;
  u8 matrices;
};

// "LDG.E.128.CONSTANT.SYS" → a 16-byte load of global memory by the read-only path. nullopt: not an access
// that the model counts (arithmetic, texture fetches whose addresses traces do not have, bulk copies).
std::optional<SassAccess> sass_access(std::string_view opcode);

} // namespace warplens::trace
