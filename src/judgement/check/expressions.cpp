// Polynomials, addresses, assumptions and reasons as a reader of the source would write them. See expressions.h.
#include "check/expressions.h"
#include "check/words.h"
#include "ptx/parse.h"
#include "source/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace warplens::check {
namespace {

using symbolic::AssumptionKind;
using symbolic::SymbolKind;
using symbolic::Term;

// Of a warp of several rows or planes: which of such groups of rows or planes it is.
std::string name(LaunchSymbol symbol, const WarpCase& warp) {
  constexpr std::string_view names[] = {"blockIdx.x", "blockIdx.y",  "blockIdx.z",    "gridDim.x",
                                        "gridDim.y",  "gridDim.z",   "blockDim.x/32", "blockDim.y",
                                        "blockDim.z", "threadIdx.y", "threadIdx.z",   "threadIdx.x/32"};
  switch (symbol) {
  case LaunchSymbol::warp_y: return fmt::format("threadIdx.y/{}", warp.thread[1].step);
  case LaunchSymbol::warp_z: return fmt::format("threadIdx.z/{}", warp.thread[2].step);
  default: return std::string(names[static_cast<u32>(symbol)]);
  }
}

// "threadIdx.x/32", "b's member at byte 8" as parts of a product
std::string factor(std::string text) {
  return text.find('/') == text.npos && text.find("'s ") == text.npos ? text : "(" + text + ")";
}

// How far "const float *" or "float const*" aligns what it points to, in bytes; 0 where the type is not one that is built in.
u32 pointee_alignment(std::string_view type) {
  return std::ranges::count(type, '*') == 1 ? source::alignment_of(source::size_of(type)) : 0;
}

} // namespace

std::string Expressions::symbol(u32 number) const {
  const symbolic::Symbol& s = a_.pool.symbol(number);
  switch (s.kind) {
  case SymbolKind::parameter: {
    std::string name = s.a < names_.size() && !names_[s.a].name.empty()
                           ? names_[s.a].name
                           : fmt::format("parameter {}", s.a + 1);
    return s.b == 0 ? name : fmt::format("{}'s member at byte {}", name, s.b);
  }
  case SymbolKind::launch: return name(static_cast<LaunchSymbol>(s.a), a_.warp);
  case SymbolKind::address: {
    const ir::Variable& variable = a_.flow.module.variables[s.a];
    if (variable.space == ir::StateSpace::param) { // of a kernel, indexed
      const std::vector<ir::VariableId>& all = a_.flow.function.parameters;
      const auto number = static_cast<u32>(std::ranges::find(all, ir::VariableId(s.a)) - all.begin());
      return number < names_.size() && !names_[number].name.empty() ? names_[number].name
                                                                    : fmt::format("parameter {}", number + 1);
    }
    // A compiler keeps all of a function's local arrays in one variable of its own.
    return variable.space == ir::StateSpace::local ? "local memory" : ptx::variable_name(variable.name);
  }
  case SymbolKind::iteration: return "iteration";
  case SymbolKind::loaded: return fmt::format("({})", text(cause(Analysis::instruction_cause(s.a))));
  case SymbolKind::result: // `a`: the instruction, where it is known
    if (s.a != 0)
      return fmt::format("({} value computed {})", s.uniform ? "a uniform" : "a",
                         place_text(at(Cause::Kind::computed, a_.flow.function.instructions[s.a])));
    [[fallthrough]];
  default: return fmt::format("({})", s.uniform ? unnamed_value : "a value of each lane");
  }
}

std::string Expressions::product(const std::vector<u32>& symbols) const {
  if (symbols.size() == 1) return symbol(symbols[0]);
  std::string out;
  for (u32 s : symbols) out += (out.empty() ? "" : "*") + factor(symbol(s));
  return out;
}

std::string Expressions::in_product(const Term& t) const {
  const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
  return symbols.size() == 1 ? factor(symbol(symbols[0])) : product(symbols);
}

std::string Expressions::polynomial(symbolic::Value v) const {
  std::string out;
  std::vector<Term> terms = a_.pool.terms(v);
  if (!terms.empty() && terms[0].monomial == 0) std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  for (const Term& t : terms) { // the constant last
    if (!t.coefficient.uniform() || t.coefficient.value % (i64{1} << 32) == 0) continue;
    i64 c = t.coefficient.value;
    std::string of = product(a_.pool.monomial(t.monomial));
    std::string size = of.empty()          ? fmt::to_string(c < 0 ? -c : c)
                       : c == 1 || c == -1 ? of
                                           : fmt::format("{}*{}", c < 0 ? -c : c, in_product(t));
    out += out.empty() ? (c < 0 ? "-" + size : size) : (c < 0 ? " - " : " + ") + size;
  }
  return out.empty() ? "0" : out;
}

std::string Expressions::address(symbolic::Value v) const {
  std::vector<std::string> parts;
  for (const Term& t : a_.pool.terms(v)) {
    std::string of = product(a_.pool.monomial(t.monomial));
    if (t.coefficient.uniform()) {
      if (t.coefficient.value % (i64{1} << 32) == 0) continue;
      parts.push_back(of.empty()                 ? fmt::to_string(t.coefficient.value)
                      : t.coefficient.value == 1 ? of
                                                 : fmt::format("{}*{}", t.coefficient.value, in_product(t)));
      continue;
    }
    symbolic::Lanes lanes = a_.pool.lanes(t.coefficient);
    std::string list = fmt::format("({}, {}, {}, …)", lanes[0], lanes[1], lanes[2]);
    parts.push_back(of.empty() ? list : list + "*" + in_product(t));
  }
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::string Expressions::array(symbolic::Value v) const {
  std::string found;
  for (const Term& t : a_.pool.terms(v)) {
    const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
    if (symbols.size() != 1 || !(t.coefficient == symbolic::Coefficient{1})) continue;
    const symbolic::Symbol& s = a_.pool.symbol(symbols[0]);
    const bool pointer = s.kind == SymbolKind::parameter && s.divisor >= pointer_alignment,
               variable = s.kind == SymbolKind::address &&
                          a_.flow.module.variables[s.a].space != ir::StateSpace::local;
    if (!pointer && !variable) continue;
    if (!found.empty()) return {};
    found = symbol(symbols[0]);
  }
  return found;
}

std::optional<Multiple> Expressions::demand(const Claim::Alignment& demand) const {
  const symbolic::Symbol& s = a_.pool.symbol(demand.symbols[0]);
  if (demand.symbols.size() > 1 || s.divisor != pointer_alignment)
    return Multiple{product(demand.symbols), demand.modulus};
  const u32 aligned = s.b == 0 && s.a < names_.size() ? pointee_alignment(names_[s.a].type) : 0;
  if (aligned == 0 || aligned >= demand.modulus) return {};
  return Multiple{symbol(demand.symbols[0]), demand.modulus, true};
}

Cause Expressions::at(Cause::Kind kind, const ir::Instruction& i, std::string name) const {
  const std::vector<access::SourceFrame> frames = a_.flow.module.frames(i.location);
  if (frames.empty()) return {kind, {}, i.ptx_line, std::move(name)};
  const std::string& file = frames.front().file;
  return {kind, file.substr(file.rfind('/') + 1), frames.front().line, std::move(name)};
}

// What is read of a variable behind the call that left it there.
Cause Expressions::result_of_call(u32 load) const {
  const ir::Function& f = a_.flow.function;
  const ir::VariableId from = f.sources(f.instructions[load])[0].variable;
  for (u32 n = load; n-- > 0;) {
    const ir::Instruction& i = f.instructions[n];
    if (a_.flow.module.form(i).opcode != ir::Opcode::call) continue;
    for (const ir::Operand& result : f.destinations(i))
      if (result.variable == from) {
        const ir::FunctionId called = f.sources(i)[0].function;
        const std::string name =
            called.valid() ? ptx::demangle(a_.flow.module.functions[called.value].name) : "a call";
        return at(Cause::Kind::result, i, name.substr(0, name.find('(')) + (called.valid() ? "()" : ""));
      }
  }
  return at(Cause::Kind::parameter, f.instructions[load]);
}

Cause Expressions::cause(u32 code) const {
  using K = Cause::Kind;
  static_assert(static_cast<u32>(K::unassigned) == static_cast<u32>(Reason::unassigned));
  if (code < static_cast<u32>(Reason::instructions)) return {static_cast<K>(code)};
  const u32 index = code - static_cast<u32>(Reason::instructions);
  const ir::Instruction& i = a_.flow.function.instructions[index];
  const ir::Form& form = a_.flow.module.form(i);
  switch (form.opcode) {
  case ir::Opcode::ld:
    if (form.space() == ir::StateSpace::param) return result_of_call(index);
    [[fallthrough]];
  case ir::Opcode::ldu: return at(K::loaded, i);
  case ir::Opcode::atom: return at(K::atomic, i);
  case ir::Opcode::call: return at(K::call, i);
  case ir::Opcode::shfl: return at(K::other_lane, i);
  default: return at(K::computed, i, form.text);
  }
}

std::vector<Cause> Expressions::causes(symbolic::SetId set) const {
  std::map<std::string, Cause> out;
  for (u32 one : a_.pool.sets.elements(set)) {
    Cause found = cause(one);
    out.emplace(text(found), std::move(found));
  }
  std::vector<Cause> list;
  for (auto& [words, one] : out) list.push_back(std::move(one));
  return list;
}

} // namespace warplens::check
