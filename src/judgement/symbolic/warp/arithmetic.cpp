// Sums, products, extension and chunks.
#include "symbolic/warp/codes.h"

namespace warplens::symbolic {

namespace {
constexpr std::size_t most_terms_of_product = 40; // of a polynomial; larger ones become a symbol
}

Value LaneAlgebra::fresh(const SymbolKey& key, Symbol made) { return pool.of_symbol(pool.symbol(key, made)); }

Value LaneAlgebra::opaque(Operation operation, const std::vector<Value>& operands, u32 cause, Symbol made) {
  SymbolKey key{operation.code, 0, 0, 0, operation.detail};
  SetId assumed_of_all = 0;
  made.uniform = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Facts& facts = pool.facts(operands[i]);
    (i == 0 ? key.x : i == 1 ? key.y : key.z) = operands[i].polynomial;
    if (i > 2) key.detail = key.detail * 0x9e3779b97f4a7c15ull + operands[i].polynomial;
    made.uniform = made.uniform && facts.uniform;
    made.loops = pool.sets.unite(made.loops, facts.loops);
    made.causes = pool.sets.unite(made.causes, facts.causes);
    assumed_of_all = pool.sets.unite(assumed_of_all, operands[i].assumed);
  }
  if (made.uniform)
    made.causes = 0;
  else if (made.causes == 0)
    made.causes = pool.sets.of(cause);
  if (made.kind == SymbolKind::other) made.kind = SymbolKind::result;
  Value out = fresh(key, made);
  out.assumed = assumed_of_all;
  return out;
}

Value LaneAlgebra::assume(Value v, const Assumption& assumption) {
  auto known = std::find(assumptions_.begin(), assumptions_.end(), assumption);
  u32 number = static_cast<u32>(known - assumptions_.begin());
  if (known == assumptions_.end()) assumptions_.push_back(assumption);
  v.assumed = pool.sets.unite(v.assumed, pool.sets.of(number));
  return v;
}

Value LaneAlgebra::add(Value a, Value b, u32 bits) {
  std::vector<Term> terms = pool.terms(a);
  const std::vector<Term>& more = pool.terms(b);
  terms.insert(terms.end(), more.begin(), more.end());
  Value sum = pool.polynomial(std::move(terms), assumed(a, b), bits);
  if (pool.terms(sum).size() <= most_terms_of_product) return sum;
  return opaque({product_of, bits}, {sum}, too_large);
}

Value LaneAlgebra::scale(Value a, i64 factor, u32 bits) {
  std::vector<Term> terms = pool.terms(a);
  for (Term& t : terms) t.coefficient = pool.product(t.coefficient, {factor});
  return pool.polynomial(std::move(terms), a.assumed, bits);
}

Value LaneAlgebra::subtract(Value a, Value b, u32 bits) { return add(a, scale(b, -1, 64), bits); }

Value LaneAlgebra::truncate(Value a, u32 bits) { return pool.polynomial(pool.terms(a), a.assumed, bits); }

Value LaneAlgebra::multiply(Value a, Value b, u32 bits) {
  const std::vector<Term>&x = pool.terms(a), &y = pool.terms(b);
  if (x.size() * y.size() > most_terms_of_product) return opaque({product_of, bits}, {a, b}, too_large);
  std::vector<Term> terms;
  for (const Term& s : x)
    for (const Term& t : y)
      terms.push_back({pool.product(s.monomial, t.monomial), pool.product(s.coefficient, t.coefficient)});
  return pool.polynomial(std::move(terms), assumed(a, b), bits);
}

LaneAlgebra::Parts LaneAlgebra::parts(Value v) {
  Parts out;
  std::vector<Term> uniform;
  for (const Term& t : pool.terms(v)) {
    bool same = t.coefficient.uniform();
    for (u32 s : pool.monomial(t.monomial)) same = same && pool.symbol(s).uniform;
    if (t.monomial == 0)
      out.constant = pool.lanes(t.coefficient);
    else if (same)
      uniform.push_back(t);
    else
      out.others.push_back(t);
  }
  out.uniform = pool.polynomial(std::move(uniform), v.assumed);
  return out;
}

std::optional<Chunk> LaneAlgebra::chunk(Value v, u64 most_unit) {
  Parts p = parts(v);
  if (!p.others.empty()) return {};
  Chunk out;
  out.unit = std::min(pool.facts(p.uniform).divisor, most_unit);
  i64 base = floor_divided(p.constant[0], out.unit);
  for (u32 lane = 0; lane < warp_size; ++lane) {
    if (floor_divided(p.constant[lane], out.unit) != base) return {};
    out.low[lane] = p.constant[lane] - base * static_cast<i64>(out.unit);
  }
  out.high = add(p.uniform, pool.constant(base * static_cast<i64>(out.unit)), 64);
  return out;
}

std::optional<Range> LaneAlgebra::range(Value v, bool is_signed, u32 bits) {
  std::optional<Range> known = pool.facts(v).range;
  if (!known) return {};
  if (bits >= 64) return is_signed || known->least >= 0 ? known : std::nullopt;
  i64 least = is_signed ? -(i64{1} << (bits - 1)) : 0;
  i64 most = is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  return known->least >= least && known->most <= most ? known : std::nullopt;
}

// Of lanes' known numbers plus what all lanes share, whose range is known: where the sum fits with each lane's number
// taken as the register has it.
std::optional<Value> LaneAlgebra::extended_apart(Value v, bool is_signed, u32 bits) {
  Parts p = parts(v);
  const std::optional<Range> shared = pool.facts(p.uniform).range;
  if (bits >= 63 || !p.others.empty() || !shared) return {};
  const i64 size = i64{1} << bits, least = is_signed ? -size / 2 : 0;
  for (i64& lane : p.constant) {
    lane = is_signed ? reduced(lane, bits) : lane & (size - 1);
    if (lane + shared->least < least || lane + shared->most >= least + size) return {};
  }
  return add(p.uniform, pool.constant(p.constant), 64);
}

// Where lanes differ by tables and known numbers within a multiple of a power of two that divides the rest: that rest.
std::optional<Value> LaneAlgebra::high_of_rows(Value v) {
  const Parts p = parts(v);
  if (p.others.empty() || !is_by_rows(v)) return {};
  const std::optional<Range> low = pool.facts(subtract(v, p.uniform, 64)).range;
  const u64 unit = pool.facts(p.uniform).divisor;
  if (!low || floor_divided(low->least, unit) != floor_divided(low->most, unit)) return {};
  return add(p.uniform, pool.constant(floor_divided(low->least, unit) * static_cast<i64>(unit)), 64);
}

Value LaneAlgebra::extend(Value v, bool is_signed, u32 bits) {
  if (range(v, is_signed, bits) || !wraps_around) return v;
  if (pool.is_constant(v)) {
    if (bits >= 64) return v;
    Coefficient c = pool.map(pool.constant_of(v), [&](i64 lane) {
      return is_signed ? reduced(lane, bits) : lane & ((i64{1} << bits) - 1);
    });
    return pool.polynomial({{0, c}}, v.assumed);
  }
  if (pool.facts(v).varying) {
    bool cases = true; // clamps and selections between known values, tables: each is to be a number
    for (const Term& t : pool.terms(v))
      for (u32 s : pool.monomial(t.monomial)) {
        const SymbolKind kind = pool.symbol(s).kind;
        cases = cases && (pool.symbol(s).uniform || kind == SymbolKind::choice ||
                          kind == SymbolKind::threshold || kind == SymbolKind::table);
      }
    if (!cases) return v;
  }
  if (std::optional<Value> number = extended_apart(v, is_signed, bits)) return *number;
  // 2^bits times a number that all lanes share, or are assumed to.
  Value above = v, out = v;
  if (!pool.facts(v).uniform) {
    if (std::optional<Chunk> split = chunk(v, bits >= 64 ? most_divisor : u64{1} << bits))
      above = split->high;
    else if (std::optional<Value> high = high_of_rows(v))
      above = *high;
    else
      out = assume(v, {is_signed ? AssumptionKind::no_signed_wrap : AssumptionKind::no_unsigned_wrap, 0, 0});
  }
  if (bits >= 64) return out;
  Symbol turns{SymbolKind::result, true, 1, {}, pool.facts(v).loops, 0, 0, 0};
  SymbolKey key{wraps, above.polynomial, bits, is_signed, 0};
  return add(out, scale(fresh(key, turns), static_cast<i64>(u64{1} << bits), 64), 64);
}

Value LaneAlgebra::shift_left(Value v, Value amount, u32 bits) {
  if (std::optional<i64> n = pool.number(amount))
    return *n < 0 || *n >= bits ? pool.constant(0) : scale(v, static_cast<i64>(u64{1} << *n), bits);
  if (pool.facts(amount).uniform) return multiply(v, opaque({power, bits}, {amount}), bits);
  return opaque({power, bits}, {v, amount}, shift_of_mixed);
}

} // namespace warplens::symbolic
