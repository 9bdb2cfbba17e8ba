// What clang includes before every line of a CUDA program (-include), in place of the toolkit's headers.
//
// clang brings the compiler's half of CUDA: builtins, and the __clang_cuda_*.h wrappers over them. This folder
// supplies the toolkit's half: keywords, vector types, the run-time API, atomics, cache hints, textures. The order
// below is the one that clang's own __clang_cuda_runtime_wrapper.h establishes; each step names what needs it.
//
// Everything device-side is `nodebug`: a load made by __ldg or atomicAdd then carries the line of the program that
// called it, not a line of a header.
//
// Not here: textures by reference (gone since CUDA 12), inter-process graphics, cuda::std, Thrust and CUB.
#pragma once
#if !defined(__CUDA__) || !defined(__clang__)
#error "warplens_cuda.h is for clang's CUDA mode; with nvcc use the toolkit's own headers"
#endif

#include "warplens/attributes.h"

// libstdc++ asks for __CUDACC__ before it offers __float128; clang's math overloads must precede <cmath>.
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits.h> // INT_MAX, for clang's math header
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "warplens/vectors.h"
#include <__clang_cuda_builtin_vars.h>
#pragma clang attribute pop

#include "warplens/runtime_types.h"

#include "warplens/runtime_api.h"
#include "warplens/runtime_templates.h"

// The host pass sees the largest set of device functions, so that templates name-check.
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include <__clang_cuda_libdevice_declares.h>
#include "warplens/libdevice.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "warplens/device_runtime.h"
#include <new> // its device operators call malloc and free
#include "warplens/math_overloads.h"
#include <__clang_cuda_cmath.h>
#include "warplens/warp_reductions.h"
#include <__clang_cuda_complex_builtins.h>
#include "warplens/atomics.h"
#include "warplens/scoped_atomics.h"
#include "warplens/cache_hints.h"
#include "warplens/dot_products.h"
#include "warplens/texture.h"
#pragma clang attribute pop
#pragma pop_macro("__CUDA_ARCH__")
