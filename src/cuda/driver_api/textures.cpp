// Arrays, textures and surfaces under the driver's names. Its descriptors say the same as the runtime's in other words: a
// number for the format of a channel and how many there are, and flags in the place of read modes.
#include "driver_api/descriptors.h"
#include "driver_api/frame.h"
#include "runtime/stream.h"
#include <algorithm>

namespace warplens::runtime {
extern "C" {

struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40);

struct CUDA_RESOURCE_DESC {
  int type;
  union {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    struct {
      CUdeviceptr address;
      int format;
      unsigned channels;
      std::size_t size;
    } linear;
    struct {
      CUdeviceptr address;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);

struct CUDA_TEXTURE_DESC {
  int address_mode[3], filter_mode;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float level_bias, least_level, greatest_level, border[4];
  int reserved[12];
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);

} // extern "C"

namespace {

ArrayShape shape_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return {format_of(d.format, d.channels), {d.width, d.height, d.depth}, d.flags};
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& from) {
  cudaResourceDesc out{};
  out.resType = static_cast<cudaResourceType>(from.type);
  switch (out.resType) {
  case cudaResourceTypeArray: out.res.array.array = from.array; break;
  case cudaResourceTypeMipmappedArray: out.res.mipmap.mipmap = from.mipmap; break;
  case cudaResourceTypeLinear:
    out.res.linear = {pointer(from.linear.address), format_of(from.linear.format, from.linear.channels),
                      from.linear.size};
    break;
  case cudaResourceTypePitch2D:
    out.res.pitch2D = {pointer(from.pitched.address), format_of(from.pitched.format, from.pitched.channels),
                       from.pitched.width, from.pitched.height, from.pitched.pitch};
    break;
  }
  return out;
}

CUDA_RESOURCE_DESC resource_of(const cudaResourceDesc& from) {
  CUDA_RESOURCE_DESC out{};
  out.type = from.resType;
  switch (from.resType) {
  case cudaResourceTypeArray: out.array = from.res.array.array; break;
  case cudaResourceTypeMipmappedArray: out.mipmap = from.res.mipmap.mipmap; break;
  case cudaResourceTypeLinear:
    out.linear = {reinterpret_cast<CUdeviceptr>(from.res.linear.devPtr), 0, 0, from.res.linear.sizeInBytes};
    tell_format(from.res.linear.desc, out.linear.format, out.linear.channels);
    break;
  case cudaResourceTypePitch2D:
    out.pitched = {reinterpret_cast<CUdeviceptr>(from.res.pitch2D.devPtr),
                   0,
                   0,
                   from.res.pitch2D.width,
                   from.res.pitch2D.height,
                   from.res.pitch2D.pitchInBytes};
    tell_format(from.res.pitch2D.desc, out.pitched.format, out.pitched.channels);
    break;
  }
  return out;
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& from, const cudaChannelFormatDesc& texels) {
  cudaTextureDesc out{};
  for (u32 d = 0; d < 3; ++d) out.addressMode[d] = static_cast<cudaTextureAddressMode>(from.address_mode[d]);
  out.filterMode = static_cast<cudaTextureFilterMode>(from.filter_mode);
  out.readMode = read_mode(from.flags, texels);
  out.sRGB = (from.flags & srgb) != 0;
  std::copy(std::begin(from.border), std::end(from.border), out.borderColor);
  out.normalizedCoords = (from.flags & normalized_coordinates) != 0;
  out.maxAnisotropy = from.anisotropy;
  out.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmap_filter);
  out.mipmapLevelBias = from.level_bias;
  out.minMipmapLevelClamp = from.least_level, out.maxMipmapLevelClamp = from.greatest_level;
  out.disableTrilinearOptimization = (from.flags & no_trilinear) != 0;
  out.seamlessCubemap = (from.flags & seamless) != 0;
  return out;
}

CUDA_TEXTURE_DESC texture_of(const cudaTextureDesc& from) {
  CUDA_TEXTURE_DESC out{};
  for (u32 d = 0; d < 3; ++d) out.address_mode[d] = from.addressMode[d];
  out.filter_mode = from.filterMode;
  out.flags = (from.readMode == cudaReadModeElementType ? read_as_integer : 0) |
              (from.normalizedCoords ? normalized_coordinates : 0) | (from.sRGB ? srgb : 0) |
              (from.disableTrilinearOptimization ? no_trilinear : 0) | (from.seamlessCubemap ? seamless : 0);
  out.anisotropy = from.maxAnisotropy;
  out.mipmap_filter = from.mipmapFilterMode;
  out.level_bias = from.mipmapLevelBias;
  out.least_level = from.minMipmapLevelClamp, out.greatest_level = from.maxMipmapLevelClamp;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), out.border);
  return out;
}

// `take(source)`, with what the object was created from.
template <class Take> CUresult of_object(u64 handle, bool is_surface, const void* out, Take&& take) {
  return in_context([&](Runtime&) {
    const ObjectSource* source = source_of(handle, is_surface);
    if (!source || !out) return cudaErrorInvalidValue;
    take(*source);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

CUresult cuArray3DCreate_v2(cudaArray_t* array, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return in_context(
      [&](Runtime& r) { return d ? create_array(r, array, shape_of(*d)) : cudaErrorInvalidValue; });
}
CUresult cuArrayCreate_v2(cudaArray_t* array, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR whole{d->width, d->height, 0, d->format, d->channels, 0};
  return cuArray3DCreate_v2(array, &whole);
}
CUresult cuArrayDestroy(cudaArray_t array) {
  return driver([&] {
    return api_waiting(
        [&](Runtime& r) { return exists(array) ? free_array(r, array) : cudaErrorInvalidResourceHandle; });
  });
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* out, cudaArray_t array) {
  return driver([&](Runtime&) {
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    if (!out) return cudaErrorInvalidValue;
    *out = {array->extent.width, array->extent.height, array->extent.depth, 0, 0, array->flags};
    tell_format(array->format, out->format, out->channels);
    return cudaSuccess;
  });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* out, cudaArray_t array) {
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  CUresult result = cuArray3DGetDescriptor_v2(out ? &whole : nullptr, array);
  if (result == CUDA_SUCCESS) *out = {whole.width, whole.height, whole.format, whole.channels};
  return result;
}

CUresult cuMipmappedArrayCreate(cudaMipmappedArray_t* array, const CUDA_ARRAY3D_DESCRIPTOR* d,
                                unsigned levels) {
  return in_context([&](Runtime& r) {
    return d ? create_mipmapped(r, array, shape_of(*d), levels) : cudaErrorInvalidValue;
  });
}
CUresult cuMipmappedArrayDestroy(cudaMipmappedArray_t array) {
  return driver([&] {
    return api_waiting([&](Runtime& r) {
      return exists(array) ? free_mipmapped(r, array) : cudaErrorInvalidResourceHandle;
    });
  });
}

CUresult cuTexObjectCreate(cudaTextureObject_t* out, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const cudaResourceViewDesc* view) {
  return in_context([&](Runtime& r) {
    if (!resource || !texture) return cudaErrorInvalidValue;
    cudaResourceDesc from = resource_of(*resource);
    cudaTextureDesc how = texture_of(*texture, texels_of(from));
    return create_texture(r, out, &from, &how, view);
  });
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, cudaTextureObject_t texture) {
  return of_object(texture, false, out,
                   [&](const ObjectSource& source) { *out = resource_of(source.resource); });
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* out, cudaTextureObject_t texture) {
  return of_object(texture, false, out,
                   [&](const ObjectSource& source) { *out = texture_of(source.texture); });
}
CUresult cuSurfObjectCreate(cudaSurfaceObject_t* out, const CUDA_RESOURCE_DESC* resource) {
  return in_context([&](Runtime& r) {
    if (!resource) return cudaErrorInvalidValue;
    cudaResourceDesc from = resource_of(*resource);
    return create_surface(r, out, &from);
  });
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, cudaSurfaceObject_t surface) {
  return of_object(surface, true, out,
                   [&](const ObjectSource& source) { *out = resource_of(source.resource); });
}

// Places in one-dimensional arrays; bytes.
CUresult cuMemcpyHtoA_v2(cudaArray_t to, std::size_t at, const void* from, std::size_t size) {
  return in_context([&] { return cudaMemcpyToArray(to, at, 0, from, size, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyHtoAAsync_v2(cudaArray_t to, std::size_t at, const void* from, std::size_t size,
                              cudaStream_t stream) {
  return on_stream(stream, [&] {
    cudaError_t error = check_stream(stream);
    return error != cudaSuccess ? error : cudaMemcpyToArray(to, at, 0, from, size, cudaMemcpyHostToDevice);
  });
}
CUresult cuMemcpyAtoH_v2(void* to, cudaArray_t from, std::size_t at, std::size_t size) {
  return in_context([&] { return cudaMemcpyFromArray(to, from, at, 0, size, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyAtoHAsync_v2(void* to, cudaArray_t from, std::size_t at, std::size_t size,
                              cudaStream_t stream) {
  return on_stream(stream, [&] {
    cudaError_t error = check_stream(stream);
    return error != cudaSuccess ? error : cudaMemcpyFromArray(to, from, at, 0, size, cudaMemcpyDeviceToHost);
  });
}
CUresult cuMemcpyDtoA_v2(cudaArray_t to, std::size_t at, CUdeviceptr from, std::size_t size) {
  return in_context(
      [&] { return cudaMemcpyToArray(to, at, 0, pointer(from), size, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, cudaArray_t from, std::size_t at, std::size_t size) {
  return in_context(
      [&] { return cudaMemcpyFromArray(pointer(to), from, at, 0, size, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyAtoA_v2(cudaArray_t to, std::size_t to_at, cudaArray_t from, std::size_t from_at,
                         std::size_t size) {
  return in_context(
      [&] { return cudaMemcpyArrayToArray(to, to_at, 0, from, from_at, 0, size, cudaMemcpyDeviceToDevice); });
}

} // extern "C"
} // namespace warplens::runtime
