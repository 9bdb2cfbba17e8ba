// One kernel whose grid the command line gives: grid KERNEL CTAS. Prints the bytes that it keeps allocated and the seconds
// that the launch took. Before it comes a small launch on arrays of its own, so that what a kernel's first launch needs
// once is in no time.
//   saxpy    y = 2.5 x + y, arrays as long as the grid has threads
//   matmul   16×16 outputs per CTA, inner length 64 whatever the grid; CTAS is a square
//   wrapped  saxpy over 32 MiB whatever the grid, several CTAs on one element
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void saxpy(float a, const float* x, float* y) {
  long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}

__global__ void wrapped(unsigned mask, float a, const float* x, float* y) {
  unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & mask;
  y[i] = a * x[i];
}

constexpr int inner = 64;

__global__ void matmul(const float* A, const float* B, float* C) {
  long n = long(gridDim.x) * blockDim.x;
  long row = long(blockIdx.y) * blockDim.y + threadIdx.y, col = long(blockIdx.x) * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < inner; k++) sum += A[row * inner + k] * B[k * n + col];
  C[row * n + col] = sum;
}

size_t allocated = 0;

float* allocate(size_t floats) {
  void* out = nullptr;
  if (cudaMalloc(&out, floats * sizeof(float)) != cudaSuccess) {
    std::fprintf(stderr, "cudaMalloc of %zu floats: %s\n", floats, cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
  }
  allocated += floats * sizeof(float);
  return static_cast<float*>(out);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Seconds of the launch
double run(const char* kernel, size_t ctas) {
  const bool product = !std::strcmp(kernel, "matmul"), wraps = !std::strcmp(kernel, "wrapped");
  constexpr size_t wrapped_floats = 4 << 20;
  const unsigned side = static_cast<unsigned>(std::lround(std::sqrt(double(ctas))));
  const size_t n = size_t(side) * 16, vector = wraps ? wrapped_floats : ctas * 256;
  float* a = allocate(product ? n * inner : vector);
  float* b = allocate(product ? n * inner : vector);
  float* c = product ? allocate(n * n) : nullptr;
  if (wraps) cudaMemset(a, 0, 4 * vector), cudaMemset(b, 0, 4 * vector); // resident, whatever the grid touches
  const double start = now();
  if (product)
    matmul<<<dim3(side, side), dim3(16, 16)>>>(a, b, c);
  else if (wraps)
    wrapped<<<ctas, 256>>>(wrapped_floats - 1, 2.5f, a, b);
  else
    saxpy<<<ctas, 256>>>(2.5f, a, b);
  cudaDeviceSynchronize();
  return now() - start;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("expected: saxpy|matmul|wrapped CTAS\n", stderr), 2;
  run(argv[1], 256);
  double seconds = run(argv[1], std::strtoull(argv[2], nullptr, 10));
  cudaError_t status = cudaGetLastError();
  std::printf("%zu bytes %.9f seconds %s\n", allocated, seconds, cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
