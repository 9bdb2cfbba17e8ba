// What CUDA's functions do to the program's heap. A preloaded library counts the calls of malloc() and its like while it is told to
// watch; the program looks at what is in memory that malloc() returns.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

__global__ void scale(float* data, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}

// A new block's address, which the compiler knows nothing of.
static size_t address_of_block() {
  void* volatile block = malloc(1000);
  return reinterpret_cast<size_t>(block);
}

// Bytes that are not zero in blocks that nobody had before.
static size_t dirty(size_t* total) {
  size_t found = 0;
  for (size_t size = 24; size < 200000; size += size / 3) {
    unsigned char* block = static_cast<unsigned char*>(malloc(size));
    for (size_t i = 0; i < size; ++i) found += block[i] != 0;
    *total += size;
  }
  return found;
}

int main() {
  size_t total = 0;
  const int n = 100000;
  static float host[n];
  auto watch = reinterpret_cast<const char* (*)(int)>(dlsym(RTLD_DEFAULT, "watch_heap"));
  size_t before = 0;
  for (int i = 0; i < 100; ++i) before = address_of_block(); // what was free is used up
  if (watch) watch(1);
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaHostRegister(host, sizeof host, 0);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 100; ++i) scale<<<(n + 255) / 256, 256, 0, stream>>>(data, 0.5f + i % 3, n - i);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event, stream);
  cudaStreamSynchronize(stream);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  cudaHostUnregister(host);
  cudaFree(data);
  const char* calls = watch ? watch(0) : "not watched";
  printf("%s, next block %s\n", calls, address_of_block() == before + 1008 ? "behind the last" : "elsewhere");
  const size_t found = dirty(&total);
  printf("%zu of %zu fresh bytes are not zero\n", found, total);
}
