// Changes of layout that the advice proposes, made by hand: structures that are kept in one array of numbers, elements that are left
// out, and elements that an index from memory leads to. See advice.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int blocks = 16, threads = 128, cells = blocks * threads;

// --- a few numbers of each cell -------------------------------------------------------------------------------------
__global__ void relax(const float* f, float* g) { // lattice Boltzmann
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 19; ++k) sum += f[cell * 19 + k];
#pragma unroll 1
  for (int k = 0; k < 19; ++k)
    g[cell * 19 + k] = sum; // before cells store global
}
__global__ void relax_apart(const float* f, float* g) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 19; ++k) sum += f[k * cells + cell];
#pragma unroll 1
  for (int k = 0; k < 19; ++k)
    g[k * cells + cell] = sum; // after cells store global
}
__global__ void norm(const double* v, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 3; ++k)
    sum += v[3 * i + k]; // before vectors load global
  out[i] = sum;
}
__global__ void norm_apart(const double* v, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 3; ++k)
    sum += v[k * cells + i]; // after vectors load global
  out[i] = sum;
}

// --- every second cell ----------------------------------------------------------------------------------------------
__global__ void red(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) a[i] = i; // before red store global
}
__global__ void red_apart(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) a[i / 2] = i; // after red store global
}

// --- a level of a triangular solve ----------------------------------------------------------------------------------
__global__ void level(const int* rows, double* x) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  x[rows[t]] -= t; // before level store global
}
__global__ void level_renumbered(double* x) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  x[t] -= t; // after level store global
}

int main() {
  std::vector<int> diagonal(cells);
  for (int t = 0; t < cells; ++t) diagonal[t] = 127 * t;
  double *a, *b;
  int* rows;
  cudaMalloc(&a, 128 * cells * sizeof(double));
  cudaMalloc(&b, 128 * cells * sizeof(double));
  cudaMalloc(&rows, cells * sizeof(int));
  cudaMemset(a, 0, 128 * cells * sizeof(double));
  cudaMemcpy(rows, diagonal.data(), cells * sizeof(int), cudaMemcpyHostToDevice);
  auto *f = reinterpret_cast<float*>(a), *g = reinterpret_cast<float*>(b);
  relax<<<blocks, threads>>>(f, g);
  relax_apart<<<blocks, threads>>>(f, g);
  norm<<<blocks, threads>>>(a, b);
  norm_apart<<<blocks, threads>>>(a, b);
  red<<<blocks, threads>>>(f);
  red_apart<<<blocks, threads>>>(f);
  level<<<blocks, threads>>>(rows, a);
  level_renumbered<<<blocks, threads>>>(a);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
