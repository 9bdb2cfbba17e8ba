// A texel in memory, and what a fetch makes of it (CUDA C++ Programming Guide, "Texture Memory": read modes).
#pragma once
#include "sim/texture/image.h"
#include <array>
#include <cstddef>

namespace warplens::sim {

// A texel's channels as their bits in a register of 32: integers extended by their sign, floats as float. Where the format
// has fewer than four, the missing ones are 0, 0 and, the fourth, 1.
using Channels = std::array<u32, 4>;

// Whether a fetch gives floats: always but for integers that are read as such.
inline bool reads_floats(const TexelFormat& format, bool normalized_read) {
  return format.kind == ChannelKind::floating || normalized_read;
}

// As a fetch without filtering gives it. Integers that are normalised are divided by the greatest of their type, so that
// the two lowest signed ones are both -1. 8-bit channels but the fourth go through the sRGB curve where `srgb` says so.
Channels read_texel(const std::byte* at, const TexelFormat&, bool normalized_read, bool srgb);

// The same as numbers, before they are rounded to float: what filtering weighs. Of formats that a fetch reads as floats.
std::array<double, 4> texel_values(const std::byte* at, const TexelFormat&, bool srgb);

} // namespace warplens::sim
