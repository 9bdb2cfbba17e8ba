// __nv_atomic_…: nvcc's atomic operations with a memory order and a thread scope ("CUDA C++ Programming Guide",
// Atomic Functions, built-in atomic functions). Each is the relaxed operation of that scope between the fences that
// the order asks for, which is at least as strong.
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define WARPLENS_D static __device__ __forceinline__
WARPLENS_D void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED) return;
  if (scope <= __NV_THREAD_SCOPE_BLOCK) __threadfence_block();
  else if (scope <= __NV_THREAD_SCOPE_DEVICE) __threadfence();
  else __threadfence_system();
}
namespace warplens_cuda {
WARPLENS_D void before(int order, int scope) {
  if (order >= __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}
WARPLENS_D void after(int order, int scope) {
  if (order != __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}
} // namespace warplens_cuda

#define WARPLENS_SCOPED(name, op)                                                                              \
  template <class T> WARPLENS_D T name(T* p, T v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {           \
    warplens_cuda::before(order, scope);                                                                       \
    T old = scope <= __NV_THREAD_SCOPE_BLOCK ? op##_block(p, v)                                                \
            : scope <= __NV_THREAD_SCOPE_DEVICE ? op(p, v) : op##_system(p, v);                                \
    warplens_cuda::after(order, scope);                                                                        \
    return old;                                                                                                \
  }
WARPLENS_SCOPED(__nv_atomic_fetch_add, atomicAdd)
WARPLENS_SCOPED(__nv_atomic_fetch_sub, atomicSub)
WARPLENS_SCOPED(__nv_atomic_fetch_min, atomicMin)
WARPLENS_SCOPED(__nv_atomic_fetch_max, atomicMax)
WARPLENS_SCOPED(__nv_atomic_fetch_and, atomicAnd)
WARPLENS_SCOPED(__nv_atomic_fetch_or, atomicOr)
WARPLENS_SCOPED(__nv_atomic_fetch_xor, atomicXor)
WARPLENS_SCOPED(__nv_atomic_exchange_n, atomicExch)
#undef WARPLENS_SCOPED

template <class T> WARPLENS_D T __nv_atomic_load_n(T* p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order, scope);
  T value = *(volatile T*)p;
  warplens_cuda::after(order, scope);
  return value;
}
template <class T> WARPLENS_D void __nv_atomic_store_n(T* p, T v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  warplens_cuda::before(order, scope);
  *(volatile T*)p = v;
}
template <class T>
WARPLENS_D bool __nv_atomic_compare_exchange_n(T* p, T* expected, T v, bool, int success, int failure,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
  int order = success > failure ? success : failure;
  warplens_cuda::before(order, scope);
  T old = scope <= __NV_THREAD_SCOPE_BLOCK    ? atomicCAS_block(p, *expected, v)
          : scope <= __NV_THREAD_SCOPE_DEVICE ? atomicCAS(p, *expected, v)
                                              : atomicCAS_system(p, *expected, v);
  warplens_cuda::after(order, scope);
  bool swapped = old == *expected;
  *expected = old;
  return swapped;
}
#undef WARPLENS_D
