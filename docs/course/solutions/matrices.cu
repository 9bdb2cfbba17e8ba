// The sum of each row, a warp for each row: its lanes walk along the row side by side.
#include <cstdio>
#include <vector>

__global__ void row_sums(const float* matrix, float* sums, int columns) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = threadIdx.x; k < columns; k += 32) sum += matrix[row * columns + k];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
  if (threadIdx.x == 0) sums[row] = sum;
}

int main() {
  const int rows = 512, columns = 256;
  std::vector<float> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = i % 5;
  float *matrix, *sums;
  cudaMalloc(&matrix, host.size() * sizeof(float));
  cudaMalloc(&sums, rows * sizeof(float));
  cudaMemcpy(matrix, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<rows / 4, dim3(32, 4)>>>(matrix, sums, columns);
  std::vector<float> got(rows);
  cudaMemcpy(got.data(), sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += host[row * columns + k];
    if (got[row] != sum) return std::puts("FAIL"), 1;
  }
  std::puts("PASS");
}
