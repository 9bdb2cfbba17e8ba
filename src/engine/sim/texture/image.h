// Textures and surfaces as kernels find them: a number in the kernel stands for an object in host memory, which says where
// the texels are and how to read them. Kernels reach the texels alone.
//
// Texels lie in device memory row after row, slice after slice (layers, faces and levels too), whatever the hardware does;
// access/texture_layout.h says which of them share a sector.
#pragma once
#include "base/types.h"
#include <array>
#include <memory>
#include <vector>

namespace warplens::sim {

enum class ChannelKind : u8 { unsigned_integer, signed_integer, floating };

struct TexelFormat {
  ChannelKind kind = ChannelKind::floating;
  u8 bits = 32;    // of a channel: 8, 16, 32
  u8 channels = 1; // 1, 2, 4
  u32 bytes() const { return bits / 8u * channels; }
  bool operator==(const TexelFormat&) const = default;
};

// buffer: texels one after the other (tex1Dfetch). rows: of a pitch. array: what cudaMallocArray and its like made.
enum class ImageLayout : u8 { buffer, rows, array };

struct ImageLevel {
  u64 address = 0; // of the first texel
  u64 width = 1, height = 1, depth = 1;
  u64 row_pitch = 0, slice_pitch = 0; // bytes
  u64 place = 0;                      // of the level in the hardware's layout, for arrays
};

struct Image {
  ImageLayout layout = ImageLayout::buffer;
  TexelFormat format{};
  u8 dimensions = 1;
  bool layered = false, cube = false;
  u64 layers = 1;                 // slices of each level that are layers, or faces; 1 where there are none
  u64 begin = 0, bytes = 0;       // the memory that all levels lie in
  std::vector<ImageLevel> levels; // largest first

  // Gives each level of an array its place; the other members are there.
  void place_levels();
  // The byte of a texel that the memory system sees. `x` counts bytes.
  u64 seen_at(const ImageLevel&, u64 x, u64 y, u64 slice) const;
};

enum class AddressMode : u8 { wrap, clamp, mirror, border };

struct Sampler {
  std::array<AddressMode, 3> mode{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  std::array<float, 4> border{};
  bool linear = false;
  bool normalized_coordinates = false;
  bool normalized_read = false; // integers become parts of their greatest value
  bool srgb = false;
  bool linear_between_levels = false, seamless_cube = false;
  float level_bias = 0, least_level = 0, greatest_level = 0;
};

struct TextureObject {
  Image image;
  Sampler sampler{};
  bool is_surface = false;
};

// The objects of a device by their handles. Handles count up and are never used twice, so that one of an object that was
// destroyed is told from others. Changes are made while no kernel runs.
class TextureObjects {
public:
  u64 add(TextureObject);                      // its handle; 0 is none
  bool remove(u64 handle, bool is_surface);    // false: there is none of that kind
  const TextureObject* find(u64 handle) const; // null where there is none any more, or never was
  bool existed(u64 handle) const { return handle - 1 < objects_.size(); }
  void clear();

private:
  std::vector<std::unique_ptr<TextureObject>> objects_;
};

} // namespace warplens::sim
