// Polynomials in one normal form, each kept once, with what is known of their values. See pool.h.
#include "symbolic/warp/pool.h"
#include <bit>

namespace warplens::symbolic {
namespace {

std::size_t mixed(std::size_t hash, u64 v) {
  return (hash ^ (v + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdull;
}

i64 wrapping_sum(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
i64 wrapping_product(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b)); }

__extension__ using i128 = __int128;
// A range of which nothing is left to overflow in sums of a few.
constexpr i128 most_bound = i128{1} << 62;

struct WideRange {
  i128 least = 0, most = 0;
  bool sane() const { return least > -most_bound && most < most_bound; }
};

u64 product_of_divisors(u64 a, u64 b) { return a >= most_divisor / b ? most_divisor : a * b; }

WideRange times(WideRange a, i128 least, i128 most) {
  i128 all[] = {a.least * least, a.least * most, a.most * least, a.most * most};
  return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
}

} // namespace

u64 power_of_two_in(i64 v) {
  return v == 0 ? most_divisor : std::min(most_divisor, u64{1} << std::countr_zero(static_cast<u64>(v)));
}

i64 reduced(i64 v, u32 bits) {
  if (bits >= 64) return v;
  u64 shifted = static_cast<u64>(v) << (64 - bits);
  return static_cast<i64>(shifted) >> (64 - bits);
}

std::size_t Pool::Hash::operator()(const std::vector<Term>& terms) const {
  std::size_t hash = terms.size();
  for (const Term& t : terms)
    hash = mixed(mixed(hash, u64{t.monomial} << 32 | t.coefficient.lanes),
                 static_cast<u64>(t.coefficient.value));
  return hash;
}
std::size_t Pool::Hash::operator()(const std::vector<u32>& symbols) const {
  std::size_t hash = symbols.size();
  for (u32 s : symbols) hash = mixed(hash, s);
  return hash;
}
std::size_t Pool::Hash::operator()(const Lanes& lanes) const {
  std::size_t hash = 0;
  for (i64 lane : lanes) hash = mixed(hash, static_cast<u64>(lane));
  return hash;
}
std::size_t Pool::Hash::operator()(const SymbolKey& key) const {
  return mixed(mixed(mixed(key.operation, u64{key.x} << 32 | key.y), key.z), key.detail);
}

Pool::Pool() : monomials_(1), lanes_(1), polynomials_(1) {
  monomial_ids_[{}] = 0;
  polynomial_ids_[{}] = 0;
  facts_.push_back(facts_of({}));
}

u32 Pool::symbol(const SymbolKey& key, const Symbol& made) {
  auto [known, fresh] = symbol_ids_.try_emplace(key, static_cast<u32>(symbols_.size()));
  if (fresh) symbols_.push_back(made);
  return known->second;
}

Value Pool::constant(i64 v) { return polynomial({{0, {v}}}, 0); }
Value Pool::constant(const Lanes& lanes) { return polynomial({{0, coefficient(lanes)}}, 0); }
Value Pool::of_symbol(u32 number) { return polynomial({{monomial_of({number}), {1}}}, 0); }

u32 Pool::monomial_of(std::vector<u32> symbols) {
  auto [known, fresh] = monomial_ids_.try_emplace(symbols, static_cast<u32>(monomials_.size()));
  if (fresh) monomials_.push_back(std::move(symbols));
  return known->second;
}

u32 Pool::product(u32 monomial, u32 other) {
  if (monomial == 0 || other == 0) return monomial + other;
  std::vector<u32> all;
  std::merge(monomials_[monomial].begin(), monomials_[monomial].end(), monomials_[other].begin(),
             monomials_[other].end(), std::back_inserter(all));
  return monomial_of(std::move(all));
}

Coefficient Pool::coefficient(const Lanes& lanes) {
  if (std::all_of(lanes.begin(), lanes.end(), [&](i64 lane) { return lane == lanes[0]; })) return {lanes[0]};
  auto [known, fresh] = lane_ids_.try_emplace(lanes, static_cast<u32>(lanes_.size()));
  if (fresh) lanes_.push_back(lanes);
  return {0, known->second};
}

u32 Pool::table(const std::vector<Lanes>& rows) {
  std::vector<Coefficient> made;
  std::vector<std::pair<i64, u32>> key;
  for (const Lanes& row : rows) {
    made.push_back(coefficient(row));
    key.emplace_back(made.back().value, made.back().lanes);
  }
  auto [known, fresh] = table_ids_.try_emplace(std::move(key), static_cast<u32>(tables_.size()));
  if (fresh) tables_.push_back(std::move(made));
  return known->second;
}

Lanes Pool::lanes(Coefficient c) const {
  if (!c.uniform()) return lanes_[c.lanes];
  Lanes all;
  all.fill(c.value);
  return all;
}

Coefficient Pool::sum(Coefficient a, Coefficient b) {
  if (a.uniform() && b.uniform()) return {wrapping_sum(a.value, b.value)};
  Lanes x = lanes(a), y = lanes(b);
  for (u32 lane = 0; lane < warp_size; ++lane) x[lane] = wrapping_sum(x[lane], y[lane]);
  return coefficient(x);
}

Coefficient Pool::product(Coefficient a, Coefficient b) {
  if (a.uniform() && b.uniform()) return {wrapping_product(a.value, b.value)};
  if (a == Coefficient{1}) return b;
  if (b == Coefficient{1}) return a;
  Lanes x = lanes(a), y = lanes(b);
  for (u32 lane = 0; lane < warp_size; ++lane) x[lane] = wrapping_product(x[lane], y[lane]);
  return coefficient(x);
}

// Sorts, sums, and drops zeros.
void Pool::add_up(std::vector<Term>& terms, u32 bits) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.monomial < b.monomial; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term sum_of = terms[i++];
    while (i < terms.size() && terms[i].monomial == sum_of.monomial)
      sum_of.coefficient = sum(sum_of.coefficient, terms[i++].coefficient);
    if (bits < 64) sum_of.coefficient = map(sum_of.coefficient, [&](i64 v) { return reduced(v, bits); });
    if (!(sum_of.coefficient == Coefficient{})) terms[kept++] = sum_of;
  }
  terms.resize(kept);
}

Value Pool::polynomial(std::vector<Term> terms, SetId assumed, u32 bits) {
  ++steps_;
  add_up(terms, bits);
  auto found = polynomial_ids_.find(terms);
  if (found == polynomial_ids_.end()) {
    found = polynomial_ids_.emplace(terms, static_cast<u32>(polynomials_.size())).first;
    facts_.push_back(facts_of(terms));
    polynomials_.push_back(std::move(terms));
  }
  return {found->second, assumed};
}

u64 Pool::divisor_of_monomial(const std::vector<u32>& symbols) const {
  u64 divisor = 1;
  for (u32 s : symbols) divisor = product_of_divisors(divisor, symbols_[s].divisor);
  return divisor;
}

u64 Pool::divisor(Coefficient c) const {
  if (c.uniform()) return power_of_two_in(c.value);
  u64 out = most_divisor;
  for (i64 lane : lanes_[c.lanes]) out = std::min(out, power_of_two_in(lane));
  return out;
}

u64 Pool::divisor(const Term& t) const {
  return product_of_divisors(divisor(t.coefficient), divisor_of_monomial(monomials_[t.monomial]));
}

u64 Pool::divisor(const Congruent& c) const {
  u64 out = c.modulus;
  for (const Term& t : c.terms) out = std::min(out, divisor(t));
  return out;
}

// The symbol made last that is low bits of something.
std::optional<u32> Pool::low_bits_in(const std::vector<Term>& terms) const {
  std::optional<u32> out;
  for (const Term& t : terms)
    for (u32 s : monomials_[t.monomial])
      if (symbols_[s].modulus > 1 && (!out || s > *out)) out = s;
  return out;
}

Pool::Congruent Pool::congruent(std::vector<Term> terms) {
  constexpr u32 most_steps = 4; // low bits of low bits
  constexpr std::size_t most_terms = 64;
  Congruent now{std::move(terms)}, best = now;
  for (u32 step = 0; step < most_steps && now.terms.size() <= most_terms; ++step) {
    const std::optional<u32> low = low_bits_in(now.terms);
    if (!low) break;
    const Symbol& bits = symbols_[*low];
    Congruent next{{}, now.modulus};
    for (const Term& t : now.terms) {
      std::vector<u32> others = monomials_[t.monomial];
      auto at = std::find(others.begin(), others.end(), *low);
      if (at == others.end()) {
        next.terms.push_back(t);
        continue;
      }
      others.erase(at);
      const u32 factor = monomial_of(others);
      next.modulus =
          std::min(next.modulus, product_of_divisors(divisor(Term{factor, t.coefficient}), bits.modulus));
      for (const Term& whole : polynomials_[bits.congruent])
        next.terms.push_back({product(factor, whole.monomial), product(t.coefficient, whole.coefficient)});
    }
    add_up(next.terms, 64);
    now = std::move(next);
    auto rank = [&](const Congruent& c) { return std::pair(divisor(c), -static_cast<i64>(c.terms.size())); };
    if (rank(now) > rank(best)) best = now;
  }
  return best;
}

Facts Pool::facts_of(const std::vector<Term>& terms) {
  Facts out;
  WideRange range;
  bool bounded = true;
  for (const Term& t : terms) {
    out.divisor = std::min(out.divisor, divisor(t));
    out.uniform = out.uniform && t.coefficient.uniform();
    WideRange term{1, 1};
    for (u32 number : monomials_[t.monomial]) {
      const Symbol& s = symbols_[number];
      out.constant = false;
      out.uniform = out.uniform && s.uniform;
      out.varying = out.varying || !s.uniform;
      out.loops = sets.unite(out.loops, s.loops);
      out.causes = sets.unite(out.causes, s.causes);
      bounded = bounded && s.range && term.sane();
      if (bounded) term = times(term, s.range->least, s.range->most);
    }
    Lanes all = lanes(t.coefficient);
    auto [least, most] = std::minmax_element(all.begin(), all.end());
    if (bounded && term.sane()) term = times(term, *least, *most);
    bounded = bounded && term.sane();
    if (bounded) range = {range.least + term.least, range.most + term.most};
    bounded = bounded && range.sane();
  }
  if (bounded) out.range = Range{static_cast<i64>(range.least), static_cast<i64>(range.most)};
  if (low_bits_in(terms)) out.divisor = divisor(congruent(terms));
  return out;
}

Coefficient Pool::constant_of(Value v) const {
  const std::vector<Term>& all = terms(v);
  return !all.empty() && all.front().monomial == 0 ? all.front().coefficient : Coefficient{};
}

std::optional<i64> Pool::number(Value v) const {
  if (!facts(v).constant || !facts(v).uniform) return {};
  return constant_of(v).value;
}

} // namespace warplens::symbolic
