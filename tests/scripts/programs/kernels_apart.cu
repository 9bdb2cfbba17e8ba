// Kernels of machine code alone are translated one by one, and share their variables: on one device and on others. A cubin of it, too.
// LARGE: so much machine code that this holds beside PTX as well.
#include <cstdio>
#include <cuda.h>

__device__ int counter = 5;
__constant__ int step = 3;
__managed__ int managed = 100;

extern "C" __global__ void advance() { counter += step; }
extern "C" __global__ void tell(int* out) { *out = counter + managed; }
__global__ void never() {} // launched nowhere, asked for its attributes alone
// Lanes of a warp that name different lanes: WARPSYNC.EXCLUSIVE.
__global__ void teams(unsigned* out, unsigned part) {
  const unsigned lane = threadIdx.x % 32, first = (1u << part) - 1;
  const unsigned team = lane < part ? first : ~first;
  unsigned sum = 0;
  if (threadIdx.x != 40)
    sum = __ballot_sync(threadIdx.x / 32 == 1 ? team & ~(1u << 8) : team, threadIdx.x % 3 == 0);
  out[threadIdx.x] = sum + __shfl_xor_sync(~0u, sum, 1);
}

// Matrices that a warp stores (STSM), and one lane of it that is elected (ELECT).
__global__ void matrices(unsigned* out) {
  __shared__ unsigned rows[128];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(rows + threadIdx.x * 4)),
                 n = threadIdx.x * 4;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(n),
               "r"(n + 1), "r"(n + 2), "r"(n + 3)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(n << 16),
               "r"(n * 3)
               : "memory");
  unsigned chosen = 0, lane = 0;
  asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}"
               : "=r"(lane), "=r"(chosen));
  __syncwarp();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = rows[threadIdx.x * 4 + i] + (chosen + lane) * 1000;
}

#ifdef LARGE
__device__ int large[3 << 20] = {1};
__global__ void as_ptx(int* out) { // which is not translated
  __shared__ __align__(16) int room[4];
  if (counter < 0)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" ::"l"(out),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(room)))
                 : "memory");
  *out = counter + large[0];
}
#endif

void on(int device) {
  cudaSetDevice(device);
  int *out, value = 0, set = 7;
  cudaMalloc(&out, 256);
  advance<<<1, 1>>>();
  cudaMemcpyToSymbol(step, &set, sizeof set);
  advance<<<1, 1>>>();
  tell<<<1, 1>>>(out);
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  printf("device %d: %d %s\n", device, value, cudaGetErrorName(cudaGetLastError()));
}

int main(int count, char** arguments) {
  cudaFuncAttributes a{};
  printf("%s", cudaGetErrorName(cudaFuncGetAttributes(&a, never)));
  printf(" %d %d\n", a.ptxVersion, a.binaryVersion);
  on(0);
  cudaDeviceReset();
  on(0); // from the start again
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices > 1) on(1), on(0);
  unsigned *lanes, sum = 0;
  cudaMallocManaged(&lanes, 512);
  matrices<<<1, 32>>>(lanes);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) sum = sum * 31 + lanes[i];
  printf("matrices %08x\n", sum);
  sum = 0;
  teams<<<1, 64>>>(lanes, 12);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) sum = sum * 31 + lanes[i];
  printf("teams %08x\n", sum);
#ifdef LARGE
  as_ptx<<<1, 1>>>(reinterpret_cast<int*>(lanes));
  printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), lanes[0]);
#endif
  if (count < 2) return 0;
  CUmodule module;
  CUfunction function;
  unsigned functions = 0;
  CUdeviceptr variable;
  size_t size = 0;
  int value = 0;
  printf("%d", cuModuleLoad(&module, arguments[1]));
  printf(" %d", cuModuleGetFunction(&function, module, "missing"));
  printf(" %d", cuModuleGetFunction(&function, module, "advance"));
  printf(" %d", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  printf(" %d", cuModuleGetGlobal(&variable, &size, module, "counter"));
  cuMemcpyDtoH(&value, variable, sizeof value);
  cuModuleGetFunctionCount(&functions, module);
  printf(" %d of %zu bytes, %u functions\n", value, size, functions);
}
