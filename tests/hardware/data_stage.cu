// What goes through the L1's data stage besides loads and stores: a kernel for each kind of instruction, each launched with one warp and
// with many. Every kernel stores one word per lane at the end, so that nothing is dropped; `nothing` and `only_store` are what to subtract.
//
//   nvcc -O3 -gencode arch=compute_90,code=[compute_90,sm_90] -o data_stage data_stage.cu
//   ncu --cache-control none --csv --page raw --metrics … ./data_stage
// tests/hardware/HARDWARE.md, "What the data stage counts", has the answers and the counters.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name, ...) \
  __global__ void name(const int* in, int* out, int n) { \
    int r = n; \
    __VA_ARGS__ \
    out[TID] = r; \
  }
#define SHARED __shared__ __align__(16) int s[1024];
#define AT(lane) static_cast<unsigned>(__cvta_generic_to_shared(&s[lane]))
#define X4(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__

__global__ void nothing() {}
__global__ void leaves(int* out, int n) { if (threadIdx.x >= 32 && n != 0) return; out[TID] = n; }
KERNEL(only_store, )
KERNEL(tid_y, r += threadIdx.y;)
KERNEL(tid_yz, r += threadIdx.y + 3 * threadIdx.z;)
KERNEL(lane, int l; asm volatile("mov.u32 %0, %%laneid;" : "=r"(l)); r += l;)
KERNEL(warp, int l; asm volatile("mov.u32 %0, %%warpid;" : "=r"(l)); r += l;)
KERNEL(smid, int l; asm volatile("mov.u32 %0, %%smid;" : "=r"(l)); r += l;)
KERNEL(clock4, X4(r += clock();))
KERNEL(masks, int l; asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(l)); r += l;)
KERNEL(timer, r += static_cast<int>(clock64());)
KERNEL(barrier, __syncthreads();)
KERNEL(barrier4, X4(__syncthreads();))
KERNEL(barrier_or, r += __syncthreads_or(r);)
KERNEL(barrier_named, asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory");)
KERNEL(arrive, if (threadIdx.x < 32) asm volatile("bar.arrive 1, 64;" ::: "memory"); else if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");)
KERNEL(syncwarp, __syncwarp(); r += in[0]; __syncwarp();)
KERNEL(fence_block, out[TID] = 1; __threadfence_block();)
KERNEL(fence, out[TID] = 1; __threadfence();)
KERNEL(fence_system, out[TID] = 1; __threadfence_system();)
KERNEL(shuffle, r = __shfl_xor_sync(~0u, r + threadIdx.x, 1);)
KERNEL(shuffle4, r += threadIdx.x; X4(r = __shfl_down_sync(~0u, r, 3);))
KERNEL(shuffle_up, r = __shfl_up_sync(~0u, r + threadIdx.x, 1);)
KERNEL(shuffle_index, r = __shfl_sync(~0u, r + threadIdx.x, threadIdx.x * 5 & 31);)
KERNEL(ballot4, X4(r += __ballot_sync(~0u, r + threadIdx.x & 4);))
KERNEL(any, r += __any_sync(~0u, threadIdx.x & 4);)
KERNEL(match_any, r += __match_any_sync(~0u, threadIdx.x & 4);)
KERNEL(match_all, int p; r += __match_all_sync(~0u, threadIdx.x & 4, &p);)
KERNEL(redux, r += __reduce_add_sync(~0u, threadIdx.x);)
KERNEL(shared_store, SHARED volatile int* v = s; v[threadIdx.x] = r;)
KERNEL(shared_load, SHARED volatile int* v = s; v[threadIdx.x] = r; r = v[threadIdx.x];)
KERNEL(shared_load_off, SHARED volatile int* v = s; v[threadIdx.x] = r; if (r == 77 + threadIdx.x) r = v[threadIdx.x ^ 1];)
KERNEL(shared_store_off, SHARED volatile int* v = s; if (r == 77 + threadIdx.x) v[threadIdx.x] = r;)
KERNEL(shared_conflict, SHARED volatile int* v = s; v[threadIdx.x * 4 & 1023] = r; r = v[threadIdx.x * 4 & 1023];)
KERNEL(shared_bytes, SHARED volatile char* v = (char*)s; v[threadIdx.x] = r; r = v[threadIdx.x];)
KERNEL(shared_8, SHARED volatile long long* v = (long long*)s; v[threadIdx.x] = r; r = v[threadIdx.x];)
KERNEL(shared_16, SHARED unsigned a = AT(threadIdx.x * 4 & 1023); asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(a), "r"(r)); int x, y, z; asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r), "=r"(x), "=r"(y), "=r"(z) : "r"(a)); r += x + y + z;)
KERNEL(shared_pairs_16, SHARED unsigned a = AT((threadIdx.x & ~1) * 4 & 1023); int x, y, z; asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r), "=r"(x), "=r"(y), "=r"(z) : "r"(a)); r += x + y + z;)
KERNEL(ldmatrix1, SHARED unsigned a = AT(threadIdx.x * 4 & 1023); asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(a));)
KERNEL(ldmatrix4, SHARED unsigned a = AT(threadIdx.x * 4 & 1023); int x, y, z; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r), "=r"(x), "=r"(y), "=r"(z) : "r"(a)); r += x + y + z;)
KERNEL(stmatrix4, SHARED unsigned a = AT(threadIdx.x * 4 & 1023); asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(a), "r"(r));)
KERNEL(movmatrix, asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r));)
KERNEL(shared_red, SHARED atomicAdd(&s[threadIdx.x], r);)
KERNEL(shared_one, SHARED atomicAdd(&s[0], 1);)
KERNEL(shared_atom, SHARED r = atomicAdd(&s[threadIdx.x], r);)
KERNEL(shared_cas, SHARED r = atomicCAS(&s[threadIdx.x], r, 3);)
KERNEL(shared_float, SHARED atomicAdd((float*)&s[threadIdx.x], 1.f);)
KERNEL(mbarrier, SHARED unsigned a = AT(0); if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(a), "r"(blockDim.x)); __syncthreads(); long long t; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(a)); r += t;)
KERNEL(load, r = in[TID];)
KERNEL(load_again, asm volatile("ld.ca.global.u32 %0, [%1];" : "=r"(r) : "l"(in + TID)); __syncthreads(); int q; asm volatile("ld.ca.global.u32 %0, [%1];" : "=r"(q) : "l"(in + TID + (r & 0))); r += q;)
KERNEL(load_cg, asm volatile("ld.cg.global.u32 %0, [%1];" : "=r"(r) : "l"(in + TID));)
KERNEL(load_nc, r = __ldg(in + TID);)
KERNEL(load_off, if (n == 77 + threadIdx.x) r = in[TID];)
KERNEL(load_sparse, r = in[TID * 8];)
KERNEL(load_lines, r = in[TID * 32];)
KERNEL(load_same, r = in[blockIdx.x * 32];)
KERNEL(load_bytes, r = ((const char*)in)[TID];)
KERNEL(load_8, int2 v = ((const int2*)in)[TID]; r = v.x + v.y;)
KERNEL(load_16, int4 v = ((const int4*)in)[TID]; r = v.x + v.y + v.z + v.w;)
KERNEL(load_4x, r = in[TID] + in[TID + 65536] + in[TID + 2 * 65536] + in[TID + 3 * 65536];)
KERNEL(store_sparse, out[65536 + TID * 8] = r;)
KERNEL(store_lines, out[65536 + TID * 32] = r;)
KERNEL(store_bytes, ((volatile char*)out)[65536 + TID] = r;)
KERNEL(store_8, ((int2*)out)[65536 + TID] = int2{r, r};)
KERNEL(store_16, ((int4*)out)[65536 + TID] = int4{r, r, r, r};)
KERNEL(store_off, if (n == 77 + threadIdx.x) ((volatile int*)out)[65536 + TID] = r;)
KERNEL(global_red, atomicAdd(out + 65536 + TID, r + threadIdx.x);)
KERNEL(global_red_same, atomicAdd(out + 65536, threadIdx.x);)
KERNEL(global_one, atomicAdd(out + 65536, 1);)
KERNEL(global_atom, r = atomicAdd(out + 65536 + TID, r + threadIdx.x);)
KERNEL(global_float, atomicAdd((float*)out + 65536 + TID, 1.f);)
KERNEL(local_4, int a[16]; for (int i = 0; i < 16; ++i) a[i] = in[i]; r = a[n + threadIdx.x & 15];)
KERNEL(local_8, long long a[16]; for (int i = 0; i < 16; ++i) a[i] = in[i]; r = a[n + threadIdx.x & 15];)
KERNEL(local_1, char a[64]; for (int i = 0; i < 64; ++i) a[i] = in[i]; r = a[n + threadIdx.x & 63];)
__constant__ int table[1024];
KERNEL(constant_spread, r = table[threadIdx.x];)
KERNEL(constant_same, r = table[n & 1023];)
KERNEL(async_4, SHARED asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(threadIdx.x)), "l"(in + TID)); asm volatile("cp.async.wait_all;"); __syncthreads(); r = s[threadIdx.x ^ 1];)
KERNEL(async_16, SHARED asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(AT(threadIdx.x * 4 & 1023)), "l"(in + 4 * TID)); asm volatile("cp.async.wait_all;"); __syncthreads(); r = s[threadIdx.x ^ 1];)
KERNEL(async_cg, SHARED asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(AT(threadIdx.x * 4 & 1023)), "l"(in + 4 * TID)); asm volatile("cp.async.wait_all;"); __syncthreads(); r = s[threadIdx.x ^ 1];)

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 << 20), cudaMalloc(&out, 64 << 20);
  cudaMemset(in, 0, 64 << 20), cudaMemset(out, 0, 64 << 20);
  nothing<<<1, 32>>>(), nothing<<<264, 256>>>(), leaves<<<1, 64>>>(out, 1), leaves<<<264, 256>>>(out, 1);
#define RUN(name) name<<<1, 32>>>(in, out, 5), name<<<1, 64>>>(in, out, 5), name<<<264, 256>>>(in, out, 5);
  RUN(only_store) RUN(tid_y) RUN(tid_yz) RUN(lane) RUN(warp) RUN(smid) RUN(clock4) RUN(masks) RUN(timer) RUN(barrier) RUN(barrier4)
  RUN(barrier_or) RUN(barrier_named) arrive<<<1, 64>>>(in, out, 5), arrive<<<264, 256>>>(in, out, 5); RUN(syncwarp) RUN(fence_block) RUN(fence)
  RUN(fence_system) RUN(shuffle) RUN(shuffle4) RUN(shuffle_up) RUN(shuffle_index) RUN(ballot4) RUN(any) RUN(match_any) RUN(match_all) RUN(redux)
  RUN(shared_store) RUN(shared_load) RUN(shared_load_off) RUN(shared_store_off) RUN(shared_conflict) RUN(shared_bytes) RUN(shared_8) RUN(shared_16)
  RUN(shared_pairs_16) RUN(ldmatrix1) RUN(ldmatrix4) RUN(stmatrix4) RUN(movmatrix) RUN(shared_red) RUN(shared_one) RUN(shared_atom) RUN(shared_cas)
  RUN(shared_float) RUN(mbarrier) RUN(load) RUN(load) RUN(load_again) RUN(load_cg) RUN(load_nc) RUN(load_off) RUN(load_sparse) RUN(load_lines)
  RUN(load_same) RUN(load_bytes) RUN(load_8) RUN(load_16) RUN(load_4x) RUN(store_sparse) RUN(store_lines) RUN(store_bytes) RUN(store_8) RUN(store_16)
  RUN(store_off) RUN(global_red) RUN(global_red_same) RUN(global_one) RUN(global_atom) RUN(global_float) RUN(local_4) RUN(local_8) RUN(local_1)
  RUN(constant_spread) RUN(constant_same) RUN(async_4) RUN(async_16) RUN(async_cg)
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
