// The types that CUDA's compilers bring along, by their names.
#pragma once
#include "base/types.h"
#include <functional>
#include <optional>
#include <string_view>

namespace warplens::source {

struct KnownType {
  u32 bytes = 0;
  u32 elements = 0; // of a vector type; 0: a scalar
};
// Of one word: float, uint8_t, float4, __half2.
std::optional<KnownType> known_type(std::string_view word);

// Bytes of the type that is named, or led to: 8 for "const unsigned long *". 0 where that is not known. `other` may know
// words that have no size here.
u32 size_of(std::string_view type, const std::function<u32(std::string_view)>& other = {});

// What a type of that size is aligned to: float4 to 16 bytes, float3 to 4; none to more than 16.
inline u32 alignment_of(u32 bytes) {
  const u32 lowest = bytes & (0 - bytes);
  return lowest < 16 ? lowest : 16;
}

// The one word that names a type, without const, stars and the like; empty where there is none or several.
std::string_view type_name(std::string_view type);

} // namespace warplens::source
