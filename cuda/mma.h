// mma.h for clang: nvcuda::wmma, matrix products of a warp ("CUDA C++ Programming Guide", Warp Matrix Functions).
//
// A fragment is a warp's part of a matrix; its elements in x lie as the hardware wants them, which is not specified. Each
// shape and type has functions of its own, made by the macros below from the builtins that clang has for PTX's wmma: A and B
// of half, __nv_bfloat16, signed and unsigned char, tf32 and double, with their accumulators, and the experimental 4-bit and
// 1-bit ones.
//
// Not here: fragments of memory layouts chosen at run time for A and B, which CUDA has neither.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define WARPLENS_D __device__ __forceinline__

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

namespace details {
template <class T> struct stored { // how a fragment keeps an element, and memory has it
  using element = T;
  using memory = T;
};
template <> struct stored<precision::tf32> {
  using element = float;
  using memory = float;
};
template <> struct stored<experimental::precision::u4> {
  using element = unsigned;
  using memory = void;
};
template <> struct stored<experimental::precision::s4> {
  using element = int;
  using memory = void;
};
template <> struct stored<experimental::precision::b1> {
  using element = unsigned;
  using memory = void;
};
template <class T> constexpr bool is_packed = __is_same(typename stored<T>::memory, void);
template <class Layout> constexpr int column_wise = __is_same(Layout, col_major) ? 1 : 0;

// How many elements a thread has. A and B of half have each of theirs as often as the hardware wants it.
template <class Use, int M, int N, int K, class T> constexpr int element_count() {
  if (__is_same(Use, accumulator)) return M * N / 32;
  if (is_packed<T>) return 1;
  if (__is_same(T, __half)) return 16;
  return (__is_same(Use, matrix_a) ? M * K : K * N) / 32;
}

template <class To, class From> WARPLENS_D void copy_bits(To& to, const From& from) {
  static_assert(sizeof(To) == sizeof(From), "registers hold the elements of a fragment, no more and no less");
  __builtin_memcpy(&to, &from, sizeof(To));
}
} // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
public:
  using element_type = typename details::stored<T>::element;
  using storage_element_type = element_type;
  static constexpr int num_elements = details::element_count<Use, M, N, K, T>();
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <class Fragment, class Value> WARPLENS_D void fill_fragment(Fragment& f, const Value& value) {
  for (auto& element : f.x) element = static_cast<typename Fragment::element_type>(value);
}

// A float with the mantissa of tf32, 10 bits, rounded to nearest.
WARPLENS_D float __float_to_tf32(float value) {
  unsigned bits;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

// Loads of A and B, by rows and by columns: R is what the builtin takes registers for, A and B how many there are.
#define WARPLENS_LOAD_ONE(Use, M, N, K, T, Layout, Memory, R, Count, builtin)                                               \
  WARPLENS_D void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const Memory* from, unsigned stride) {              \
    R registers[Count];                                                                                                     \
    builtin(registers, reinterpret_cast<const R*>(from), stride, details::column_wise<Layout>);                             \
    details::copy_bits(f.x, registers);                                                                                     \
  }
#define WARPLENS_LOADS(M, N, K, T, Memory, R, A, B, load_a, load_b)                                                         \
  WARPLENS_LOAD_ONE(matrix_a, M, N, K, T, row_major, Memory, R, A, load_a)                                                  \
  WARPLENS_LOAD_ONE(matrix_a, M, N, K, T, col_major, Memory, R, A, load_a)                                                  \
  WARPLENS_LOAD_ONE(matrix_b, M, N, K, T, row_major, Memory, R, B, load_b)                                                  \
  WARPLENS_LOAD_ONE(matrix_b, M, N, K, T, col_major, Memory, R, B, load_b)

#define WARPLENS_ACCUMULATOR(M, N, K, T, R, Count, load, store)                                                             \
  WARPLENS_D void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* from, unsigned stride, layout_t layout) { \
    R registers[Count];                                                                                                     \
    if (layout == mem_row_major) load(registers, reinterpret_cast<const R*>(from), stride, 0);                              \
    else load(registers, reinterpret_cast<const R*>(from), stride, 1);                                                      \
    details::copy_bits(f.x, registers);                                                                                     \
  }                                                                                                                         \
  WARPLENS_D void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& f, unsigned stride, layout_t layout) {  \
    R registers[Count];                                                                                                     \
    details::copy_bits(registers, f.x);                                                                                     \
    if (layout == mem_row_major) store(reinterpret_cast<R*>(to), registers, stride, 0);                                     \
    else store(reinterpret_cast<R*>(to), registers, stride, 1);                                                             \
  }

// D = A · B + C. `satf` is 1 where integers may be kept within their type.
#define WARPLENS_PRODUCT(M, N, K, T, D, C, RAB, A, B, RD, ND, RC, NC, may_saturate, builtin)                                \
  template <class LA, class LB>                                                                                             \
  WARPLENS_D void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LA>& a,               \
                           const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, C>& c,         \
                           bool satf = false) {                                                                             \
    constexpr int layouts = 2 * details::column_wise<LA> + details::column_wise<LB>;                                        \
    RAB of_a[A], of_b[B];                                                                                                   \
    RC of_c[NC];                                                                                                            \
    RD of_d[ND];                                                                                                            \
    details::copy_bits(of_a, a.x);                                                                                          \
    details::copy_bits(of_b, b.x);                                                                                          \
    details::copy_bits(of_c, c.x);                                                                                          \
    if (satf) builtin(of_d, of_a, of_b, of_c, layouts, may_saturate);                                                       \
    else builtin(of_d, of_a, of_b, of_c, layouts, 0);                                                                       \
    details::copy_bits(d.x, of_d);                                                                                          \
  }

// half, with accumulators of half and float
#define WARPLENS_HALF(M, N, K, shape)                                                                                       \
  WARPLENS_LOADS(M, N, K, __half, __half, int, 8, 8, __hmma_##shape##_ld_a, __hmma_##shape##_ld_b)                          \
  WARPLENS_ACCUMULATOR(M, N, K, __half, int, 4, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)                       \
  WARPLENS_ACCUMULATOR(M, N, K, float, float, 8, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)                      \
  WARPLENS_PRODUCT(M, N, K, __half, __half, __half, int, 8, 8, int, 4, int, 4, 1, __hmma_##shape##_mma_f16f16)              \
  WARPLENS_PRODUCT(M, N, K, __half, __half, float, int, 8, 8, int, 4, float, 8, 1, __hmma_##shape##_mma_f16f32)             \
  WARPLENS_PRODUCT(M, N, K, __half, float, __half, int, 8, 8, float, 8, int, 4, 1, __hmma_##shape##_mma_f32f16)             \
  WARPLENS_PRODUCT(M, N, K, __half, float, float, int, 8, 8, float, 8, float, 8, 1, __hmma_##shape##_mma_f32f32)
WARPLENS_HALF(16, 16, 16, m16n16k16)
WARPLENS_HALF(32, 8, 16, m32n8k16)
WARPLENS_HALF(8, 32, 16, m8n32k16)

// bfloat16, with accumulators of float, which half has made
#define WARPLENS_BFLOAT(M, N, K, shape, A, B)                                                                               \
  WARPLENS_LOADS(M, N, K, __nv_bfloat16, __nv_bfloat16, int, A, B, __mma_bf16_##shape##_ld_a, __mma_bf16_##shape##_ld_b)    \
  WARPLENS_PRODUCT(M, N, K, __nv_bfloat16, float, float, int, A, B, float, 8, float, 8, 0, __mma_bf16_##shape##_mma_f32)
WARPLENS_BFLOAT(16, 16, 16, m16n16k16, 4, 4)
WARPLENS_BFLOAT(32, 8, 16, m32n8k16, 8, 2)
WARPLENS_BFLOAT(8, 32, 16, m8n32k16, 2, 8)

// bytes, with accumulators of int
#define WARPLENS_BYTES(M, N, K, shape, T, letter, A, B)                                                                     \
  WARPLENS_LOADS(M, N, K, T, T, int, A, B, __imma_##shape##_ld_a_##letter, __imma_##shape##_ld_b_##letter)                  \
  WARPLENS_PRODUCT(M, N, K, T, int, int, int, A, B, int, 8, int, 8, 1, __imma_##shape##_mma_##letter)
#define WARPLENS_INTEGERS(M, N, K, shape, A, B)                                                                             \
  WARPLENS_BYTES(M, N, K, shape, signed char, s8, A, B)                                                                     \
  WARPLENS_BYTES(M, N, K, shape, unsigned char, u8, A, B)                                                                   \
  WARPLENS_ACCUMULATOR(M, N, K, int, int, 8, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)
WARPLENS_INTEGERS(16, 16, 16, m16n16k16, 2, 2)
WARPLENS_INTEGERS(32, 8, 16, m32n8k16, 4, 1)
WARPLENS_INTEGERS(8, 32, 16, m8n32k16, 1, 4)

// tf32, double
WARPLENS_LOADS(16, 16, 8, precision::tf32, float, int, 4, 4, __mma_tf32_m16n16k8_ld_a, __mma_tf32_m16n16k8_ld_b)
WARPLENS_ACCUMULATOR(16, 16, 8, float, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
WARPLENS_PRODUCT(16, 16, 8, precision::tf32, float, float, int, 4, 4, float, 8, float, 8, 0, __mma_tf32_m16n16k8_mma_f32)
WARPLENS_LOADS(8, 8, 4, double, double, double, 1, 1, __dmma_m8n8k4_ld_a, __dmma_m8n8k4_ld_b)
WARPLENS_ACCUMULATOR(8, 8, 4, double, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
WARPLENS_PRODUCT(8, 8, 4, double, double, double, double, 1, 1, double, 2, double, 2, 0, __dmma_m8n8k4_mma_f64)

// 4 bits and 1 bit: A by rows, B by columns. Memory is given as words or bytes.
#define WARPLENS_PACKED_LOADS(K, T, load_a, load_b)                                                                         \
  WARPLENS_D void load_matrix_sync(fragment<matrix_a, 8, 8, K, T, row_major>& f, const void* from, unsigned stride) {       \
    load_a(reinterpret_cast<int*>(f.x), static_cast<const int*>(from), stride, 0);                                          \
  }                                                                                                                         \
  WARPLENS_D void load_matrix_sync(fragment<matrix_b, 8, 8, K, T, col_major>& f, const void* from, unsigned stride) {       \
    load_b(reinterpret_cast<int*>(f.x), static_cast<const int*>(from), stride, 1);                                          \
  }
WARPLENS_PACKED_LOADS(32, experimental::precision::s4, __imma_m8n8k32_ld_a_s4, __imma_m8n8k32_ld_b_s4)
WARPLENS_PACKED_LOADS(32, experimental::precision::u4, __imma_m8n8k32_ld_a_u4, __imma_m8n8k32_ld_b_u4)
WARPLENS_PACKED_LOADS(128, experimental::precision::b1, __bmma_m8n8k128_ld_a_b1, __bmma_m8n8k128_ld_b_b1)
WARPLENS_ACCUMULATOR(8, 8, 32, int, int, 2, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
WARPLENS_ACCUMULATOR(8, 8, 128, int, int, 2, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
#define WARPLENS_NIBBLES(T, letter)                                                                                         \
  WARPLENS_D void mma_sync(fragment<accumulator, 8, 8, 32, int>& d, const fragment<matrix_a, 8, 8, 32, T, row_major>& a,    \
                           const fragment<matrix_b, 8, 8, 32, T, col_major>& b,                                            \
                           const fragment<accumulator, 8, 8, 32, int>& c, bool satf = false) {                              \
    const int of_a[1] = {static_cast<int>(a.x[0])}, of_b[1] = {static_cast<int>(b.x[0])};                                   \
    int of_d[2];                                                                                                            \
    if (satf) __imma_m8n8k32_mma_##letter(of_d, of_a, of_b, c.x, 1, 1);                                                     \
    else __imma_m8n8k32_mma_##letter(of_d, of_a, of_b, c.x, 1, 0);                                                          \
    details::copy_bits(d.x, of_d);                                                                                          \
  }
WARPLENS_NIBBLES(experimental::precision::s4, s4)
WARPLENS_NIBBLES(experimental::precision::u4, u4)

WARPLENS_D void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
                          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
                          const fragment<accumulator, 8, 8, 128, int>& c,
                          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  const int of_a[1] = {static_cast<int>(a.x[0])}, of_b[1] = {static_cast<int>(b.x[0])};
  int of_d[2];
  if (operation == experimental::bmmaBitOpAND) __bmma_m8n8k128_mma_and_popc_b1(of_d, of_a, of_b, c.x, 1);
  else __bmma_m8n8k128_mma_xor_popc_b1(of_d, of_a, of_b, c.x, 1);
  details::copy_bits(d.x, of_d);
}

#undef WARPLENS_NIBBLES
#undef WARPLENS_PACKED_LOADS
#undef WARPLENS_INTEGERS
#undef WARPLENS_BYTES
#undef WARPLENS_BFLOAT
#undef WARPLENS_HALF
#undef WARPLENS_PRODUCT
#undef WARPLENS_ACCUMULATOR
#undef WARPLENS_LOADS
#undef WARPLENS_LOAD_ONE

} // namespace nvcuda::wmma

#undef WARPLENS_D
#pragma clang attribute pop
