// A view of bytes that somebody else keeps: a file, a section of it, a piece of memory.
#pragma once
#include "base/types.h"
#include <span>
#include <string_view>

namespace warplens::os {

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace warplens::os
