// How many blocks an SM holds, of kernels with different registers and shared memory, for block sizes and dynamic shared memory of all
// sorts. tests/hardware/data/h200_occupancy.txt holds what an H200 answered; a line begins with the kernel and its registers.
#include <cstdio>

template <int Values> __global__ void registers(float* a, int n) {
  float r[Values];
  for (int j = 0; j < Values; ++j) r[j] = a[threadIdx.x + j * n];
  for (int t = 0; t < n; ++t)
    for (int j = 0; j < Values; ++j) r[j] = r[j] * r[(j + 1) % Values] + 1.f;
  for (int j = 0; j < Values; ++j) a[threadIdx.x + j * n] = r[j];
}

template <int Floats> __global__ void shared(float* a) {
  __shared__ float t[Floats];
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = t[(threadIdx.x * 7) % Floats];
}

template <class Kernel> void ask(const char* name, Kernel kernel) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 * 1024);
  std::printf("%s %d", name, attributes.numRegs);
  for (int threads = 32; threads <= 1024; threads += 96)
    for (int bytes : {0, 1000, 7000, 30000, 60000, 115000, 150000}) {
      int blocks = -1;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes);
      std::printf(" %d", blocks);
    }
  std::printf("\n");
}

int main() {
  ask("k4", registers<4>), ask("k16", registers<16>), ask("k24", registers<24>), ask("k40", registers<40>);
  ask("k64", registers<64>), ask("k100", registers<100>), ask("k150", registers<150>), ask("k200", registers<200>);
  ask("s256", shared<256>), ask("s5000", shared<5000>), ask("s12000", shared<12000>);
}
