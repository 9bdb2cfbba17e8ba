// Texture and surface objects: descriptors of the program become an image and a sampler of the emulator (sim/texture/image.h).
//
// What CUDA leaves to its callers is checked, since kernels will read what is described: memory has to be there in full. Of a
// linear buffer only the beginning: programs describe more than they allocated, and a fetch of what is not there is found out.
#include "runtime/image.h"
#include <cstring>

namespace warplens::runtime {
namespace {

sim::Image image_of_levels(const ArrayShape& shape, std::span<const Array* const> levels, u64 begin,
                           u64 bytes) {
  sim::Image out;
  out.layout = sim::ImageLayout::array;
  out.format = *texel_format(shape.format);
  out.layered = (shape.flags & array_layered) != 0;
  out.cube = (shape.flags & array_cubemap) != 0;
  const bool solid = !out.layered && !out.cube && shape.extent.depth != 0;
  out.dimensions = solid ? 3 : shape.extent.height != 0 ? 2 : 1;
  out.layers = solid ? 1 : std::max<u64>(shape.extent.depth, 1);
  out.begin = begin, out.bytes = bytes;
  for (const Array* level : levels) {
    Extent size = level->size();
    out.levels.push_back(
        {level->address, level->extent.width, size.height, size.depth, size.width, size.width * size.height});
  }
  out.place_levels();
  return out;
}

cudaError_t image_of_memory(Runtime& runtime, const void* pointer, const cudaChannelFormatDesc& format,
                            u64 bytes, sim::Image& out) {
  std::optional<sim::TexelFormat> texel = texel_format(format);
  if (!texel) return cudaErrorInvalidChannelDescriptor;
  u64 address = reinterpret_cast<u64>(pointer);
  if (bytes < texel->bytes() || address % runtime.architecture().memory.texture_alignment != 0)
    return cudaErrorInvalidValue;
  PointerPlace at = place(runtime, pointer, bytes);
  if (at != PointerPlace::device && at != PointerPlace::shared) return cudaErrorInvalidValue;
  out.format = *texel;
  out.begin = address, out.bytes = bytes;
  return cudaSuccess;
}

cudaError_t image_of_buffer(Runtime& runtime, const cudaResourceDesc& resource, sim::Image& out) {
  const auto& linear = resource.res.linear;
  const u64 begin = reinterpret_cast<u64>(linear.devPtr), end = runtime.memory().range(begin).end;
  const u64 there = end > begin ? std::min<u64>(linear.sizeInBytes, end - begin) : linear.sizeInBytes;
  cudaError_t error = image_of_memory(runtime, linear.devPtr, linear.desc, there, out);
  if (error != cudaSuccess) return error;
  constexpr u64 most_texels = u64{1} << 28; // cudaDevAttrMaxTexture1DLinearWidth
  u64 width = linear.sizeInBytes / out.format.bytes();
  if (width > most_texels) return cudaErrorInvalidValue;
  out.levels = {{out.begin, width, 1, 1, linear.sizeInBytes, linear.sizeInBytes}};
  return cudaSuccess;
}

cudaError_t image_of_rows(Runtime& runtime, const cudaResourceDesc& resource, sim::Image& out) {
  const auto& pitched = resource.res.pitch2D;
  std::optional<sim::TexelFormat> texel = texel_format(pitched.desc);
  if (!texel) return cudaErrorInvalidChannelDescriptor;
  u64 row = 0, bytes = 0;
  if (pitched.width == 0 || pitched.height == 0 ||
      __builtin_mul_overflow(pitched.width, u64{texel->bytes()}, &row) || pitched.pitchInBytes < row ||
      pitched.pitchInBytes % runtime.architecture().memory.texture_pitch_alignment != 0 ||
      __builtin_mul_overflow(pitched.height - 1, pitched.pitchInBytes, &bytes) ||
      __builtin_add_overflow(bytes, row, &bytes))
    return cudaErrorInvalidValue;
  cudaError_t error = image_of_memory(runtime, pitched.devPtr, pitched.desc, bytes, out);
  if (error != cudaSuccess) return error;
  out.layout = sim::ImageLayout::rows;
  out.dimensions = 2;
  out.levels = {{out.begin, pitched.width, pitched.height, 1, pitched.pitchInBytes, 0}};
  return cudaSuccess;
}

cudaError_t image_of(Runtime& runtime, const cudaResourceDesc& resource, sim::Image& out) {
  switch (resource.resType) {
  case cudaResourceTypeArray: {
    const Array* array = resource.res.array.array;
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    out = image_of_levels(*array, std::array{array}, array->address, array->bytes());
    return cudaSuccess;
  }
  case cudaResourceTypeMipmappedArray: {
    const MipmappedArray* array = resource.res.mipmap.mipmap;
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    std::vector<const Array*> levels;
    for (const std::unique_ptr<Array>& level : array->levels) levels.push_back(level.get());
    out = image_of_levels(*array, levels, array->address, array->bytes);
    return cudaSuccess;
  }
  case cudaResourceTypeLinear: return image_of_buffer(runtime, resource, out);
  case cudaResourceTypePitch2D: return image_of_rows(runtime, resource, out);
  }
  return cudaErrorInvalidValue;
}

// The format that a view reads texels as. Its numbers go by kind, then by channels.
std::optional<sim::TexelFormat> view_format(cudaResourceViewFormat format) {
  using enum sim::ChannelKind;
  constexpr std::pair<sim::ChannelKind, u8> kinds[] = {
      {unsigned_integer, 8},  {signed_integer, 8},  {unsigned_integer, 16}, {signed_integer, 16},
      {unsigned_integer, 32}, {signed_integer, 32}, {floating, 16},         {floating, 32}};
  u32 number = static_cast<u32>(format) - 1;
  if (number >= std::size(kinds) * 3) return {}; // none, or compressed blocks
  auto [kind, bits] = kinds[number / 3];
  return sim::TexelFormat{kind, bits, static_cast<u8>(1 << number % 3)};
}

// Part of an image: some of its levels and layers, perhaps read as another format of the same width.
cudaError_t apply(const cudaResourceViewDesc& view, sim::Image& image) {
  if (image.layout != sim::ImageLayout::array) return cudaErrorInvalidValue;
  if (view.format != cudaResViewFormatNone) {
    std::optional<sim::TexelFormat> format = view_format(view.format);
    if (!format) return cudaErrorNotSupported; // compressed blocks
    if (format->bytes() != image.format.bytes()) return cudaErrorInvalidValue;
    image.format = *format;
  }
  u64 last_level = std::min<u64>(view.lastMipmapLevel, image.levels.size() - 1);
  if (view.firstMipmapLevel > last_level) return cudaErrorInvalidValue;
  image.levels = {image.levels.begin() + view.firstMipmapLevel,
                  image.levels.begin() + static_cast<std::ptrdiff_t>(last_level) + 1};
  if (!image.layered) return cudaSuccess;
  if (view.firstLayer > view.lastLayer || view.lastLayer >= image.layers) return cudaErrorInvalidValue;
  for (sim::ImageLevel& level : image.levels) level.address += view.firstLayer * level.slice_pitch;
  image.layers = view.lastLayer - view.firstLayer + 1;
  return cudaSuccess;
}

cudaError_t check_sampler(const sim::Image& image, const cudaTextureDesc& desc) {
  auto number = [](const auto& mode) { // an enumeration that a program filled in may be none of its values
    u32 out = 0;
    static_assert(sizeof out == sizeof mode);
    std::memcpy(&out, &mode, sizeof out);
    return out;
  };
  for (const cudaTextureAddressMode& mode : desc.addressMode)
    if (number(mode) > cudaAddressModeBorder) return cudaErrorInvalidValue;
  if (number(desc.filterMode) > cudaFilterModeLinear ||
      number(desc.mipmapFilterMode) > cudaFilterModeLinear ||
      number(desc.readMode) > cudaReadModeNormalizedFloat)
    return cudaErrorInvalidValue;
  const bool normalized = desc.readMode == cudaReadModeNormalizedFloat,
             integer = image.format.kind != sim::ChannelKind::floating;
  if (normalized && integer && image.format.bits == 32) return cudaErrorInvalidNormSetting;
  if (integer && !normalized &&
      (desc.filterMode == cudaFilterModeLinear ||
       (image.levels.size() > 1 && desc.mipmapFilterMode == cudaFilterModeLinear)))
    return cudaErrorInvalidFilterSetting;
  return image.levels.size() > 1 && desc.normalizedCoords == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

// A linear buffer has neither filter nor address modes: outside it are zeros. Texels are not repeated where coordinates are
// not normalised.
sim::Sampler sampler_of(const sim::Image& image, const cudaTextureDesc& desc) {
  sim::Sampler out;
  out.normalized_read = desc.readMode == cudaReadModeNormalizedFloat;
  out.srgb = desc.sRGB != 0;
  if (image.layout == sim::ImageLayout::buffer) {
    out.mode.fill(sim::AddressMode::border);
    return out;
  }
  out.linear = desc.filterMode == cudaFilterModeLinear;
  out.normalized_coordinates = desc.normalizedCoords != 0;
  for (u32 d = 0; d < 3; ++d) {
    out.mode[d] = static_cast<sim::AddressMode>(desc.addressMode[d]);
    bool repeats = out.mode[d] == sim::AddressMode::wrap || out.mode[d] == sim::AddressMode::mirror;
    if (repeats && !out.normalized_coordinates) out.mode[d] = sim::AddressMode::clamp;
  }
  std::copy(std::begin(desc.borderColor), std::end(desc.borderColor), out.border.begin());
  out.linear_between_levels = desc.mipmapFilterMode == cudaFilterModeLinear;
  out.seamless_cube = desc.seamlessCubemap != 0;
  out.level_bias = desc.mipmapLevelBias;
  out.least_level = desc.minMipmapLevelClamp;
  out.greatest_level = desc.maxMipmapLevelClamp;
  return out;
}

struct Sources {
  std::map<u64, ObjectSource> of; // by handle
  void forget(u32 device) {
    std::erase_if(of, [&](const auto& one) {
      const auto& [handle, source] = one;
      return source.device == device && Runtime::get().device->textures.remove(handle, source.is_surface);
    });
  }
};
Sources& sources() { return of_device<Sources>(); }

} // namespace

cudaError_t create_texture(Runtime& runtime, cudaTextureObject_t* out, const cudaResourceDesc* resource,
                           const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  if (!out || !resource || !texture) return cudaErrorInvalidValue;
  sim::TextureObject object;
  cudaError_t error = image_of(runtime, *resource, object.image);
  if (error == cudaSuccess && view) error = apply(*view, object.image);
  if (error == cudaSuccess) error = check_sampler(object.image, *texture);
  if (error != cudaSuccess) return error;
  object.sampler = sampler_of(object.image, *texture);
  *out = runtime.device->textures.add(std::move(object));
  sources().of[*out] = {false, *resource, *texture, view ? *view : cudaResourceViewDesc{}};
  return cudaSuccess;
}

cudaError_t create_surface(Runtime& runtime, cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  if (!out || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  sim::TextureObject object;
  object.is_surface = true;
  if (cudaError_t error = image_of(runtime, *resource, object.image); error != cudaSuccess) return error;
  // An array without cudaArraySurfaceLoadStore is taken, too: measured on an H200, driver 580.159.04.
  *out = runtime.device->textures.add(std::move(object));
  sources().of[*out] = {true, *resource};
  return cudaSuccess;
}

cudaError_t destroy_object(Runtime& runtime, u64 handle, bool is_surface) {
  if (handle == 0) return cudaSuccess;
  // A texture that there is none of is none to destroy: cudaSuccess, measured on an H200 (of surfaces it was not).
  if (!runtime.device->textures.remove(handle, is_surface))
    return is_surface ? cudaErrorInvalidValue : cudaSuccess;
  sources().of.erase(handle);
  return cudaSuccess;
}

const ObjectSource* source_of(u64 handle, bool is_surface) {
  const auto found = sources().of.find(handle);
  return found == sources().of.end() || found->second.is_surface != is_surface ? nullptr : &found->second;
}

namespace {

// Descriptors are as long as the caller's major has them.
constexpr std::size_t texture_bytes_11 = 64, resource_bytes_11 = 64;

cudaError_t create(cudaTextureObject_t* out, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                   const cudaResourceViewDesc* view, std::size_t texture_bytes) {
  return api([&](Runtime& r) {
    cudaTextureDesc whole{};
    if (texture) std::memcpy(&whole, texture, texture_bytes);
    return create_texture(r, out, resource, texture ? &whole : nullptr, view);
  });
}

// `part` of the source of an object goes to the caller.
template <class Part>
cudaError_t tell(void* out, u64 handle, bool is_surface, Part ObjectSource::*part,
                 std::size_t bytes = sizeof(Part)) {
  return api([&](Runtime&) {
    const ObjectSource* source = source_of(handle, is_surface);
    if (!out || !source) return cudaErrorInvalidValue;
    std::memcpy(out, &(source->*part), bytes);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

cudaError_t cudaCreateTextureObject_11(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                       const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return create(out, resource, texture, view, texture_bytes_11);
}
cudaError_t cudaCreateTextureObject_12(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                       const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return create(out, resource, texture, view, sizeof(cudaTextureDesc));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return api_waiting([&](Runtime& r) { return destroy_object(r, texture, false); });
}
cudaError_t cudaGetTextureObjectResourceDesc_11(cudaResourceDesc* out, cudaTextureObject_t texture) {
  return tell(out, texture, false, &ObjectSource::resource, resource_bytes_11);
}
cudaError_t cudaGetTextureObjectResourceDesc_13(cudaResourceDesc* out, cudaTextureObject_t texture) {
  return tell(out, texture, false, &ObjectSource::resource);
}
cudaError_t cudaGetTextureObjectTextureDesc_11(cudaTextureDesc* out, cudaTextureObject_t texture) {
  return tell(out, texture, false, &ObjectSource::texture, texture_bytes_11);
}
cudaError_t cudaGetTextureObjectTextureDesc_12(cudaTextureDesc* out, cudaTextureObject_t texture) {
  return tell(out, texture, false, &ObjectSource::texture);
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* out, cudaTextureObject_t texture) {
  return tell(out, texture, false, &ObjectSource::view);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  return api([&](Runtime& r) { return create_surface(r, out, resource); });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return api_waiting([&](Runtime& r) { return destroy_object(r, surface, true); });
}
cudaError_t cudaGetSurfaceObjectResourceDesc_11(cudaResourceDesc* out, cudaSurfaceObject_t surface) {
  return tell(out, surface, true, &ObjectSource::resource, resource_bytes_11);
}
cudaError_t cudaGetSurfaceObjectResourceDesc_13(cudaResourceDesc* out, cudaSurfaceObject_t surface) {
  return tell(out, surface, true, &ObjectSource::resource);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const cudaChannelFormatDesc* format,
                                                 int device) {
  return api([&](Runtime& r) {
    if (!width || !format || !texel_format(*format)) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *width = std::size_t{1} << 28;
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
