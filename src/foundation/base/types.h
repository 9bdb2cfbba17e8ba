// Fixed-width integers, strong ids, three-dimensional sizes: the vocabulary of every room.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace warplens {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr u32 warp_size = 32; // every compute capability from 1.0 to 12.1
inline constexpr u32 full_mask = 0xffffffffu;

// An index that cannot be mixed up with an index of another kind: Id<struct RegisterTag>.
template <class Tag> struct Id {
  u32 value = none_value;
  static constexpr u32 none_value = 0xffffffffu;
  constexpr Id() = default;
  constexpr explicit Id(u32 v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<u32>(v)) {}
  constexpr bool valid() const { return value != none_value; }
  constexpr auto operator<=>(const Id&) const = default;
};

// Sizes and indices of grids and blocks, in CUDA's x, y, z order; x varies fastest.
struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  constexpr u64 count() const { return u64{x} * y * z; }
  constexpr bool operator==(const Dim3&) const = default;
};

} // namespace warplens

template <class Tag> struct std::hash<warplens::Id<Tag>> {
  std::size_t operator()(warplens::Id<Tag> id) const noexcept { return std::hash<warplens::u32>{}(id.value); }
};
