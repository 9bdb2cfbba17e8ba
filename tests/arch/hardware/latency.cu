// How long one warp waits for a load, in cycles of an SM's clock: a chain of loads of which each needs the one before, from
// shared memory, the L1, L2 and device memory. Prints JSON lines for tests/arch/data.
//   latency
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int steps = 1024;

__global__ void chase(const unsigned* next, unsigned start, long long* cycles, unsigned* sink) {
  unsigned at = start;
  for (int i = 0; i < 64; ++i) at = __ldcg(next + at); // the clock and the loop are in the instruction cache now
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = __ldcg(next + at);
  *cycles = clock64() - begin;
  *sink = at;
}
__global__ void chase_l1(const unsigned* next, long long* cycles, unsigned* sink) {
  unsigned at = 0;
  long long begin = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) { // the first fills the L1
    begin = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; ++i) at = __ldca(next + at);
    begin = clock64() - begin;
  }
  *cycles = begin;
  *sink = at;
}
__global__ void chase_shared(const unsigned* next, long long* cycles, unsigned* sink) {
  __shared__ unsigned ring[steps];
  for (int i = threadIdx.x; i < steps; i += blockDim.x) ring[i] = next[i] % steps;
  __syncthreads();
  unsigned at = 0;
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = ring[at];
  *cycles = clock64() - begin;
  *sink = at;
}

// A ring of `count` words, `stride` words apart.
std::vector<unsigned> ring(std::size_t count, std::size_t stride) {
  std::vector<unsigned> out(count * stride);
  for (std::size_t i = 0; i < count; ++i) out[i * stride] = unsigned((i + 1) % count * stride);
  return out;
}

template <class F> void report(const char* name, F&& launch) {
  static long long* cycles = nullptr;
  static unsigned* sink = nullptr;
  if (cycles == nullptr) cudaMallocManaged(&cycles, 8), cudaMalloc(&sink, 4);
  double least = 1e30;
  for (int r = 0; r < 5; ++r) {
    launch(cycles, sink);
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit((std::fprintf(stderr, "%s failed\n", name), 1));
    if (double(*cycles) / steps < least) least = double(*cycles) / steps;
  }
  std::printf("{\"latency\":\"%s\",\"cycles\":%.1f}\n", name, least);
}

unsigned* device(const std::vector<unsigned>& host) {
  unsigned* out = nullptr;
  cudaMalloc(&out, host.size() * 4);
  cudaMemcpy(out, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  return out;
}

int main() {
  const unsigned* small = device(ring(steps, 1));            // 4 KiB
  const unsigned* middle = device(ring(1 << 15, 32));        // a line each, 4 MiB: in L2
  const unsigned* large = device(ring(1 << 20, 1 << 10));    // 4 KiB apart, 4 GiB: not in L2
  unsigned start = 0;
  report("shared", [&](long long* c, unsigned* s) { chase_shared<<<1, 32>>>(small, c, s); });
  report("L1", [&](long long* c, unsigned* s) { chase_l1<<<1, 32>>>(small, c, s); });
  report("L2", [&](long long* c, unsigned* s) { chase<<<1, 32>>>(middle, 0, c, s); });
  report("memory", [&](long long* c, unsigned* s) { chase<<<1, 32>>>(large, start, c, s), start += 65536u << 10; });
}
