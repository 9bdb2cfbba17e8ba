// Loads and stores with a cache operator: __ldcg, __ldca, __ldcs, __ldlu, __ldcv; __stwb, __stcg, __stcs,
// __stwt, for every scalar and for the 2- and 4-element vectors ("CUDA C++ Programming Guide", Load/Store
// Functions Using Cache Hints). Each is one PTX instruction with the operator of the same name. __ldg is
// clang's own.
#pragma once

#define WARPLENS_D static __device__ __forceinline__

// One, two and four elements of type T (V: the vector of them); R is the register type that holds a T in
// inline PTX.
#define WARPLENS_LOAD1(f, op, T, R, ptx, c)                                                                  \
  WARPLENS_D T f(const T* p) {                                                                               \
    R a;                                                                                                     \
    __asm__ __volatile__("ld.global." op "." ptx " %0, [%1];" : "=" c(a) : "l"(p) : "memory");               \
    return (T)a;                                                                                             \
  }
#define WARPLENS_LOAD2(f, op, V, T, R, ptx, c)                                                               \
  WARPLENS_D V f(const V* p) {                                                                               \
    R a, b;                                                                                                  \
    __asm__ __volatile__("ld.global." op ".v2." ptx " {%0, %1}, [%2];"                                       \
                         : "=" c(a), "=" c(b)                                                                \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
    return V((T)a, (T)b);                                                                                    \
  }
#define WARPLENS_LOAD4(f, op, V, T, R, ptx, c)                                                               \
  WARPLENS_D V f(const V* p) {                                                                               \
    R a, b, d, e;                                                                                            \
    __asm__ __volatile__("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                               \
                         : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                            \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
    return V((T)a, (T)b, (T)d, (T)e);                                                                        \
  }
#define WARPLENS_STORE1(f, op, T, R, ptx, c)                                                                 \
  WARPLENS_D void f(T* p, T v) {                                                                             \
    __asm__ __volatile__("st.global." op "." ptx " [%0], %1;" ::"l"(p), c((R)v) : "memory");                 \
  }
#define WARPLENS_STORE2(f, op, V, T, R, ptx, c)                                                              \
  WARPLENS_D void f(V* p, V v) {                                                                             \
    __asm__ __volatile__("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(p), c((R)v.x), c((R)v.y)        \
                         : "memory");                                                                        \
  }
#define WARPLENS_STORE4(f, op, V, T, R, ptx, c)                                                              \
  WARPLENS_D void f(V* p, V v) {                                                                             \
    __asm__ __volatile__("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p), c((R)v.x),          \
                         c((R)v.y), c((R)v.z), c((R)v.w)                                                     \
                         : "memory");                                                                        \
  }

// All types, for functions of one, two and four elements.
#define WARPLENS_EACH(ONE, TWO, FOUR, f, op)                                                                 \
  ONE(f, op, char, short, "s8", "h")                                                                         \
  ONE(f, op, signed char, short, "s8", "h")                                                                  \
  ONE(f, op, unsigned char, unsigned short, "u8", "h")                                                       \
  ONE(f, op, short, short, "s16", "h")                                                                       \
  ONE(f, op, unsigned short, unsigned short, "u16", "h")                                                     \
  ONE(f, op, int, int, "s32", "r")                                                                           \
  ONE(f, op, unsigned int, unsigned int, "u32", "r")                                                         \
  ONE(f, op, long, long, "s64", "l")                                                                         \
  ONE(f, op, unsigned long, unsigned long, "u64", "l")                                                       \
  ONE(f, op, long long, long long, "s64", "l")                                                               \
  ONE(f, op, unsigned long long, unsigned long long, "u64", "l")                                             \
  ONE(f, op, float, float, "f32", "f")                                                                       \
  ONE(f, op, double, double, "f64", "d")                                                                     \
  TWO(f, op, char2, signed char, short, "s8", "h")                                                           \
  TWO(f, op, uchar2, unsigned char, unsigned short, "u8", "h")                                               \
  TWO(f, op, short2, short, short, "s16", "h")                                                               \
  TWO(f, op, ushort2, unsigned short, unsigned short, "u16", "h")                                            \
  TWO(f, op, int2, int, int, "s32", "r")                                                                     \
  TWO(f, op, uint2, unsigned int, unsigned int, "u32", "r")                                                  \
  TWO(f, op, longlong2, long long, long long, "s64", "l")                                                    \
  TWO(f, op, ulonglong2, unsigned long long, unsigned long long, "u64", "l")                                 \
  TWO(f, op, float2, float, float, "f32", "f")                                                               \
  TWO(f, op, double2, double, double, "f64", "d")                                                            \
  FOUR(f, op, char4, signed char, short, "s8", "h")                                                          \
  FOUR(f, op, uchar4, unsigned char, unsigned short, "u8", "h")                                              \
  FOUR(f, op, short4, short, short, "s16", "h")                                                              \
  FOUR(f, op, ushort4, unsigned short, unsigned short, "u16", "h")                                           \
  FOUR(f, op, int4, int, int, "s32", "r")                                                                    \
  FOUR(f, op, uint4, unsigned int, unsigned int, "u32", "r")                                                 \
  FOUR(f, op, float4, float, float, "f32", "f")
#define WARPLENS_LOADS(f, op) WARPLENS_EACH(WARPLENS_LOAD1, WARPLENS_LOAD2, WARPLENS_LOAD4, f, op)
#define WARPLENS_STORES(f, op) WARPLENS_EACH(WARPLENS_STORE1, WARPLENS_STORE2, WARPLENS_STORE4, f, op)
WARPLENS_LOADS(__ldcg, "cg")
WARPLENS_LOADS(__ldca, "ca")
WARPLENS_LOADS(__ldcs, "cs")
WARPLENS_LOADS(__ldlu, "lu")
WARPLENS_LOADS(__ldcv, "cv")
WARPLENS_STORES(__stwb, "wb")
WARPLENS_STORES(__stcg, "cg")
WARPLENS_STORES(__stcs, "cs")
WARPLENS_STORES(__stwt, "wt")

#undef WARPLENS_LOAD1
#undef WARPLENS_LOAD2
#undef WARPLENS_LOAD4
#undef WARPLENS_STORE1
#undef WARPLENS_STORE2
#undef WARPLENS_STORE4
#undef WARPLENS_EACH
#undef WARPLENS_LOADS
#undef WARPLENS_STORES
#undef WARPLENS_D
