// CUDA arrays, and what textures and surfaces are made of: arrays, mipmapped arrays, linear and pitched memory, as the
// emulator's images.
#pragma once
#include "runtime/memory.h"
#include "sim/sim.h"

namespace warplens::runtime {

// Flags of cudaMallocArray and the like.
inline constexpr unsigned array_layered = 1, array_surface = 2, array_cubemap = 4, array_gather = 8;

// The shape of an array, as its creator gave it. `extent` counts elements; 0 where a dimension is absent. Layers, and the
// faces of cubes, are the depth.
struct ArrayShape {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
};

// Plain storage, row after row, slice after slice.
struct Array : ArrayShape {
  u64 element = 0; // bytes
  u64 address = 0;
  bool is_level = false; // of a mipmapped array, which owns the memory
  u32 device = thread_state().device;

  Extent size() const {
    return {extent.width * element, std::max<u64>(extent.height, 1), std::max<u64>(extent.depth, 1)};
  }
  u64 bytes() const {
    Extent whole = size();
    return whole.width * whole.height * whole.depth;
  }
  Box at(u64 byte_x, u64 y, u64 z) const;
  // Whether `box` bytes and rows from (byte_x, y, z) lie inside.
  bool holds(u64 byte_x, u64 y, u64 z, const Extent& box) const;
};

struct MipmappedArray : ArrayShape {
  u64 address = 0, bytes = 0;
  std::vector<std::unique_ptr<Array>> levels;
  u32 device = thread_state().device;
};

bool exists(const Array*);
bool exists(const MipmappedArray*);

cudaError_t create_array(Runtime&, cudaArray_t*, const ArrayShape&);
cudaError_t create_mipmapped(Runtime&, cudaMipmappedArray_t*, const ArrayShape&, unsigned levels);
cudaError_t free_array(Runtime&, Array*);
cudaError_t free_mipmapped(Runtime&, MipmappedArray*);

// One side of a 3-D copy. Positions count elements of the array, bytes of memory.
struct CopySide {
  const Array* array;
  cudaPos at;
  cudaPitchedPtr pitched;
};
// The extent counts elements where one side is an array, else bytes.
cudaError_t copy3d(Runtime&, const CopySide& to, const CopySide& from, cudaExtent extent, cudaMemcpyKind);
// The same with places along rows, and the extent, in bytes.
cudaError_t copy3d_bytes(Runtime&, const CopySide& to, const CopySide& from, const Extent& bytes,
                         cudaMemcpyKind);

// Integers of 8, 16 or 32 bits, floats of 16 or 32, in 1, 2 or 4 channels; nothing for other formats.
std::optional<sim::TexelFormat> texel_format(const cudaChannelFormatDesc&);

// Objects. What is wrong comes back as an error; CUDA's own where it has one.
cudaError_t create_texture(Runtime&, cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*,
                           const cudaResourceViewDesc*);
cudaError_t create_surface(Runtime&, cudaSurfaceObject_t*, const cudaResourceDesc*);
cudaError_t destroy_object(Runtime&, u64 handle, bool is_surface);

// What a texture or surface object was created from.
struct ObjectSource {
  bool is_surface = false;
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaResourceViewDesc view{};
  u32 device = thread_state().device;
};
// Null where there is none.
const ObjectSource* source_of(u64 handle, bool is_surface);

} // namespace warplens::runtime
