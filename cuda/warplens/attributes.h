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

// Programs test the toolkit's include guards to see whether its headers are there (cuda-samples' helper_cuda.h does; Thrust
// would undefine __host__ and __device__).
#define __HOST_DEFINES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

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

// Of a device variable clang has a second one on the host, which is not the same memory. The section tells WarpLens's runtime
// to place the device's where the host's is.
#define __managed__ __attribute__((device, section("warplens_managed")))
