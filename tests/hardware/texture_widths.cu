// What texture_kernels.cu does not ask: texels of other widths from linear buffers and arrays, filters of wide texels in three dimensions and
// between levels, components that nobody uses, atomics on surfaces, gathers from layers and cubes (which C++ has no function for). Every kernel is one
// instruction of 64 x 64 or 4096 threads, as there. To be measured in the same way:
//
//   sed s/texture_kernels/texture_widths/ texture_kernels.sh > widths.sh && bash widths.sh OUT
//   warplens run --json OUT/widths.json ./texture_widths; compare_textures.py compares launch by launch
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)), std::exit(1); \
  } while (0)

constexpr int n = 64;
#define XY int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

template <class T> __device__ float first(T v) { return v.x; }
template <> __device__ float first(float v) { return v; }
template <> __device__ float first(unsigned char v) { return v; }
template <> __device__ float first(unsigned short v) { return v; }

template <class T> __global__ void line(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex1Dfetch<T>(t, y * n + x));
}
template <class T> __global__ void line_strided(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex1Dfetch<T>(t, (y * n + x) * 3 % (n * n)));
}
template <class T> __global__ void plane(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex2D<T>(t, x + 0.5f, y + 0.5f));
}
template <class T> __global__ void plane_filtered(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex2D<T>(t, x + 1.0f, y + 1.0f));
}
template <class T> __global__ void solid(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex3D<T>(t, x % 16 + 0.5f, y % 16 + 0.5f, x / 16 * 4 + y / 16 + 0.5f));
}
template <class T> __global__ void solid_filtered(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex3D<T>(t, x % 16 + 1.0f, y % 16 + 1.0f, x / 16 * 4 + y / 16 + 1.0f));
}
template <class T> __global__ void levels_filtered(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = first(tex2DLod<T>(t, (x + 1.0f) / n, (y + 1.0f) / n, 0.5f));
}
__global__ void layers_gathered(cudaTextureObject_t t, float* out) {
  XY;
  float a, b, c, d;
  asm volatile("tld4.r.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "r"(x / 16), "f"(x % 16 + 1.0f), "f"(y % 16 + 1.0f));
  out[y * n + x] = a + b + c + d;
}
__global__ void cube_gathered(cudaTextureObject_t t, float* out) {
  XY;
  float a, b, c, d;
  asm volatile("tld4.r.cube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "f"(x / 32.0f - 1), "f"(y / 32.0f - 1), "f"(1.0f));
  out[y * n + x] = a + b + c + d;
}
__global__ void surface_add(cudaSurfaceObject_t s, float*) {
  XY;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x * 4), "r"(y), "r"(1));
}
__global__ void surface_add_one_row(cudaSurfaceObject_t s, float*) {
  XY;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x % 4 * 4), "r"(0), "r"(y));
}

// Which components of a texel a program uses is in the machine code's instruction: a bit of `mask` for each.
template <int mask> __device__ float some(float4 v) {
  return (mask & 1 ? v.x : 0) + (mask & 2 ? v.y : 0) + (mask & 4 ? v.z : 0) + (mask & 8 ? v.w : 0);
}
template <int mask> __device__ float some(float2 v) { return (mask & 1 ? v.x : 0) + (mask & 2 ? v.y : 0); }
template <class T, int mask> __global__ void plane_point_masked(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = some<mask>(tex2D<T>(t, x + 0.5f, y + 0.5f));
}
template <class T, int mask> __global__ void plane_masked(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = some<mask>(tex2D<T>(t, x + 1.0f, y + 1.0f));
}
template <class T, int mask> __global__ void solid_masked(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = some<mask>(tex3D<T>(t, x % 16 + 1.0f, y % 16 + 1.0f, x / 16 * 4 + y / 16 + 1.0f));
}
template <class T, int mask> __global__ void levels_masked(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = some<mask>(tex2DLod<T>(t, (x + 1.0f) / n, (y + 1.0f) / n, 0.5f));
}

template <class T> cudaArray_t make_array(cudaExtent extent, unsigned flags) {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  return array;
}

cudaTextureObject_t make_texture(const cudaResourceDesc& from, bool filtered, bool normalized) {
  cudaTextureDesc how{};
  for (cudaTextureAddressMode& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = how.mipmapFilterMode = filtered ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = normalized;
  how.maxMipmapLevelClamp = 1;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &from, &how, nullptr));
  return texture;
}
template <class T> cudaTextureObject_t from_array(cudaExtent extent, unsigned flags, bool filtered, bool normalized = false) {
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = make_array<T>(extent, flags);
  return make_texture(from, filtered, normalized);
}
template <class T> cudaTextureObject_t from_line() {
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeLinear;
  from.res.linear.desc = cudaCreateChannelDesc<T>();
  from.res.linear.sizeInBytes = n * n * sizeof(T);
  CHECK(cudaMalloc(&from.res.linear.devPtr, from.res.linear.sizeInBytes));
  return make_texture(from, false, false);
}
template <class T> cudaTextureObject_t from_levels() {
  cudaMipmappedArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK(cudaMallocMipmappedArray(&array, &format, {n, n, 0}, 2, 0));
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeMipmappedArray;
  from.res.mipmap.mipmap = array;
  return make_texture(from, true, true);
}

template <class T> void of_lines(float* out) {
  line<T><<<dim3(2, 64), dim3(32, 1)>>>(from_line<T>(), out);
  line_strided<T><<<dim3(2, 64), dim3(32, 1)>>>(from_line<T>(), out);
}
template <class T> void of_planes(float* out) {
  plane<T><<<dim3(8, 16), dim3(8, 4)>>>(from_array<T>({n, n, 0}, 0, false), out);
  plane<T><<<dim3(2, 64), dim3(32, 1)>>>(from_array<T>({n, n, 0}, 0, false), out);
  solid<T><<<dim3(8, 16), dim3(8, 4)>>>(from_array<T>({16, 16, 16}, 0, false), out);
}
template <class T> void of_filters(float* out) {
  plane_filtered<T><<<dim3(8, 16), dim3(8, 4)>>>(from_array<T>({n, n, 0}, 0, true), out);
  solid_filtered<T><<<dim3(8, 16), dim3(8, 4)>>>(from_array<T>({16, 16, 16}, 0, true), out);
  levels_filtered<T><<<dim3(8, 16), dim3(8, 4)>>>(from_levels<T>(), out);
}

template <int mask> void of_masks(float* out) {
  dim3 grid(8, 16), block(8, 4);
  plane_point_masked<float4, mask><<<grid, block>>>(from_array<float4>({n, n, 0}, 0, false), out);
  plane_masked<float4, mask><<<grid, block>>>(from_array<float4>({n, n, 0}, 0, true), out);
  solid_masked<float4, mask><<<grid, block>>>(from_array<float4>({16, 16, 16}, 0, true), out);
  levels_masked<float4, mask><<<grid, block>>>(from_levels<float4>(), out);
  if (mask > 3) return;
  solid_masked<float2, mask><<<grid, block>>>(from_array<float2>({16, 16, 16}, 0, true), out);
  levels_masked<float2, mask><<<grid, block>>>(from_levels<float2>(), out);
}

int main() {
  float* out;
  CHECK(cudaMalloc(&out, n * n * sizeof(float)));
  of_lines<unsigned char>(out), of_lines<ushort1>(out), of_lines<float2>(out), of_lines<float4>(out);
  of_planes<unsigned char>(out), of_planes<ushort1>(out), of_planes<float2>(out), of_planes<float4>(out);
  of_filters<float>(out), of_filters<float2>(out), of_filters<float4>(out);
  of_masks<1>(out), of_masks<2>(out), of_masks<3>(out), of_masks<4>(out), of_masks<5>(out), of_masks<6>(out);
  of_masks<7>(out), of_masks<8>(out), of_masks<9>(out), of_masks<12>(out), of_masks<14>(out), of_masks<15>(out);
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = make_array<unsigned>({n, n, 0}, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &from));
  surface_add<<<dim3(8, 16), dim3(8, 4)>>>(surface, out);
  surface_add_one_row<<<dim3(8, 16), dim3(8, 4)>>>(surface, out);
  layers_gathered<<<dim3(8, 16), dim3(8, 4)>>>(from_array<float>({16, 16, 4}, cudaArrayLayered, true), out);
  cube_gathered<<<dim3(8, 16), dim3(8, 4)>>>(from_array<float>({n, n, 6}, cudaArrayCubemap, true, true), out);
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
