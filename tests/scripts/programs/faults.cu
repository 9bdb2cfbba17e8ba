// A launch that ends well, then one that goes wrong in the way that the first argument names. Prints the CUDA error;
// the exit code is the second argument, or 3.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

__global__ void fine(int* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void out_of_bounds(int* p) {
  p[threadIdx.x + (threadIdx.x == 17 ? 1ll << 34 : 0)] = 1;
}
__global__ void misaligned(char* p) {
  *reinterpret_cast<int*>(p + threadIdx.x * 4 + (threadIdx.x == 5 ? 1 : 0)) = 1;
}
__global__ void endless(volatile int* p) {
  while (p[0] == 0) p[1] = p[1] + 1;
}
__global__ void before_null(int* p) { p[-1] = 1; }
__global__ void lock_twice(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  while (atomicCAS(lock, 0, 1) != 0) {}
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive(int* p) { p[threadIdx.x] = fibonacci(60 + p[0]); }
__global__ void unknown_opcode(int* p) {
#ifdef UNKNOWN_OPCODE
  asm volatile("frobnicate.u32 %0, 1;" : "=r"(p[0]));
#else
  p[0] = 1;
#endif
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  fine<<<1, 32>>>(p);
  cudaMemset(p, 0, 4096);
  if (!std::strcmp(what, "bounds")) out_of_bounds<<<1, 32>>>(p);
  if (!std::strcmp(what, "past")) fine<<<1, 32>>>(p + 1020);
  if (!std::strcmp(what, "misaligned")) misaligned<<<1, 32>>>(reinterpret_cast<char*>(p));
  if (!std::strcmp(what, "endless")) endless<<<1, 32>>>(p);
  if (!std::strcmp(what, "null")) before_null<<<1, 1>>>(nullptr);
  if (!std::strcmp(what, "protected")) {
    void* host = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::printf("register: %s\n", cudaGetErrorName(cudaHostRegister(host, 4096, 0)));
    mprotect(host, 4096, PROT_NONE);
    fine<<<1, 32>>>(static_cast<int*>(host));
  }
  if (!std::strcmp(what, "deadlock")) lock_twice<<<2, 32>>>(p);
  if (!std::strcmp(what, "recursive")) recursive<<<1, 32>>>(p);
  if (!std::strcmp(what, "opcode")) unknown_opcode<<<1, 32>>>(p);
  if (!std::strcmp(what, "memory")) {
    void* much = nullptr;
    std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&much, size_t(1) << 50)));
  }
  if (!std::strcmp(what, "stubborn")) {
    std::signal(SIGINT, SIG_IGN);
    std::puts("waiting");
    std::fflush(stdout);
    for (;;) pause();
  }
  if (!std::strcmp(what, "segfault")) {
    cudaDeviceSynchronize();
    *static_cast<volatile int*>(nullptr) = 1;
  }
  if (!std::strcmp(what, "abort")) {
    cudaDeviceSynchronize();
    std::fflush(stdout);
    std::abort();
  }
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return argc > 2 ? std::atoi(argv[2]) : 3;
}
