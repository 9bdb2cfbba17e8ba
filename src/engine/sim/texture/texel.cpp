#include "sim/texture/texel.h"
#include "sem/half.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warplens::sim {
namespace {

u32 raw_channel(const std::byte* at, const TexelFormat& format, u32 channel) {
  u32 raw = 0;
  std::memcpy(&raw, at + channel * (format.bits / 8u), format.bits / 8u);
  if (format.kind != ChannelKind::signed_integer || format.bits == 32) return raw;
  u32 unused = 32u - format.bits;
  return static_cast<u32>(static_cast<i32>(raw << unused) >> unused);
}

// The curve of IEC 61966-2-1.
double from_srgb(double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }

double greatest_of(const TexelFormat& format) {
  return std::exp2(format.bits - (format.kind == ChannelKind::signed_integer ? 1 : 0)) - 1;
}

double value_of(u32 raw, const TexelFormat& format, bool srgb) {
  switch (format.kind) {
  case ChannelKind::floating:
    return format.bits == 16 ? sem::to_float(sem::F16{static_cast<u16>(raw)}) : std::bit_cast<float>(raw);
  case ChannelKind::signed_integer: return std::max(-1.0, static_cast<i32>(raw) / greatest_of(format));
  case ChannelKind::unsigned_integer: break;
  }
  double part = raw / greatest_of(format);
  return srgb ? from_srgb(part) : part;
}

bool has_curve(const TexelFormat& format, bool srgb, u32 channel) {
  return srgb && format.bits == 8 && channel < 3;
}

} // namespace

Channels read_texel(const std::byte* at, const TexelFormat& format, bool normalized_read, bool srgb) {
  bool floats = reads_floats(format, normalized_read);
  Channels out{};
  for (u32 c = 0; c < format.channels; ++c) {
    u32 raw = raw_channel(at, format, c);
    bool as_it_is = !floats || (format.kind == ChannelKind::floating && format.bits == 32);
    out[c] = as_it_is
                 ? raw
                 : std::bit_cast<u32>(static_cast<float>(value_of(raw, format, has_curve(format, srgb, c))));
  }
  return out;
}

std::array<double, 4> texel_values(const std::byte* at, const TexelFormat& format, bool srgb) {
  std::array<double, 4> out{};
  for (u32 c = 0; c < format.channels; ++c) {
    bool curve = has_curve(format, srgb, c);
    double value = value_of(raw_channel(at, format, c), format, curve);
    if (format.kind != ChannelKind::floating) value *= filtered_one(format);
    const bool kept = format.kind == ChannelKind::floating || curve ||
                      (format.kind == ChannelKind::signed_integer && format.bits == 8);
    out[c] = kept ? value : std::round(value);
  }
  return out;
}

std::array<std::byte, 16> border_texel(const std::array<float, 4>& colour, const TexelFormat& format,
                                       bool normalized_read) {
  std::array<std::byte, 16> out{};
  for (u32 c = 0; c < format.channels; ++c) {
    u32 raw = std::bit_cast<u32>(colour[c]);
    if (format.kind == ChannelKind::floating && format.bits == 16) {
      raw = sem::to_half<sem::F16>(colour[c]).bits;
    } else if (format.kind != ChannelKind::floating && normalized_read) {
      double least = format.kind == ChannelKind::signed_integer ? -1 : 0;
      double part = std::isnan(colour[c]) ? 0 : std::clamp(double{colour[c]}, least, 1.0);
      raw = static_cast<u32>(static_cast<i32>(std::round(part * greatest_of(format))));
    }
    std::memcpy(out.data() + c * (format.bits / 8u), &raw, format.bits / 8u);
  }
  return out;
}

} // namespace warplens::sim
