// What has no polynomial, but follows from the lane and from a number with few values that all lanes share: rotations, swizzles
// by a loop's variable. It is kept as a table with a row for each of them.
//
//   (lane + r) % 32       row i, of r % 32: (i, i+1, …, 31, 0, …, i-1)
//   lane ^ k              row i, of k % 32: (0^i, 1^i, …), and the rest of k
//   (32*w + lane) >> k    row i, of min(k, 32): (0 >> i, 1 >> i, …), and 32*w >> k
//
// A table is a varying symbol: the rest of the algebra keeps it in sums and products, and gives up elsewhere.
#include "symbolic/warp/codes.h"
#include <bit>

namespace warplens::symbolic {
namespace {

constexpr u64 most_rows = 65;

bool all_equal(const Lanes& lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [&](i64 lane) { return lane == lanes[0]; });
}

Lanes difference(const Lanes& a, const Lanes& b) {
  Lanes out;
  for (u32 lane = 0; lane < warp_size; ++lane) out[lane] = a[lane] - b[lane];
  return out;
}

} // namespace

bool LaneAlgebra::Rows::within(u64 window) const {
  return std::all_of(rows.begin(), rows.end(), [&](const Lanes& row) {
    return std::all_of(row.begin(), row.end(), [&](i64 v) { return v >= 0 && static_cast<u64>(v) < window; });
  });
}

bool LaneAlgebra::is_by_rows(Value v) {
  for (const Term& t : pool.terms(v))
    for (u32 s : pool.monomial(t.monomial))
      if (!pool.symbol(s).uniform && pool.symbol(s).kind != SymbolKind::table) return false;
  return true;
}

std::optional<LaneAlgebra::Rows> LaneAlgebra::rows_of(Value v, u64 window) {
  const Parts p = parts(v);
  Rows out;
  for (const Term& t : p.others) {
    const std::vector<u32>& symbols = pool.monomial(t.monomial);
    if (symbols.size() != 1 || pool.symbol(symbols[0]).kind != SymbolKind::table) return {};
    const u32 index = pool.symbol(symbols[0]).b;
    if (out.index && *out.index != index) return {};
    out.index = index;
  }
  const i64 first = *std::min_element(p.constant.begin(), p.constant.end());
  const Value start = add(p.uniform, pool.constant(first), 64);
  Value residue = low_bits(start, static_cast<u32>(std::countr_zero(window)), 64);
  i64 known = 0;
  if (std::optional<i64> n = pool.number(residue)) {
    known = *n;
  } else {
    const Facts facts = pool.facts(residue);
    if (window / facts.divisor > most_rows) return {};
    Symbol made;
    made.divisor = facts.divisor;
    made.range = facts.range;
    made.congruent = start.polynomial;
    made.modulus = window;
    residue = opaque({row_index, window}, {residue}, bits_of_mixed, made);
    const u32 index = pool.monomial(pool.terms(residue).front().monomial).front();
    if (out.index && *out.index != index) return {};
    out.index = index;
  }
  out.high = subtract(start, residue, 64);
  out.high.assumed = v.assumed;
  u64 count = 1, step = 0;
  if (out.index) {
    const Symbol& index = pool.symbol(*out.index);
    step = index.divisor;
    count = static_cast<u64>(index.range->most) / step + 1;
    if (pool.number(residue)) step = 0; // of the tables alone
  }
  for (u64 i = 0; i < count; ++i) {
    Lanes row;
    for (u32 lane = 0; lane < warp_size; ++lane)
      row[lane] = p.constant[lane] - first + known + static_cast<i64>(i * step);
    for (const Term& t : p.others) {
      const Lanes of = pool.lanes(pool.table(pool.symbol(pool.monomial(t.monomial)[0]).a)[i]),
                  times = pool.lanes(t.coefficient);
      for (u32 lane = 0; lane < warp_size; ++lane) row[lane] += of[lane] * times[lane];
    }
    out.rows.push_back(row);
  }
  return out;
}

Value LaneAlgebra::of_rows(const Rows& of) {
  const SetId assumed_of_all = of.high.assumed;
  auto done = [&](Value v) {
    v.assumed = assumed_of_all;
    return v;
  };
  const std::vector<Lanes>& rows = of.rows;
  const bool alike = std::all_of(rows.begin(), rows.end(), [&](const Lanes& row) { return row == rows[0]; });
  if (!of.index || alike) return done(pool.constant(rows[0]));
  bool moved = true; // all lanes by the same
  for (const Lanes& row : rows) moved = moved && all_equal(difference(row, rows[0]));
  if (moved && !all_equal(rows[0])) {
    Rows by = of;
    for (Lanes& row : by.rows) row = difference(row, rows[0]);
    return add(of_rows(by), pool.constant(rows[0]), 64);
  }
  const i64 step = static_cast<i64>(pool.symbol(*of.index).divisor);
  bool is_index = moved;
  for (std::size_t i = 0; i < rows.size(); ++i)
    is_index = is_index && rows[i][0] == static_cast<i64>(i) * step;
  if (is_index) return done(pool.of_symbol(*of.index));
  Symbol made;
  made.kind = SymbolKind::table;
  made.uniform = moved;
  made.divisor = most_divisor;
  made.range = Range{rows[0][0], rows[0][0]};
  for (const Lanes& row : rows)
    for (i64 lane : row) {
      made.divisor = std::min(made.divisor, power_of_two_in(lane));
      made.range = Range{std::min(made.range->least, lane), std::max(made.range->most, lane)};
    }
  made.loops = pool.symbol(*of.index).loops;
  made.causes = moved ? 0 : pool.sets.of(bits_of_mixed);
  made.a = pool.table(rows);
  made.b = *of.index;
  return done(fresh({tabled, made.a, made.b, 0, 0}, made));
}

// v modulo 2^count, of one that differs between lanes.
std::optional<Value> LaneAlgebra::low_bits_of_rows(Value v, u32 count) {
  if (count >= 48 || !is_by_rows(v)) return {};
  const i64 size = i64{1} << count;
  if (std::optional<Rows> whole = rows_of(v, static_cast<u64>(size))) {
    for (Lanes& row : whole->rows)
      for (i64& lane : row) lane &= size - 1;
    return of_rows(*whole);
  }
  // More residues than rows: in those of a smaller window lanes may be one window further, and where that is the last one,
  // at the beginning again.
  const Lanes constant = parts(v).constant;
  auto [least, most] = std::minmax_element(constant.begin(), constant.end());
  const i64 window = static_cast<i64>(std::bit_ceil(static_cast<u64>(*most - *least) + 1));
  if (window >= size) return {};
  std::optional<Rows> low = rows_of(v, static_cast<u64>(window));
  if (!low || !low->within(2 * static_cast<u64>(window))) return {};
  const Value high = low_bits(low->high, count, 64);
  Rows back = *low;
  for (Lanes& row : back.rows)
    for (i64& lane : row) lane = lane >= window ? -size : 0;
  const Value last = is_zero(subtract(high, pool.constant(size - window), 64));
  return add(add(high, of_rows(*low), 64), multiply(last, of_rows(back), 64), 64);
}

// Of operands whose bits differ between lanes below some bit alone.
std::optional<Value> LaneAlgebra::bits_of_rows(u32 code, Value a, Value b, u32 bits) {
  constexpr u32 most_bits = 12, all_bits = 40;
  if (!is_by_rows(a) || !is_by_rows(b)) return {};
  const bool all_known = pool.is_constant(parts(a).uniform) && pool.is_constant(parts(b).uniform);
  for (u32 count = all_known ? all_bits : 1; count <= std::max(most_bits, all_known ? all_bits : 0);
       ++count) {
    const u64 window = u64{1} << count;
    std::optional<Rows> x = rows_of(a, window), y = rows_of(b, window);
    if (!x || !y || (x->index && y->index && *x->index != *y->index)) break;
    if (!x->within(window) || !y->within(window)) continue;
    Rows out = x->index ? *x : *y;
    for (std::size_t i = 0; i < out.rows.size(); ++i)
      for (u32 lane = 0; lane < warp_size; ++lane)
        out.rows[i][lane] = combined(code, x->rows[x->index ? i : 0][lane], y->rows[y->index ? i : 0][lane]);
    out.high.assumed = assumed(a, b);
    return add(bits_of(code, x->high, y->high, bits), of_rows(out), bits);
  }
  // Of a mask or a swizzle of a few low bits: what is above them in the other operand stays, or goes.
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    const std::optional<Range> few = pool.facts(b).range;
    if (!few || few->least < 0 || few->most >= 1 << 12) continue;
    const u32 count = static_cast<u32>(std::bit_width(static_cast<u64>(few->most)));
    if (count >= bits) continue;
    const Value low = low_bits(a, count, bits);
    if (low.polynomial == a.polynomial || !is_by_rows(low)) continue;
    const std::optional<Range> range = pool.facts(low).range;
    if (!range || range->least < 0 || range->most >= i64{1} << count) continue;
    const Value changed = bits_of(code, low, b, bits);
    return code == and_bits ? changed : add(subtract(a, low, bits), changed, bits);
  }
  return {};
}

Value LaneAlgebra::shift_right(Value v, Value amount, bool is_signed, u32 bits) {
  const Value number = extend(v, is_signed, bits), clamped = smaller(amount, pool.constant(bits), false, 32);
  const std::optional<Chunk> split = chunk(number);
  const Operation operation{right_shift, u64{1} << 32 | bits << 1 | is_signed};
  if (!split || !pool.facts(amount).uniform) return opaque(operation, {v, amount}, shift_of_mixed);
  Symbol of_all;
  if (std::optional<Range> known = pool.facts(split->high).range; known && known->least >= 0)
    of_all.range = Range{0, known->most};
  const Value high = pool.number(split->high) == 0
                         ? pool.constant(0)
                         : opaque(operation, {split->high, amount}, shift_of_mixed, of_all);
  Symbol made;
  made.range = Range{0, bits};
  if (std::optional<Range> known = pool.facts(clamped).range) made.range->most = known->most;
  auto shifted = [&](i64 by) -> std::optional<Lanes> {
    Lanes row = split->low;
    for (i64& lane : row) lane = by >= 63 ? 0 : lane >> by;
    return row;
  };
  Value out = add(high, by_number(clamped, made.range->most, shifted, operation, {}), 64);
  out.assumed = assumed(number, amount);
  return out;
}

Value LaneAlgebra::by_number(Value number, i64 most, const std::function<std::optional<Lanes>(i64)>& made,
                             Operation operation, const std::vector<Value>& operands) {
  Symbol of_index;
  of_index.range = Range{0, most};
  const Value index = opaque({row_index, static_cast<u64>(most)}, {number}, other_operation, of_index);
  Rows rows{number, pool.monomial(pool.terms(index).front().monomial).front(), {}};
  for (i64 n = 0; n <= most; ++n) {
    std::optional<Lanes> row = made(n);
    if (!row) return opaque(operation, operands);
    rows.rows.push_back(*row);
  }
  return of_rows(rows);
}

Value LaneAlgebra::reverse_bits(Value v, u32 bits) {
  const Operation operation{reversed, bits};
  auto turned = [&](i64 lane) {
    u64 out = 0;
    for (u32 bit = 0; bit < bits; ++bit) out |= (static_cast<u64>(lane) >> bit & 1) << (bits - 1 - bit);
    return reduced(static_cast<i64>(out), bits);
  };
  const std::optional<Chunk> split = chunk(v);
  if (!split) return opaque(operation, {v}, bits_of_mixed);
  Lanes low = split->low;
  for (i64& lane : low) lane = turned(lane);
  if (std::optional<i64> n = pool.number(split->high))
    return pool.polynomial({{0, pool.sum(pool.coefficient(low), {turned(*n)})}}, v.assumed, bits);
  Symbol made; // what is divisible by the unit has none of its upper bits, turned
  const u32 above = static_cast<u32>(std::countr_zero(split->unit));
  if (bits - std::min(above, bits) < 63)
    made.range = Range{0, (i64{1} << (bits - std::min(above, bits))) - 1};
  return add(opaque(operation, {split->high}, bits_of_mixed, made), pool.constant(low), bits);
}

} // namespace warplens::symbolic
