// The byte offset as a quasi-polynomial: the factor in front of threadIdx.x, where it has one, decides the form.
#include "explain/model/form.h"
#include "base/bits.h"

namespace warplens::explain {

using symbolic::Algebra;
using symbolic::FactorId;
using symbolic::Interval;
using symbolic::QuasiPolynomial;

std::string_view name(FormKind kind) {
  switch (kind) {
  case FormKind::consecutive: return "consecutive";
  case FormKind::uniform: return "uniform";
  case FormKind::strided: return "strided";
  case FormKind::other: return "other";
  }
  return "";
}

Values values_of(const Tree& tree, const Question& question, u64 thread) {
  const Dim3 &b = question.block, &g = question.grid, &c = question.cta;
  Values out = {static_cast<Wide>(thread % b.x),
                static_cast<Wide>(thread / b.x % b.y),
                static_cast<Wide>(thread / (u64{b.x} * b.y)),
                c.x,
                c.y,
                c.z,
                b.x,
                b.y,
                b.z,
                g.x,
                g.y,
                g.z};
  for (std::size_t i = out.size(); i < tree.variables.size(); ++i) out.push_back(tree.variables[i].value);
  return out;
}

std::vector<Interval> ranges_of(const Tree& tree, const Question& question) {
  const Dim3 &block = question.block, &grid = question.grid;
  std::vector<Interval> out;
  for (Dim3 size : {block, grid})
    for (u32 extent : {size.x, size.y, size.z}) out.push_back({0, Wide{extent} - 1});
  for (Dim3 size : {block, grid})
    for (u32 extent : {size.x, size.y, size.z}) out.push_back(symbolic::point(extent));
  for (std::size_t i = out.size(); i < tree.variables.size(); ++i)
    out.push_back(symbolic::point(tree.variables[i].value));
  return out;
}

SymbolicAccess symbolic_access(const Tree& tree, const Target& target, const Question& question) {
  SymbolicAccess out{NormalForm(tree, ranges_of(tree, question)), {}};
  Algebra& algebra = out.form.algebra();
  out.bytes = Algebra::constant(static_cast<i64>(target.offset));
  for (const Subscript& subscript : target.subscripts)
    out.bytes =
        algebra.add(out.bytes, algebra.multiply(out.form.of(subscript.index),
                                                Algebra::constant(static_cast<i64>(subscript.stride))));
  return out;
}

namespace {

// The polynomial in units of `unit` bytes, if every term is a multiple of it.
std::optional<QuasiPolynomial> in_units(const QuasiPolynomial& bytes, i64 unit) {
  QuasiPolynomial out;
  for (const auto& [monomial, coefficient] : bytes.terms) {
    if (unit == 0 || coefficient % unit != 0) return {};
    out.terms[monomial] = coefficient / unit;
  }
  return out;
}

// How many rows of threads a warp holds: pairs of threadIdx.y and .z.
u32 rows_in_warp(Dim3 block, u32 warp) {
  u64 first = u64{warp} * warp_size, last = std::min<u64>(first + warp_size, block.count()) - 1;
  return static_cast<u32>(last / block.x - first / block.x + 1);
}

} // namespace

Form form_of(SymbolicAccess& access, const Target& target, const Question& question, const Values& values) {
  Algebra& algebra = access.form.algebra();
  Form out;
  out.rows = rows_in_warp(question.block, question.warp);
  QuasiPolynomial shown = algebra.subtract(access.bytes, Algebra::constant(static_cast<i64>(target.offset)));
  std::optional<QuasiPolynomial> index = in_units(shown, target.element.size);
  out.in_bytes = !index;
  if (!index) index = access.bytes;
  out.index = algebra.text(*index);
  FactorId x{thread_x.value};
  std::optional<Algebra::Linear> split = algebra.linear(*index, x);
  if (!split) return out;
  out.rest = algebra.text(split->rest);
  out.coefficient = algebra.text(split->coefficient);
  std::vector<Wide> all(values.begin(), values.end());
  algebra.complete(all);
  Wide step = Algebra::evaluate(split->coefficient, all) * (out.in_bytes ? 1 : Wide{target.element.size});
  out.step = static_cast<i64>(step);
  out.kind = out.step == 0                                        ? FormKind::uniform
             : out.step == static_cast<i64>(target.accessed.size) ? FormKind::consecutive
                                                                  : FormKind::strided;
  return out;
}

} // namespace warplens::explain
