// CUDA's declaration specifiers in terms of clang's attributes, and the version macros programs test.
// The versions say CUDA 13.0: that is the ABI of WarpLens's runtime library. clang's own headers compare
// CUDA_VERSION only with releases up to 11, so a later number changes nothing for them.
#pragma once

#define CUDA_VERSION 13000
#define CUDART_VERSION 13000
#define CUDA_API_PER_THREAD_DEFAULT_STREAM_UNSUPPORTED 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __WARPLENS_CUDA__ 1 // lets a program tell these headers from the toolkit's

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __device_builtin__
#define __builtin_variable__
#define __cudart_builtin__
#define __inline_hint__
#define __forceinline__ __inline__ __attribute__((always_inline))
// `noinline` alone collides with libstdc++'s __attribute__((__noinline__)); clang folds both spellings.
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __nv_pure__ __attribute__((pure))
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define CUDART_CB
#define CUDARTAPI
#define CUDART_DEVICE __device__
#define CUDAAPI
#define CUDA_CB

// __managed__: one storage that host and device both name. clang knows the keyword only for HIP. In the device
// pass the variable is an ordinary __device__ one. In the host pass its host shadow goes into an ELF section of
// its own; managed.h tells the runtime where that section lies, and the runtime uses the shadow itself as the
// variable's device memory, so both sides read and write the same bytes.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("warplens_managed")))
#endif
