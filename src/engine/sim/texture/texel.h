// A texel in memory, and what a fetch makes of it (CUDA C++ Programming Guide, "Texture Memory": read modes).
#pragma once
#include "sim/texture/image.h"
#include <array>
#include <cstddef>

namespace warplens::sim {

// A texel's channels as their bits in a register of 32: integers extended by their sign, floats as float. Where the format
// has fewer than four, the missing ones are 0, the fourth too (measured on an H200).
using Channels = std::array<u32, 4>;

// Whether a fetch gives floats: always but for integers that are read as such.
inline bool reads_floats(const TexelFormat& format, bool normalized_read) {
  return format.kind == ChannelKind::floating || normalized_read;
}

// As a fetch without filtering gives it. Integers that are normalised are divided by the greatest of their type, so that
// the two lowest signed ones are both -1. 8-bit channels but the fourth go through the sRGB curve where `srgb` says so.
Channels read_texel(const std::byte* at, const TexelFormat&, bool normalized_read, bool srgb);

// The same as numbers that filtering weighs, of formats that a fetch reads as floats. Normalised integers are whole numbers of
// 16 bits, of which filtered_one() is 1, but for signed bytes, which are not rounded; nor are those through the sRGB curve, for
// want of a measurement.
std::array<double, 4> texel_values(const std::byte* at, const TexelFormat&, bool srgb);

// What a filter takes for 1 where integers are normalised.
inline double filtered_one(const TexelFormat& format) {
  return format.kind == ChannelKind::signed_integer ? 32767 : 65535;
}

// The border colour as a texel of the format holds it. Normalised: brought into the format's range and rounded to a multiple
// of its step. Integers that are read as such: the lowest bits of the float, as it lies in memory.
std::array<std::byte, 16> border_texel(const std::array<float, 4>& colour, const TexelFormat&,
                                       bool normalized_read);

} // namespace warplens::sim
