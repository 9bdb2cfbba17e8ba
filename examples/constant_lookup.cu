// Constant memory serves one address per request. A coefficient that all lanes want is one request; a table
// that every lane indexes on its own is one request per distinct index, up to 32.
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

constexpr int entries = 64;
__constant__ float table[entries];

// All lanes read the same entry in each step of the loop.
__global__ void polynomial(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = 0;
  for (int k = 7; k >= 0; --k) value = value * x[i] + table[k];
  y[i] = value;
}

// Each lane reads its own entry: 32 different addresses. Global or shared memory suits this better.
__global__ void lookup(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = table[i % entries] + x[i];
}

int main() {
  const int n = 1024;
  std::vector<float> x(n), y(n), coefficients(entries);
  for (int k = 0; k < entries; ++k) coefficients[k] = float(k % 3);
  for (int i = 0; i < n; ++i) x[i] = float(i % 3) - 1; // small integers: the arithmetic is exact
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_y, n * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(table, coefficients.data(), entries * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  bool good = true;
  polynomial<<<n / 128, 128>>>(d_x, d_y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    float expected = 0;
    for (int k = 7; k >= 0; --k) expected = expected * x[i] + coefficients[k];
    good &= y[i] == expected;
  }
  lookup<<<n / 128, 128>>>(d_x, d_y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) good &= y[i] == coefficients[i % entries] + x[i];
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  std::printf("constant_lookup: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
