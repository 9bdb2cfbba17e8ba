// atomicAdd … atomicCAS for every type, each also with _block and _system scope ("CUDA C++ Programming Guide",
// Atomic Functions). Where clang has a builtin it is used, because the optimiser knows it; the rest is PTX text.
#pragma once

#define WARPLENS_D static __device__ __forceinline__
#define WARPLENS_SCOPES(M, ...) M(, ".gpu", __VA_ARGS__) M(_block, ".cta", __VA_ARGS__) M(_system, ".sys", __VA_ARGS__)

// clang's builtins, wrapped by its header as __iAtomicAdd, __iAtomicAdd_block, …
#define WARPLENS_BUILTIN(scope, ptx, op, T, prefix)                                                            \
  WARPLENS_D T atomic##op##scope(T* p, T v) { return __##prefix##Atomic##op##scope(p, v); }
#define WARPLENS_ATOMIC(op, T, prefix) WARPLENS_SCOPES(WARPLENS_BUILTIN, op, T, prefix)
WARPLENS_ATOMIC(Add, int, i)
WARPLENS_ATOMIC(Add, unsigned int, u)
WARPLENS_ATOMIC(Add, unsigned long long, ull)
WARPLENS_ATOMIC(Add, float, f)
WARPLENS_ATOMIC(Add, double, d)
WARPLENS_ATOMIC(Exch, int, i)
WARPLENS_ATOMIC(Exch, unsigned int, u)
WARPLENS_ATOMIC(Exch, unsigned long long, ull)
WARPLENS_ATOMIC(Exch, float, f)
WARPLENS_ATOMIC(Min, int, i)
WARPLENS_ATOMIC(Min, unsigned int, u)
WARPLENS_ATOMIC(Min, long long, ill)
WARPLENS_ATOMIC(Min, unsigned long long, ull)
WARPLENS_ATOMIC(Max, int, i)
WARPLENS_ATOMIC(Max, unsigned int, u)
WARPLENS_ATOMIC(Max, long long, ill)
WARPLENS_ATOMIC(Max, unsigned long long, ull)
WARPLENS_ATOMIC(And, int, i)
WARPLENS_ATOMIC(And, unsigned int, u)
WARPLENS_ATOMIC(And, unsigned long long, ull)
WARPLENS_ATOMIC(Or, int, i)
WARPLENS_ATOMIC(Or, unsigned int, u)
WARPLENS_ATOMIC(Or, unsigned long long, ull)
WARPLENS_ATOMIC(Xor, int, i)
WARPLENS_ATOMIC(Xor, unsigned int, u)
WARPLENS_ATOMIC(Xor, unsigned long long, ull)
WARPLENS_ATOMIC(Inc, unsigned int, u)
WARPLENS_ATOMIC(Dec, unsigned int, u)
#undef WARPLENS_ATOMIC
#undef WARPLENS_BUILTIN

// Subtraction is addition of the two's complement
#define WARPLENS_SUB(scope, ptx, T)                                                                            \
  WARPLENS_D T atomicSub##scope(T* p, T v) { return atomicAdd##scope(p, (T)(0u - (unsigned int)v)); }
WARPLENS_SCOPES(WARPLENS_SUB, int)
WARPLENS_SCOPES(WARPLENS_SUB, unsigned int)
#undef WARPLENS_SUB

#define WARPLENS_CAS(scope, ptx, T, prefix)                                                                    \
  WARPLENS_D T atomicCAS##scope(T* p, T expected, T v) { return __##prefix##AtomicCAS##scope(p, expected, v); }
WARPLENS_SCOPES(WARPLENS_CAS, int, i)
WARPLENS_SCOPES(WARPLENS_CAS, unsigned int, u)
WARPLENS_SCOPES(WARPLENS_CAS, unsigned long long, ull)
#undef WARPLENS_CAS

// 16-bit compare-and-swap has no builtin
#define WARPLENS_CAS16(scope, ptx, T)                                                                          \
  WARPLENS_D unsigned short atomicCAS##scope(T* p, T expected, T v) {                                          \
    unsigned short old;                                                                                        \
    __asm__ __volatile__("atom" ptx ".cas.b16 %0, [%1], %2, %3;"                                               \
                         : "=h"(old)                                                                           \
                         : "l"(p), "h"(expected), "h"(v)                                                       \
                         : "memory");                                                                          \
    return old;                                                                                                \
  }
WARPLENS_SCOPES(WARPLENS_CAS16, unsigned short)
#undef WARPLENS_CAS16

#undef WARPLENS_SCOPES
#undef WARPLENS_D
