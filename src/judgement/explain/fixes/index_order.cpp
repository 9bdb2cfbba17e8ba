// Neighbouring threads walk down a column: exchange the roles of row and column. In the index
// rows·length + columns, where threadIdx.x counts rows, the other index then counts them: columns·length + rows. Where no index of a
// thread or block selects the column, none can take that place. Then the array is stored the other way round, with as many elements in
// a row as there were rows, which the index does not say.
#include "explain/fixes/tools.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

using symbolic::Algebra;
using symbolic::FactorId;
using symbolic::QuasiPolynomial;

namespace {

constexpr i64 largest_structure = 16; // elements: a shorter "row" is an array of structures

bool has_index(const QuasiPolynomial& p) {
  constexpr u32 end = block_x.value + 3; // threadIdx and blockIdx, three variables each
  return std::ranges::any_of(p.terms, [](const auto& term) {
    return std::ranges::any_of(term.first, [](FactorId id) { return id.value < end; });
  });
}

void offer_swap(Situation& s, const RowLength& row, std::vector<advise::Advice>& list) {
  Algebra& algebra = s.symbolic.form.algebra();
  const bool exchanges = has_index(row.columns);
  const QuasiPolynomial swapped =
      exchanges ? algebra.add(algebra.multiply(row.columns, row.length), row.rows) : row.rows;
  advise::Advice out;
  out.rule = findings::uncoalesced(s.manner.kind);
  out.title = exchanges ? "Swap the index order" : "Store the array the other way round";
  out.cause =
      fmt::format("threadIdx.x selects the row, so neighbouring threads are {} elements ({} bytes) apart.",
                  row.text, row.value * s.target.element.size);
  out.change = exchanges ? "Let threadIdx.x select the column: exchange the roles of the two thread indices."
                         : "Keep element k of all rows side by side (count: how many rows).";
  const std::size_t terms = row.columns.terms.size();
  std::string columns = algebra.text(row.columns);
  if (terms > 1) columns = "(" + columns + ")";
  out.example =
      fmt::format("{}[{}{}]", s.target.array, exchanges || terms == 0 ? std::string() : columns + "*count + ",
                  algebra.text(swapped));
  out.metric = metric_of(s);
  out.before = s.block;
  predict(s, bytes_of(s, swapped), out);
  out.confidence = advise::Confidence::likely;
  offer(list, std::move(out));
}

// A short step: members of a structure spelled out by hand. Each becomes an array of its own.
void offer_arrays(Situation& s, const RowLength& row, std::vector<advise::Advice>& list) {
  advise::Advice out;
  out.rule = findings::uncoalesced(s.manner.kind);
  out.title = "One array per member (structure of arrays)";
  out.cause =
      fmt::format("Neighbouring threads use one element in {}; the others travel for nothing.", row.value);
  out.change = fmt::format(
      "Store each of the {} interleaved values in an array of its own; where the others are never "
      "used, pack those that are.",
      row.value);
  out.example = fmt::format("{}_k[{}]", s.target.array, s.symbolic.form.algebra().text(row.rows));
  out.metric = metric_of(s);
  out.before = s.block;
  predict(s, bytes_of(s, row.rows), out);
  offer(list, std::move(out));
}

} // namespace

void swap_index_order(Situation& s, std::vector<advise::Advice>& list) {
  std::optional<QuasiPolynomial> index = element_index(s);
  if (!index || s.question.space == access::Space::constant || s.question.space == access::Space::local)
    return;
  FactorId x{thread_x.value};
  std::optional<Algebra::Linear> along = s.symbolic.form.algebra().linear(*index, x);
  if (!along) return;
  for (const RowLength& row : row_lengths(s, *index)) {
    if (row.length != along->coefficient) continue;
    // Rows that are declared as such are those of a matrix.
    bool short_row = row.value <= largest_structure && s.target.subscripts.size() == 1;
    if (short_row)
      offer_arrays(s, row, list);
    else if (s.question.space != access::Space::shared)
      offer_swap(s, row, list);
    return;
  }
}

} // namespace warplens::explain
