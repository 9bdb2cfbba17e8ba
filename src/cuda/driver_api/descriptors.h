// What the driver's descriptors of arrays, textures and texture references have in common: a number for the format of a channel
// and how many there are, and flags in the place of read modes.
#pragma once
#include "runtime/image.h"

namespace warplens::runtime {

// CUarray_format
struct NamedFormat {
  int format;
  int bits;
  cudaChannelFormatKind kind;
};
inline constexpr NamedFormat array_formats[] = {
    {0x01, 8, cudaChannelFormatKindUnsigned},  {0x02, 16, cudaChannelFormatKindUnsigned},
    {0x03, 32, cudaChannelFormatKindUnsigned}, {0x08, 8, cudaChannelFormatKindSigned},
    {0x09, 16, cudaChannelFormatKindSigned},   {0x0a, 32, cudaChannelFormatKindSigned},
    {0x10, 16, cudaChannelFormatKindFloat},    {0x20, 32, cudaChannelFormatKindFloat}};

// One that no array has where the number is none.
inline cudaChannelFormatDesc format_of(int number, unsigned channels) {
  for (const NamedFormat& named : array_formats)
    if (named.format == number) {
      auto bits = [&](unsigned c) { return c < channels && channels <= 4 ? named.bits : 0; };
      return {bits(0), bits(1), bits(2), bits(3), named.kind};
    }
  return {0, 0, 0, 0, cudaChannelFormatKindNone};
}

inline void tell_format(const cudaChannelFormatDesc& format, int& number, unsigned& channels) {
  channels = static_cast<unsigned>((format.x != 0) + (format.y != 0) + (format.z != 0) + (format.w != 0));
  for (const NamedFormat& named : array_formats)
    if (named.bits == format.x && named.kind == format.f) number = named.format;
}

inline constexpr unsigned read_as_integer = 1, normalized_coordinates = 2, srgb = 0x10, no_trilinear = 0x20,
                          seamless = 0x40;

extern "C" {

struct CUDA_ARRAY_DESCRIPTOR {
  std::size_t width, height;
  int format;
  unsigned channels;
};
static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24);

} // extern "C"

// The format of the resource's texels.
inline cudaChannelFormatDesc texels_of(const cudaResourceDesc& resource) {
  switch (resource.resType) {
  case cudaResourceTypeArray:
    return exists(resource.res.array.array) ? resource.res.array.array->format : cudaChannelFormatDesc{};
  case cudaResourceTypeMipmappedArray:
    return exists(resource.res.mipmap.mipmap) ? resource.res.mipmap.mipmap->format : cudaChannelFormatDesc{};
  case cudaResourceTypeLinear: return resource.res.linear.desc;
  case cudaResourceTypePitch2D: return resource.res.pitch2D.desc;
  }
  return {};
}

// Integers of 32 bits are read as they are, whatever the flags say.
inline cudaTextureReadMode read_mode(unsigned flags, const cudaChannelFormatDesc& texels) {
  bool promoted = (flags & read_as_integer) == 0 && texels.f != cudaChannelFormatKindFloat && texels.x < 32;
  return promoted ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
}

} // namespace warplens::runtime
