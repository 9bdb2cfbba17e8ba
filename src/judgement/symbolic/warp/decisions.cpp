// Comparisons, selections, minima, and divisions: what chooses between values, for all lanes or lane by lane.
#include "symbolic/warp/codes.h"
#include <bit>

namespace warplens::symbolic {
namespace {

Symbol flag_of_all() {
  Symbol out;
  out.kind = SymbolKind::flag;
  out.range = Range{0, 1};
  return out;
}

i64 ceil_divided(i64 v, u64 by) { return -floor_divided(-v, by); }

} // namespace

Value LaneAlgebra::both(Value a, Value b) {
  const Facts fa = pool.facts(a), fb = pool.facts(b);
  if (pool.is_constant(a) || pool.is_constant(b) || (!fa.varying && !fb.varying)) return multiply(a, b, 64);
  return opaque({product_of, 1}, {a, b}, comparison, flag_of_all());
}
Value LaneAlgebra::either(Value a, Value b) { return negate(both(negate(a), negate(b))); }
Value LaneAlgebra::differ(Value a, Value b) { return subtract(add(a, b, 64), scale(both(a, b), 2, 64), 64); }

Value LaneAlgebra::compare(Compared how, Value a, Value b, bool is_signed, u32 bits) {
  switch (how) {
  case Compared::ne: return negate(compare(Compared::eq, a, b, is_signed, bits));
  case Compared::gt: return compare(Compared::lt, b, a, is_signed, bits);
  case Compared::le: return negate(compare(Compared::lt, b, a, is_signed, bits));
  case Compared::ge: return negate(compare(Compared::lt, a, b, is_signed, bits));
  default: break;
  }
  u32 code = how == Compared::eq ? equal_to : less;
  Operation operation{code, u64{bits} << 1 | is_signed};
  Value x = extend(a, is_signed, bits), y = extend(b, is_signed, bits);
  if (pool.is_constant(x) && pool.is_constant(y)) {
    Lanes l = pool.lanes(pool.constant_of(x)), r = pool.lanes(pool.constant_of(y));
    for (u32 lane = 0; lane < warp_size; ++lane) {
      bool below_it = is_signed ? l[lane] < r[lane] : static_cast<u64>(l[lane]) < static_cast<u64>(r[lane]);
      l[lane] = how == Compared::eq ? l[lane] == r[lane] : below_it;
    }
    Value out = pool.constant(l);
    out.assumed = assumed(x, y);
    return out;
  }
  if (pool.facts(a).varying || pool.facts(b).varying)
    return opaque(operation, {a, b}, comparison, flag_of_all());
  Value difference = subtract(x, y, 64);
  if (how == Compared::eq) return is_zero(difference);
  // Of 64 bits a polynomial may be another number than the register's, by a multiple of 2^64: then its range says nothing.
  bool exact = bits < 64 || (range(x, is_signed, 64) && range(y, is_signed, 64));
  if (!exact && pool.facts(x).uniform && pool.facts(y).uniform)
    return opaque(operation, {x, y}, comparison, flag_of_all());
  return below(difference, operation, exact);
}

// 1 where the difference of two numbers is 0.
Value LaneAlgebra::is_zero(Value difference) {
  if (pool.facts(difference).uniform) {
    std::optional<Range> known = pool.facts(difference).range;
    if (known && (known->least > 0 || known->most < 0)) return pool.constant(0);
    if (std::optional<i64> n = pool.number(difference)) return pool.constant(*n == 0);
    u64 unit = pool.facts(parts(difference).uniform).divisor;
    if (parts(difference).constant[0] % static_cast<i64>(unit) != 0) return pool.constant(0);
    Symbol met = flag_of_all();
    met.decider = difference.polynomial;
    return opaque({equal_to, 0}, {difference}, comparison, met);
  }
  Parts p = parts(difference);
  if (!p.others.empty()) return opaque({equal_to, 0}, {difference}, comparison, flag_of_all());
  u64 unit = pool.facts(p.uniform).divisor;
  std::optional<i64> candidate; // lanes whose constant is no multiple of the unit never meet
  Lanes mask{};
  for (u32 lane = 0; lane < warp_size; ++lane) {
    if (p.constant[lane] % static_cast<i64>(unit) != 0) continue;
    if (candidate && *candidate != p.constant[lane])
      return opaque({equal_to, 0}, {difference}, comparison, flag_of_all());
    candidate = p.constant[lane];
    mask[lane] = 1;
  }
  if (!candidate) return pool.constant(0);
  Value met = is_zero(add(p.uniform, pool.constant(*candidate), 64));
  return multiply(met, pool.constant(mask), 64);
}

// 1 where the difference of two numbers is negative.
Value LaneAlgebra::below(Value difference, Operation operation, bool exact) {
  if (std::optional<Range> known = pool.facts(difference).range; known && exact) {
    if (known->most < 0) return pool.constant(1);
    if (known->least >= 0) return pool.constant(0);
  }
  if (pool.facts(difference).uniform) return opaque({less, 1}, {difference}, comparison, flag_of_all());
  Parts p = parts(difference);
  if (!p.others.empty()) return opaque(operation, {difference}, comparison, flag_of_all());
  // With the uniform part as a multiple q of its unit, a lane is below where q < bound.
  u64 unit = pool.facts(p.uniform).divisor;
  Lanes bound{};
  for (u32 lane = 0; lane < warp_size; ++lane) bound[lane] = ceil_divided(-p.constant[lane], unit);
  i64 least = *std::min_element(bound.begin(), bound.end()),
      most = *std::max_element(bound.begin(), bound.end());
  std::optional<Range> q = exact ? pool.facts(p.uniform).range : std::nullopt;
  auto known = [&](i64 limit) -> std::optional<i64> { // q < limit?
    if (!q) return {};
    i64 edge = limit * static_cast<i64>(unit);
    return q->most < edge ? std::optional<i64>(1) : q->least >= edge ? std::optional<i64>(0) : std::nullopt;
  };
  auto flag_of = [&](i64 from, i64 limit) { // from <= q < limit
    Symbol flag = flag_of_all();
    flag.loops = pool.facts(p.uniform).loops;
    if (limit == from + 1)
      flag.decider = add(p.uniform, pool.constant(-from * static_cast<i64>(unit)), 64).polynomial;
    return flag;
  };
  auto uniform_below = [&](i64 limit) {
    if (std::optional<i64> n = known(limit)) return pool.constant(*n);
    const i64 from = q ? ceil_divided(q->least, unit) : limit;
    return opaque({between + (exact ? 0u : 1u << 8), static_cast<u64>(limit)}, {p.uniform}, comparison,
                  flag_of(from, limit));
  };
  if (least == most) return uniform_below(least);
  bool two = std::all_of(bound.begin(), bound.end(), [&](i64 b) { return b == least || b == most; });
  if (two) { // below the lower bound all lanes are, between the two those with the higher one
    Lanes mask{};
    for (u32 lane = 0; lane < warp_size; ++lane) mask[lane] = bound[lane] == most;
    Value all = uniform_below(least), at_most = uniform_below(most), some = subtract(at_most, all, 64);
    if (!pool.number(all)) {
      SymbolKey key{between, p.uniform.polynomial, static_cast<u32>(least), static_cast<u32>(most),
                    1u + exact};
      some = fresh(key, flag_of(least, most));
      if (pool.number(at_most) == 1)
        all = negate(some);
      else
        some = multiply(some, negate(all), 64); // only one of the two is so
    }
    Value out = add(all, multiply(some, pool.constant(mask), 64), 64);
    out.assumed = difference.assumed;
    return out;
  }
  Symbol threshold = flag_of_all();
  threshold.kind = SymbolKind::threshold;
  threshold.uniform = false;
  threshold.loops = pool.facts(p.uniform).loops;
  threshold.causes = pool.sets.of(comparison);
  threshold.a = pool.coefficient(bound).lanes;
  threshold.decider = p.uniform.polynomial;
  threshold.b = exact;
  Value out = fresh({less, p.uniform.polynomial, threshold.a, 0, unit}, threshold);
  out.assumed = difference.assumed;
  return out;
}

Value LaneAlgebra::select(Value flag, Value a, Value b, u32 bits) {
  if (a.polynomial == b.polynomial) return a;
  SetId all = pool.sets.unite(flag.assumed, assumed(a, b));
  auto with_all = [&](Value v) {
    v.assumed = all;
    return v;
  };
  if (pool.number(flag) == 1) return with_all(a);
  if (pool.number(flag) == 0) return with_all(b);
  Value difference = subtract(a, b, bits);
  const Facts ff = pool.facts(flag), fd = pool.facts(difference);
  Operation operation{selected, bits};
  if (ff.uniform && pool.facts(a).uniform && pool.facts(b).uniform) {
    Symbol result;
    result.divisor = std::min(pool.facts(a).divisor, pool.facts(b).divisor);
    if (auto x = pool.facts(a).range, y = pool.facts(b).range; x && y)
      result.range = Range{std::min(x->least, y->least), std::max(x->most, y->most)};
    return opaque(operation, {flag, a, b}, selection, result);
  }
  if (ff.uniform && fd.uniform) {
    Symbol result;
    result.divisor = fd.divisor;
    return with_all(add(b, opaque({difference_selected, bits}, {flag, difference}, selection, result), bits));
  }
  if (!fd.varying && pool.terms(flag).size() <= 3 && has_cases(flag))
    return with_all(add(b, multiply(flag, difference, bits), bits));
  if (pool.facts(a).varying || pool.facts(b).varying) return opaque(operation, {flag, a, b}, selection);
  Symbol side{SymbolKind::choice,
              false,
              1,
              Range{0, 1},
              pool.sets.unite(ff.loops, pool.sets.unite(pool.facts(a).loops, pool.facts(b).loops)),
              ff.causes != 0 ? ff.causes : pool.sets.of(selection),
              0,
              0};
  Value chosen_side = fresh({chosen, flag.polynomial, a.polynomial, b.polynomial, 0}, side);
  return with_all(add(b, multiply(chosen_side, difference, bits), bits));
}

Value LaneAlgebra::clamp_to(u32 code, Value a, Value b, bool is_signed, u32 bits) {
  Value x = extend(a, is_signed, bits), y = extend(b, is_signed, bits);
  bool least = code == least_of;
  if (x.polynomial > y.polynomial) std::swap(x, y); // both orders are one symbol
  const std::optional<Range> rx = pool.facts(x).range, ry = pool.facts(y).range;
  if (rx && ry && rx->most <= ry->least) return least ? x : y;
  if (rx && ry && ry->most <= rx->least) return least ? y : x;
  if (pool.is_constant(x) && pool.is_constant(y) && (is_signed || bits < 64)) {
    Lanes l = pool.lanes(pool.constant_of(x)), r = pool.lanes(pool.constant_of(y));
    for (u32 lane = 0; lane < warp_size; ++lane)
      l[lane] = least ? std::min(l[lane], r[lane]) : std::max(l[lane], r[lane]);
    Value out = pool.constant(l);
    out.assumed = assumed(x, y);
    return out;
  }
  Operation operation{code, u64{bits} << 1 | is_signed};
  const Facts fx = pool.facts(x), fy = pool.facts(y);
  if (fx.uniform && fy.uniform) {
    Symbol result;
    result.divisor = std::min(fx.divisor, fy.divisor);
    if (rx && ry)
      result.range = least ? Range{std::min(rx->least, ry->least), std::min(rx->most, ry->most)}
                           : Range{std::max(rx->least, ry->least), std::max(rx->most, ry->most)};
    return opaque(operation, {x, y}, clamp, result);
  }
  if (fx.varying || fy.varying) return opaque(operation, {x, y}, clamp);
  const bool exact = bits < 64 || (range(x, is_signed, 64) && range(y, is_signed, 64));
  const Value difference = subtract(x, y, 64);
  Value first = below(difference, {less, operation.detail}, exact);
  if (!has_cases(first)) {
    Symbol side{SymbolKind::choice,  false, 1, Range{0, 1}, pool.sets.unite(fx.loops, fy.loops),
                pool.sets.of(clamp), 0,     0};
    first = fresh({clamped, x.polynomial, y.polynomial, code, operation.detail}, side);
  }
  Value out =
      least ? add(y, multiply(first, difference, 64), 64) : subtract(x, multiply(first, difference, 64), 64);
  out.assumed = assumed(x, y);
  return out;
}

// Are all its symbols equal in all lanes, or known case by case?
bool LaneAlgebra::has_cases(Value v) {
  for (const Term& t : pool.terms(v))
    for (u32 s : pool.monomial(t.monomial)) {
      const Symbol& symbol = pool.symbol(s);
      if (!symbol.uniform && symbol.kind != SymbolKind::threshold && symbol.kind != SymbolKind::table)
        return false;
    }
  return true;
}

Value LaneAlgebra::smaller(Value a, Value b, bool is_signed, u32 bits) {
  return clamp_to(least_of, a, b, is_signed, bits);
}
Value LaneAlgebra::larger(Value a, Value b, bool is_signed, u32 bits) {
  return clamp_to(most_of, a, b, is_signed, bits);
}

Value LaneAlgebra::divide(Value a, Value b, bool is_signed, u32 bits) {
  Value x = extend(a, is_signed, bits), y = extend(b, is_signed, bits);
  Operation operation{quotient_of, u64{bits} << 1 | is_signed};
  Symbol result;
  if (std::optional<Range> r = pool.facts(x).range; r && r->least >= 0)
    if (std::optional<Range> by = pool.facts(y).range; by && by->least >= 1) result.range = Range{0, r->most};
  if (pool.facts(a).varying || pool.facts(b).varying ||
      (pool.facts(a).uniform && pool.facts(b).uniform && !pool.number(y)))
    return opaque(operation, {a, b}, division, result);
  if (pool.facts(a).uniform && pool.facts(b).uniform && is_signed &&
      !(pool.facts(x).range && pool.facts(x).range->least >= 0))
    return opaque(operation, {a, b}, division, result);
  if (std::optional<i64> n = pool.number(y); n && *n > 0 && std::has_single_bit(static_cast<u64>(*n))) {
    std::optional<Range> known = pool.facts(x).range;
    if (is_signed && !(known && known->least >= 0))
      x = assume(x, {AssumptionKind::not_negative, x.polynomial, 0});
    return shift_right(x, static_cast<u32>(std::countr_zero(static_cast<u64>(*n))), is_signed || bits < 64,
                       64);
  }
  std::optional<Chunk> split = chunk(x);
  if (pool.facts(a).uniform || !pool.facts(y).uniform || !split)
    return opaque(operation, {a, b}, division, result);
  // A divisor that is a multiple of 2^k does not come between lanes within a multiple of 2^k, of numbers ≥ 0.
  i64 most = *std::max_element(split->low.begin(), split->low.end());
  u64 window = std::bit_ceil(static_cast<u64>(most) + 1);
  std::optional<Range> known = pool.facts(x).range;
  Value out = opaque(operation, {split->high, y}, division, result);
  if (is_signed && !(known && known->least >= 0))
    out = assume(out, {AssumptionKind::not_negative, x.polynomial, 0});
  if (pool.facts(y).divisor < window) out = assume(out, {AssumptionKind::multiple, y.polynomial, window});
  out.assumed = pool.sets.unite(out.assumed, x.assumed);
  return out;
}

Value LaneAlgebra::remainder(Value a, Value b, bool is_signed, u32 bits) {
  std::optional<i64> n = pool.number(extend(b, is_signed, bits));
  if (n && *n > 0 && std::has_single_bit(static_cast<u64>(*n))) {
    Value x = extend(a, is_signed, bits);
    std::optional<Range> known = pool.facts(x).range;
    if (is_signed && !(known && known->least >= 0))
      x = assume(x, {AssumptionKind::not_negative, x.polynomial, 0});
    return low_bits(x, static_cast<u32>(std::countr_zero(static_cast<u64>(*n))), 64);
  }
  if (pool.facts(a).uniform && pool.facts(b).uniform) {
    Symbol result;
    if (n && *n > 0) result.range = Range{is_signed ? 1 - *n : 0, *n - 1};
    return opaque({remainder_of, u64{bits} << 1 | is_signed}, {a, b}, division, result);
  }
  Value q = divide(a, b, is_signed, bits);
  if (pool.facts(q).varying) return opaque({remainder_of, u64{bits} << 1 | is_signed}, {a, b}, division);
  return subtract(extend(a, is_signed, bits), multiply(q, extend(b, is_signed, bits), 64), bits);
}

} // namespace warplens::symbolic
