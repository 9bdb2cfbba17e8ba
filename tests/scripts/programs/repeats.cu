// Launches that repeat others, and some that only seem to: what their addresses follow has changed in between.
#include <cstdio>
#include <vector>

__constant__ int steps[2];

__global__ void scale(float* out, const float* in, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
__global__ void increment(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}
__global__ void constant_loop(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps[0]; ++k) out[(i + k * 32) % n] = steps[0]; // of all threads that meet
}
__global__ void follow(float* out, const int* where, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[where[i]] = i;
}

int main() {
  const int n = 4096;
  float *a, *b;
  int* where;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&where, n * 4);
  std::vector<float> host(n, 1.f);
  std::vector<int> order(n);
  cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
  auto sum = [&](const float* from) {
    double out = 0;
    cudaMemcpy(host.data(), from, n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) out += host[i] * (1 + i % 7);
    std::printf("%.1f\n", out);
  };
  for (int i = 0; i < 10; ++i) scale<<<n / 128, 128>>>(b, a, 1.f + i, n); // the factor reaches no address
  sum(b);
  scale<<<n / 128, 128>>>(b, a, 3.f, n / 2); // n does
  scale<<<n / 128, 128>>>(b + 1, a, 5.f, n - 1); // so does where the array begins
  sum(b);
  for (int i = 0; i < 5; ++i) increment<<<n / 128, 128>>>(b, n); // each reads what the one before wrote
  sum(b);
  for (int i = 0; i < 4; ++i) { // there and back: neither is superfluous
    scale<<<n / 128, 128>>>(b, a, 2.f, n);
    scale<<<n / 128, 128>>>(a, b, 2.f, n);
  }
  sum(a);
  for (int count : {3, 3, 5}) {
    int values[] = {count, 0};
    cudaMemcpyToSymbol(steps, values, sizeof values);
    constant_loop<<<n / 128, 128>>>(b, n);
    constant_loop<<<n / 128, 128>>>(b, n);
  }
  sum(b);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < n; ++i) order[i] = round == 0 ? i : i * 17 % n;
    cudaMemcpy(where, order.data(), n * 4, cudaMemcpyHostToDevice);
    follow<<<n / 128, 128>>>(b, where, n);
  }
  sum(b);
  float* c;
  cudaMalloc(&c, n * 4);
  for (int bytes : {n * 4, n * 4, n * 2}) { // at the same place, the last time half as large
    cudaFree(c);
    cudaMalloc(&c, bytes);
    scale<<<n / 128, 128>>>(c, a, 1.f, n);
  }
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
