// What the programs of pairs share: a pair's kernels are launched one after the other, and a line is printed for each: pair, variant,
// nanoseconds (the least, the first launch apart).
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess) {                                                                             \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                   \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

inline int repeats = 20;

template <class F> void measure(const char* pair, const char* variant, F&& launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float best = 1e30f;
  for (int r = 0; r < repeats; ++r) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (r != 0 || repeats == 1) best = std::min(best, ms); // the first loads the kernel
  }
  CHECK(cudaGetLastError());
  std::printf("%s\t%s\t%.0f\n", pair, variant, 1e6 * best);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

template <class T> T* device(const std::vector<T>& host) {
  T* out = nullptr;
  CHECK(cudaMalloc(&out, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return out;
}
