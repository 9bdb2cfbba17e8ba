// Forms of texture and surface instructions that programs seldom have: objects that differ from lane to lane, gradients, levels, single
// components, gathers, surfaces of every width and shape, atomics. Prints a sum of each kernel's results, which machine code and PTX must
// have in common.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess)                                                                               \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)), std::exit(1);                      \
  } while (0)

using T = cudaTextureObject_t;
using S = cudaSurfaceObject_t;
constexpr int n = 16;

#define I int i = threadIdx.x, j = threadIdx.y, at = j * blockDim.x + i;
__global__ void of_lane(const T* t, float* o) { I o[at] = tex2D<float>(t[i % 2], i + 0.5f, j + 0.25f); }
__global__ void of_lane_line(const T* t, float4* o) { I o[at] = tex1Dfetch<float4>(t[j % 2], i); }
__global__ void of_lane_solid(const T* t, float* o, float level) {
  I o[at] = tex3DLod<float>(t[i % 2], i, j, 2.5f, level);
}
__global__ void of_lane_surface(const S* s, float* o) {
  I float v;
  surf2Dread(&v, s[i % 2], i * 4, j);
  o[at] = v;
}
__global__ void of_block(const T* t, float* o) {
  I o[at] = tex2D<float>(t[blockIdx.x + 1], i + 0.5f, j + 0.75f);
}
__global__ void gradient(T t, float* o, float2 dx, float2 dy) {
  I o[at] = tex2DGrad<float>(t, i / 16.f, j / 16.f, dx, dy);
}
__global__ void gradient_layer(T t, float* o, int layer, float2 dx, float2 dy) {
  I o[at] = tex2DLayeredGrad<float>(t, i / 16.f, j / 16.f, layer, dx, dy);
}
__global__ void gradient_line(T t, float* o, float dx, float dy) {
  I o[at] = tex1DGrad<float>(t, at / 256.f, dx, dy);
}
__global__ void level(T t, float* o, float l) { I o[at] = tex2DLod<float>(t, i / 16.f, j / 16.f, l); }
__global__ void layer_level(T t, float* o, int layer, float l) {
  I o[at] = tex2DLayeredLod<float>(t, i / 16.f, j / 16.f, layer, l);
}
__global__ void layers(T t, float* o) { I o[at] = tex1DLayered<float>(t, i + 0.5f, j % 5); }
__global__ void cube(T t, float4* o) { I o[at] = texCubemap<float4>(t, i - 7.5f, j - 7.5f, 5.f); }
__global__ void cubes(T t, float4* o) {
  I o[at] = texCubemapLayered<float4>(t, i - 7.5f, 3.f, j - 7.5f, i % 2);
}
__global__ void components(T t, float4* o) {
  I float4 a = tex2D<float4>(t, i, j), b = tex2D<float4>(t, i + 0.5f, j), c = tex2D<float4>(t, i, j + 0.5f);
  o[at] = make_float4(a.x + a.w, b.y, c.y + c.z, c.w);
}
__global__ void gathered(T t, float4* o) {
  I float4 a = tex2Dgather<float4>(t, i, j, 0), b = tex2Dgather<float4>(t, i, j, 3),
           c = tex2Dgather<float4>(t, i, j, 2);
  o[at] = make_float4(a.x + a.w, b.y, b.z, c.x + c.y);
}
#define GATHER(name, shape, a, b, c, d)                                                                      \
  __global__ void name(T t, float4* o) {                                                                     \
    I float4 v;                                                                                              \
    asm("tld4.g." shape ".v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];"                              \
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)                                                         \
        : "l"(t), a, "f"(static_cast<float>(b)), "f"(static_cast<float>(c)), "f"(static_cast<float>(d)));    \
    o[at] = v;                                                                                               \
  }
GATHER(gathered_layer, "a2d", "r"(i % 3), i, j, j)
GATHER(gathered_cube, "cube", "f"(i - 7.5f), j - 7.5f, -3.f, 0.f)
__global__ void small_surface(S s, int* o, unsigned char a, short b) {
  I surf2Dwrite(static_cast<unsigned char>(a + at), s, i, j);
  surf2Dwrite(static_cast<short>(b - 300 * at), s, 16 + 2 * i, j);
  unsigned char c;
  surf2Dread(&c, s, i, j, cudaBoundaryModeZero);
  signed char d;
  int f;
  asm("{ .reg .b16 h; suld.b.2d.b8.clamp {h}, [%1, {%2, %3}]; cvt.s32.s8 %0, h; }"
      : "=r"(f)
      : "l"(s), "r"(i - 3), "r"(j));
  surf2Dread(&d, s, i, j);
  short e;
  surf2Dread(&e, s, 16 + 2 * i, j);
  o[at] = c * 1000 + d * 7 + e + 5 * f;
}
__global__ void wide_surfaces(S plane, S solid, S layered, float4* o) {
  I surf2Dwrite(make_float4(i, j, i * j, at), plane, i * 16, j);
  surf3Dwrite(make_float2(j, i), solid, i * 8, j, 3, cudaBoundaryModeClamp);
  surf2DLayeredwrite(static_cast<float>(at), layered, i * 4, j, 1, cudaBoundaryModeZero);
  __syncthreads();
  float4 a;
  float2 b;
  float c;
  surf2Dread(&a, plane, (i - 2) * 16, j, cudaBoundaryModeClamp);
  surf3Dread(&b, solid, i * 8, j, 3);
  surf2DLayeredread(&c, layered, (i + 2) * 4, j, 1, cudaBoundaryModeZero);
  o[at] = make_float4(a.x + a.w, b.x * 3 + b.y, c, a.z);
}
__global__ void formatted(S s, float* o) {
  I asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(i), "r"(j), "r"(__float_as_int(at))
                 : "memory");
  __syncthreads();
  surf2Dread(&o[at], s, i * 4, j);
}
__global__ void reduced(S s, int* o) {
  I int y = j % 4;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(0), "r"(at)
               : "memory");
  asm volatile("sured.b.min.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(1), "r"(-at)
               : "memory");
  asm volatile("sured.b.max.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(2), "r"(-at)
               : "memory");
  asm volatile("sured.b.or.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(3), "r"(1 << j)
               : "memory");
  __syncthreads();
  int v;
  surf2Dread(&v, s, i * 4, y);
  o[at] = v;
}

void* out;
void show(const char* name) {
  std::vector<unsigned> got(4 * n * n);
  CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
  unsigned sum = 2166136261u;
  for (unsigned v : got) sum = (sum ^ v ^ v >> 15) * 16777619u;
  std::printf("%s %08x\n", name, sum);
  CHECK(cudaMemset(out, 0, got.size() * 4));
}

template <class E> cudaArray_t array(cudaExtent size, unsigned flags, float scale) {
  cudaArray_t a;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<E>();
  CHECK(cudaMalloc3DArray(&a, &format, size, flags));
  const size_t rows = size.height == 0 ? 1 : size.height, slices = size.depth == 0 ? 1 : size.depth;
  std::vector<float> all(size.width * rows * slices * sizeof(E) / 4);
  for (size_t k = 0; k < all.size(); ++k) all[k] = scale * static_cast<float>(k * 37 % 101);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(all.data(), size.width * sizeof(E), size.width, rows);
  copy.dstArray = a;
  copy.extent = make_cudaExtent(size.width, rows, slices);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return a;
}
cudaResourceDesc resource_of(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}
T texture(const cudaResourceDesc& r, bool linear, bool normalized) {
  cudaTextureDesc how = {};
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.normalizedCoords = normalized;
  how.maxMipmapLevelClamp = 10;
  for (auto& mode : how.addressMode) mode = normalized ? cudaAddressModeWrap : cudaAddressModeClamp;
  T t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
  return t;
}
T texture(cudaArray_t a, bool linear, bool normalized) { return texture(resource_of(a), linear, normalized); }
S surface(cudaArray_t a) {
  S s = 0;
  const cudaResourceDesc r = resource_of(a);
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}
T levels(unsigned flags, cudaExtent size) {
  cudaMipmappedArray_t all;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&all, &format, size, 3, flags));
  for (unsigned l = 0; l < 3; ++l) {
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, all, l));
    const size_t w = size.width >> l, h = size.height == 0 ? 1 : size.height >> l,
                 d = size.depth == 0 ? 1 : size.depth;
    std::vector<float> texels(w * h * d);
    for (size_t k = 0; k < texels.size(); ++k) texels[k] = static_cast<float>(100 * l + k % 13);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), w * 4, w, h);
    copy.dstArray = a;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
  }
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = all;
  return texture(r, true, true);
}
template <class E> const E* on_device(std::vector<E> v) {
  E* p;
  CHECK(cudaMalloc(&p, v.size() * sizeof(E)));
  CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(E), cudaMemcpyHostToDevice));
  return p;
}
T line(float scale) {
  std::vector<float4> v(n);
  for (int k = 0; k < n; ++k) v[k] = make_float4(k * scale, k, -k, scale);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = const_cast<float4*>(on_device(v));
  r.res.linear.desc = cudaCreateChannelDesc<float4>();
  r.res.linear.sizeInBytes = n * sizeof(float4);
  return texture(r, false, false);
}

int main() {
  const dim3 block(n, n);
  CHECK(cudaMalloc(&out, 4 * n * n * 4));
  CHECK(cudaMemset(out, 0, 4 * n * n * 4));
  auto* f = static_cast<float*>(out);
  auto* f4 = static_cast<float4*>(out);
  auto* w = static_cast<int*>(out);
  const cudaExtent plane = make_cudaExtent(n, n, 0), solid = make_cudaExtent(n, n, 4);
#define RUN(kernel, ...) kernel<<<1, block>>>(__VA_ARGS__), show(#kernel)
  RUN(of_lane,
      on_device<T>({texture(array<float>(plane, 0, 1), true, false),
                    texture(array<float>(plane, 0, 3), false, false)}),
      f);
  RUN(of_lane_line, on_device<T>({line(2), line(5)}), f4);
  RUN(of_lane_solid,
      on_device<T>({texture(array<float>(solid, 0, 1), true, false),
                    texture(array<float>(solid, 0, 2), false, false)}),
      f, 0.f);
  RUN(of_lane_surface,
      on_device<S>({surface(array<float>(plane, cudaArraySurfaceLoadStore, 1)),
                    surface(array<float>(plane, cudaArraySurfaceLoadStore, 9))}),
      f);
  RUN(of_block, on_device<T>({0, texture(array<float>(plane, 0, 4), true, false)}), f);
  RUN(gradient, levels(0, plane), f, make_float2(0.1f, 0.02f), make_float2(0.03f, 0.2f));
  RUN(gradient_layer, levels(cudaArrayLayered, make_cudaExtent(n, n, 3)), f, 2, make_float2(0.2f, 0.02f),
      make_float2(0.03f, 0.1f));
  RUN(gradient_line, levels(0, make_cudaExtent(64, 0, 0)), f, 0.03f, 0.05f);
  RUN(level, levels(0, plane), f, 0.75f);
  RUN(layer_level, levels(cudaArrayLayered, make_cudaExtent(n, n, 3)), f, 1, 1.5f);
  RUN(layers, texture(array<float>(make_cudaExtent(n, 0, 5), cudaArrayLayered, 1), false, false), f);
  RUN(cube, texture(array<float4>(make_cudaExtent(n, n, 6), cudaArrayCubemap, 1), true, true), f4);
  RUN(cubes,
      texture(array<float4>(make_cudaExtent(n, n, 12), cudaArrayCubemap | cudaArrayLayered, 1), false, true),
      f4);
  const T colours = texture(array<float4>(plane, cudaArrayTextureGather, 1), true, false);
  RUN(components, colours, f4);
  RUN(gathered, colours, f4);
  RUN(gathered_layer, texture(array<float4>(make_cudaExtent(n, n, 3), cudaArrayLayered, 1), false, false),
      f4);
  RUN(gathered_cube, texture(array<float4>(make_cudaExtent(n, n, 6), cudaArrayCubemap, 1), false, true), f4);
  RUN(small_surface, surface(array<float4>(plane, cudaArraySurfaceLoadStore, 0)), w, 200, 77);
  RUN(wide_surfaces, surface(array<float4>(plane, cudaArraySurfaceLoadStore, 0)),
      surface(array<float2>(solid, cudaArraySurfaceLoadStore, 0)),
      surface(array<float>(make_cudaExtent(n, n, 2), cudaArraySurfaceLoadStore | cudaArrayLayered, 0)), f4);
  RUN(formatted, surface(array<float>(plane, cudaArraySurfaceLoadStore, 0)), f);
  RUN(reduced, surface(array<float>(plane, cudaArraySurfaceLoadStore, 0)), w);
  CHECK(cudaDeviceSynchronize());
}
