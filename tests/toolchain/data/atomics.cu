// Every atomic function in every type and scope.
#include <cuda_runtime.h>

template <class T> __device__ void arithmetic(T* p, T v) {
  atomicAdd(p, v);
  atomicAdd_block(p, v);
  atomicAdd_system(p, v);
}
template <class T> __device__ void integer(T* p, T v) {
  arithmetic(p, v);
  atomicExch(p, v);
  atomicMin(p, v);
  atomicMax(p, v);
  atomicAnd(p, v);
  atomicOr(p, v);
  atomicXor(p, v);
  *p = atomicCAS(p, v, *p);
  atomicMin_block(p, v);
  atomicOr_system(p, v);
}
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, long long* s, float* f, double* d,
                        unsigned short* h) {
  integer(i, 1);
  integer(u, 1u);
  integer(l, 1ull);
  arithmetic(f, 1.0f);
  arithmetic(d, 1.0);
  atomicSub(i, 1);
  atomicSub(u, 1u);
  atomicInc(u, 7u);
  atomicDec(u, 7u);
  atomicExch(f, 2.0f);
  atomicMin(s, 1ll);
  atomicMax(s, 1ll);
  atomicCAS(h, (unsigned short)1, (unsigned short)2);
}

__global__ void scoped(int* i, unsigned long long* l) {
  int expected = __nv_atomic_load_n(i, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_compare_exchange_n(i, &expected, 1, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(l, 1ull, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store_n(i, __nv_atomic_exchange_n(i, 3, __NV_ATOMIC_SEQ_CST), __NV_ATOMIC_RELEASE);
}

int main() { return 0; }
