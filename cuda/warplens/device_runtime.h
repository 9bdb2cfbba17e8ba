// What the device gets from its run-time system: printf, assert, the heap, and the address-space helpers; and the
// conversions of threadIdx & co. that clang's header declares before uint3 and dim3 exist.
// The names (vprintf, __assertfail, malloc, free) are PTX's system calls ("PTX Writer's Guide to Interoperability").
#pragma once

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...); // clang turns a call into vprintf with a packed buffer
__device__ void* malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void*) __attribute__((nothrow));
// Launches by kernels, which clang has no syntax for: named by the headers of Thrust and CUB, and called by nobody there.
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block, unsigned shared,
                                        cudaStream_t);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance();
__device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
__device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
// glibc's assert() calls this one
static __inline__ __device__ void __assert_fail(const char* expression, const char* file, unsigned line,
                                                const char* function) {
  __assertfail(expression, file, line, function, sizeof(char));
}
}
namespace std {
static __inline__ __device__ void* malloc(size_t bytes) { return ::malloc(bytes); }
static __inline__ __device__ void free(void* p) { ::free(p); }
} // namespace std

#define WARPLENS_INDEX(name)                                                                                   \
  __device__ __inline__ __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); }             \
  __device__ __inline__ __cuda_builtin_##name##_t::operator uint3() const { return {x, y, z}; }
WARPLENS_INDEX(threadIdx)
WARPLENS_INDEX(blockIdx)
WARPLENS_INDEX(blockDim)
WARPLENS_INDEX(gridDim)
#undef WARPLENS_INDEX

static __device__ __forceinline__ unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
static __device__ __forceinline__ unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
static __device__ __forceinline__ unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
static __device__ __forceinline__ unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
#define WARPLENS_SPACE(name, number)                                                                           \
  static __device__ __forceinline__ size_t __cvta_generic_to_##name(const void* p) {                           \
    return (size_t)(void __attribute__((address_space(number)))*)p;                                            \
  }                                                                                                            \
  static __device__ __forceinline__ void* __cvta_##name##_to_generic(size_t p) {                               \
    return (void*)(void __attribute__((address_space(number)))*)p;                                             \
  }
WARPLENS_SPACE(global, 1)
WARPLENS_SPACE(shared, 3)
WARPLENS_SPACE(constant, 4)
WARPLENS_SPACE(local, 5)
#undef WARPLENS_SPACE
