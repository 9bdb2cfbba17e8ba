// C = A B with blocks of 16x16 threads and an inner length of 512, whatever the number of blocks: A is tall.
#include <cstdio>
#include <cstdlib>

constexpr int inner = 512, columns = 512;

__global__ void matmul(const float* a, const float* b, float* c, int rows) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  int blocks = argc > 1 ? std::atoi(argv[1]) : 256, across = columns / 16;
  int rows = blocks / across * 16 - 5;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  if (cudaMalloc(&a, sizeof(float) * rows * inner) != cudaSuccess ||
      cudaMalloc(&b, sizeof(float) * inner * columns) != cudaSuccess ||
      cudaMalloc(&c, sizeof(float) * rows * columns) != cudaSuccess)
    return 1;
  matmul<<<dim3(across, blocks / across), dim3(16, 16)>>>(a, b, c, rows);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
