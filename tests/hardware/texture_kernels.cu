// One kernel per question about textures and surfaces in the caches: what Nsight Compute counts for each is compared with what
// WarpLens counts. texture_kernels.sh measures it. Every kernel is one instruction of 64 x 64 or 4096 threads.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error_ = (call);                                                                                       \
    if (error_ != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)), std::exit(1);       \
  } while (0)

constexpr int n = 64;
#define XY int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define I int i = blockIdx.x * blockDim.x + threadIdx.x

template <class T> __device__ float sum(T v);
template <> __device__ float sum(float v) { return v; }
template <> __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
template <> __device__ float sum(float2 v) { return v.x + v.y; }
template <> __device__ float sum(uchar4 v) { return v.x + v.y + v.z + v.w; }
template <> __device__ float sum(unsigned char v) { return v; }
template <> __device__ float sum(ushort2 v) { return v.x + v.y; }

template <class T> __global__ void line_point(cudaTextureObject_t t, float* out) { I; out[i] = sum(tex1Dfetch<T>(t, i)); }
template <class T> __global__ void row_point(cudaTextureObject_t t, float* out) { I; out[i] = sum(tex1D<T>(t, i % n + 0.5f)); }
template <class T> __global__ void plane_point(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = sum(tex2D<T>(t, x + 0.5f, y + 0.5f));
}
template <class T> __global__ void plane_column(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = sum(tex2D<T>(t, y + 0.5f, x + 0.5f));
}
template <class T> __global__ void plane_linear(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = sum(tex2D<T>(t, x + 1.0f, y + 1.0f));
}
template <class T> __global__ void plane_linear_middle(cudaTextureObject_t t, float* out) { // weights of 0
  XY; out[y * n + x] = sum(tex2D<T>(t, x + 0.5f, y + 0.5f));
}
template <class T> __global__ void plane_outside(cudaTextureObject_t t, float* out) { // the border colour
  XY; out[y * n + x] = sum(tex2D<T>(t, x - 32 + 0.5f, y + 0.5f));
}
__global__ void solid_point(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = tex3D<float>(t, x % 16 + 0.5f, y % 16 + 0.5f, x / 16 + 0.5f);
}
__global__ void solid_linear(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = tex3D<float>(t, x % 16 + 1.0f, y % 16 + 1.0f, x / 16 + 1.0f);
}
__global__ void layer_point(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = tex2DLayered<float>(t, x % 16 + 0.5f, y % 16 + 0.5f, x / 16);
}
__global__ void gather_plane(cudaTextureObject_t t, float* out) {
  XY; out[y * n + x] = sum(tex2Dgather<float4>(t, x + 1.0f, y + 1.0f, 0));
}
template <class T> __global__ void surface_read(cudaSurfaceObject_t s, float* out) {
  XY; out[y * n + x] = sum(surf2Dread<T>(s, x * (int)sizeof(T), y));
}
template <class T> __global__ void surface_write(cudaSurfaceObject_t s, float* out) {
  XY; surf2Dwrite(T{}, s, x * (int)sizeof(T), y);
}
template <class T> __global__ void surface_column(cudaSurfaceObject_t s, float* out) {
  XY; surf2Dwrite(T{}, s, y * (int)sizeof(T), x);
}

float* out;
const dim3 grid(n / 32, n / 8), block(32, 8);

template <class T> cudaArray_t array_of(int w, int h, int d, unsigned flags) {
  cudaArray_t array;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
  CHECK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(w, h, d), flags));
  return array;
}
cudaTextureObject_t texture_of(cudaResourceDesc r, cudaTextureFilterMode filter, cudaTextureAddressMode mode = cudaAddressModeClamp) {
  cudaTextureDesc how = {};
  how.filterMode = filter;
  for (auto& m : how.addressMode) m = mode;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
  return t;
}
cudaResourceDesc of(cudaArray_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = array;
  return r;
}

template <class T> void planes(bool filter) {
  cudaResourceDesc r = of(array_of<T>(n, n, 0, cudaArraySurfaceLoadStore));
  plane_point<T><<<grid, block>>>(texture_of(r, cudaFilterModePoint), out);
  plane_column<T><<<grid, block>>>(texture_of(r, cudaFilterModePoint), out);
  if (filter) {
    plane_linear<T><<<grid, block>>>(texture_of(r, cudaFilterModeLinear), out);
    plane_linear_middle<T><<<grid, block>>>(texture_of(r, cudaFilterModeLinear), out);
    plane_outside<T><<<grid, block>>>(texture_of(r, cudaFilterModePoint, cudaAddressModeBorder), out);
  }
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  surface_read<T><<<grid, block>>>(s, out);
  surface_write<T><<<grid, block>>>(s, out);
  surface_column<T><<<grid, block>>>(s, out);
}
template <class T> void lines() {
  T* memory;
  CHECK(cudaMalloc(&memory, n * n * sizeof(T)));
  CHECK(cudaMemset(memory, 0, n * n * sizeof(T)));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory, r.res.linear.desc = cudaCreateChannelDesc<T>(), r.res.linear.sizeInBytes = n * n * sizeof(T);
  line_point<T><<<n * n / 256, 256>>>(texture_of(r, cudaFilterModePoint), out);
  row_point<T><<<n * n / 256, 256>>>(texture_of(of(array_of<T>(n, 0, 0, 0)), cudaFilterModePoint), out);
}

int main() {
  CHECK(cudaMalloc(&out, n * n * sizeof *out));
  planes<float>(true);
  planes<float2>(true);
  planes<float4>(true);
  planes<uchar4>(false);
  planes<ushort2>(false);
  planes<unsigned char>(false);
  lines<float>();
  lines<float4>();
  lines<uchar4>();
  lines<unsigned char>();
  cudaResourceDesc solid = of(array_of<float>(17, 17, 5, 0));
  solid_point<<<grid, block>>>(texture_of(solid, cudaFilterModePoint), out);
  solid_linear<<<grid, block>>>(texture_of(solid, cudaFilterModeLinear), out);
  layer_point<<<grid, block>>>(texture_of(of(array_of<float>(16, 16, 4, cudaArrayLayered)), cudaFilterModePoint), out);
  gather_plane<<<grid, block>>>(texture_of(of(array_of<float>(n + 2, n + 2, 0, cudaArrayTextureGather)), cudaFilterModePoint), out);
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
  return 0;
}
