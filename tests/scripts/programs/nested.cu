// Kernels that launch kernels, deep and wide. Arguments: which, how deep, and how many launches the device keeps (0: its default).
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void chain(int* out, int depth) {
  out[0] += 1;
  if (depth == 0) return;
  chain<<<1, 1>>>(out, depth - 1);
  if (cudaPeekAtLastError() != cudaSuccess) out[1] = cudaGetLastError(), out[2] = cudaGetLastError();
}
__global__ void tree(int* out, int depth) {
  atomicAdd(out, 1);
  if (depth > 0) tree<<<2, 1>>>(out, depth - 1);
}
__global__ void leaf(int* out) { atomicAdd(out, 1); }
__global__ void wide(int* out, int) { leaf<<<1, 1>>>(out); }

int main(int, char** arguments) {
  int *out, depth = atoi(arguments[2]), result[3];
  if (long limit = atol(arguments[3]))
    if (cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit) != cudaSuccess) return 9;
  cudaMalloc(&out, sizeof result);
  cudaMemset(out, 0, sizeof result);
  if (!strcmp(arguments[1], "chain")) chain<<<1, 1>>>(out, depth);
  if (!strcmp(arguments[1], "tree")) tree<<<1, 1>>>(out, depth);
  if (!strcmp(arguments[1], "wide")) wide<<<depth / 128, 128>>>(out, 0);
  const char* error = cudaGetErrorName(cudaDeviceSynchronize());
  if (strcmp(error, "cudaSuccess")) return printf("%s\n", error), 0;
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d kernels, errors %d %d\n", result[0], result[1], result[2]);
}
