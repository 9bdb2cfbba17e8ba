// Registers become matrices, these are multiplied, and the result becomes registers again.
//
// Which element is where. Of an operand with E elements in a register, lane l has, in register r,
//
//   A[m][k]        row l / 4 + 8 · (r mod M/8)     column 4E · (r div M/8) + E · (l mod 4) + e
//   B[k][n]        row 4E · r + E · (l mod 4) + e  column l / 4
//   C, D[m][n]     row l / 4 + 8 · (i div 2)       column 2 · (l mod 4) + i mod 2, for the lane's i-th element
//
// which sums up the PTX ISA's figures for all shapes but m8n8k4 of f16, whose layout is another.
//
// Arithmetic. Products of halves, bf16 and tf32 are exact in double; they are added in double and the sum is rounded once, to
// f32 or f16. PTX leaves order and roundings open ("at least single precision"), and tensor cores cut off low bits of what
// they add: results of a GPU may differ in their last bits. Integers wrap, or stop at their limits under .satfinite; f64 is a
// chain of fused multiply-adds. A tf32 operand's lower 13 bits are not looked at.
#include "sim/kernels/matrices.h"
#include "ir/matrix.h"
#include "sem/half.h"
#include <algorithm>
#include <cmath>

namespace warplens::sim {
namespace {

using ir::MatrixShape;
using ir::Modifier;
using ir::Type;

constexpr u32 most_rows = 16, most_columns = 8, most_inner = 64;

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

// What is added, and how.
struct Sums {
  using Value = double;
  static double add(double a, double b, double sum) { return a * b + sum; } // the product is exact
};
struct FusedSums {
  using Value = double;
  static double add(double a, double b, double sum) { return std::fma(a, b, sum); }
};
struct IntegerSums {
  using Value = i64;
  static i64 add(i64 a, i64 b, i64 sum) { return a * b + sum; }
};

template <class Value> struct Matrices {
  Value a[most_rows][most_inner], b[most_inner][most_columns], sum[most_rows][most_columns];
};

template <class E, class Value>
void read_a(MatrixShape s, const u64* kept, u64 stride, Matrices<Value>& out) {
  constexpr u32 width = std::min(E::bits, 32u), each = E::bits == 64 ? 1 : 32 / width;
  u32 blocks = s.m / 8;
  for (u32 r = 0; r < blocks * s.k / (4 * each); ++r)
    for (u32 lane = 0; lane < warp_size; ++lane)
      for (u32 e = 0; e < each; ++e)
        out.a[lane / 4 + 8 * (r % blocks)][4 * each * (r / blocks) + each * (lane % 4) + e] =
            E::value(kept[r * stride + lane] >> (E::bits % 64 * e));
}

template <class E, class Value>
void read_b(MatrixShape s, const u64* kept, u64 stride, Matrices<Value>& out) {
  constexpr u32 width = std::min(E::bits, 32u), each = E::bits == 64 ? 1 : 32 / width;
  for (u32 r = 0; r < s.k / (4 * each); ++r)
    for (u32 lane = 0; lane < warp_size; ++lane)
      for (u32 e = 0; e < each; ++e)
        out.b[4 * each * r + each * (lane % 4) + e][lane / 4] =
            E::value(kept[r * stride + lane] >> (E::bits % 64 * e));
}

// Calls f(register, lane, shift in it, element) for those of C and D, `each` to a register.
template <class Value, class F> void each_sum(MatrixShape s, u32 each, Matrices<Value>& in, F&& f) {
  for (u32 i = 0; i < s.m / 4; ++i)
    for (u32 lane = 0; lane < warp_size; ++lane)
      f(i / each, lane, i % each * 16, in.sum[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2]);
}

double sum_from(Type type, u64 raw) {
  if (type == Type::f64) return sem::bits_as<double>(raw);
  if (type == Type::f16) return Half::value(raw);
  return static_cast<double>(sem::bits_as<float>(static_cast<u32>(raw)));
}
u64 sum_bits(Type type, bool, double sum) {
  if (type == Type::f64) return sem::bits_as<u64>(sum);
  if (type == Type::f16) return sum != sum ? 0x7fff : sem::to_half<sem::F16>(sem::odd_float(sum)).bits;
  return sum != sum ? 0x7fffffff : sem::bits_as<u32>(static_cast<float>(sum));
}
u64 sum_bits(Type, bool stops, i64 sum) {
  if (stops) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
  return static_cast<u32>(sum);
}

template <class A, class B, class S>
void multiply_as(const ir::Form& form, const u64* kept, u64 stride, MatrixRegisters& out) {
  MatrixShape s = ir::matrix_shape(form);
  Matrices<typename S::Value> m;
  u32 of_a = ir::matrix_registers(form, ir::MatrixOperand::a),
      of_b = ir::matrix_registers(form, ir::MatrixOperand::b);
  read_a<A>(s, kept, stride, m);
  read_b<B>(s, kept + of_a * stride, stride, m);
  const u64* sums = kept + (of_a + of_b) * stride;
  Type to = form.type(0), from = form.type(3);
  each_sum(s, from == Type::f16 ? 2 : 1, m, [&](u32 r, u32 lane, u32 shift, auto& sum) {
    u64 raw = sums[r * stride + lane] >> shift;
    if constexpr (std::is_same_v<typename S::Value, i64>)
      sum = static_cast<i32>(raw);
    else
      sum = sum_from(from, raw);
  });
  for (u32 i = 0; i < s.m; ++i)
    for (u32 k = 0; k < s.k; ++k)
      for (u32 j = 0; j < most_columns; ++j) m.sum[i][j] = S::add(m.a[i][k], m.b[k][j], m.sum[i][j]);
  for (auto& lanes : out) std::fill(std::begin(lanes), std::end(lanes), u64{0});
  bool stops = form.has(Modifier::satfinite);
  each_sum(s, to == Type::f16 ? 2 : 1, m,
           [&](u32 r, u32 lane, u32 shift, auto& sum) { out[r][lane] |= sum_bits(to, stops, sum) << shift; });
}

using Multiply = void (*)(const ir::Form&, const u64*, u64, MatrixRegisters&);

template <u32 width> Multiply multiply_integers(bool a_signed, bool b_signed) {
  if (a_signed)
    return b_signed ? multiply_as<Integer<width, true>, Integer<width, true>, IntegerSums>
                    : multiply_as<Integer<width, true>, Integer<width, false>, IntegerSums>;
  return b_signed ? multiply_as<Integer<width, false>, Integer<width, true>, IntegerSums>
                  : multiply_as<Integer<width, false>, Integer<width, false>, IntegerSums>;
}

bool accumulates(const ir::Form& form, std::initializer_list<Type> types) {
  auto known = [&](Type type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  return known(form.type(0)) && known(form.type(3));
}

// Null for what there is not.
Multiply multiply_of(const ir::Form& form) {
  Type a = form.type(1), b = form.type(2);
  bool plain = form.has(Modifier::row) && form.has(Modifier::col) && !form.has(Modifier::popc);
  if (!plain || ir::matrix_registers(form, ir::MatrixOperand::a) == 0) return nullptr;
  bool bytes = a == Type::s8 || a == Type::u8, halves = a == Type::s4 || a == Type::u4;
  if (bytes || halves) {
    bool same = bytes ? b == Type::s8 || b == Type::u8 : b == Type::s4 || b == Type::u4;
    if (!same || !accumulates(form, {Type::s32})) return nullptr;
    return bytes ? multiply_integers<8>(ir::is_signed(a), ir::is_signed(b))
                 : multiply_integers<4>(ir::is_signed(a), ir::is_signed(b));
  }
  if (a != b) return nullptr;
  switch (a) {
  case Type::f16: return accumulates(form, {Type::f16, Type::f32}) ? multiply_as<Half, Half, Sums> : nullptr;
  case Type::bf16: return accumulates(form, {Type::f32}) ? multiply_as<Brain, Brain, Sums> : nullptr;
  case Type::tf32: return accumulates(form, {Type::f32}) ? multiply_as<Tensor32, Tensor32, Sums> : nullptr;
  case Type::f64: return accumulates(form, {Type::f64}) ? multiply_as<Double, Double, FusedSums> : nullptr;
  default: return nullptr;
  }
}

} // namespace

bool can_multiply(const ir::Form& form) { return multiply_of(form) != nullptr; }

void multiply(const ir::Form& form, const u64* kept, u64 stride, MatrixRegisters& out) {
  multiply_of(form)(form, kept, stride, out);
}

} // namespace warplens::sim
