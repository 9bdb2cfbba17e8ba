// Polynomials, addresses, assumptions and reasons as a reader of the source would write them. See text.h.
#include "check/text.h"
#include "ptx/parse.h"
#include "source/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

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

std::string Words::symbol(u32 number) const {
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
  case SymbolKind::loaded: return fmt::format("({})", reason(Analysis::instruction_cause(s.a)));
  case SymbolKind::result: // `a`: the instruction, where it is known
    if (s.a != 0)
      return fmt::format("({} value computed {})", s.uniform ? "a uniform" : "a",
                         place(a_.flow.function.instructions[s.a]));
    [[fallthrough]];
  default: return s.uniform ? "(a uniform value)" : "(a value of each lane)";
  }
}

std::string Words::product(const std::vector<u32>& symbols) const {
  if (symbols.size() == 1) return symbol(symbols[0]);
  std::string out;
  for (u32 s : symbols) out += (out.empty() ? "" : "*") + factor(symbol(s));
  return out;
}

std::string Words::in_product(const Term& t) const {
  const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
  return symbols.size() == 1 ? factor(symbol(symbols[0])) : product(symbols);
}

std::string Words::polynomial(symbolic::Value v) const {
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

std::string Words::address(symbolic::Value v) const {
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

std::string Words::array(symbolic::Value v) const {
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

std::string Words::assumption(u32 number) const {
  const symbolic::Assumption& a = a_.algebra.assumption(number);
  symbolic::Value of{a.polynomial, 0};
  switch (a.kind) {
  case AssumptionKind::no_signed_wrap: return "no signed overflow, which C++ leaves undefined";
  case AssumptionKind::no_unsigned_wrap: return "no unsigned index wraps around between the lanes of a warp";
  case AssumptionKind::multiple: return fmt::format("{} % {} == 0", polynomial(of), a.modulus);
  case AssumptionKind::not_negative: return "indices are not negative";
  }
  return {};
}

std::string Words::multiple(u32 pointer, u64 bytes) const {
  return fmt::format("{} is a multiple of {} bytes", symbol(pointer), bytes);
}

std::string Words::demand(const Claim::Alignment& demand) const {
  const symbolic::Symbol& s = a_.pool.symbol(demand.symbols[0]);
  if (demand.symbols.size() > 1 || s.divisor != pointer_alignment)
    return fmt::format("{} % {} == 0", product(demand.symbols), demand.modulus);
  const u32 aligned = s.b == 0 && s.a < names_.size() ? pointee_alignment(names_[s.a].type) : 0;
  return aligned == 0 || aligned >= demand.modulus ? "" : multiple(demand.symbols[0], demand.modulus);
}

std::string Words::place(const ir::Instruction& i) const {
  std::vector<access::SourceFrame> frames = a_.flow.module.frames(i.location);
  if (frames.empty()) return fmt::format("in PTX line {}", i.ptx_line);
  const std::string& file = frames.front().file;
  return fmt::format("at {}:{}", file.substr(file.rfind('/') + 1), frames.front().line);
}

// What is read of a variable behind the call that left it there.
std::string Words::result_of_call(u32 load) const {
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
        return fmt::format("the result of {} {}",
                           name.substr(0, name.find('(')) + (called.valid() ? "()" : ""), place(i));
      }
  }
  return fmt::format("a parameter in memory, read {}", place(f.instructions[load]));
}

std::string Words::reason(u32 cause) const {
  using C = symbolic::LaneAlgebra::Cause;
  switch (cause) {
  case C::shift_of_mixed: return "a shift or a division of a sum whose low bits are not known";
  case C::bits_of_mixed: return "bits of a sum whose low bits are not known";
  case C::comparison: return "a comparison that lanes answer differently";
  case C::selection: return "a selection that lanes decide differently";
  case C::clamp: return "min or max, lane by lane";
  case C::division: return "a division by a number that is not known";
  case C::other_operation: return "an operation without a rule";
  case C::too_large: return "an expression that grew too large";
  default: break;
  }
  switch (static_cast<Reason>(cause)) {
  case Reason::divergent_join: return "a value that lanes bring from different branches";
  case Reason::divergent_loop: return "a value behind a loop that lanes leave in different rounds";
  case Reason::different_patterns: return "a value that changes from lane to lane in a loop";
  case Reason::irreducible: return "control flow with jumps into loops";
  case Reason::function_argument: return "an argument of a function that was not inlined";
  case Reason::function_result: return "the result of a function that was not inlined";
  case Reason::given_up: return "a function that is too large: its analysis was given up";
  case Reason::unassigned: return "a register that was not assigned";
  default: break;
  }
  const ir::Instruction& i = a_.flow.function.instructions[cause - static_cast<u32>(Reason::instructions)];
  const ir::Form& form = a_.flow.module.form(i);
  switch (form.opcode) {
  case ir::Opcode::ld:
    if (form.space() == ir::StateSpace::param)
      return result_of_call(cause - static_cast<u32>(Reason::instructions));
    [[fallthrough]];
  case ir::Opcode::ldu: return "a value loaded " + place(i);
  case ir::Opcode::atom: return "what an atomic gave " + place(i);
  case ir::Opcode::call: return "what a call gave " + place(i);
  case ir::Opcode::shfl: return "a value of another lane " + place(i);
  default: return fmt::format("a value computed by {} {}", form.text, place(i));
  }
}

std::vector<std::string> Words::reasons(symbolic::SetId causes) const {
  std::set<std::string> out;
  for (u32 cause : a_.pool.sets.elements(causes)) out.insert(reason(cause));
  return {out.begin(), out.end()};
}

} // namespace warplens::check
