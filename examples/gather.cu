// Gather and scatter through an index array: 10,000 elements, floats and doubles, with the identity and with
// a shuffled index array. After Carl Pearson, "Measuring Memory Access Efficiency in Nsight Compute".
//
// 10,000 threads are 312 full warps and half of one: 313 load instructions. Identity, floats: 4 sectors of 32
// bytes for each full warp, 2 for the last: 1250 sectors, 313 lines of 128 bytes. Doubles: 2500 sectors, 625
// lines. Shuffled, nearly every lane touches a line of its own. The shuffle is written out below, so that the
// counts can be checked by brute force.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

template <class T> __global__ void increment(const int* offsets, T* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int index = offsets[i]; // consecutive, always
  T value = p[index];     // as good as the index array
  value += 1;
  p[index] = value;
}

// Fisher-Yates with Knuth's 64-bit linear congruential generator; index j is the high half of the state,
// modulo.
static void shuffle(std::vector<int>& offsets) {
  unsigned long long state = 42;
  for (size_t i = offsets.size() - 1; i > 0; --i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    std::swap(offsets[i], offsets[(state >> 32) % (i + 1)]);
  }
}

template <class T> static bool gather(const std::vector<int>& offsets) {
  const int n = int(offsets.size());
  std::vector<T> values(n);
  for (int i = 0; i < n; ++i) values[i] = T(i);
  int* d_offsets;
  T* d_values;
  CHECK(cudaMalloc(&d_offsets, n * sizeof(int)));
  CHECK(cudaMalloc(&d_values, n * sizeof(T)));
  CHECK(cudaMemcpy(d_offsets, offsets.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  increment<T><<<(n + 255) / 256, 256>>>(d_offsets, d_values, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(values.data(), d_values, n * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_offsets));
  CHECK(cudaFree(d_values));
  bool good = true; // every element was visited exactly once
  for (int i = 0; i < n; ++i) good &= values[i] == T(i + 1);
  return good;
}

int main() {
  std::vector<int> offsets(10000);
  for (int i = 0; i < int(offsets.size()); ++i) offsets[i] = i;
  bool good = gather<float>(offsets);
  good &= gather<double>(offsets);
  shuffle(offsets);
  good &= gather<float>(offsets);
  good &= gather<double>(offsets);
  std::printf("gather: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
