// How long an asynchronous copy (cp.async) takes an SM whose lanes meet at banks of shared memory: cycles of the SM for
// each warp's copy, 32 warps of one block at work, sources side by side (and in the L1 for .ca after the first turn).
//
//   nvcc -O3 -arch=sm_90a -o async_rates async_rates.cu && ./async_rates      # a JSON object a line
//
// `stride`: bytes from one lane's destination to the next. What a copy is counted as: src/hardware/arch/rules/async_copy.h. Of an
// H200: ../data/h200_async_rates.jsonl.
#include <cstdio>

constexpr int warps = 32, turns = 512, tile_bytes = 32 * 33 * 16 + 16;

template <int bytes, bool cg> __device__ void copy(unsigned to, const char* from) {
  if constexpr (cg)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

template <int bytes, bool cg> __global__ void rate(const char* in, unsigned stride, long long* cycles) {
  extern __shared__ char tile[];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + lane * stride;
  const char* from = in + (warp * 32 + lane) * bytes;
  for (int round = 0; round < 2; ++round) { // the first warms
    __syncthreads();
    long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < turns; ++i) copy<bytes, cg>(to, from);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  }
}

template <class Kernel> void measure(const char* name, int bytes, Kernel kernel, const char* in, long long* cycles) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, tile_bytes);
  for (unsigned units : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 32u, 33u}) {
    unsigned stride = units * bytes;
    kernel<<<132, 32 * warps, tile_bytes>>>(in, stride, cycles);
    if (cudaDeviceSynchronize() != cudaSuccess) std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    std::printf("{\"cache\": \"%s\", \"bytes\": %d, \"stride\": %u, \"cycles\": %.2f}\n", name, bytes, stride,
                static_cast<double>(cycles[0]) / (warps * turns));
  }
}

int main() {
  char* in;
  long long* cycles;
  cudaMalloc(&in, 1 << 20), cudaMallocManaged(&cycles, 132 * sizeof *cycles);
  cudaMemset(in, 1, 1 << 20);
  measure("ca", 4, rate<4, false>, in, cycles);
  measure("ca", 8, rate<8, false>, in, cycles);
  measure("ca", 16, rate<16, false>, in, cycles);
  measure("cg", 16, rate<16, true>, in, cycles);
}
