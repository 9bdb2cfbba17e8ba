// Arrays, and texture and surface objects, through the Runtime and the Driver API: what is copied where, what descriptors become,
// and what is refused.
#include "abi/api.h"
#include "driver_api/frame.h"
#include "runtime/image.h"
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>
#include <vector>

namespace warplens::runtime {
extern "C" {
struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct Resource {
  int type;
  cudaArray_t array;
  int reserved[30];
  unsigned flags;
};
struct CUDA_TEXTURE_DESC {
  int address_mode[3], filter_mode;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float bias, least, greatest, border[4];
  int reserved[12];
};
CUresult cuInit(unsigned);
CUresult cuArray3DCreate_v2(cudaArray_t*, const CUDA_ARRAY3D_DESCRIPTOR*);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR*, cudaArray_t);
CUresult cuArrayDestroy(cudaArray_t);
CUresult cuTexObjectCreate(cudaTextureObject_t*, const void*, const CUDA_TEXTURE_DESC*, const void*);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC*, cudaTextureObject_t);
CUresult cuMemcpyHtoA_v2(cudaArray_t, std::size_t, const void*, std::size_t);
CUresult cuMemcpyAtoH_v2(void*, cudaArray_t, std::size_t, std::size_t);
}
namespace {

constexpr cudaChannelFormatDesc one_float{32, 0, 0, 0, cudaChannelFormatKindFloat},
    bytes4{8, 8, 8, 8, cudaChannelFormatKindUnsigned}, one_int{32, 0, 0, 0, cudaChannelFormatKindSigned};

const sim::TextureObject* object(u64 handle) { return Runtime::get().device->textures.find(handle); }

class Arrays : public testing::Test {
protected:
  void TearDown() override {
    cudaDeviceReset();
    cudaGetLastError();
  }
  cudaArray_t array(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags = 0) {
    cudaArray_t out = nullptr;
    EXPECT_EQ(cudaMalloc3DArray(&out, &format, extent, flags), cudaSuccess);
    return out;
  }
  static cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc out{};
    out.res.array.array = array;
    return out;
  }
  static cudaResourceDesc linear(void* memory, cudaChannelFormatDesc format, std::size_t size) {
    cudaResourceDesc out{};
    out.resType = cudaResourceTypeLinear;
    out.res.linear = {memory, format, size};
    return out;
  }
  static cudaError_t create(const cudaResourceDesc& resource, const cudaTextureDesc& how, u64* out = nullptr,
                            const cudaResourceViewDesc* view = nullptr) {
    cudaTextureObject_t handle = 0;
    cudaError_t error = cudaCreateTextureObject_12(&handle, &resource, &how, view);
    if (out) *out = handle;
    return error;
  }
};

TEST_F(Arrays, RowsGoInAndComeOutWhereTheyWereTold) {
  cudaArray_t a = array(bytes4, {4, 3, 0}), b = array(bytes4, {4, 3, 0});
  std::vector<u32> in(12), out(12);
  std::iota(in.begin(), in.end(), 1u);
  ASSERT_EQ(cudaMemcpy2DToArray(a, 0, 0, in.data(), 16, 16, 3, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DArrayToArray(b, 4, 1, a, 0, 0, 12, 2, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToArray(b, 0, 0, in.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArray(out.data(), 16, b, 0, 0, 16, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArrayAsync(&out[5], b, 4, 1, 12, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(out, (std::vector<u32>{1, 2, 3, 4, 0, 1, 2, 3, 0, 0, 0, 0}));
  EXPECT_EQ(cudaMemcpy2DToArray(a, 4, 0, in.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToArray(a, 0, 2, in.data(), 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(a), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 4, 1, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Arrays, ShapesThatNoArrayHasAreRefused) {
  cudaArray_t out = nullptr;
  auto made = [&](cudaChannelFormatDesc format, cudaExtent extent, unsigned flags) {
    return cudaMalloc3DArray(&out, &format, extent, flags);
  };
  EXPECT_EQ(made({32, 32, 32, 0, cudaChannelFormatKindFloat}, {4, 4, 0}, 0),
            cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(made({8, 0, 0, 0, cudaChannelFormatKindFloat}, {4, 4, 0}, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(made({8, 16, 0, 0, cudaChannelFormatKindUnsigned}, {4, 4, 0}, 0),
            cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(made(one_float, {0, 4, 0}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 4, 0}, array_layered), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 5, 6}, array_cubemap), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 4, 5}, array_cubemap), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {~std::size_t{0}, 4, 0}, 0), cudaErrorMemoryAllocation);
  EXPECT_EQ(made(one_float, {std::size_t{1} << 31, std::size_t{1} << 31, std::size_t{1} << 31}, 0),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(made(one_float, {4, 4, 12}, array_cubemap | array_layered), cudaSuccess);
  // As an H200 answered (580.159.04, 29 November 2026).
  EXPECT_EQ(made(one_float, {4, 4, 0}, array_gather), cudaSuccess);
  EXPECT_EQ(made(one_float, {4, 0, 0}, array_gather), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 4, 4}, array_gather), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 4, 6}, array_gather | array_cubemap), cudaErrorInvalidValue);
  EXPECT_EQ(made(one_float, {4, 4, 2}, array_gather | array_layered), cudaErrorInvalidValue);
}

TEST_F(Arrays, LevelsHalveAndBelongToTheirArray) {
  cudaMipmappedArray_t mipmapped = nullptr;
  ASSERT_EQ(cudaMallocMipmappedArray(&mipmapped, &one_float, {9, 5, 0}, 99, 0), cudaSuccess);
  cudaArray_t level = nullptr;
  cudaExtent extent{};
  for (unsigned l = 0; l < 4; ++l) {
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&level, mipmapped, l), cudaSuccess);
    ASSERT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, level), cudaSuccess);
    EXPECT_EQ(extent.width, 9u >> l);
    EXPECT_EQ(extent.height, std::max(5u >> l, 1u));
  }
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&level, mipmapped, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(level), cudaErrorInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray, resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc how{};
  EXPECT_EQ(create(resource, how), cudaErrorInvalidValue); // coordinates have to be normalised
  how.normalizedCoords = 1;
  u64 handle = 0;
  ASSERT_EQ(create(resource, how, &handle), cudaSuccess);
  ASSERT_EQ(object(handle)->image.levels.size(), 4u);
  EXPECT_EQ(object(handle)->image.levels[3].width, 1u);
  EXPECT_EQ(cudaFreeMipmappedArray(mipmapped), cudaSuccess);
  EXPECT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, level), cudaErrorInvalidResourceHandle);
}

TEST_F(Arrays, TexturesAreWhatTheirDescriptorsSay) {
  cudaTextureDesc how{};
  how.addressMode[0] = cudaAddressModeWrap, how.addressMode[1] = cudaAddressModeBorder;
  how.filterMode = cudaFilterModeLinear;
  how.borderColor[2] = 0.5f;
  u64 handle = 0;
  ASSERT_EQ(create(of(array(one_float, {8, 4, 3}, array_layered)), how, &handle), cudaSuccess);
  const sim::TextureObject& texels = *object(handle);
  EXPECT_EQ(texels.image.dimensions, 2);
  EXPECT_TRUE(texels.image.layered);
  EXPECT_EQ(texels.image.layers, 3u);
  EXPECT_EQ(texels.sampler.mode[0], sim::AddressMode::clamp); // wrapping needs normalised coordinates
  EXPECT_EQ(texels.sampler.mode[1], sim::AddressMode::border);
  EXPECT_EQ(texels.sampler.border[2], 0.5f);
  EXPECT_TRUE(texels.sampler.linear);
  cudaTextureDesc told{};
  EXPECT_EQ(cudaGetTextureObjectTextureDesc_12(&told, handle), cudaSuccess);
  EXPECT_EQ(std::memcmp(&told, &how, sizeof how), 0);
  EXPECT_EQ(cudaDestroyTextureObject(handle), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(handle), cudaSuccess); // as on an H200
  EXPECT_EQ(cudaGetTextureObjectTextureDesc_12(&told, handle), cudaErrorInvalidValue);
}

TEST_F(Arrays, MemoryThatIsNotThereMakesNoTexture) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4096), cudaSuccess);
  cudaTextureDesc how{};
  u64 handle = 0;
  ASSERT_EQ(create(linear(memory, bytes4, 4096), how, &handle), cudaSuccess);
  EXPECT_EQ(object(handle)->image.levels[0].width, 1024u);
  EXPECT_EQ(object(handle)->sampler.mode[0], sim::AddressMode::border);
  ASSERT_EQ(create(linear(memory, bytes4, 8192), how, &handle), cudaSuccess); // described longer than it is
  EXPECT_EQ(object(handle)->image.levels[0].width, 2048u);
  EXPECT_EQ(object(handle)->image.bytes, 4096u);
  EXPECT_EQ(create(linear(static_cast<char*>(memory) + 4, bytes4, 64), how), cudaErrorInvalidValue);
  EXPECT_EQ(create(linear(&how, bytes4, 16), how), cudaErrorInvalidValue);
  cudaResourceDesc pitched{};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D = {memory, one_float, 16, 8, 512};
  EXPECT_EQ(create(pitched, how), cudaSuccess);
  pitched.res.pitch2D.height = 9;
  EXPECT_EQ(create(pitched, how), cudaErrorInvalidValue);
  pitched.res.pitch2D = {memory, one_float, 16, 8, 100};
  EXPECT_EQ(create(pitched, how), cudaErrorInvalidValue);
  EXPECT_EQ(create(of(reinterpret_cast<cudaArray_t>(&how)), how), cudaErrorInvalidResourceHandle);
}

TEST_F(Arrays, WhatCannotBeFilteredOrNormalisedIsRefused) {
  cudaArray_t ints = array(one_int, {4, 4, 0});
  cudaTextureDesc how{};
  how.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(create(of(ints), how), cudaErrorInvalidFilterSetting);
  how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(create(of(ints), how), cudaErrorInvalidNormSetting);
  how.addressMode[1] = static_cast<cudaTextureAddressMode>(9);
  EXPECT_EQ(create(of(array(bytes4, {4, 4, 0})), how), cudaErrorInvalidValue);
}

TEST_F(Arrays, ViewsAreAPart) {
  cudaArray_t layers = array(bytes4, {4, 4, 5}, array_layered);
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatUnsignedInt1;
  view.firstLayer = 2, view.lastLayer = 3;
  u64 handle = 0;
  ASSERT_EQ(create(of(layers), {}, &handle, &view), cudaSuccess);
  const sim::Image& image = object(handle)->image;
  EXPECT_EQ(image.format, (sim::TexelFormat{sim::ChannelKind::unsigned_integer, 32, 1}));
  EXPECT_EQ(image.layers, 2u);
  EXPECT_EQ(image.levels[0].address, image.begin + 2 * 64);
  view.lastLayer = 5;
  EXPECT_EQ(create(of(layers), {}, nullptr, &view), cudaErrorInvalidValue);
  view = {cudaResViewFormatFloat4};
  EXPECT_EQ(create(of(layers), {}, nullptr, &view), cudaErrorInvalidValue);
}

TEST_F(Arrays, SurfacesAreMadeOfAnyArray) {
  cudaResourceDesc plain = of(array(one_float, {4, 4, 0})),
                   surface = of(array(one_float, {4, 4, 0}, array_surface));
  cudaSurfaceObject_t handle = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&handle, &plain), cudaSuccess); // without the flag, as on an H200
  EXPECT_EQ(cudaDestroySurfaceObject(handle), cudaSuccess);
  ASSERT_EQ(cudaCreateSurfaceObject(&handle, &surface), cudaSuccess);
  EXPECT_TRUE(object(handle)->is_surface);
  EXPECT_EQ(cudaDestroyTextureObject(handle), cudaSuccess);
  EXPECT_TRUE(object(handle)->is_surface); // it was no texture
  EXPECT_EQ(cudaDestroySurfaceObject(handle), cudaSuccess);
}

// A descriptor of CUDA 11 ends after the clamps: what lies behind it is not the caller's.
TEST_F(Arrays, EachMajorHasItsDescriptor) {
  cudaArray_t cube = array(one_float, {4, 4, 6}, array_cubemap);
  cudaResourceDesc resource = of(cube);
  cudaTextureDesc how{};
  how.seamlessCubemap = 1;
  cudaTextureObject_t old = 0, now = 0;
  ASSERT_EQ(cudaCreateTextureObject_11(&old, &resource, &how, nullptr), cudaSuccess);
  ASSERT_EQ(cudaCreateTextureObject_12(&now, &resource, &how, nullptr), cudaSuccess);
  EXPECT_FALSE(object(old)->sampler.seamless_cube);
  EXPECT_TRUE(object(now)->sampler.seamless_cube);
}

TEST_F(Arrays, TheDriverHasTheSameUnderItsOwnWords) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess); // makes the primary context current
  constexpr int bytes = 1;
  CUDA_ARRAY3D_DESCRIPTOR shape{16, 4, 0, bytes, 1, 0}, told{};
  cudaArray_t array = nullptr;
  ASSERT_EQ(cuArray3DCreate_v2(&array, &shape), CUDA_SUCCESS);
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&told, array), CUDA_SUCCESS);
  auto members = [](const CUDA_ARRAY3D_DESCRIPTOR& of) {
    return std::tuple(of.width, of.height, of.depth, of.format, of.channels, of.flags);
  };
  EXPECT_EQ(members(told), members(shape));
  Resource resource{};
  resource.array = array;
  CUDA_TEXTURE_DESC how{}, told_how{};
  how.flags = 2; // normalised coordinates; integers become floats unless the flags say otherwise
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cuTexObjectCreate(&texture, &resource, &how, nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(object(texture)->sampler.normalized_read);
  EXPECT_TRUE(object(texture)->sampler.normalized_coordinates);
  EXPECT_EQ(cuTexObjectGetTextureDesc(&told_how, texture), CUDA_SUCCESS);
  EXPECT_EQ(told_how.flags, 2u);
  std::vector<u8> in(16, 3), out(16);
  EXPECT_EQ(cuMemcpyHtoA_v2(array, 0, in.data(), 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoH_v2(out.data(), array, 0, 16), CUDA_SUCCESS);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
} // namespace warplens::runtime
