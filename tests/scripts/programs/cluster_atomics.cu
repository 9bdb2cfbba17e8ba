// Atomics on one word by a pointer whose space the code does not know: 256 threads, in global memory, in the block's shared memory, and in
// that of the other block of a cluster. Prints for each operation in how many of 4 blocks no update was lost.
// tests/hardware/data/h200_cluster_atomics.tsv has what an H200 printed.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
using u64 = unsigned long long;
using i64 = long long;
using u32 = unsigned;

// Name, type, first value, what thread n does to the word w, and what 256 threads leave there.
#define OPS(X)                                                                                               \
  X(add32, u32, 0u, atomicAdd(w, n + 1), 32896u)                                                             \
  X(or32, u32, 0u, atomicOr(w, 1u << (n & 31)), ~0u)                                                         \
  X(and32, u32, ~0u, atomicAnd(w, ~(1u << (n & 31))), 0u)                                                    \
  X(xor32, u32, 0u, atomicXor(w, n & 1 ? 3u << (n >> 3 & 15) : 0u), 0u)                                      \
  X(max32, u32, 0u, atomicMax(w, n + 1), 256u)                                                               \
  X(min32, u32, ~0u, atomicMin(w, n + 1), 1u)                                                                \
  X(smax32, int, -999, atomicMax(w, (int)n - 300), -45)                                                      \
  X(smin32, int, 999, atomicMin(w, (int)n - 300), -300)                                                      \
  X(inc32, u32, 0u, atomicInc(w, ~0u), 256u)                                                                 \
  X(dec32, u32, 1000u, atomicDec(w, ~0u), 744u)                                                              \
  X(add64, u64, 0ull, atomicAdd(w, (u64)n + 1), 32896ull)                                                    \
  X(or64, u64, 0ull, atomicOr(w, 1ull << (n & 63)), ~0ull)                                                   \
  X(and64, u64, ~0ull, atomicAnd(w, ~(1ull << (n & 63))), 0ull)                                              \
  X(xor64, u64, 0ull, atomicXor(w, 1ull << (n >> 2 & 63)), 0ull)                                             \
  X(max64, u64, 0ull, atomicMax(w, (u64)n + 1), 256ull)                                                      \
  X(min64, u64, ~0ull, atomicMin(w, (u64)n + 1), 1ull)                                                       \
  X(smax64, i64, -999ll, atomicMax(w, (i64)n - 300), -45ll)                                                  \
  X(smin64, i64, 999ll, atomicMin(w, (i64)n - 300), -300ll)                                                  \
  X(f32, float, 0.f, atomicAdd(w, (float)(n + 1)), 32896.f)                                                  \
  X(f64, double, 0., atomicAdd(w, (double)(n + 1)), 32896.)
template <class T> __device__ T* where(int space, T* g, T* s) {
  T* w = space == 0   ? g + blockIdx.x
         : space == 1 ? s
                      : cg::this_cluster().map_shared_rank(s, cg::this_cluster().block_rank() ^ 1);
  asm volatile("" : "+l"(w));
  return w;
}
#define K(name, T, init, op, end)                                                                            \
  __global__ void k_##name(int space, T* g, T* out) {                                                        \
    __shared__ T s;                                                                                          \
    if (threadIdx.x == 0) s = init;                                                                          \
    cg::this_cluster().sync();                                                                               \
    T* w = where(space, g, &s);                                                                              \
    u32 n = threadIdx.x;                                                                                     \
    op;                                                                                                      \
    cg::this_cluster().sync();                                                                               \
    if (threadIdx.x == 0) out[blockIdx.x] = space == 0 ? g[blockIdx.x] : s;                                  \
  }
OPS(K)
__global__ void k_h2(int space, __half2* g, __half2* out) {
  __shared__ __half2 s;
  if (threadIdx.x == 0) s = __half2(0, 0);
  cg::this_cluster().sync();
  __half2* w = where(space, g, &s);
  atomicAdd(w, __half2(1, 2));
  cg::this_cluster().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = space == 0 ? g[blockIdx.x] : s;
}
__global__ void k_b2(int space, __nv_bfloat162* g, __nv_bfloat162* out) {
  __shared__ __nv_bfloat162 s;
  if (threadIdx.x == 0) s = __nv_bfloat162(0, 0);
  cg::this_cluster().sync();
  __nv_bfloat162* w = where(space, g, &s);
  atomicAdd(w, __nv_bfloat162(1, 0.5f));
  cg::this_cluster().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = space == 0 ? g[blockIdx.x] : s;
}
__global__ void k_h1(int space, __half* g, __half* out) {
  __shared__ __half2 s2;
  __half* s = (__half*)&s2;
  if (threadIdx.x == 0) s2 = __half2(0, 0);
  cg::this_cluster().sync();
  __half* w = where(space, g + blockIdx.x, s);
  atomicAdd(w, __half(1));
  cg::this_cluster().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = space == 0 ? g[2 * blockIdx.x] : *s;
}
template <class T, class F> void go(const char* name, F kernel, T init, T end, bool (*same)(T, T)) {
  T *g, *out;
  cudaMallocManaged(&g, 16 * sizeof(T));
  cudaMallocManaged(&out, 16 * sizeof(T));
  std::printf("%s", name);
  for (int space = 0; space < 3; ++space) {
    for (int i = 0; i < 16; ++i) g[i] = init;
    cudaLaunchConfig_t c{};
    cudaLaunchAttribute a;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim = {2, 1, 1};
    c.gridDim = 4;
    c.blockDim = 256;
    c.attrs = &a;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, kernel, space, g, out);
    cudaError_t e = cudaDeviceSynchronize();
    int right = 0;
    for (int b = 0; b < 4; ++b) right += same(out[b], end);
    std::printf("\t%d%s", right, e != cudaSuccess ? cudaGetErrorName(e) : "");
  }
  std::printf("\n");
}
int main() {
#define R(name, T, init, op, end)                                                                            \
  go<T>(#name, k_##name, (T)(init), (T)(end), [](T a, T b) { return a == b; });
  OPS(R)
  go<__half2>("half2", k_h2, __half2(0, 0), __half2(256, 512), [](__half2 a, __half2 b) {
    return __low2float(a) == __low2float(b) && __high2float(a) == __high2float(b);
  });
  go<__nv_bfloat162>("bfloat162", k_b2, __nv_bfloat162(0, 0), __nv_bfloat162(256, 128),
                     [](__nv_bfloat162 a, __nv_bfloat162 b) {
                       return __low2float(a) == __low2float(b) && __high2float(a) == __high2float(b);
                     });
  go<__half>("half", k_h1, __half(0), __half(256),
             [](__half a, __half b) { return __half2float(a) == __half2float(b); });
}
