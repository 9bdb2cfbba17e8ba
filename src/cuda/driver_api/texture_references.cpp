// Texture and surface references: variables of PTX modules (.texref, .surfref) that the host binds to memory. CUDA 12 took
// them out of C++; modules of older compilers and PTX that was written by hand have them, and the driver API still binds
// them.
//
// A reference is a texture or surface object that lives as long as the binding: each call that changes one makes the object
// anew, and writes its handle where the module's variable is, where kernels look for it (sim/ops/texture_access.h). As on a GPU
// nothing is checked before there is memory to read; what the reference cannot be is the error of the call that makes it so.
#include "driver_api/descriptors.h"
#include "driver_api/frame.h"
#include <cstring>

namespace warplens::runtime {

struct TextureReference {
  Placed variable; // of a module; none for one that cuTexRefCreate made
  bool is_surface = false, bound = false;
  cudaTextureObject_t handle = 0; // or the surface's
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  int format = 0x20; // CU_AD_FORMAT_FLOAT
  unsigned channels = 1, flags = 0;
  CUdeviceptr address = 0;
  u32 device = thread_state().device;
};
using CUtexref = TextureReference*;
using CUsurfref = TextureReference*;

namespace {

Handles<TextureReference>& references() { return of_device<Handles<TextureReference>>(); }

CUtexref add_reference() {
  TextureReference made;
  for (cudaTextureAddressMode& mode : made.texture.addressMode) mode = cudaAddressModeClamp;
  return references().add(made);
}

cudaError_t bind(Runtime& runtime, TextureReference& reference) {
  if (!reference.bound) return cudaSuccess;
  cudaTextureObject_t handle = 0;
  cudaTextureDesc texture = reference.texture;
  texture.readMode = read_mode(reference.flags, texels_of(reference.resource));
  texture.normalizedCoords = (reference.flags & normalized_coordinates) != 0;
  texture.sRGB = (reference.flags & srgb) != 0;
  cudaError_t error = reference.is_surface
                          ? create_surface(runtime, &handle, &reference.resource)
                          : create_texture(runtime, &handle, &reference.resource, &texture, nullptr);
  if (error != cudaSuccess) return error;
  destroy_object(runtime, std::exchange(reference.handle, handle), reference.is_surface);
  if (reference.variable.size >= sizeof handle)
    std::memcpy(pointer(reference.variable.address), &handle, sizeof handle);
  return cudaSuccess;
}

// Changes a reference, when no kernel runs that may read it.
template <class Change> CUresult change(CUtexref reference, bool is_surface, Change&& apply) {
  return in_context([&] {
    return api_waiting([&](Runtime& r) -> cudaError_t {
      if (!references().contains(reference) || reference->is_surface != is_surface)
        return cudaErrorInvalidResourceHandle;
      TextureReference before = *reference;
      cudaError_t error = apply(*reference);
      if (error == cudaSuccess) error = bind(r, *reference);
      if (error != cudaSuccess) *reference = before;
      return error;
    });
  });
}

template <class T, class Ask> CUresult tell(T* out, CUtexref reference, Ask&& ask) {
  return in_context([&](Runtime&) -> cudaError_t {
    if (!references().contains(reference)) return cudaErrorInvalidResourceHandle;
    return out ? ask(*reference, *out) : cudaErrorInvalidValue;
  });
}

// From here on the reference reads memory of this kind: which, is for the caller to write.
auto& bound_to(TextureReference& reference, cudaResourceType kind) {
  reference.resource = {};
  reference.resource.resType = kind;
  reference.bound = true;
  return reference.resource.res;
}
cudaError_t bind_array(TextureReference& reference, cudaArray_t array) {
  if (!exists(array)) return cudaErrorInvalidResourceHandle;
  bound_to(reference, cudaResourceTypeArray).array.array = array;
  return cudaSuccess;
}

template <class T> CUresult set(CUtexref reference, T cudaTextureDesc::*member, T value) {
  return change(reference, false, [&](TextureReference& r) { return answer(&(r.texture.*member), value); });
}
CUresult set_filter(CUtexref reference, cudaTextureFilterMode cudaTextureDesc::*member, int mode) {
  return mode == 0 || mode == 1 ? set(reference, member, static_cast<cudaTextureFilterMode>(mode))
                                : change(reference, false, [](auto&) { return cudaErrorInvalidValue; });
}
template <class Out, class T> CUresult get(Out* out, CUtexref reference, T cudaTextureDesc::*member) {
  return tell(out, reference, [&](const TextureReference& r, Out& to) {
    return answer(&to, static_cast<Out>(r.texture.*member));
  });
}

CUresult find_reference(CUtexref* out, CUmodule module, const char* name, bool is_surface) {
  return in_context([&](Runtime& r) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    ResultOr<Placed, cudaError_t> found = library_variable(r, module, name);
    if (!found) return found.error();
    const ir::Module& code = module->program(r)->module();
    if (!code.variables[code.find_variable(name).value].opaque) return cudaErrorSymbolNotFound;
    for (auto& [reference, owned] : references())
      if (reference->variable.address == found->address && reference->is_surface == is_surface) {
        *out = owned.get();
        return cudaSuccess;
      }
    *out = add_reference();
    (*out)->variable = *found;
    (*out)->is_surface = is_surface;
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule module, const char* name) {
  return find_reference(reference, module, name, false);
}
CUresult cuModuleGetSurfRef(CUsurfref* reference, CUmodule module, const char* name) {
  return find_reference(reference, module, name, true);
}
CUresult cuTexRefCreate(CUtexref* reference) {
  return in_context([&](Runtime&) {
    return reference ? (*reference = add_reference(), cudaSuccess) : cudaErrorInvalidValue;
  });
}
// Of those that cuTexRefCreate made: a module's go with it.
CUresult cuTexRefDestroy(CUtexref reference) {
  return in_context([&] {
    return api_waiting([&](Runtime& r) -> cudaError_t {
      if (!references().contains(reference) || reference->variable.size != 0)
        return cudaErrorInvalidResourceHandle;
      destroy_object(r, reference->handle, reference->is_surface);
      references().erase(reference);
      return cudaSuccess;
    });
  });
}

CUresult cuSurfRefSetArray(CUsurfref reference, cudaArray_t array, unsigned flags) {
  return change(reference, true, [&](TextureReference& r) {
    return flags != 0 ? cudaErrorInvalidValue : bind_array(r, array);
  });
}
CUresult cuSurfRefGetArray(cudaArray_t* array, CUsurfref reference) {
  return tell(array, reference, [](const TextureReference& r, cudaArray_t& out) {
    out = r.resource.res.array.array;
    return r.bound ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUresult cuTexRefSetArray(CUtexref reference, cudaArray_t array, unsigned) {
  return change(reference, false, [&](TextureReference& r) { return bind_array(r, array); });
}
CUresult cuTexRefGetArray(cudaArray_t* array, CUtexref reference) {
  return cuSurfRefGetArray(array, reference);
}
CUresult cuTexRefSetMipmappedArray(CUtexref reference, cudaMipmappedArray_t array, unsigned) {
  return change(reference, false, [&](TextureReference& r) {
    if (!exists(array)) return cudaErrorInvalidResourceHandle;
    bound_to(r, cudaResourceTypeMipmappedArray).mipmap.mipmap = array;
    return cudaSuccess;
  });
}

// Memory that does not begin where textures may is bound from such a place on; kernels add the offset themselves.
CUresult cuTexRefSetAddress_v2(std::size_t* offset, CUtexref reference, CUdeviceptr address,
                               std::size_t bytes) {
  return change(reference, false, [&](TextureReference& r) {
    u64 behind = address % Runtime::get().architecture().memory.texture_alignment;
    if (behind != 0 && offset == nullptr) return cudaErrorInvalidValue;
    if (offset) *offset = behind;
    r.address = address;
    bound_to(r, cudaResourceTypeLinear).linear = {pointer(address - behind), format_of(r.format, r.channels),
                                                  bytes + behind};
    return cudaSuccess;
  });
}
CUresult cuTexRefGetAddress_v2(CUdeviceptr* address, CUtexref reference) {
  return tell(address, reference, [](const TextureReference& r, CUdeviceptr& out) {
    out = r.address;
    return r.bound ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr address,
                                 std::size_t pitch) {
  return change(reference, false, [&](TextureReference& r) {
    if (!d) return cudaErrorInvalidValue;
    r.address = address;
    bound_to(r, cudaResourceTypePitch2D).pitch2D = {pointer(address), format_of(d->format, d->channels),
                                                    d->width, d->height, pitch};
    return cudaSuccess;
  });
}
CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr address,
                                 std::size_t pitch) {
  return cuTexRefSetAddress2D_v3(reference, d, address, pitch);
}

CUresult cuTexRefSetFormat(CUtexref reference, int format, int channels) {
  return change(reference, false, [&](TextureReference& r) {
    r.format = format, r.channels = static_cast<unsigned>(channels);
    if (!texel_format(format_of(r.format, r.channels))) return cudaErrorInvalidValue;
    if (r.resource.resType == cudaResourceTypeLinear)
      r.resource.res.linear.desc = format_of(r.format, r.channels);
    return cudaSuccess;
  });
}
CUresult cuTexRefGetFormat(int* format, int* channels, CUtexref reference) {
  return tell(format, reference, [&](const TextureReference& r, int& out) {
    out = r.format;
    if (channels) *channels = static_cast<int>(r.channels);
    return cudaSuccess;
  });
}
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, int mode) {
  return change(reference, false, [&](TextureReference& r) {
    if (dimension < 0 || dimension > 2 || mode < 0 || mode > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    r.texture.addressMode[dimension] = static_cast<cudaTextureAddressMode>(mode);
    return cudaSuccess;
  });
}
CUresult cuTexRefGetAddressMode(int* mode, CUtexref reference, int dimension) {
  return tell(mode, reference, [&](const TextureReference& r, int& out) {
    if (dimension < 0 || dimension > 2) return cudaErrorInvalidValue;
    out = r.texture.addressMode[dimension];
    return cudaSuccess;
  });
}
CUresult cuTexRefSetFilterMode(CUtexref reference, int mode) {
  return set_filter(reference, &cudaTextureDesc::filterMode, mode);
}
CUresult cuTexRefGetFilterMode(int* mode, CUtexref reference) {
  return get(mode, reference, &cudaTextureDesc::filterMode);
}
CUresult cuTexRefSetMipmapFilterMode(CUtexref reference, int mode) {
  return set_filter(reference, &cudaTextureDesc::mipmapFilterMode, mode);
}
CUresult cuTexRefSetMipmapLevelBias(CUtexref reference, float bias) {
  return set(reference, &cudaTextureDesc::mipmapLevelBias, bias);
}
CUresult cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float greatest) {
  return change(reference, false, [&](TextureReference& r) {
    r.texture.minMipmapLevelClamp = least, r.texture.maxMipmapLevelClamp = greatest;
    return cudaSuccess;
  });
}
CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most) {
  return set(reference, &cudaTextureDesc::maxAnisotropy, most);
}
CUresult cuTexRefSetBorderColor(CUtexref reference, float* colour) {
  return change(reference, false, [&](TextureReference& r) {
    if (!colour) return cudaErrorInvalidValue;
    std::copy_n(colour, 4, r.texture.borderColor);
    return cudaSuccess;
  });
}
CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags) {
  return change(reference, false, [&](TextureReference& r) { return r.flags = flags, cudaSuccess; });
}
CUresult cuTexRefGetFlags(unsigned* flags, CUtexref reference) {
  return tell(flags, reference,
              [](const TextureReference& r, unsigned& out) { return out = r.flags, cudaSuccess; });
}
CUresult cuTexRefGetMipmappedArray(cudaMipmappedArray_t* array, CUtexref reference) {
  return tell(array, reference, [](const TextureReference& r, cudaMipmappedArray_t& out) {
    const bool bound = r.bound && r.resource.resType == cudaResourceTypeMipmappedArray;
    out = bound ? r.resource.res.mipmap.mipmap : nullptr;
    return bound ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUresult cuTexRefGetMipmapFilterMode(int* mode, CUtexref reference) {
  return get(mode, reference, &cudaTextureDesc::mipmapFilterMode);
}
CUresult cuTexRefGetMipmapLevelBias(float* bias, CUtexref reference) {
  return get(bias, reference, &cudaTextureDesc::mipmapLevelBias);
}
CUresult cuTexRefGetMipmapLevelClamp(float* least, float* greatest, CUtexref reference) {
  return tell(least, reference, [&](const TextureReference& r, float& out) {
    if (!greatest) return cudaErrorInvalidValue;
    out = r.texture.minMipmapLevelClamp, *greatest = r.texture.maxMipmapLevelClamp;
    return cudaSuccess;
  });
}
CUresult cuTexRefGetMaxAnisotropy(int* most, CUtexref reference) {
  return get(most, reference, &cudaTextureDesc::maxAnisotropy);
}
CUresult cuTexRefGetBorderColor(float* colour, CUtexref reference) {
  return tell(colour, reference, [&](const TextureReference& r, float&) {
    return std::copy_n(r.texture.borderColor, 4, colour), cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
