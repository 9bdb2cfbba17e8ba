// Products of warp groups that are added to what is there (wgmma, 9.0a): sums that start from numbers, from nothing, and go on over steps.
#include <cstdint>
#include <cstdio>
#define SUMS "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])

__global__ void sums(float* out, int steps) {
  extern __shared__ __align__(1024) float shared[];
  for (int i = threadIdx.x; i < 16384; i += blockDim.x) shared[i] = float((i * 7 + 3) % 11 - 5);
  __syncthreads();
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const std::uint64_t layout = std::uint64_t{0x40000040} << 32 | 0x10000;
  const std::uint64_t a = layout | (base >> 4 & 0x3fff), b = layout | ((base + 32768) >> 4 & 0x3fff);
  float d[4] = {1, 2, 3, 4};
  for (int step = 0; step < steps; ++step) {
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %6, 1;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, p, 1, 1; }"
                 : SUMS
                 : "l"(a + step * 64), "l"(b + step * 64), "r"(step));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;"
                 : SUMS
                 : "l"(a + step * 64 + 2), "l"(b + step * 64 + 2));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 1;"
                 : SUMS
                 : "l"(a + step * 64 + 4), "l"(b + step * 64 + 4));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}

__global__ void integers(int* out) {
  extern __shared__ __align__(1024) float shared[];
  for (int i = threadIdx.x; i < 16384; i += blockDim.x)
    reinterpret_cast<unsigned*>(shared)[i] = i * 2654435761u;
  __syncthreads();
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const std::uint64_t layout = std::uint64_t{0x40000040} << 32 | 0x10000;
  const std::uint64_t a = layout | (base >> 4 & 0x3fff), b = layout | ((base + 32768) >> 4 & 0x3fff);
  int e[4] = {7, 8, 9, 10};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, %4, %5, 1;"
               : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
               : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = e[i];
}

int main() {
  float* out;
  cudaMallocManaged(&out, 4096);
  cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(integers, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  for (int steps = 1; steps < 5; ++steps) {
    sums<<<1, 128, 65536>>>(out, steps);
    const cudaError_t error = cudaDeviceSynchronize();
    double hash = 0;
    for (int i = 0; i < 512; ++i) hash = hash * 1.01 + out[i];
    std::printf("%s %f %f %f %f\n", cudaGetErrorString(error), out[0], out[1], out[511], hash);
  }
  int* numbers = reinterpret_cast<int*>(out);
  integers<<<1, 128, 65536>>>(numbers);
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned hash = 0;
  for (int i = 0; i < 512; ++i) hash = hash * 31 + numbers[i];
  std::printf("%s %u\n", cudaGetErrorString(error), hash);
}
