// Masks, shifts to the right, and the bitwise operations: what acts on the high and the low part of a chunk apart.
#include "symbolic/warp/codes.h"
#include <bit>

namespace warplens::symbolic {
namespace {

u64 mask_of(u32 bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

} // namespace

i64 LaneAlgebra::combined(u32 code, i64 a, i64 b) {
  return code == and_bits ? a & b : code == or_bits ? a | b : a ^ b;
}

// v modulo 2^count, which is at most `bits`.
Value LaneAlgebra::low_bits(Value v, u32 count, u32 bits) {
  if (count >= bits) return v;
  u64 size = u64{1} << count;
  std::vector<Term> terms;
  for (const Term& t : pool.terms(v))
    if (t.monomial == 0 || pool.divisor(t) < size) terms.push_back(t);
  Value rest = pool.polynomial(std::move(terms), v.assumed);
  i64 mask = static_cast<i64>(size - 1);
  if (Parts p = parts(rest); p.others.empty() && pool.facts(p.uniform).divisor >= size)
    return pool.polynomial({{0, pool.map(pool.constant_of(rest), [&](i64 lane) { return lane & mask; })}},
                           v.assumed);
  if (std::optional<Range> known = pool.facts(rest).range; known && known->least >= 0 && known->most <= mask)
    return rest;
  Symbol result;
  result.range = Range{0, mask};
  if (std::optional<Chunk> split = chunk(rest); split && split->unit < size && !pool.facts(rest).uniform) {
    result.divisor = split->unit;
    result.range->most = mask - static_cast<i64>(split->unit - 1);
    result.congruent = split->high.polynomial;
    result.modulus = size;
    Value high = opaque({lower_bits, count}, {split->high}, bits_of_mixed, result);
    return add(high, pool.constant(split->low), 64);
  }
  if (pool.facts(rest).uniform) {
    result.divisor = std::min(pool.facts(rest).divisor, size);
    result.congruent = rest.polynomial;
    result.modulus = size;
  } else if (std::optional<Value> out = low_bits_of_rows(rest, count)) {
    return *out;
  }
  return opaque({lower_bits, count}, {rest}, bits_of_mixed, result);
}

// v & mask, for a known mask within `bits`.
Value LaneAlgebra::masked(Value v, u64 mask, u32 bits) {
  if (mask == 0) return pool.constant(0);
  u32 low = static_cast<u32>(std::countr_zero(mask)), top = static_cast<u32>(64 - std::countl_zero(mask));
  if (mask == (mask_of(top) & ~mask_of(low))) {
    Value kept = low_bits(v, top, bits);
    return low == 0 ? kept : subtract(kept, low_bits(v, low, bits), bits);
  }
  auto and_mask = [&](i64 lane) { return static_cast<i64>(static_cast<u64>(lane) & mask); };
  if (pool.is_constant(v))
    return pool.polynomial({{0, pool.map(pool.constant_of(v), and_mask)}}, v.assumed, bits);
  Symbol result;
  result.divisor = u64{1} << std::min(low, 47u);
  if (top < 63) result.range = Range{0, static_cast<i64>(mask)};
  std::optional<Chunk> split = pool.facts(v).uniform ? std::nullopt : chunk(v);
  if (!split) return opaque({and_bits, mask}, {v}, bits_of_mixed, result);
  for (i64& lane : split->low) lane = and_mask(lane);
  result.divisor = std::max(result.divisor, split->unit);
  Value high = pool.is_constant(split->high) ? masked(split->high, mask, bits)
                                             : opaque({and_bits, mask}, {split->high}, bits_of_mixed, result);
  return add(high, pool.constant(split->low), bits);
}

// a + b, where no bit is set in both.
std::optional<Value> LaneAlgebra::disjoint_sum(Value a, Value b, u32 bits) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
    if (std::optional<Range> small = pool.facts(b).range)
      if (small->least >= 0 && static_cast<u64>(small->most) < pool.facts(a).divisor) return add(a, b, bits);
  return {};
}

Value LaneAlgebra::bits_of(u32 code, Value a, Value b, u32 bits) {
  if (a.polynomial > b.polynomial) std::swap(a, b); // all three commute: one symbol for both orders
  if (pool.is_constant(a) && pool.is_constant(b)) {
    Lanes x = pool.lanes(pool.constant_of(a)), y = pool.lanes(pool.constant_of(b));
    for (u32 lane = 0; lane < warp_size; ++lane) x[lane] = combined(code, x[lane], y[lane]);
    Value out = truncate(pool.constant(x), bits);
    out.assumed = assumed(a, b);
    return out;
  }
  if (code != and_bits)
    if (std::optional<Value> sum = disjoint_sum(a, b, bits)) return *sum;
  const Facts fa = pool.facts(a), fb = pool.facts(b);
  Symbol result;
  result.divisor = code == and_bits ? std::max(fa.divisor, fb.divisor) : std::min(fa.divisor, fb.divisor);
  if (fa.uniform && fb.uniform) return opaque({code, bits}, {a, b}, bits_of_mixed, result);
  u64 unit = std::min(parts(a).others.empty() ? pool.facts(parts(a).uniform).divisor : 1,
                      parts(b).others.empty() ? pool.facts(parts(b).uniform).divisor : 1);
  std::optional<Chunk> x = chunk(a, unit), y = chunk(b, unit);
  if (!x || !y || unit == 1) {
    if (std::optional<Value> rows = bits_of_rows(code, a, b, bits)) return *rows;
    return opaque({code, bits}, {a, b}, bits_of_mixed, result);
  }
  for (u32 lane = 0; lane < warp_size; ++lane) x->low[lane] = combined(code, x->low[lane], y->low[lane]);
  Value high = bits_of(code, x->high, y->high, bits);
  return add(high, pool.constant(x->low), bits);
}

Value LaneAlgebra::bit_and(Value a, Value b, u32 bits) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
    if (std::optional<i64> mask = pool.number(b)) {
      Value out = masked(a, static_cast<u64>(*mask) & mask_of(bits), bits);
      out.assumed = assumed(a, b);
      return out;
    }
  return bits_of(and_bits, a, b, bits);
}
Value LaneAlgebra::bit_or(Value a, Value b, u32 bits) { return bits_of(or_bits, a, b, bits); }
Value LaneAlgebra::bit_xor(Value a, Value b, u32 bits) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
    if (pool.number(b) == -1) return subtract(pool.constant(-1), a, bits);
  return bits_of(xor_bits, a, b, bits);
}

Value LaneAlgebra::shift_right(Value v, u32 amount, bool is_signed, u32 bits) {
  if (amount == 0) return v;
  if (amount >= bits) {
    if (!is_signed) return pool.constant(0);
    amount = bits - 1;
  }
  if (pool.facts(v).varying && !is_by_rows(v))
    return opaque({right_shift, amount << 8 | bits << 1 | is_signed}, {v}, shift_of_mixed);
  // The sign of what could be negative only by overflowing, as divisions by 2^k ask for it.
  if (std::optional<Range> known = pool.facts(v).range;
      known && known->least >= 0 && is_signed && amount == bits - 1 && !range(v, true, bits))
    return assume(Value{0, v.assumed}, {AssumptionKind::not_negative, v.polynomial, 0});
  Value number = extend(v, is_signed, bits);
  if (pool.is_constant(number)) {
    auto shifted = [&](i64 lane) {
      return is_signed ? lane >> amount
                       : static_cast<i64>((static_cast<u64>(lane) & mask_of(bits)) >> amount);
    };
    return pool.polynomial({{0, pool.map(pool.constant_of(number), shifted)}}, number.assumed);
  }
  Parts p = parts(number);
  if (!p.others.empty()) {
    std::optional<Rows> rows = amount < 48 ? rows_of(number, u64{1} << amount) : std::nullopt;
    if (!rows) return opaque({right_shift, amount << 8 | bits << 1 | is_signed}, {v}, shift_of_mixed);
    for (Lanes& row : rows->rows)
      for (i64& lane : row) lane >>= amount;
    return add(quotient(parts(rows->high), number.assumed, amount, rows->high), of_rows(*rows), 64);
  }
  Value out = quotient(p, number.assumed, amount, v);
  if (bits < 64 || range(number, is_signed, bits)) return out;
  // A polynomial for 64 bits is the number in the register but for a multiple of 2^64.
  SymbolKey key{wraps, v.polynomial, bits, is_signed, amount};
  Symbol turns{SymbolKind::result, true, 1, {}, pool.facts(v).loops, 0, 0, 0};
  return add(out, scale(fresh(key, turns), static_cast<i64>(u64{1} << (64 - amount)), 64), 64);
}

// floor((uniform + constant) / 2^amount).
Value LaneAlgebra::quotient(const Parts& p, SetId assumed_of_all, u32 amount, Value whole) {
  u64 size = u64{1} << amount;
  std::vector<Term> even, odd, quotients;
  for (const Term& t : pool.terms(p.uniform)) (pool.divisor(t) >= size ? even : odd).push_back(t);
  for (const Term& t : even) {
    if (t.coefficient.value % static_cast<i64>(size) == 0) {
      quotients.push_back({t.monomial, {t.coefficient.value / static_cast<i64>(size)}});
      continue;
    }
    Symbol part; // its symbols are known to be multiples
    part.divisor = pool.divisor(t) >> amount;
    Value of_term = opaque({right_shift, amount}, {pool.polynomial({t}, 0)}, shift_of_mixed, part);
    quotients.push_back(pool.terms(of_term).front());
  }
  Value out = pool.polynomial(std::move(quotients), assumed_of_all);
  Value rest = pool.polynomial(std::move(odd), 0);
  Lanes lanes = p.constant;
  u64 unit = pool.facts(rest).divisor;
  if (unit >= size) { // all terms of it together, if none alone
    Symbol part;
    part.divisor = unit >> amount;
    if (!pool.terms(rest).empty())
      out = add(out, opaque({right_shift, amount}, {rest}, shift_of_mixed, part), 64);
    for (i64& lane : lanes) lane >>= amount;
    return add(out, pool.constant(lanes), 64);
  }
  i64 least = *std::min_element(lanes.begin(), lanes.end()),
      most = *std::max_element(lanes.begin(), lanes.end());
  i64 base = floor_divided(least, unit);
  Value start = add(rest, pool.constant(base * static_cast<i64>(unit)), 64);
  if (std::optional<Range> known = pool.facts(start).range;
      known && known->least >> amount == (known->most + static_cast<i64>(unit) - 1) >> amount &&
      floor_divided(most, unit) == base)
    return add(out, pool.constant(known->least >> amount), 64);
  Symbol result;
  if (std::optional<Range> known = pool.facts(start).range)
    result.range = Range{known->least >> amount, known->most >> amount};
  Value first = opaque({right_shift, amount}, {start}, shift_of_mixed, result);
  if (floor_divided(most, unit) == base) return add(out, first, 64);
  if (most - base * static_cast<i64>(unit) >= static_cast<i64>(size)) { // known multiples go first
    Parts within{rest, lanes, {}};
    for (u32 lane = 0; lane < warp_size; ++lane) {
      lanes[lane] = (lanes[lane] - base * static_cast<i64>(unit)) >> amount;
      within.constant[lane] -= lanes[lane] * static_cast<i64>(size);
    }
    return add(add(out, quotient(within, 0, amount, whole), 64), pool.constant(lanes), 64);
  }
  if (std::optional<Rows> rows = rows_of(add(rest, pool.constant(lanes), 64), size)) {
    for (Lanes& row : rows->rows)
      for (i64& lane : row) lane >>= amount;
    return add(add(out, quotient(parts(rows->high), 0, amount, rows->high), 64), of_rows(*rows), 64);
  }
  // Lanes may lie on both sides of one multiple: the quotient of the first, or one more.
  Symbol side{SymbolKind::choice,           false, 1, Range{0, 1}, pool.facts(rest).loops,
              pool.sets.of(shift_of_mixed), 0,     0};
  SymbolKey key{beyond_shift, start.polynomial, whole.polynomial, amount, 0};
  return add(add(out, first, 64), fresh(key, side), 64);
}

} // namespace warplens::symbolic
