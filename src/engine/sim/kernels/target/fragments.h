// Registers as matrices: which element is where. Of an operand with E elements in a register, lane l has, in register r,
//
//   A[m][k]        row l / 4 + 8 · (r mod M/8)     column 4E · (r div M/8) + E · (l mod 4) + e
//   B[k][n]        row 4E · r + E · (l mod 4) + e  column l / 4
//   C, D[m][n]     row l / 4 + 8 · (i div 2)       column 2 · (l mod 4) + i mod 2, for the lane's i-th element
//
// which sums up the PTX ISA's figures for all shapes but m8n8k4 of f16. Of a sparse A every second element is
// there, k halved; metadata says where they belong (expand).
#pragma once
#include "sem/convert.h"
#include "sem/half.h"
#include "sim/kernels/matrices.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

inline constexpr u32 most_rows = 16, most_columns = 8;

// Elements of the operands: their width in a register, and their value as what is added.
struct Half {
  static constexpr u32 bits = 16;
  static double value(u64 raw) { return static_cast<double>(sem::to_float(sem::F16{static_cast<u16>(raw)})); }
};
struct Brain {
  static constexpr u32 bits = 16;
  static double value(u64 raw) {
    return static_cast<double>(sem::to_float(sem::BF16{static_cast<u16>(raw)}));
  }
};
template <bool wide_exponent> struct Byte { // e5m2, e4m3
  static constexpr u32 bits = 8;
  static double value(u64 raw) {
    u32 byte = raw & 0xff;
    double size = static_cast<double>(sem::to_float(sem::byte_to_half<wide_exponent>(byte & 0x7f)));
    return (byte & 0x80) != 0 ? -size : size;
  }
};
struct Tensor32 {
  static constexpr u32 bits = 32;
  static double value(u64 raw) {
    return static_cast<double>(sem::bits_as<float>(static_cast<u32>(raw) & 0xffffe000u));
  }
};
struct Double {
  static constexpr u32 bits = 64;
  static double value(u64 raw) { return sem::bits_as<double>(raw); }
};
template <u32 width, bool is_signed> struct Integer {
  static constexpr u32 bits = width;
  static i64 value(u64 raw) {
    i64 up = static_cast<i64>(raw << (64 - width));
    return is_signed ? up >> (64 - width) : static_cast<i64>(static_cast<u64>(up) >> (64 - width));
  }
};

// The longest rows of A that there are, sparse ones included.
template <class E> constexpr u32 most_inner = E::bits == 1 ? 256 : E::bits == 64 ? 16 : 512 / E::bits;
template <class E> constexpr u32 elements_each = E::bits == 64 ? 1 : 32 / E::bits; // in a register

template <class Value, u32 inner> struct Matrices {
  alignas(64) Value a[most_rows][inner], b[inner][most_columns], sum[most_rows][most_columns];
};

// The elements of a register, [element][lane]: the same is done to all lanes before they go to their places.
template <class E, class Value> using Lanes = Value[elements_each<E>][warp_size];
template <class E, class Value>
[[gnu::always_inline]] inline void values_of(const u64* kept, Lanes<E, Value>& out) {
  for (u32 e = 0; e < elements_each<E>; ++e)
    for (u32 lane = 0; lane < warp_size; ++lane) out[e][lane] = E::value(kept[lane] >> (E::bits % 64 * e));
}

template <class E, class Value, u32 inner>
void read_a(ir::MatrixShape s, const u64* kept, u64 stride, Value (&out)[most_rows][inner]) {
  constexpr u32 each = elements_each<E>;
  u32 blocks = s.m / 8u;
  for (u32 r = 0; r < blocks * s.k / (4 * each); ++r) {
    Lanes<E, Value> values;
    values_of<E>(kept + r * stride, values);
    for (u32 lane = 0; lane < warp_size; ++lane)
      for (u32 e = 0; e < each; ++e)
        out[lane / 4 + 8 * (r % blocks)][4 * each * (r / blocks) + each * (lane % 4) + e] = values[e][lane];
  }
}

template <class E, class Value, u32 inner>
void read_b(ir::MatrixShape s, const u64* kept, u64 stride, Value (&out)[inner][most_columns]) {
  constexpr u32 each = elements_each<E>;
  for (u32 r = 0; r < s.k / (4 * each); ++r) {
    Lanes<E, Value> values;
    values_of<E>(kept + r * stride, values);
    for (u32 lane = 0; lane < warp_size; ++lane)
      for (u32 e = 0; e < each; ++e) out[4 * each * r + each * (lane % 4) + e][lane / 4] = values[e][lane];
  }
}

// Calls f(register, lane, shift in it, element) for those of C and D, `each` to a register.
template <class Value, class F>
void each_sum(ir::MatrixShape s, u32 each, Value (&sum)[most_rows][most_columns], F&& f) {
  for (u32 i = 0; i < s.m / 4u; ++i)
    for (u32 lane = 0; lane < warp_size; ++lane)
      f(i / each, lane, i % each * 16, sum[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2]);
}

// The metadata of a row of a sparse A: all bits of the row, the first element's lowest. A word of a lane has the bits of one
// row, or those of a row and, above them, of the row 8 below; `selector` says which lanes of each four have the words, where
// not all are needed (PTX ISA, "Sparse matrix storage" and the figures of each shape).
inline u64 row_metadata(const MatrixRegisters& in, u32 row, u32 row_bits, u32 selector, bool split) {
  u32 group = row % 8 * 4, high = row / 8;
  auto word = [&](u32 lane) { return in.metadata[group + lane] & 0xffffffffu; };
  auto half = [&](u32 lane) { return word(lane) >> (16 * high) & 0xffff; };
  if (row_bits == 16) return half(selector % 4);
  if (row_bits == 32 && split) return half(selector % 2 * 2) | half(selector % 2 * 2 + 1) << 16;
  if (row_bits == 32) return word(selector % 2 * 2 + high);
  return word(high) | word(high + 2) << 32;
}

// The elements of a sparse A to their places: of four neighbours two are there, of two of tf32 one, of eight of 4 bits two
// pairs.
template <class E, class Value, u32 inner>
void expand(const MatrixKind& kind, const MatrixRegisters& in, Value (&a)[most_rows][inner]) {
  constexpr u32 run = E::bits == 4 ? 2 : 1, bits = E::bits == 32 ? 4 : 2;
  u32 there = kind.shape.k / 2u, row_bits = there / run * bits;
  for (u32 row = 0; row < kind.shape.m; ++row) {
    u64 where = row_metadata(in, row, row_bits, kind.selector, E::bits >= 16);
    Value dense[inner] = {};
    for (u32 i = 0; i < there; ++i) {
      u32 unit = i / run, index = static_cast<u32>(where >> (unit * bits)) & ((1u << bits) - 1);
      u32 at = E::bits == 32 ? 2 * unit + (index >> 3) : unit / 2 * 4 * run + index * run + i % run;
      dense[at] = a[row][i];
    }
    for (u32 k = 0; k < kind.shape.k; ++k) a[row][k] = dense[k];
  }
}

// Sums as registers hold them.
inline double sum_from(ir::Type type, u64 raw) {
  if (type == ir::Type::f64) return sem::bits_as<double>(raw);
  if (type == ir::Type::f16) return Half::value(raw);
  return static_cast<double>(sem::bits_as<float>(static_cast<u32>(raw)));
}
inline u64 sum_bits(ir::Type type, bool, double sum) {
  if (type == ir::Type::f64) return sem::bits_as<u64>(sum);
  if (type == ir::Type::f16) return sum != sum ? 0x7fff : sem::to_half<sem::F16>(sem::odd_float(sum)).bits;
  return sum != sum ? 0x7fffffff : sem::bits_as<u32>(static_cast<float>(sum));
}
inline u64 sum_bits(ir::Type, bool stops, i64 sum) {
  if (stops) sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
  return static_cast<u32>(sum);
}

} // namespace
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
