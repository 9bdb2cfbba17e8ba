// One launch whose grid the command line gives: grid KERNEL CTAS. Prints the bytes that it allocates.
//   saxpy    y = 2.5 x + y, arrays as long as the grid has threads
//   matmul   16×16 outputs per CTA, inner length 64 whatever the grid
//   wrapped  saxpy over 32 MiB whatever the grid, several CTAs on one element
// CTAS is a power of 4, for matmul; any number for the others.
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

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("expected: saxpy|matmul|wrapped CTAS\n", stderr), 2;
  const size_t ctas = std::strtoull(argv[2], nullptr, 10);
  if (!std::strcmp(argv[1], "saxpy")) {
    saxpy<<<ctas, 256>>>(2.5f, allocate(ctas * 256), allocate(ctas * 256));
  } else if (!std::strcmp(argv[1], "matmul")) {
    const unsigned side = static_cast<unsigned>(std::lround(std::sqrt(double(ctas))));
    const size_t n = size_t(side) * 16;
    matmul<<<dim3(side, side), dim3(16, 16)>>>(allocate(n * inner), allocate(n * inner), allocate(n * n));
  } else {
    constexpr unsigned elements = 4 << 20;
    float *x = allocate(elements), *y = allocate(elements);
    cudaMemset(x, 0, allocated / 2), cudaMemset(y, 0, allocated / 2); // resident, whatever the grid touches
    wrapped<<<ctas, 256>>>(elements - 1, 2.5f, x, y);
  }
  cudaError_t status = cudaDeviceSynchronize();
  std::printf("allocated %zu bytes, %s\n", allocated, cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
