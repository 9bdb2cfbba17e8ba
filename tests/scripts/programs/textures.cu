// Textures and surfaces: filtered and not, from arrays, rows and layers, and an image that a kernel writes through a surface and
// another reads through a texture. The host computes the same.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error_ = (call);                                                                                       \
    if (error_ != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)), std::exit(1);       \
  } while (0)

constexpr int n = 64; // width and height

__global__ void read_line(cudaTextureObject_t t, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<float>(t, i);
}
__global__ void read_plane(cudaTextureObject_t t, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void read_between(cudaTextureObject_t t, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = tex2D<float>(t, x + 1.0f, y + 0.75f);
}
__global__ void read_layer(cudaTextureObject_t t, float* out, int layer) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = tex2DLayered<float>(t, (x + 0.5f) / n, (y + 0.5f) / n, layer);
}
__global__ void write_plane(cudaSurfaceObject_t s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  surf2Dwrite(3.0f * y + x, s, x * (int)sizeof(float), y);
}

std::vector<float> in(n* n), got(n* n);
float* out;
int wrong = 0;

float at(int x, int y) { return in[static_cast<size_t>(std::min(y, n - 1) * n + std::min(x, n - 1))]; }

template <class F> void expect(const char* what, F&& right) {
  CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      float value = got[static_cast<size_t>(y * n + x)];
      if (value == right(x, y)) continue;
      if (wrong++ == 0) std::printf("%s: (%d, %d) is %g, not %g\n", what, x, y, value, right(x, y));
    }
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter, bool normalized) {
  cudaTextureDesc how = {};
  how.filterMode = filter;
  how.normalizedCoords = normalized;
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

int main() {
  for (int i = 0; i < n * n; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i * 37 % 1001);
  const dim3 grid(n / 32, n / 8), block(32, 8);
  const size_t bytes = in.size() * sizeof(float);
  CHECK(cudaMalloc(&out, bytes));
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();

  float* line;
  CHECK(cudaMalloc(&line, bytes));
  CHECK(cudaMemcpy(line, in.data(), bytes, cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = line, linear.res.linear.desc = channel, linear.res.linear.sizeInBytes = bytes;
  cudaTextureObject_t from_line = texture_of(linear, cudaFilterModePoint, false);
  read_line<<<n * n / 256, 256>>>(from_line, out);
  expect("line", at);

  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &channel, n, n, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, in.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice));
  cudaResourceDesc of_array = {};
  of_array.resType = cudaResourceTypeArray, of_array.res.array.array = array;
  cudaTextureObject_t plane = texture_of(of_array, cudaFilterModePoint, false),
                      between = texture_of(of_array, cudaFilterModeLinear, false);
  read_plane<<<grid, block>>>(plane, out);
  expect("plane", at);
  read_between<<<grid, block>>>(between, out);
  expect("between", [](int x, int y) {
    return 0.75f * (0.5f * at(x, y) + 0.5f * at(x + 1, y)) + 0.25f * (0.5f * at(x, y + 1) + 0.5f * at(x + 1, y + 1));
  });

  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &of_array));
  write_plane<<<grid, block>>>(surface);
  read_plane<<<grid, block>>>(plane, out);
  expect("surface", [](int x, int y) { return 3.0f * y + x; });

  cudaArray_t layers;
  CHECK(cudaMalloc3DArray(&layers, &channel, make_cudaExtent(n, n, 2), cudaArrayLayered));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), n * 4, n, n);
  copy.dstArray = layers, copy.dstPos.z = 1;
  copy.extent = make_cudaExtent(n, n, 1), copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc of_layers = {};
  of_layers.resType = cudaResourceTypeArray, of_layers.res.array.array = layers;
  cudaTextureObject_t layered = texture_of(of_layers, cudaFilterModePoint, true);
  read_layer<<<grid, block>>>(layered, out, 1);
  expect("layer", at);

  CHECK(cudaDeviceSynchronize());
  for (cudaTextureObject_t t : {from_line, plane, between, layered}) CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(layers));
  if (wrong == 0) std::printf("every texel is right\n");
  return wrong != 0;
}
