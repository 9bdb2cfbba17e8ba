// The built-in vector types char1 … double4, dim3, and their make_ functions.
//
// nvcc copies a 2- or 4-element vector with one instruction (ld.global.v4.f32) even when the program then uses one element of
// it. clang would split the struct copy into its members and drop the unused ones: another number of memory instructions,
// other sectors. So these types copy themselves through clang's own vector type, and tell the optimiser that every element is
// needed (whole(), an empty inline asm that vanishes when the copy is unused). The price: they are not aggregates any more.
// Constructors restore `float4 v = {1, 2, 3, 4}`, `{1}` and `{}`; `trivial_abi` restores passing by value, to kernels too.
// Still different from nvcc: a union with such a member cannot be copied as a whole, and designated initialisers (`{.x = 1}`)
// do not compile.
#pragma once

namespace warplens_cuda {

// `float4 v = {0}` must compile, but a plain `0.f` must not turn into a float4 in a call: two user-defined
// conversions, of which list-initialisation performs one.
template <class T> struct Lone {
  T value;
  __host__ __device__ constexpr Lone(T v) : value(v) {}
};

template <class T, int n> struct Packed {
  typedef T type __attribute__((ext_vector_type(n)));
};

// The widest access is 16 bytes, so a 32-byte vector (double4) moves as two halves, as nvcc moves it.
template <class T, int n> struct Wide {
  typedef typename Packed<T, (sizeof(T) * n > 16 ? n / 2 : n)>::type type;
  static constexpr int parts = sizeof(T) * n > 16 ? 2 : 1;
};

// One level of indirection keeps the aliasing rules: the vector type may alias the struct's members.
template <class T, int n> struct Alias {
  typedef typename Wide<T, n>::type type __attribute__((may_alias));
};

// Makes each element look used as soon as one of them is. `asm` without `volatile` goes when no result is used.
#define WARPLENS_WHOLE2(T, c)                                                                                  \
  static __host__ __device__ __forceinline__ void whole(Packed<T, 2>::type& v) {                               \
    T a = v.x, b = v.y;                                                                                        \
    __asm__("" : "+" c(a), "+" c(b));                                                                          \
    v.x = a, v.y = b;                                                                                          \
  }
#define WARPLENS_WHOLE4(T, c)                                                                                  \
  static __host__ __device__ __forceinline__ void whole(Packed<T, 4>::type& v) {                               \
    T a = v.x, b = v.y, d = v.z, e = v.w;                                                                      \
    __asm__("" : "+" c(a), "+" c(b), "+" c(d), "+" c(e));                                                      \
    v.x = a, v.y = b, v.z = d, v.w = e;                                                                        \
  }
// Elements of 8 or 16 bits have no registers of their own: the vector as one number.
#define WARPLENS_WHOLE_PACKED(T, n, Word, c)                                                                   \
  static __host__ __device__ __forceinline__ void whole(Packed<T, n>::type& v) {                               \
    Word word = __builtin_bit_cast(Word, v);                                                                   \
    __asm__("" : "+" c(word));                                                                                 \
    v = __builtin_bit_cast(Packed<T, n>::type, word);                                                          \
  }
#if defined(__CUDA_ARCH__)
WARPLENS_WHOLE2(float, "f")
WARPLENS_WHOLE4(float, "f")
WARPLENS_WHOLE2(int, "r")
WARPLENS_WHOLE4(int, "r")
WARPLENS_WHOLE2(unsigned int, "r")
WARPLENS_WHOLE4(unsigned int, "r")
WARPLENS_WHOLE2(double, "d")
WARPLENS_WHOLE2(long, "l")
WARPLENS_WHOLE2(unsigned long, "l")
WARPLENS_WHOLE2(long long, "l")
WARPLENS_WHOLE2(unsigned long long, "l")
WARPLENS_WHOLE_PACKED(signed char, 2, unsigned short, "h")
WARPLENS_WHOLE_PACKED(unsigned char, 2, unsigned short, "h")
WARPLENS_WHOLE_PACKED(signed char, 4, unsigned int, "r")
WARPLENS_WHOLE_PACKED(unsigned char, 4, unsigned int, "r")
WARPLENS_WHOLE_PACKED(short, 2, unsigned int, "r")
WARPLENS_WHOLE_PACKED(unsigned short, 2, unsigned int, "r")
WARPLENS_WHOLE_PACKED(short, 4, unsigned long long, "l")
WARPLENS_WHOLE_PACKED(unsigned short, 4, unsigned long long, "l")
#else
template <class V> static __host__ __forceinline__ void whole(V&) {}
#endif
#undef WARPLENS_WHOLE2
#undef WARPLENS_WHOLE4
#undef WARPLENS_WHOLE_PACKED

template <class T, int n> static __host__ __device__ __forceinline__ void copy(void* to, const void* from) {
  for (int i = 0; i < Wide<T, n>::parts; ++i) {
    typename Wide<T, n>::type v = ((const typename Alias<T, n>::type*)from)[i];
    whole(v);
    ((typename Alias<T, n>::type*)to)[i] = v;
  }
}

} // namespace warplens_cuda

// Some elements (long2 with alignment 16) leave no padding, so a vector type of equal size always exists.
#define WARPLENS_VECTOR(name, T, align2, align4)                                                               \
  struct name##1 {                                                                                             \
    T x;                                                                                                       \
  };                                                                                                           \
  struct [[clang::trivial_abi]] __attribute__((aligned(align2))) name##2 {                                     \
    T x, y;                                                                                                    \
    name##2() = default;                                                                                       \
    __host__ __device__ constexpr name##2(T a, T b) : x(a), y(b) {}                                            \
    __host__ __device__ constexpr name##2(warplens_cuda::Lone<T> a) : x(a.value), y() {}                       \
    __host__ __device__ __forceinline__ constexpr name##2(const name##2& o) : x(), y() { *this = o; }          \
    __host__ __device__ __forceinline__ constexpr name##2& operator=(const name##2& o) {                       \
      if (__builtin_is_constant_evaluated()) {                                                                 \
        x = o.x, y = o.y;                                                                                      \
      } else {                                                                                                 \
        warplens_cuda::copy<T, 2>(this, &o);                                                                   \
      }                                                                                                        \
      return *this;                                                                                            \
    }                                                                                                          \
  };                                                                                                           \
  struct name##3 {                                                                                             \
    T x, y, z;                                                                                                 \
  };                                                                                                           \
  struct [[clang::trivial_abi]] __attribute__((aligned(align4))) name##4 {                                     \
    T x, y, z, w;                                                                                              \
    name##4() = default;                                                                                       \
    __host__ __device__ constexpr name##4(T a, T b, T c = {}, T d = {}) : x(a), y(b), z(c), w(d) {}            \
    __host__ __device__ constexpr name##4(warplens_cuda::Lone<T> a) : x(a.value), y(), z(), w() {}             \
    __host__ __device__ __forceinline__ constexpr name##4(const name##4& o) : x(), y(), z(), w() { *this = o; } \
    __host__ __device__ __forceinline__ constexpr name##4& operator=(const name##4& o) {                       \
      if (__builtin_is_constant_evaluated()) {                                                                 \
        x = o.x, y = o.y, z = o.z, w = o.w;                                                                    \
      } else {                                                                                                 \
        warplens_cuda::copy<T, 4>(this, &o);                                                                   \
      }                                                                                                        \
      return *this;                                                                                            \
    }                                                                                                          \
  };                                                                                                           \
  static __inline__ __host__ __device__ name##1 make_##name##1(T x) { return name##1{x}; }                     \
  static __inline__ __host__ __device__ name##2 make_##name##2(T x, T y) { return name##2(x, y); }             \
  static __inline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }     \
  static __inline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
#include "warplens/vectors.def"
#undef WARPLENS_VECTOR

// CUDA 13's names for the 32-byte vectors with 16-byte alignment
typedef long4 long4_16a;
typedef ulong4 ulong4_16a;
typedef longlong4 longlong4_16a;
typedef ulonglong4 ulonglong4_16a;
typedef double4 double4_16a;
static __inline__ __host__ __device__ double4_16a make_double4_16a(double x, double y, double z, double w) {
  return double4(x, y, z, w);
}

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
