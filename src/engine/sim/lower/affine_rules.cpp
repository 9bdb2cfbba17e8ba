// Arithmetic on affine forms: what keeps an index an index. Registers are numbers modulo 2^bits, so sums,
// differences and products with uniform factors are exact whatever wraps; where an operation looks at the
// number itself (widening, comparing, dividing) the range over the block must not wrap, and the rule declines
// when it might.
//
// Only integer operations have rules. Operations whose sources are all uniform need none: they run once, on
// one lane.
#include "sim/lower/affine_rules.h"

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;

// Strides are numbers modulo 2^64, like the registers that they belong to.
i64 wrapping_sum(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
i64 wrapping_difference(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b)); }

bool add(const Shape&, const Op&, const Value* const* s, Value& r) {
  r.base = s[0]->base + s[1]->base;
  for (u32 d = 0; d < axes; ++d) r.stride[d] = wrapping_sum(s[0]->stride[d], s[1]->stride[d]);
  return true;
}

bool subtract(const Shape&, const Op&, const Value* const* s, Value& r) {
  r.base = s[0]->base - s[1]->base;
  for (u32 d = 0; d < axes; ++d) r.stride[d] = wrapping_difference(s[0]->stride[d], s[1]->stride[d]);
  return true;
}

bool negate(const Shape&, const Op&, const Value* const* s, Value& r) {
  r.base = u64{0} - s[0]->base;
  for (u32 d = 0; d < axes; ++d) r.stride[d] = wrapping_difference(0, s[0]->stride[d]);
  return true;
}

bool invert(const Shape& shape, const Op& op, const Value* const* s, Value& r) { // ~x = -x - 1
  negate(shape, op, s, r);
  r.base -= 1;
  return true;
}

i64 signed_at(u64 value, u32 bits) { return static_cast<i64>(value << (64 - bits)) >> (64 - bits); }

// The numbers that a value takes, as the type reads them. Mostly one side of an operation is uniform.
Range range_of(const Value& v, const Shape& shape, bool sign) {
  if (!v.uniform()) return sign ? signed_range(v, shape) : unsigned_range(v, shape);
  i64 number =
      sign || v.bits >= 64 ? signed_at(v.base, v.bits) : static_cast<i64>(v.base & ((u64{1} << v.bits) - 1));
  return {number, number, sign || number >= 0};
}

// One factor uniform. Products of strides stay exact modulo the width; large ones are cut to it.
bool scale(const Value& by, const Value& of, Value& r, u32 bits) {
  i64 factor = signed_at(by.base, bits);
  r.base = of.base * static_cast<u64>(factor);
  for (u32 d = 0; d < axes; ++d)
    if (__builtin_mul_overflow(of.stride[d], factor, &r.stride[d])) return false;
  return true;
}

bool multiply(const Shape&, const Op&, const Value* const* s, Value& r) {
  u32 bits = s[0]->bits;
  if (s[1]->uniform()) return scale(*s[1], *s[0], r, bits);
  if (s[0]->uniform()) return scale(*s[0], *s[1], r, bits);
  return false;
}

bool multiply_add(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Value product;
  if (!multiply(shape, op, s, product)) return false;
  r.base = product.base + s[2]->base;
  for (u32 d = 0; d < axes; ++d) r.stride[d] = wrapping_sum(product.stride[d], s[2]->stride[d]);
  return true;
}

// A narrower number as a wider one: exact where the range is.
bool widen(const Shape& shape, const Value& v, bool sign, Value& r) {
  Range range = range_of(v, shape, sign);
  if (!range.valid) return false;
  u64 mask = v.bits >= 64 ? ~u64{0} : (u64{1} << v.bits) - 1;
  r.base = sign ? static_cast<u64>(signed_at(v.base, v.bits)) : v.base & mask;
  r.stride = v.stride;
  return true;
}

bool multiply_wide(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  bool sign = ir::is_signed(op.form->type());
  Value a, b;
  a.bits = b.bits = s[0]->bits * 2;
  if (!widen(shape, *s[0], sign, a) || !widen(shape, *s[1], sign, b)) return false;
  bool a_uniform = s[0]->uniform(), b_uniform = s[1]->uniform();
  if (b_uniform) return scale(b, a, r, a.bits);
  return a_uniform && scale(a, b, r, a.bits);
}

bool multiply_add_wide(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Value product;
  if (!multiply_wide(shape, op, s, product)) return false;
  r.base = product.base + s[2]->base;
  for (u32 d = 0; d < axes; ++d) r.stride[d] = wrapping_sum(product.stride[d], s[2]->stride[d]);
  return true;
}

bool shift_left(const Shape&, const Op&, const Value* const* s, Value& r) {
  if (!s[1]->uniform()) return false;
  u64 amount = s[1]->base & 0xffffffffu;
  if (amount >= s[0]->bits) {
    r.base = 0;
    r.stride = {};
    return true;
  }
  r.base = s[0]->base << amount;
  for (u32 d = 0; d < axes; ++d)
    if (__builtin_mul_overflow(s[0]->stride[d], i64{1} << std::min<u64>(amount, 62), &r.stride[d]))
      return false;
  return amount < 63;
}

// x >> k is uniform when all of the block shares it; k-aligned strides stay strides.
bool shift_right(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  if (!s[1]->uniform()) return false;
  u64 amount = s[1]->base & 0xffffffffu;
  if (amount >= s[0]->bits || amount > 62) return false;
  bool sign = ir::is_signed(op.form->type());
  Range range = range_of(*s[0], shape, sign);
  if (!range.valid) return false;
  i64 step = i64{1} << amount;
  if (range.low >> amount == range.high >> amount) {
    r.base = static_cast<u64>(range.low >> amount);
    r.stride = {};
    return true;
  }
  i64 low_bits = signed_at(s[0]->base, s[0]->bits) & (step - 1);
  for (u32 d = 0; d < axes; ++d) {
    if (s[0]->stride[d] % step != 0) return false;
    r.stride[d] = s[0]->stride[d] / step;
  }
  i64 base =
      sign ? signed_at(s[0]->base, s[0]->bits)
           : static_cast<i64>(s[0]->bits >= 64 ? s[0]->base : s[0]->base & ((u64{1} << s[0]->bits) - 1));
  r.base = static_cast<u64>((base - low_bits) >> amount);
  return true;
}

// x & (2^k − 1) is x minus a constant when the block stays within one multiple of 2^k.
bool bit_and(const Shape& shape, const Op&, const Value* const* s, Value& r) {
  const Value* mask = s[1]->uniform() ? s[1] : s[0]->uniform() ? s[0] : nullptr;
  if (mask == nullptr) return false;
  const Value& x = mask == s[1] ? *s[0] : *s[1];
  u64 m = mask->bits >= 64 ? mask->base : mask->base & ((u64{1} << mask->bits) - 1);
  if (!is_power_of_two(m + 1) || m == 0 || m >> 62) return false;
  Range range = unsigned_range(x, shape);
  if (!range.valid || (static_cast<u64>(range.low) & ~m) != (static_cast<u64>(range.high) & ~m)) return false;
  r.base = x.base - (static_cast<u64>(range.low) & ~m);
  r.stride = x.stride;
  return true;
}

// x | y and x ^ y are x + y when no bit can be set in both: y a uniform below the alignment of x.
bool bit_or(const Shape&, const Op&, const Value* const* s, Value& r) {
  const Value* bits = s[1]->uniform() ? s[1] : s[0]->uniform() ? s[0] : nullptr;
  if (bits == nullptr) return false;
  const Value& x = bits == s[1] ? *s[0] : *s[1];
  u64 all = x.base | static_cast<u64>(x.stride[0] | x.stride[1] | x.stride[2] | x.stride[3]);
  u64 low = bits->bits >= 64 ? bits->base : bits->base & ((u64{1} << bits->bits) - 1);
  u64 alignment = all == 0 ? ~u64{0} : all & (~all + 1);
  if (low >= alignment) return false;
  r.base = x.base + low;
  r.stride = x.stride;
  return true;
}

bool copy(const Shape&, const Op&, const Value* const* s, Value& r) {
  r.base = s[0]->base;
  r.stride = s[0]->stride;
  return true;
}

bool divide(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  if (!s[1]->uniform()) return false;
  bool sign = ir::is_signed(op.form->type());
  Range x = range_of(*s[0], shape, sign), by = range_of(*s[1], shape, sign);
  if (!x.valid || !by.valid || by.low <= 0 || x.low < 0 || x.low / by.low != x.high / by.low) return false;
  r.base = static_cast<u64>(x.low / by.low);
  r.stride = {};
  return true;
}

bool remainder(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Value quotient;
  if (!divide(shape, op, s, quotient)) return false;
  r.base = s[0]->base - quotient.base * s[1]->base;
  r.stride = s[0]->stride;
  return true;
}

// Ranges of both sides, as the type reads them.
bool ranges(const Shape& shape, const Op& op, const Value* const* s, Range& a, Range& b) {
  bool sign = ir::is_signed(op.form->type());
  a = range_of(*s[0], shape, sign);
  b = range_of(*s[1], shape, sign);
  return a.valid && b.valid;
}

bool minimum(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Range a, b;
  if (!ranges(shape, op, s, a, b)) return false;
  const Value* least = a.high <= b.low ? s[0] : b.high <= a.low ? s[1] : nullptr;
  return least != nullptr && copy(shape, op, &least, r);
}

bool maximum(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Range a, b;
  if (!ranges(shape, op, s, a, b)) return false;
  const Value* most = a.low >= b.high ? s[0] : b.low >= a.high ? s[1] : nullptr;
  return most != nullptr && copy(shape, op, &most, r);
}

bool select(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  if (!s[2]->uniform()) return false;
  return copy(shape, op, s[2]->base & 1 ? s : s + 1, r);
}

// Decided for the whole block, or not at all.
bool compare(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  Range a, b;
  if (!ranges(shape, op, s, a, b)) return false;
  i64 low = 0, high = 0;
  if (!s[1]->uniform() || __builtin_sub_overflow(a.low, b.low, &low) ||
      __builtin_sub_overflow(a.high, b.low, &high)) {
    // The difference is affine too: i < i + 1 holds although the ranges overlap.
    Value difference;
    difference.bits = 64;
    for (u32 d = 0; d < axes; ++d) difference.stride[d] = s[0]->stride[d] - s[1]->stride[d];
    bool sign = ir::is_signed(op.form->type());
    u32 bits = s[0]->bits;
    auto number = [&](const Value& v) {
      return sign || bits >= 64 ? signed_at(v.base, bits) : static_cast<i64>(v.base & ((u64{1} << bits) - 1));
    };
    if (__builtin_sub_overflow(number(*s[0]), number(*s[1]), reinterpret_cast<i64*>(&difference.base)))
      return false;
    Range d = signed_range(difference, shape);
    if (!d.valid) return false;
    low = d.low;
    high = d.high;
  }
  bool holds, fails;
  switch (op.form->comparison()) {
  case ir::Comparison::eq:
    holds = low == 0 && high == 0;
    fails = low > 0 || high < 0;
    break;
  case ir::Comparison::ne:
    holds = low > 0 || high < 0;
    fails = low == 0 && high == 0;
    break;
  case ir::Comparison::lt:
    holds = high < 0;
    fails = low >= 0;
    break;
  case ir::Comparison::le:
  case ir::Comparison::ls_:
    holds = high <= 0;
    fails = low > 0;
    break;
  case ir::Comparison::gt:
    holds = low > 0;
    fails = high <= 0;
    break;
  case ir::Comparison::ge:
  case ir::Comparison::hs_:
    holds = low >= 0;
    fails = high < 0;
    break;
  default: return false;
  }
  if (!holds && !fails) return false;
  r.base = holds;
  r.stride = {};
  return true;
}

bool convert(const Shape& shape, const Op& op, const Value* const* s, Value& r) {
  ir::Type to = op.form->type(0), from = op.form->type(1);
  if (ir::is_float(to) || ir::is_float(from) || ir::bits(to) < 16 || ir::bits(from) != s[0]->bits)
    return false;
  if (op.form->has(Modifier::sat)) return false;
  if (ir::bits(to) <= ir::bits(from)) return copy(shape, op, s, r);
  return widen(shape, *s[0], ir::is_signed(from), r);
}

bool is_plain_integer(const ir::Form& form) {
  ir::Type type = form.type();
  if (ir::is_float(type) || ir::bits(type) < 16 || type == ir::Type::pred) return false;
  if (type == ir::Type::u16x2 || type == ir::Type::s16x2) return false;
  return !form.has(Modifier::sat) && !form.has(Modifier::cc) && !form.has(Modifier::relu);
}

} // namespace

AffineRule find_affine_rule(const ir::Form& form) {
  if (form.opcode == Opcode::cvt) return convert;
  if (form.opcode == Opcode::selp) return select;
  if (!is_plain_integer(form)) return nullptr;
  switch (form.opcode) {
  case Opcode::add: return add;
  case Opcode::sub: return subtract;
  case Opcode::neg: return negate;
  case Opcode::not_: return invert;
  case Opcode::mul:
    return form.has(Modifier::wide) ? multiply_wide : form.has(Modifier::hi) ? nullptr : multiply;
  case Opcode::mad:
    return form.has(Modifier::wide) ? multiply_add_wide : form.has(Modifier::hi) ? nullptr : multiply_add;
  case Opcode::shl: return shift_left;
  case Opcode::shr: return shift_right;
  case Opcode::and_: return bit_and;
  case Opcode::or_:
  case Opcode::xor_: return bit_or;
  case Opcode::div: return divide;
  case Opcode::rem: return remainder;
  case Opcode::min: return minimum;
  case Opcode::max: return maximum;
  case Opcode::setp: return form.bool_op() == ir::BoolOp::none ? compare : nullptr;
  default: return nullptr;
  }
}

} // namespace warplens::sim
