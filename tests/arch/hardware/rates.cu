// What one access costs an SM of this machine's GPU, in cycles, when nothing but one stage limits it: passes of the L1's
// tag and data stages, sectors from L2 and from memory. src/hardware/arch/MODEL.md says what follows from it.
//
//   nvcc -O2 -std=c++17 -arch=native -o rates rates.cu && ./rates      one JSON object a line
//
// Every SM runs one block of 32 warps, which execute the same instruction again and again; a warp's lanes are at fixed
// distances from a place that moves (from L2, from memory) or stays (in L1). `cycles` are of an SM's clock per
// instruction of a warp; `tag_passes`, `wavefronts` and `sectors` are what the rules of src/hardware/arch/MODEL.md say of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Case {
  const char* name;
  bool shared, store, past_l1;
  uint32_t lane[32];          // bytes from the warp's place
  uint64_t step, apart, size; // bytes between turns, between warps, after which places begin again
  int tag_passes, wavefronts, sectors;
};

constexpr int turns = 512, warps = 32;

template <bool shared, bool store, bool past_l1>
__global__ void repeat(const __grid_constant__ Case c, char* memory, long long* cycles, uint32_t* sink) {
  __shared__ __align__(1024) char mine[16384];
  uint64_t warp = blockIdx.x * warps + threadIdx.x / 32, at = warp * c.apart % c.size;
  uint32_t lane = c.lane[threadIdx.x % 32], sum = 0, bank = (uint32_t)__cvta_generic_to_shared(mine) + lane;
  __syncthreads();
  long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < turns; ++i) {
    uint32_t v = 0;
    char* place = memory + at + lane;
    if (shared) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(bank));
    else if (store) asm volatile("st.global.u32 [%0], %1;" ::"l"(place), "r"(i));
    else if (past_l1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(place));
    else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(place));
    sum += v;
    at += c.step;
    if (at >= c.size) at -= c.size;
  }
  __syncthreads();
  if (sum == 0x7fc01234u) sink[0] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(2);
}

using Kernel = void (*)(const Case, char*, long long*, uint32_t*);
Kernel kernel_of(const Case& c) {
  if (c.shared) return repeat<true, false, false>;
  if (c.store) return repeat<false, true, false>;
  return c.past_l1 ? repeat<false, false, true> : repeat<false, false, false>;
}

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  int sms = device.multiProcessorCount;
  uint64_t all = uint64_t{8} << 30, in_l2 = 8 << 20, block = 4096;
  Case cases[] = {
      {"shared, no conflict", true, false, false, {}, 0, 0, 1, 0, 1, 0},
      {"shared, 8-way", true, false, false, {}, 0, 0, 1, 0, 8, 0},
      {"shared, 32-way", true, false, false, {}, 0, 0, 1, 0, 32, 0},
      {"L1, a line", false, false, false, {}, 0, 0, 1, 1, 1, 4},
      {"L1, one bank of 4 lines", false, false, false, {}, 0, 0, 1, 1, 4, 4},
      {"L1, 8 lines of one tag set", false, false, false, {}, 0, 0, 1, 8, 8, 8},
      {"L1, a line per lane", false, false, false, {}, 0, 0, 1, 8, 32, 32},
      {"L2, a line", false, false, true, {}, sms * warps * 128ull, 128, in_l2, 1, 1, 4},
      {"L2, a sector per lane", false, false, true, {}, sms * warps * 1024ull, 1024, in_l2, 2, 8, 32},
      {"memory, a line", false, false, false, {}, sms * warps * 128ull, 128, all, 1, 1, 4},
      {"memory, a sector per lane", false, false, false, {}, sms * warps * 1024ull, 1024, all, 2, 8, 32},
      {"memory, a sector of each line", false, false, false, {}, sms * warps * block, block, all, 8, 32, 32},
      {"memory, stores of a line", false, true, false, {}, sms * warps * 128ull, 128, all, 1, 1, 4},
      {"memory, stores of 4 bytes a sector", false, true, false, {}, sms * warps * 1024ull, 1024, all, 2, 8, 32},
      {"memory, stores of 4 bytes a line", false, true, false, {}, sms * warps * block, block, all, 8, 32, 32},
  };
  const uint32_t distance[] = {4, 32, 128, 4, 0, 0, 128, 4, 32, 4, 32, 128, 4, 32, 128};
  char* memory;
  long long* cycles;
  uint32_t* sink;
  check(cudaMalloc(&memory, all + (1 << 20)));
  check(cudaMemset(memory, 0, all));
  check(cudaMalloc(&cycles, sms * sizeof *cycles));
  check(cudaMalloc(&sink, 4));
  auto parity = [](uint32_t x) { return (uint32_t)__builtin_popcount(x) & 1; };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    Case& c = cases[n];
    for (uint32_t l = 0, line = 0; l < 32; ++l) {
      c.lane[l] = l * distance[n];
      if (n == 4) c.lane[l] = l % 4 * 128;
      if (n == 5) { // the first 8 lines of set 0, each in banks of its own
        if (l >= 8) { c.lane[l] = c.lane[l % 8]; continue; }
        while (parity(line & 0x0f6f) || parity(line & 0x1ab5)) ++line;
        c.lane[l] = line++ * 128 + l * 4;
      }
    }
    for (int round = 0; round < 2; ++round) { // the first one warms what it can
      kernel_of(c)<<<sms, warps * 32>>>(c, memory, cycles, sink);
      check(cudaDeviceSynchronize());
    }
    std::vector<long long> taken(sms);
    check(cudaMemcpy(taken.data(), cycles, sms * sizeof *cycles, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (long long t : taken) sum += (double)t / (turns * warps);
    printf("{\"case\":\"%s\",\"tag_passes\":%d,\"wavefronts\":%d,\"sectors\":%d,\"cycles\":%.2f}\n", c.name, c.tag_passes,
           c.wavefronts, c.sectors, sum / sms);
  }
  return 0;
}
