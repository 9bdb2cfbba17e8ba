// Registers become matrices (fragments.h), these are multiplied, and the result becomes registers again.
//
// Arithmetic. Products of halves, bf16 and tf32 are added as an H200 does it, bit for bit (tests/hardware/instructions.md): the products of
// a row and a column and C are shifted to the greatest exponent among them, cut off 25 bits below it, and added; the sum is cut off to
// f32, or rounded to f16. The exponent of a product is the sum of its factors', whatever their mantissas. PTX leaves all of this open, and
// other architectures may do it another way. 8-bit floats and the quarter warps of m8n8k4 are added in double and rounded once. Integers wrap,
// or stop at their limits under .satfinite; single bits are counted where both are set, or where they differ; f64 is a chain of
// fused multiply-adds. A tf32 operand's lower 13 bits are not looked at.
#include "sim/kernels/matrices.h"
#include "sim/kernels/target/fragments.h"
#include "sim/kernels/target/lanes.h"
#include <cmath>

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Type;

#if defined __AVX512F__
constexpr u32 vector_bytes = 64;
#elif defined __AVX2__
constexpr u32 vector_bytes = 32;
#else
constexpr u32 vector_bytes = 16;
#endif
// A part of a row of B or of the sums that is one register: the compiler by itself takes the loops apart otherwise.
template <class Value> using Part [[gnu::vector_size(vector_bytes), gnu::may_alias]] = Value;

// What is added, and how.
struct Sums {
  using Value = double;
  static void add(double a, Part<double> b, Part<double>& sum) { sum += a * b; } // the product is exact
};
struct FusedSums {
  using Value = double;
  static void add(double a, Part<double> b, Part<double>& sum) {
    for (u32 j = 0; j < vector_bytes / sizeof a; ++j) sum[j] = __builtin_fma(a, b[j], sum[j]);
  }
};
// Terms that are shifted to one exponent (add_aligned).
struct AlignedSums : Sums {};
template <class S> constexpr bool aligned = std::is_same_v<S, AlignedSums>;

// 2^e of a number with the exponent e, at least the format's smallest; 0 of 0.
inline double size_of(double x, double smallest) {
  double size = sem::from_bits<double>(sem::to_bits(x) & sem::FloatTraits<double>::infinity);
  size = size < smallest ? smallest : size;
  return x == 0.0 ? 0.0 : size; // NaN is as large as infinity
}
template <class E> constexpr double smallest_size = std::is_same_v<E, Half> ? 0x1p-14 : 0x1p-126;

// C + a row times columns. Where one is infinite or NaN, so is the plain sum.
template <u32 inner>
void add_aligned(u32 k, const double (&a)[inner], const double (&a_size)[inner],
                 const double (&b)[inner][most_columns], const double (&b_size)[inner][most_columns],
                 const double (&c_size)[most_columns], double (&sum)[most_columns]) {
  using Doubles = Part<double>;
  using Ints [[gnu::vector_size(vector_bytes / 2)]] = i32;
  constexpr double kept = 0x1p25;
  for (u32 at = 0; at < most_columns; at += vector_bytes / sizeof(double)) {
    const Doubles c = *reinterpret_cast<const Doubles*>(sum + at);
    Doubles size = *reinterpret_cast<const Doubles*>(c_size + at), plain = c;
    for (u32 i = 0; i < k; ++i) {
      plain += a[i] * *reinterpret_cast<const Doubles*>(b[i] + at);
      const Doubles mine = a_size[i] * *reinterpret_cast<const Doubles*>(b_size[i] + at);
      size = mine > size ? mine : size;
    }
    size = size == 0.0 ? Doubles{} + 1.0 : size;
    const Doubles scale = kept / size;
    auto cut = [](Doubles x) {
      return __builtin_convertvector(__builtin_convertvector(x, Ints), Doubles); // towards zero
    };
    Doubles total = cut(c * scale);
    for (u32 i = 0; i < k; ++i) total += cut(a[i] * *reinterpret_cast<const Doubles*>(b[i] + at) * scale);
    *reinterpret_cast<Doubles*>(sum + at) = plain - plain == 0.0 ? total * (size / kept) : plain;
  }
}

// The same in f32, which holds every product of numbers that are neither very small nor very large. C may be any number.
struct Singles {
  static constexpr u32 most = most_inner<Half>;
  alignas(64) float a[most_rows][most], b[most][most_columns], c[most_rows][most_columns];
  alignas(64) float a_size[most_rows][most], b_size[most][most_columns], c_size[most_rows][most_columns];
};
// Values and sizes of four numbers; bits are set in `other` for those that are not 0 and whose size is outside [least, most].
using Four [[gnu::vector_size(4 * sizeof(u32)), gnu::may_alias]] = u32;
[[gnu::always_inline]] inline void take_four(const double* from, u32 smallest, u32 least, u32 most,
                                             float* value, float* size, Four& other) {
  using Doubles [[gnu::vector_size(4 * sizeof(double)), gnu::may_alias]] = double;
  using Floats [[gnu::vector_size(4 * sizeof(float)), gnu::may_alias]] = float;
  constexpr u32 infinity = sem::FloatTraits<float>::infinity;
  const Floats values = __builtin_convertvector(*reinterpret_cast<const Doubles*>(from), Floats);
  const Four bits = reinterpret_cast<const Four&>(values), own = bits & infinity;
  const Four there = __builtin_convertvector(bits + bits != 0, Four);
  *reinterpret_cast<Floats*>(value) = values;
  *reinterpret_cast<Four*>(size) = (own < smallest ? Four{} + smallest : own) & there;
  other |= there & __builtin_convertvector((own < least) | (own > most), Four);
}
using Row [[gnu::vector_size(most_columns * sizeof(float)), gnu::may_alias]] = float;

void add_singles(u32 k, const Singles& m, u32 row, double (&sum)[most_columns]) {
  using Ints [[gnu::vector_size(sizeof(Row))]] = i32;
  auto at = [](const float* from) { return *reinterpret_cast<const Row*>(from); };
  const Row c = at(m.c[row]);
  Row size = at(m.c_size[row]);
  for (u32 i = 0; i < k; ++i) {
    const Row mine = m.a_size[row][i] * at(m.b_size[i]);
    size = mine > size ? mine : size;
  }
  const Row scale = 0x1p25f / size;
  Ints products{}, of_c = __builtin_convertvector(c * scale, Ints); // towards zero
  for (u32 i = 0; i < k; ++i) products += __builtin_convertvector(m.a[row][i] * at(m.b[i]) * scale, Ints);
  for (u32 j = 0; j < most_columns; ++j) {
    const double total = static_cast<double>(products[j]) + static_cast<double>(of_c[j]);
    sum[j] = size[j] < 0x1p-90f ? static_cast<double>(c[j]) // no product is as small
                                : total * (static_cast<double>(size[j]) * 0x1p-25);
  }
}

// To f32, towards zero; from 2^128 on infinity.
inline float cut_float(double x) {
  const float near = static_cast<float>(x);
  const bool away = std::abs(static_cast<double>(near)) > std::abs(x) && std::abs(x) < 0x1p128;
  return sem::from_bits<float>(sem::to_bits(near) - (away ? 1 : 0));
}

struct IntegerSums {
  using Value = i64;
  static void add(i64 a, Part<i64> b, Part<i64>& sum) { sum += a * b; }
};
struct Differences { // of single bits
  using Value = i64;
  static void add(i64 a, Part<i64> b, Part<i64>& sum) { sum += a ^ b; }
};

// All rows, in f32 where that holds every product.
template <class A, class B, u32 inner> void add_rows(const MatrixKind& kind, Matrices<double, inner>& m) {
  const ir::MatrixShape s = kind.shape;
  constexpr double smallest_a = smallest_size<A>, smallest_b = smallest_size<B>;
  const double smallest_sum = kind.c == Type::f16 ? smallest_size<Half> : smallest_size<Tensor32>;
  Singles singles;
  Four other{};
  auto bits = [](double size) { return sem::to_bits(static_cast<float>(size)); };
  const u32 least = bits(0x1p-40), most = bits(0x1p40), finite = bits(0x1p127);
  bool usual = s.k <= Singles::most;
  for (u32 i = 0; usual && i < s.m; ++i) {
    for (u32 k = 0; k < s.k; k += 4)
      take_four(m.a[i] + k, bits(smallest_a), least, most, singles.a[i] + k, singles.a_size[i] + k, other);
    for (u32 j = 0; j < most_columns; j += 4)
      take_four(m.sum[i] + j, bits(smallest_sum), 0, finite, singles.c[i] + j, singles.c_size[i] + j, other);
  }
  for (u32 k = 0; usual && k < s.k; ++k)
    for (u32 j = 0; j < most_columns; j += 4)
      take_four(m.b[k] + j, bits(smallest_b), least, most, singles.b[k] + j, singles.b_size[k] + j, other);
  usual = usual && (other[0] | other[1] | other[2] | other[3]) == 0;
  if (usual) {
    for (u32 i = 0; i < s.m; ++i) add_singles(s.k, singles, i, m.sum[i]);
  } else {
    Matrices<double, inner> size;
    for (u32 i = 0; i < s.m; ++i) {
      for (u32 k = 0; k < s.k; ++k) size.a[i][k] = size_of(m.a[i][k], smallest_a);
      for (u32 j = 0; j < most_columns; ++j) size.sum[i][j] = size_of(m.sum[i][j], smallest_sum);
    }
    for (u32 k = 0; k < s.k; ++k)
      for (u32 j = 0; j < most_columns; ++j) size.b[k][j] = size_of(m.b[k][j], smallest_b);
    for (u32 i = 0; i < s.m; ++i) add_aligned(s.k, m.a[i], size.a[i], m.b, size.b, size.sum[i], m.sum[i]);
  }
}

template <class A, class B, class S>
void multiply_as(const MatrixKind& kind, const MatrixRegisters& in, MatrixResult& out) {
  using Value = typename S::Value;
  Matrices<Value, most_inner<A>> m;
  ir::MatrixShape s = kind.shape, of_a = s;
  if (kind.sparse) of_a.k /= 2;
  read_a<A>(of_a, in.a, in.stride, m.a);
  if (kind.sparse) expand<A>(kind, in, m.a);
  read_b<B>(s, in.b, in.stride, m.b);
  each_sum(s, kind.c == Type::f16 ? 2 : 1, m.sum, [&](u32 r, u32 lane, u32 shift, Value& sum) {
    u64 raw = in.c[r * in.stride + lane] >> shift;
    if constexpr (std::is_same_v<Value, i64>)
      sum = static_cast<i32>(raw);
    else
      sum = sum_from(kind.c, raw);
  });
  if constexpr (aligned<S>) {
    add_rows<A, B>(kind, m);
  } else {
    for (u32 i = 0; i < s.m; ++i) {
      constexpr u32 parts = most_columns * sizeof(Value) / vector_bytes;
      Part<Value>* to = reinterpret_cast<Part<Value>*>(m.sum[i]);
      Part<Value> sum[parts];
#pragma GCC unroll 4
      for (u32 p = 0; p < parts; ++p) sum[p] = to[p];
      for (u32 k = 0; k < s.k; ++k) {
        const Part<Value>* b = reinterpret_cast<const Part<Value>*>(m.b[k]);
#pragma GCC unroll 4
        for (u32 p = 0; p < parts; ++p) S::add(m.a[i][k], b[p], sum[p]);
      }
#pragma GCC unroll 4
      for (u32 p = 0; p < parts; ++p) to[p] = sum[p];
    }
  }
  __builtin_memset(out, 0, sizeof out);
  each_sum(s, kind.d == Type::f16 ? 2 : 1, m.sum, [&](u32 r, u32 lane, u32 shift, Value& sum) {
    u64 bits = sum_bits(kind.d, kind.stops, sum);
    if constexpr (aligned<S>)
      if (kind.d == Type::f32 && sum == sum) bits = sem::to_bits(cut_float(sum));
    out[r][lane] |= bits << shift;
  });
}

// mma.m8n8k4 of f16: lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3 multiply a matrix of their own, for q from 0 to 3. The
// lane t of the eight has a line of A, of B and, in f16, of C: row or column t, by their layout the elements of it in
// order, or element t mod 4 of half of them. Sums of f32 lie in squares of 2.
struct Quad {
  u32 first;
  u32 lane(u32 t) const { return first + t % 4 + (t < 4 ? 0 : 16); }
};

u32 quad_row(Type type, u32 t, u32 i) { return type == Type::f16 ? t : (t & 1) + (i & 2) + (t & 4); }
u32 quad_column(Type type, u32 t, u32 i) { return type == Type::f16 ? i : (i & 4) + (t & 2) + (i & 1); }

void multiply_quads(const MatrixKind& kind, const MatrixRegisters& in, MatrixResult& out) {
  constexpr u32 lanes = 8, inner = 4;
  __builtin_memset(out, 0, sizeof out);
  auto element = [&](const u64* from, u32 lane, u32 i) {
    return Half::value(from[i / 2 * in.stride + lane] >> (16 * (i % 2)));
  };
  for (Quad quad : {Quad{0}, Quad{4}, Quad{8}, Quad{12}}) {
    double a[lanes][inner], b[inner][lanes];
    for (u32 t = 0; t < lanes; ++t)
      for (u32 i = 0; i < inner; ++i) {
        double from_a = element(in.a, quad.lane(t), i), from_b = element(in.b, quad.lane(t), i);
        (kind.a_columns ? a[i + (t & 4)][t % 4] : a[t][i]) = from_a;
        (kind.b_rows ? b[t % 4][i + (t & 4)] : b[i][t]) = from_b;
      }
    for (u32 t = 0; t < lanes; ++t)
      for (u32 i = 0; i < lanes; ++i) {
        u32 row = quad_row(kind.c, t, i), column = quad_column(kind.c, t, i),
            each = kind.c == Type::f16 ? 2 : 1;
        double sum = sum_from(kind.c, in.c[i / each * in.stride + quad.lane(t)] >> (i % each * 16));
        for (u32 k = 0; k < inner; ++k) sum += a[row][k] * b[k][column];
        // D may have another layout than C: who holds the element there.
        for (u32 owner = 0; owner < lanes; ++owner)
          for (u32 j = 0; j < lanes; ++j) {
            if (quad_row(kind.d, owner, j) != row || quad_column(kind.d, owner, j) != column) continue;
            u32 per = kind.d == Type::f16 ? 2 : 1;
            out[j / per][quad.lane(owner)] |= sum_bits(kind.d, false, sum) << (j % per * 16);
          }
      }
  }
}

template <u32 width> Multiply multiply_integers(bool a_signed, bool b_signed) {
  if (a_signed)
    return b_signed ? multiply_as<Integer<width, true>, Integer<width, true>, IntegerSums>
                    : multiply_as<Integer<width, true>, Integer<width, false>, IntegerSums>;
  return b_signed ? multiply_as<Integer<width, false>, Integer<width, true>, IntegerSums>
                  : multiply_as<Integer<width, false>, Integer<width, false>, IntegerSums>;
}

Multiply multiply_bytes(Type a, Type b) {
  if (a == Type::e4m3)
    return b == Type::e4m3 ? multiply_as<Byte<false>, Byte<false>, Sums>
                           : multiply_as<Byte<false>, Byte<true>, Sums>;
  return b == Type::e4m3 ? multiply_as<Byte<true>, Byte<false>, Sums>
                         : multiply_as<Byte<true>, Byte<true>, Sums>;
}

bool accumulates(const MatrixKind& kind, Type one, Type other) {
  return (kind.c == one || kind.c == other) && (kind.d == one || kind.d == other);
}
bool accumulates(const MatrixKind& kind, Type type) { return accumulates(kind, type, type); }

Multiply multiply_alike(const MatrixKind& kind) {
  using Bit = Integer<1, false>;
  bool floats = accumulates(kind, Type::f16, Type::f32), single = accumulates(kind, Type::f32);
  switch (kind.a) {
  case Type::f16: return floats ? multiply_as<Half, Half, AlignedSums> : nullptr;
  case Type::bf16: return single ? multiply_as<Brain, Brain, AlignedSums> : nullptr;
  case Type::tf32: return single ? multiply_as<Tensor32, Tensor32, AlignedSums> : nullptr;
  case Type::f64: return accumulates(kind, Type::f64) ? multiply_as<Double, Double, FusedSums> : nullptr;
  case Type::b1:
    if (!accumulates(kind, Type::s32)) return nullptr;
    return kind.differ ? multiply_as<Bit, Bit, Differences> : multiply_as<Bit, Bit, IntegerSums>;
  default: return nullptr;
  }
}

// Whether the operands are whole registers, and no more than there is room for.
bool fits(const MatrixKind& kind) {
  ir::MatrixShape s = kind.shape;
  u32 width = ir::bits(kind.a), a_elements = u32{s.m} * s.k / (kind.sparse ? 2 : 1);
  bool rows = s.m == 8 || s.m == 16;
  return rows && s.n == 8 && width != 0 &&
         s.k <= (width == 1    ? 256
                 : width == 64 ? 16
                               : 512 / width) &&
         a_elements * width % (s.m / 8u * 1024) == 0 && s.k * 8u * width % 1024 == 0;
}

} // namespace

Multiply find_multiply(const MatrixKind& kind) {
  auto either = [](Type type, Type one, Type other) { return type == one || type == other; };
  if (kind.a == Type::f16 && kind.b == Type::f16 && kind.shape.m == 8)
    return kind.shape.k == 4 && accumulates(kind, Type::f16, Type::f32) ? multiply_quads : nullptr;
  if (kind.a_columns || kind.b_rows) return nullptr;
  if (kind.a == Type::f64 ? u32{kind.shape.k} * kind.shape.m % 32 != 0 : !fits(kind)) return nullptr;
  bool integers = accumulates(kind, Type::s32);
  if (either(kind.a, Type::s8, Type::u8))
    return integers && either(kind.b, Type::s8, Type::u8)
               ? multiply_integers<8>(ir::is_signed(kind.a), ir::is_signed(kind.b))
               : nullptr;
  if (either(kind.a, Type::s4, Type::u4))
    return integers && either(kind.b, Type::s4, Type::u4)
               ? multiply_integers<4>(ir::is_signed(kind.a), ir::is_signed(kind.b))
               : nullptr;
  if (either(kind.a, Type::e4m3, Type::e5m2))
    return either(kind.b, Type::e4m3, Type::e5m2) && accumulates(kind, Type::f16, Type::f32)
               ? multiply_bytes(kind.a, kind.b)
               : nullptr;
  return kind.a == kind.b ? multiply_alike(kind) : nullptr;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
