// A small array per thread that is indexed by a run-time value cannot live in registers: it becomes local
// memory, which is device memory. Local memory is interleaved by lane, so it coalesces when all lanes use the
// same index, and scatters when each uses its own.
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

constexpr int digits = 16;

__global__ void count_digits(const unsigned* in, unsigned* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned counts[digits];
#pragma unroll 1
  for (int d = 0; d < digits; ++d) counts[d] = 0; // all lanes the same element: coalesced
  for (unsigned value = in[i]; value; value /= digits) ++counts[value % digits]; // each lane its own element
  unsigned best = 0;
#pragma unroll 1
  for (unsigned d = 1; d < digits; ++d)
    if (counts[d] > counts[best]) best = d; // counts[d] is coalesced, counts[best] is not
  most[i] = best;
}

static unsigned reference(unsigned value) {
  unsigned counts[digits] = {}, best = 0;
  for (; value; value /= digits) ++counts[value % digits];
  for (unsigned d = 1; d < digits; ++d)
    if (counts[d] > counts[best]) best = d;
  return best;
}

int main() {
  const int n = 4096;
  std::vector<unsigned> in(n), most(n);
  for (int i = 0; i < n; ++i) in[i] = i * 2654435761u;
  unsigned *d_in, *d_most;
  CHECK(cudaMalloc(&d_in, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&d_most, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  count_digits<<<n / 128, 128>>>(d_in, d_most, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(most.data(), d_most, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < n; ++i) good &= most[i] == reference(in[i]);
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_most));
  std::printf("local_array: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
