#include "symbolic/warp/cases.h"
#include <limits>
#include <set>

namespace warplens::symbolic {
namespace {

Lanes all_lanes(i64 v) {
  Lanes out;
  out.fill(v);
  return out;
}

// By how much the decider, in multiples of its divisor, is above the bounds.
std::vector<Case> of_threshold(Pool& pool, const Symbol& symbol) {
  const Lanes bound = pool.lanes({0, symbol.a});
  const Value decider{symbol.decider, 0};
  const i64 unit = static_cast<i64>(pool.facts(decider).divisor);
  Range range{std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()};
  if (symbol.b != 0) range = pool.facts(decider).range.value_or(range);
  auto possible = [&](std::optional<i64> from, std::optional<i64> below) {
    return (!from || range.most >= *from * unit) && (!below || range.least < *below * unit);
  };
  const std::set<i64> limits(bound.begin(), bound.end());
  std::vector<Case> out;
  std::optional<i64> before;
  for (i64 limit : limits) {
    if (possible(before, limit)) {
      Case one;
      for (u32 lane = 0; lane < warp_size; ++lane) one.value[lane] = bound[lane] >= limit;
      if (before && limit == *before + 1) { // then it is one number
        std::vector<Term> difference = pool.terms(decider);
        difference.push_back({0, {-*before * unit}});
        one.zero = pool.polynomial(std::move(difference), 0).polynomial;
      }
      out.push_back(one);
    }
    before = limit;
  }
  if (possible(before, {})) out.push_back({all_lanes(0), 0});
  return out;
}

u32 varying_terms(const Pool& pool, Value v) {
  u32 out = 0;
  for (const Term& t : pool.terms(v)) out += t.monomial != 0 && !t.coefficient.uniform();
  return out;
}

} // namespace

std::vector<Case> cases_of(Pool& pool, u32 number) {
  const Symbol symbol = pool.symbol(number);
  std::vector<Case> out;
  if (symbol.kind == SymbolKind::threshold) return of_threshold(pool, symbol);
  if (symbol.kind == SymbolKind::table) {
    for (Coefficient row : pool.table(symbol.a)) out.push_back({pool.lanes(row), 0});
  } else if (symbol.uniform && symbol.range == Range{0, 1}) {
    out = {{all_lanes(0), 0}, {all_lanes(1), symbol.decider}};
  }
  return out;
}

Value where_zero(Pool& pool, Value v, u32 zero) {
  constexpr i64 turn = i64{1} << 32; // of a register, which all lanes share
  if (zero == 0 || varying_terms(pool, v) == 0) return v;
  const std::vector<Term> known = pool.terms({zero, 0}), terms = pool.terms(v);
  for (const Term& pivot : known) {
    if (pivot.monomial == 0 || !pivot.coefficient.uniform() || pivot.coefficient.value % turn == 0) continue;
    auto here =
        std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.monomial == pivot.monomial; });
    if (here == terms.end() || here->coefficient.uniform()) continue;
    Lanes times = pool.lanes(here->coefficient);
    bool whole = true;
    for (i64& lane : times) {
      whole = whole && lane % pivot.coefficient.value == 0;
      lane = -(lane / pivot.coefficient.value);
    }
    if (!whole) continue;
    std::vector<Term> sum = terms;
    for (const Term& t : known)
      if (t.monomial == 0 || t.coefficient.value % turn != 0)
        sum.push_back({t.monomial, pool.product(t.coefficient, pool.coefficient(times))});
    const Value out = pool.polynomial(std::move(sum), v.assumed);
    if (varying_terms(pool, out) < varying_terms(pool, v)) return out;
  }
  return v;
}

} // namespace warplens::symbolic
