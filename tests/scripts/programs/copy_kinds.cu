// What becomes of a copy whose kind does not fit where its pointers point: a line for each function, the memory it reads and writes, and
// the error and whether the bytes arrived for each kind. tests/hardware/data/h200_copy_kinds.txt is what an H200 printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static const char* const places[] = {"pageable", "pinned", "device", "managed"};
static const int bytes = 64;
__device__ char variable[bytes];
__constant__ char constant[bytes];

static char* memory(int place) {
  void* made = nullptr;
  if (place == 0) made = malloc(bytes);
  if (place == 1) cudaMallocHost(&made, bytes);
  if (place == 2) cudaMalloc(&made, bytes);
  if (place == 3) cudaMallocManaged(&made, bytes);
  return static_cast<char*>(made);
}

static void set(char* at, int value) {
  char all[bytes];
  memset(all, value, bytes);
  cudaMemcpy(at, all, bytes, cudaMemcpyDefault);
}

static char get(const char* at) {
  char all[bytes];
  cudaMemcpy(all, at, bytes, cudaMemcpyDefault);
  return all[bytes - 1];
}

// One copy for each kind, from 5 to 1.
template <class Copy> static void kinds(const char* name, const char* from, const char* to, char* read, char* written, Copy copy) {
  printf("%s %s %s:", name, from, to);
  for (int kind = 0; kind <= 5; ++kind) {
    set(read, 5);
    set(written, 1);
    int error = copy(static_cast<cudaMemcpyKind>(kind));
    cudaDeviceSynchronize();
    cudaGetLastError();
    printf(" %d%s", error, get(written) == 5 ? "+" : "");
  }
  printf("\n");
}

int main() {
  char *variable_at = nullptr, *constant_at = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&variable_at), variable);
  cudaGetSymbolAddress(reinterpret_cast<void**>(&constant_at), constant);
  for (int f = 0; f < 4; ++f) {
    char* from = memory(f);
    for (int t = 0; t < 4; ++t) {
      char* to = memory(t);
      kinds("cudaMemcpy", places[f], places[t], from, to, [&](cudaMemcpyKind kind) { return cudaMemcpy(to, from, bytes, kind); });
      kinds("cudaMemcpyAsync", places[f], places[t], from, to, [&](cudaMemcpyKind kind) { return cudaMemcpyAsync(to, from, bytes, kind, 0); });
      kinds("cudaMemcpy2D", places[f], places[t], from, to,
            [&](cudaMemcpyKind kind) { return cudaMemcpy2D(to, 16, from, 16, 16, 4, kind); });
    }
    kinds("cudaMemcpyToSymbol", places[f], "variable", from, variable_at,
          [&](cudaMemcpyKind kind) { return cudaMemcpyToSymbol(variable, from, bytes, 0, kind); });
    kinds("cudaMemcpyToSymbol", places[f], "constant", from, constant_at,
          [&](cudaMemcpyKind kind) { return cudaMemcpyToSymbol(constant, from, bytes, 0, kind); });
    kinds("cudaMemcpyFromSymbol", "variable", places[f], variable_at, from,
          [&](cudaMemcpyKind kind) { return cudaMemcpyFromSymbol(from, variable, bytes, 0, kind); });
  }
}
