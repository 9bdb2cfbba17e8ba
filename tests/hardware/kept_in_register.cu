// Times kernels that read or write the same words again and again, and the same with the value in a register: the least of seven launches.
//   nvcc -O3 -arch=sm_90 kept_in_register.cu && ./a.out
#include <algorithm>
#include <cstdio>

__global__ void sums(float* c, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < n; ++r) c[i] = a[i] + r;
}
__global__ void sums_kept(float* c, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int r = 0; r < n; ++r) c[i] = x + r;
}

// PolyBench's atax, second kernel
__global__ void atax(float* a, float* y, float* t, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  y[j] = 0;
  for (int i = 0; i < n; ++i) y[j] += a[std::size_t(i) * n + j] * t[i];
}
__global__ void atax_kept(float* a, float* y, float* t, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[std::size_t(i) * n + j] * t[i];
  y[j] = sum;
}

// PolyBench's correlation; in the last one neighbours write neighbouring elements, still in memory
__global__ void correlation(float* s, float* d, int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j2 = j1 + 1; j2 < n; ++j2) {
    s[j1 * n + j2] = 0;
    for (int i = 0; i < n; ++i) s[j1 * n + j2] += d[i * n + j1] * d[i * n + j2];
    s[j2 * n + j1] = s[j1 * n + j2];
  }
}
__global__ void correlation_kept(float* s, float* d, int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j2 = j1 + 1; j2 < n; ++j2) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += d[i * n + j1] * d[i * n + j2];
    s[j1 * n + j2] = s[j2 * n + j1] = sum;
  }
}
__global__ void correlation_swapped(float* s, float* d, int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j2 = j1 + 1; j2 < n; ++j2) {
    s[j2 * n + j1] = 0;
    for (int i = 0; i < n; ++i) s[j2 * n + j1] += d[i * n + j1] * d[i * n + j2];
    s[j1 * n + j2] = s[j2 * n + j1];
  }
}

__global__ void totals(float* t, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4; ++j) {
    t[i * 16 + j] = 0;
    for (int k = 0; k < n; ++k) t[i * 16 + j] += a[k * 128 + threadIdx.x];
  }
}
__global__ void totals_kept(float* t, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4; ++j) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k * 128 + threadIdx.x];
    t[i * 16 + j] = sum;
  }
}

template <class F> void measure(const char* name, F launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  float least = 1e9;
  for (int i = 0; i < 7; ++i) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    least = std::min(least, ms);
  }
  std::printf("%s\t%.4f ms\t%s\n", name, least, cudaGetErrorString(cudaGetLastError()));
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 1u << 30), cudaMalloc(&b, 1u << 28), cudaMalloc(&c, 1u << 28);
  cudaMemset(a, 0, 1u << 30), cudaMemset(b, 0, 1u << 28), cudaMemset(c, 0, 1u << 28);
  measure("sums", [&] { sums<<<8192, 256>>>(b, a, 100); });
  measure("sums_kept", [&] { sums_kept<<<8192, 256>>>(b, a, 100); });
  measure("atax", [&] { atax<<<64, 256>>>(a, b, c, 16384); });
  measure("atax_kept", [&] { atax_kept<<<64, 256>>>(a, b, c, 16384); });
  measure("correlation", [&] { correlation<<<4, 256>>>(b, a, 1024); });
  measure("correlation_kept", [&] { correlation_kept<<<4, 256>>>(b, a, 1024); });
  measure("correlation_swapped", [&] { correlation_swapped<<<4, 256>>>(b, a, 1024); });
  measure("totals", [&] { totals<<<8192, 128>>>(b, a, 64); });
  measure("totals_kept", [&] { totals_kept<<<8192, 128>>>(b, a, 64); });
}
