#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <mma.h>
// every memory instruction in one kernel each
template <class T> __device__ void sink(T* p, T v) { *p = v; }
#define G extern "C" __global__ void
G k_u8(unsigned char* a) { a[threadIdx.x + 999] = a[threadIdx.x]; }
G k_s8(signed char* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }
G k_u16(unsigned short* a) { a[threadIdx.x + 999] = a[threadIdx.x]; }
G k_s16(short* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }
G k_32(int* a) { a[threadIdx.x + 999] = a[threadIdx.x]; }
G k_64(double* a) { a[threadIdx.x + 999] = a[threadIdx.x]; }
G k_128(float4* a) { a[threadIdx.x + 999] = a[threadIdx.x]; }
G k_ldg(const float* __restrict__ a, float* __restrict__ b) { b[threadIdx.x] = a[threadIdx.x]; }
G k_shared(char* a, int n) {
  __shared__ __align__(16) char s[8192]; int t = threadIdx.x;
  ((volatile unsigned char*)s)[t] = a[t]; ((volatile short*)s)[t + 100] = t; ((volatile int*)s)[t + 100] = t; ((volatile double*)s)[t + 200] = t; 
  ((float4*)s)[t + 200] = make_float4(t, 1, 2, n); __syncthreads();
  a[t + 1000] = ((volatile unsigned char*)s)[n] + ((volatile signed char*)s)[n + 5] + ((volatile short*)s)[n + 100] + ((volatile unsigned short*)s)[n + 120] + ((volatile int*)s)[n + 100] + ((volatile double*)s)[n + 200];
  ((float4*)a)[t] = ((float4*)s)[n + 99]; }
G k_local(int* a, int n) { volatile int x[64]; volatile short y[64]; double z[40]; for (int i = 0; i < n; ++i) x[i] = a[i], y[i] = i, z[i] = a[i + n]; a[n] = x[a[n]] + y[a[n + 1]] + z[a[n]]; }
G k_generic(int* a, int n) { __shared__ int s[32]; int* p = n > threadIdx.x ? a : s; *p = 5; __syncthreads(); a[7] = *p; atomicAdd(p, n); a[5] = atomicCAS(p, n, 4); a[6] = atomicExch(p, 1); }
G k_atomg(int* a, int n, unsigned long long* u, float* f, double* d, __half2* h) { int t = threadIdx.x;
  a[t + 1] = atomicAdd(a + t, n); a[t + 2] = atomicMax(a + t, n); a[t + 3] = atomicAnd(a + t, n); a[t + 5] = atomicExch(a + t, n); a[t + 4] = atomicCAS(a + t, n, 3);
  u[t + 3] = atomicCAS(u + t, 5ull, 7ull); u[t + 4] = atomicAdd(u + t, 5ull); f[t + 4] = atomicAdd(f + t, 2.f); d[t + 4] = atomicAdd(d + t, 3.0); h[t + 4] = atomicAdd(h + t, h[4]); a[t + 9] = atomicInc((unsigned*)a + t, n); }
G k_red(int* a, int n, unsigned long long* u, float* f, double* d, __half2* h) { int t = threadIdx.x;
  atomicAdd(a + t, n); atomicMax(a + t, n); atomicAnd(a + t, n); atomicXor(a + t, n); atomicAdd(u + t, 5ull); atomicAdd(f + t, 2.f); atomicAdd(d + t, 3.0); atomicAdd(h + t, __half2half2(2.f)); atomicInc((unsigned*)a + t, n); atomicExch(a + t, n); }
G k_one(int* a, int n, unsigned long long* u, float* f) { atomicAdd(a, 1); atomicAdd(a + 1, n); atomicAdd(a + 2, (int)threadIdx.x * n); atomicMax(a + 3, (int)threadIdx.x * n); atomicAdd(u, 1ull); atomicAdd(f, 1.f); a[threadIdx.x + 44] = atomicAdd(a + 9, 1); atomicAnd(a + 5, n); atomicSub(a + 6, 1);atomicOr(a + 7, n * (int)threadIdx.x); if (threadIdx.x & 1) atomicAdd(a + 20, n); }
G k_atoms(int* a, int n) { __shared__ int s[64]; __shared__ unsigned long long u[32]; __shared__ float f[32]; __shared__ double d[32]; int t = threadIdx.x;
  s[t] = 0; u[t] = 0; f[t] = 0; d[t] = 0; __syncthreads();
  atomicAdd(&s[t], 1); atomicAdd(&s[n], 2); atomicAdd(&s[t + 1], n); atomicSub(&s[t + 2], 1); atomicInc((unsigned*)&s[t + 3], 0xffffffffu); atomicInc((unsigned*)&s[t + 4], n); a[t] = atomicAdd(&s[t + 5], 1); a[t + 100] = atomicMax(&s[t + 6], n); atomicMin(&s[t], n); atomicOr(&s[n], 4); a[t+9] = atomicExch(&s[t], n); a[t + 200] = atomicCAS(&s[t + 7], n, 5); 
  atomicAdd(&u[n], 1ull); atomicAdd(&u[t], 5ull); atomicMax(&u[t], 7ull); u[n] += atomicCAS(&u[t], 4ull, 5ull); u[4] = atomicExch(&u[t + 1], 5ull); atomicAdd(&f[n], 2.f); atomicAdd(&d[n], 2.0); __syncthreads(); a[t + 3] = s[t] + u[t] + f[t] + d[t]; }
G k_atoms_one(int* a, int n) { __shared__ int s; __shared__ float f; s = 0; f = 0; __syncthreads(); atomicAdd(&s, 1); atomicAdd(&s, n * (int)threadIdx.x); atomicMax(&s, n * (int)threadIdx.x); atomicAdd(&f, 1.f); __syncthreads(); a[3] = s + f; }
#if __CUDA_ARCH__ >= 800
G k_cp(int* a) { __shared__ __align__(16) char s[4096]; int t = threadIdx.x; unsigned p = (unsigned)__cvta_generic_to_shared(s) + t * 16;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(p), "l"(a + t)); asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(p + 1024), "l"(a + 2 * t)); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(p + 2048), "l"(a + 4 * t)); asm volatile("cp.async.wait_all;"); __syncthreads(); a[t] = s[t]; }
#endif
G k_ldsm(unsigned* a) { __shared__ __align__(16) unsigned s[1024]; int t = threadIdx.x; s[t] = a[t]; __syncthreads(); unsigned p = (unsigned)__cvta_generic_to_shared(s) + t * 16, x, y, z, w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(p)); asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(y), "=r"(z) : "r"(p)); a[t] = x + y + z; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(p)); a[t + 5] = x + y + z + w;
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0,%1,%2,%3};" :: "r"(x), "r"(y), "r"(z), "r"(w), "r"(p)); __syncthreads(); a[t + 9] = s[t];
#endif
}
G k_const(int* a, const int* __restrict__ c, cudaTextureObject_t t) { a[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }
__constant__ int table[512];
G k_ldc(int* a) { a[threadIdx.x] = table[a[threadIdx.x]]; }
__device__ __noinline__ int called(int* p, int n) { int x[4] = {n, n, n, 1}; x[n & 3] = p[n]; return x[p[n + 1]] + p[5]; }
G k_call(int* a, int n) { a[n] = called(a, n) + called(a + 4, n + 1); }
