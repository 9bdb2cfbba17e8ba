// Programs that ask much of WarpLens's bookkeeping and nothing of its emulator: many launches, many host threads, much
// memory. Arguments: what, how many, how large.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

__global__ void scale(float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i * 2 % n] + 1;
}
__global__ void add(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}

// A row of `c` numbers per warp: mean, variance, then normalised, scaled and shifted.
__global__ void layernorm(float* out, float* mean, const float* in, const float* weight, const float* bias, int n,
                          int c) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= n) return;
  const float* x = in + static_cast<long>(warp) * c;
  float sum = 0, squares = 0;
  for (int i = lane; i < c; i += 32) sum += x[i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  float m = sum / c;
  for (int i = lane; i < c; i += 32) squares += (x[i] - m) * (x[i] - m);
  for (int k = 16; k > 0; k /= 2) squares += __shfl_xor_sync(~0u, squares, k);
  float scale = rsqrtf(squares / c + 1e-5f);
  if (lane == 0) mean[warp] = m;
  for (int i = lane; i < c; i += 32) out[static_cast<long>(warp) * c + i] = (x[i] - m) * scale * weight[i] + bias[i];
}

// Six block sizes, a sixth of the launches each, between two events, as benchmarks of kernels are written.
int benchmark(long count) {
  const int rows = 8192, columns = 768;
  std::vector<float> host(static_cast<std::size_t>(rows) * columns, 1.f);
  float *in, *out, *mean, *weight, *bias;
  cudaMalloc(&in, host.size() * 4);
  cudaMalloc(&out, host.size() * 4);
  cudaMalloc(&mean, rows * 4);
  cudaMalloc(&weight, columns * 4);
  cudaMalloc(&bias, columns * 4);
  cudaMemcpy(in, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(weight, host.data(), columns * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(bias, host.data(), columns * 4, cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int block : {32, 64, 128, 256, 512, 1024}) {
    int blocks = rows / (block / 32);
    cudaEventRecord(begin);
    for (long i = 0; i < count / 6; ++i) layernorm<<<blocks, block>>>(out, mean, in, weight, bias, rows, columns);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
  }
  cudaMemcpy(host.data(), out, host.size() * 4, cudaMemcpyDeviceToHost);
  return host[0] == 1 && host.back() == 1 ? 0 : 1; // the rows are constant: what is left is the bias
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "launches";
  long count = argc > 2 ? std::atol(argv[2]) : 1000;
  if (!std::strcmp(what, "benchmark")) return benchmark(count);
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(b, 0, 4096);
  if (!std::strcmp(what, "launches")) // all alike
    for (long i = 0; i < count; ++i) scale<<<4, 256>>>(a, b, 1024);
  if (!std::strcmp(what, "shapes")) // no two alike: what is kept of each
    for (long i = 0; i < count; ++i) {
      int blocks = static_cast<int>(1 + i % 4096), threads = static_cast<int>(1 + i / 4096);
      scale<<<blocks, threads>>>(a, b, 1024);
      add<<<blocks, threads>>>(a, 1024);
    }
  if (!std::strcmp(what, "threads")) {
    std::vector<std::thread> threads;
    for (long i = 0; i < count; ++i)
      threads.emplace_back([=] {
        for (int k = 0; k < 4; ++k) {
          scale<<<4, 256>>>(a, b, 1024);
          cudaDeviceSynchronize();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  if (!std::strcmp(what, "allocations")) { // `count`, all at once, of so many MiB
    std::size_t size = static_cast<std::size_t>(argc > 3 ? std::atol(argv[3]) : 1) << 20;
    std::vector<float*> all(static_cast<std::size_t>(count));
    for (float*& one : all) {
      if (cudaMalloc(&one, size) != cudaSuccess) return 1;
      scale<<<4, 256>>>(one, b, 1024);
    }
    for (float* one : all) cudaFree(one);
  }
  cudaError_t error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorName(error));
  return error != cudaSuccess;
}
