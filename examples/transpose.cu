// Matrix transposition three ways. Reading rows and writing columns cannot both be contiguous, so the naive
// kernel scatters its stores. A tile in shared memory turns the scatter into shared memory, where one extra
// column of padding then removes the bank conflicts.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int tile = 32;

__global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  out[x * n + y] = in[y * n + x]; // the load is contiguous; the store jumps n floats from lane to lane
}

__global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float block[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  block[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + threadIdx.y;
  // Contiguous now, but the 32 lanes read one column of the tile: all in one bank, 32 passes.
  out[y * n + x] = block[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float block[tile]
                        [tile + 1]; // a row of 33 words: the elements of a column lie in 32 different banks
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  block[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + threadIdx.y;
  out[y * n + x] = block[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 256;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i) in[i] = i;
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  bool good = true;
  for (auto kernel : {transpose_naive, transpose_tiled, transpose_padded}) {
    CHECK(cudaMemset(d_out, 0, bytes));
    kernel<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) good &= out[x * n + y] == in[y * n + x];
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  std::printf("transpose: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
