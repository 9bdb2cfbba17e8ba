// Matrix multiplication C = A · B, one thread per element of C, with two mappings of threads to elements.
// The arithmetic is the same; which thread computes which element decides what a warp's 32 loads look like.
#include <cmath>
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

// The row follows threadIdx.y, the column threadIdx.x. The 32 threads of a warp differ in threadIdx.x:
// they need the same element of A (a broadcast: one sector) and 32 neighbours of B (128 bytes: four sectors).
__global__ void matmul_broadcast(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float a = A[row * n + i];    // same address in every lane
    float b = B[i * n + column]; // consecutive addresses
    sum += a * b;
  }
  C[row * n + column] = sum; // consecutive addresses
}

// The row follows threadIdx.x. Neighbouring lanes now walk different rows of A, n floats apart:
// 32 lanes touch 32 sectors, of which each uses 4 of 32 bytes. B is the broadcast, and C is scattered too.
__global__ void matmul_scattered(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float a = A[row * n + i];    // n floats from lane to lane
    float b = B[i * n + column]; // same address in every lane
    sum += a * b;
  }
  C[row * n + column] = sum; // n floats from lane to lane
}

static bool equals(const std::vector<float>& C, const std::vector<float>& A, const std::vector<float>& B,
                   int n) {
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      double expected = 0;
      for (int i = 0; i < n; ++i) expected += double(A[row * n + i]) * B[i * n + column];
      if (std::fabs(C[row * n + column] - expected) > 1e-3) return false;
    }
  return true;
}

int main() {
  const int n = 128;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> A(n * n), B(n * n), C(n * n);
  for (int i = 0; i < n * n; ++i) A[i] = (i % 13) * 0.25f, B[i] = (i % 7) * 0.5f;
  float *dA, *dB, *dC;
  CHECK(cudaMalloc(&dA, bytes));
  CHECK(cudaMalloc(&dB, bytes));
  CHECK(cudaMalloc(&dC, bytes));
  CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8); // a warp is one row of the block: 32 values of threadIdx.x
  bool good = true;
  matmul_broadcast<<<dim3(n / block.x, n / block.y), block>>>(dA, dB, dC, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));
  good &= equals(C, A, B, n);
  CHECK(cudaMemset(dC, 0, bytes));
  matmul_scattered<<<dim3(n / block.x, n / block.y), block>>>(dA, dB, dC, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));
  good &= equals(C, A, B, n);
  CHECK(cudaFree(dA));
  CHECK(cudaFree(dB));
  CHECK(cudaFree(dC));
  std::printf("matmul: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
