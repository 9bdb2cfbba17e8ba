// Trying a fix means evaluating another index for the same threads: the index is rearranged as a
// quasi-polynomial and evaluated thread by thread. The interesting part is finding what a "row" is: see
// candidates().
#include "explain/fixes/tools.h"
#include <algorithm>

namespace warplens::explain {

using advise::Advice;
using advise::Metric;
using symbolic::Algebra;
using symbolic::FactorId;
using symbolic::QuasiPolynomial;

std::vector<Wide> values_of(const Situation& s, u64 thread) {
  Values out = values_of(s.tree, s.question, thread);
  s.symbolic.form.algebra().complete(out);
  return out;
}

Footprint moved(const Situation& s, const QuasiPolynomial& bytes) {
  Footprint out = s.footprint;
  for (std::size_t thread = 0; thread < out.offset.size(); ++thread)
    if (out.active[thread] != 0)
      out.offset[thread] = static_cast<i64>(Algebra::evaluate(bytes, values_of(s, thread)));
  return out;
}

arch::Counts counted(const Situation& s, const Footprint& footprint, const Mode& manner) {
  return count_block(s.arch, footprint, manner);
}
arch::Counts counted(const Situation& s, const QuasiPolynomial& bytes) {
  return counted(s, moved(s, bytes), s.manner);
}

void predict(const Situation& s, const Footprint& footprint, const Mode& manner, Advice& out) {
  out.after = counted(s, footprint, manner);
  out.lanes = access_of(footprint, manner, manner.pieces[0], s.question.warp);
}
void predict(const Situation& s, const QuasiPolynomial& bytes, Advice& out) {
  predict(s, moved(s, bytes), s.manner, out);
}

std::optional<QuasiPolynomial> element_index(const Situation& s) {
  QuasiPolynomial shifted = s.symbolic.form.algebra().subtract(
      s.symbolic.bytes, Algebra::constant(static_cast<i64>(s.target.offset)));
  QuasiPolynomial out;
  for (const auto& [monomial, coefficient] : shifted.terms) {
    if (coefficient % s.target.element.size != 0) return {};
    out.terms[monomial] = coefficient / s.target.element.size;
  }
  return out;
}

QuasiPolynomial bytes_of(const Situation& s, const QuasiPolynomial& index) {
  Algebra& algebra = s.symbolic.form.algebra();
  return algebra.add(algebra.multiply(index, Algebra::constant(s.target.element.size)),
                     Algebra::constant(static_cast<i64>(s.target.offset)));
}

namespace {

// Every single term that could be a row's length: the coefficient of a thread or block index, without the
// block's own extents (blockIdx.y*blockDim.y*n has the length n), then parameters that multiply something.
std::vector<QuasiPolynomial> candidates(const Situation& s, const QuasiPolynomial& index) {
  std::vector<QuasiPolynomial> out;
  const auto add = [&](symbolic::Monomial monomial, i64 coefficient) {
    std::erase_if(monomial, [](FactorId id) { return id.value < warp_size_variable.value; });
    QuasiPolynomial candidate;
    candidate.terms[monomial] = coefficient;
    bool one = monomial.empty() && (coefficient == 1 || coefficient == -1);
    if (!one && std::find(out.begin(), out.end(), candidate) == out.end()) out.push_back(candidate);
  };
  Algebra& algebra = s.symbolic.form.algebra();
  for (VariableId v : {thread_x, thread_y, thread_z, block_x, VariableId{4u}, VariableId{5u}}) {
    const QuasiPolynomial whole =
        Algebra::divide_terms(index, Algebra::factor(FactorId{v.value})).quotient; // 32 + pad
    const bool of_indices = std::ranges::any_of(whole.terms, [](const auto& term) {
      return std::ranges::any_of(term.first, [](FactorId id) { return id.value < warp_size_variable.value; });
    });
    if (whole.terms.size() > 1 && !of_indices) out.push_back(whole);
    for (const auto& [monomial, coefficient] : whole.terms) add(monomial, coefficient);
  }
  for (const auto& [monomial, coefficient] :
       index.terms) // i*n with a loop counter i: either may be the length
    if (monomial.size() == 2 && algebra.is_variable(monomial[0]) && algebra.is_variable(monomial[1]))
      for (FactorId id : {monomial[1], monomial[0]}) add({id}, 1);
  return out;
}

} // namespace

std::vector<RowLength> row_lengths(const Situation& s, const QuasiPolynomial& index) {
  std::vector<RowLength> out;
  std::vector<Wide> values = values_of(s, 0);
  for (QuasiPolynomial& length : candidates(s, index)) {
    Wide value = Algebra::evaluate(length, values);
    if (value < 2 || value > (i64{1} << 40)) continue;
    Algebra::Division split = Algebra::divide_terms(index, length);
    out.push_back({length, static_cast<i64>(value), s.symbolic.form.algebra().text(length), split.quotient,
                   split.rest});
  }
  return out;
}

Metric metric_of(const Situation& s) {
  if (s.question.space == access::Space::shared) return Metric::wavefronts;
  if (s.question.space == access::Space::constant) return Metric::requests;
  return Metric::transactions;
}

void offer(std::vector<Advice>& list, Advice advice) {
  u64 before = advise::value(advice.metric, advice.before),
      after = advise::value(advice.metric, advice.after);
  const arch::Counts &a = advice.before, &b = advice.after;
  bool better = after < before ||
                (after == before && (b.transaction_bytes < a.transaction_bytes ||
                                     (b.transaction_bytes == a.transaction_bytes && b.tags < a.tags)));
  if (better) list.push_back(std::move(advice));
}

std::vector<Advice> fixes(Situation situation) {
  std::vector<Advice> out;
  if (situation.block.instructions == 0) return out;
  for (Fix* fix : {swap_index_order, pad_rows, pad_shared_rows, align_type, split_structure, vector_loads,
                   align_start, by_lanes})
    fix(situation, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Advice& a, const Advice& b) { return a.gain() > b.gain(); });
  return out;
}

} // namespace warplens::explain
