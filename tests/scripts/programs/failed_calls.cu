// Calls of the CUDA API that return an error, and some that a program makes to ask; built without the driver API where there is
// no libcuda to link.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void plain(int* p) { *p = 1; }

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  int *p = nullptr, *q = nullptr;
  cudaMalloc(&p, 64);
  for (int i = 0; i < 9; ++i) cudaMalloc(&q, size_t(1) << (47 - i % 3)); // too much, nine times
  cudaMemcpy(nullptr, p, 64, cudaMemcpyDeviceToHost); // to nowhere
  cudaMallocHost((void**)&q, size_t(1) << 50); // too much of the host's
  cudaMemset(p, 0, 1 << 20); // past its end
  plain<<<1, 1 << 20>>>(p); // too many threads
  if (cudaGetLastError() == cudaSuccess) return 9;
  cudaSetDevice(99); // no such device
  cudaExtent extent = make_cudaExtent(64, 4, 4);
  cudaMemset3D(make_cudaPitchedPtr(p, 1 << 20, 64, 4), 0, extent); // a box
  if (!std::strcmp(way, "abort")) std::abort();
  // Answers, not failures.
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventQuery(event);
  cudaStreamQuery(nullptr);
  cudaDeviceDisablePeerAccess(0);
  cudaPeekAtLastError();
  cudaEventDestroy(event);
  cudaFree(p);
  cudaFree(p); // twice
  return 0;
}
