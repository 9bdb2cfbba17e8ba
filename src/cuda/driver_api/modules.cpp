// Modules and libraries, which are the same thing, their functions and variables; linking.
#include "driver_api/frame.h"
#include "os/file.h"
#include "os/mappings.h"
#include "runtime/host_objects.h"

namespace warplens::runtime {

// Images that are to be one. On a GPU each is compiled when it is added; here, all when they are complete.
struct LinkState {
  std::vector<std::vector<std::byte>> images;
  std::vector<int> options;
  std::vector<void*> values;
  std::vector<std::byte> result;
  u32 device = thread_state().device;
  JitOptions jit() const {
    return {options.data(), const_cast<void**>(values.data()), static_cast<u32>(options.size())};
  }
};
using CUlinkState = LinkState*;

namespace {

// Nothing may be NULL of what is written to.
template <class Load> CUresult load(CUmodule* module, Load&& body) {
  return in_context([&] {
    return module == nullptr ? cudaErrorInvalidValue : api([&](Runtime& r) { return give(module, body(r)); });
  });
}

Handles<LinkState>& links() { return of_device<Handles<LinkState>>(); }

// Runs `body` with the state, if it is one.
template <class Body> CUresult linking(CUlinkState state, Body&& body) {
  return in_context(
      [&](Runtime& r) { return links().contains(state) ? body(r) : cudaErrorInvalidResourceHandle; });
}

} // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return load(module, [&](Runtime& r) { return load_library_file(r, path, {}); });
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, const int* options,
                            void** values) {
  return load(module, [&](Runtime& r) { return load_library(r, image, {options, values, count}); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

CUresult cuLibraryGetModule(CUmodule* module, CUmodule library) {
  return driver([&] { return answer(module, library); });
}

CUresult cuModuleGetLoadingMode(int* mode) {
  return driver([&] {
    constexpr int eager = 1;
    return answer(mode, eager);
  });
}

// A kernel is its own function, in whatever context.
CUresult cuKernelGetFunction(CUfunction* function, CUfunction kernel) {
  return driver([&](Runtime& r) {
    if (!function) return cudaErrorInvalidValue;
    *function = r.binaries.kernel(kernel);
    return *function ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return driver([&](Runtime& r) {
    Kernel* kernel = r.binaries.kernel(function);
    if (!module || !kernel) return kernel ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *module = kernel->binary;
    return cudaSuccess;
  });
}
CUresult cuFuncIsLoaded(int* loaded, CUfunction function) {
  return driver([&](Runtime& r) {
    if (!loaded) return cudaErrorInvalidValue;
    *loaded = 1;
    return r.binaries.kernel(function) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuFuncLoad(CUfunction function) {
  int loaded = 0;
  return cuFuncIsLoaded(&loaded, function);
}

CUresult cuLinkCreate_v2(unsigned count, const int* options, void** values, CUlinkState* state) {
  return in_context([&](Runtime&) {
    if (!state || (count != 0 && (!options || !values))) return cudaErrorInvalidValue;
    *state = links().add({{}, {options, options + count}, {values, values + count}});
    return cudaSuccess;
  });
}

// cubin, PTX, fat binary, object, library; NVVM is for NVIDIA's own linker.
CUresult cuLinkAddData_v2(CUlinkState state, int type, const void* data, std::size_t size, const char*,
                          unsigned, const int*, void**) {
  return linking(state, [&](Runtime& r) {
    constexpr int object = 3, library = 4, last_known = library;
    if (!data || size == 0 || type < 0 || !os::accessible(reinterpret_cast<u64>(data), size, false))
      return cudaErrorInvalidValue;
    if (type > last_known) {
      r.note_unsupported("cuLinkAddData of NVVM");
      return cudaErrorNotSupported;
    }
    std::vector<Bytes> images{{static_cast<const std::byte*>(data), size}};
    if (type >= object) images = device_code_of(images[0]);
    if (images.empty() && type == object) return cudaErrorInvalidKernelImage;
    for (Bytes image : images) state->images.emplace_back(image.begin(), image.end());
    return cudaSuccess;
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char* path, unsigned count, const int* options,
                          void** values) {
  std::optional<std::string> content = path ? os::read_file(path) : std::nullopt;
  if (!content) return as_result(path ? cudaErrorFileNotFound : cudaErrorInvalidValue);
  return cuLinkAddData_v2(state, type, content->data(), content->size(), path, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
  return linking(state, [&](Runtime& r) -> cudaError_t {
    if (!image || state->images.empty()) return cudaErrorInvalidValue;
    ResultOr<Binary*, cudaError_t> tried = load_library(r, state->images, "what was linked", state->jit());
    if (!tried) return tried.error();
    unload_library(r, *tried);
    state->result = pack_images(state->images);
    *image = state->result.data();
    if (size) *size = state->result.size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return driver(
      [&](Runtime&) { return links().erase(state) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

} // extern "C"
} // namespace warplens::runtime
