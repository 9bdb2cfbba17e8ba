// Launches in NVTX ranges: k0 in none, k1 in "phase", k2 in "phase" and "inner", k3 in "whole", which is started; with an argument k1 in "again", too. The toolkit's NVTX, or
// its handshake with a tool where there is no toolkit.
#include <cstdio>
#if __has_include(<nvtx3/nvToolsExt.h>) && !defined(HANDSHAKE)
#include <nvtx3/nvToolsExt.h>
#else
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
using Function = void (*)();
static Function push, pop, start, end;
static Function* table[16];
static int table_of(uint32_t module, Function*** out, unsigned* size) {
  *out = table, *size = 16;
  return module == 1;
}
static const struct { size_t size; int (*of)(uint32_t, Function***, unsigned*); } callbacks = {16, table_of};
static const void* exported(uint32_t number) { return number == 1 ? &callbacks : nullptr; }
static bool handshake() {
  table[9] = &push, table[11] = &pop, table[5] = &start, table[7] = &end;
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* tool = path ? dlopen(path, RTLD_LAZY) : nullptr;
  auto begin = tool ? reinterpret_cast<int (*)(const void* (*)(uint32_t))>(dlsym(tool, "InitializeInjectionNvtx2")) : nullptr;
  return begin && begin(exported);
}
static bool tool() { static const bool there = handshake(); return there; }
static void nvtxRangePushA(const char* name) { if (tool()) reinterpret_cast<int (*)(const char*)>(push)(name); }
static void nvtxRangePop() { if (tool()) reinterpret_cast<int (*)()>(pop)(); }
static uint64_t nvtxRangeStartA(const char* name) { return tool() ? reinterpret_cast<uint64_t (*)(const char*)>(start)(name) : 0; }
static void nvtxRangeEnd(uint64_t id) { if (tool()) reinterpret_cast<void (*)(uint64_t)>(end)(id); }
#endif

__global__ void k0(int* p) { p[threadIdx.x] = 0; }
__global__ void k1(int* p) { p[threadIdx.x] = 1; }
__global__ void k2(int* p) { p[threadIdx.x] = 2; }
__global__ void k3(int* p) { p[threadIdx.x] = 3; }

int main(int argc, char**) {
  int *p, last;
  cudaMalloc(&p, 32 * sizeof(int));
  k0<<<1, 32>>>(p);
  nvtxRangePushA("phase");
  k1<<<1, 32>>>(p);
  nvtxRangePushA("inner");
  k2<<<1, 32>>>(p);
  nvtxRangePop();
  nvtxRangePop();
  auto whole = nvtxRangeStartA("whole");
  k3<<<1, 32>>>(p);
  nvtxRangeEnd(whole);
  if (argc > 1) {
    nvtxRangePushA("again");
    k1<<<1, 32>>>(p);
    nvtxRangePop();
  }
  cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d\n", last);
}
