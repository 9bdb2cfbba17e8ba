// What all lanes share of an address is known modulo a power of two, its range often; what lanes add to it is known. See
// faults.h.
#include "check/faults.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>

namespace warplens::check {
namespace {

using access::Space;
using symbolic::Lanes;
using symbolic::SymbolKind;
using symbolic::Term;
using symbolic::Value;

bool is_thread(const symbolic::Symbol& s) {
  return s.kind == SymbolKind::launch && s.a >= static_cast<u32>(LaunchSymbol::thread_y);
}

// Is it so of one of the conditions under which the instruction is executed? Also where there are too many of them.
template <class F> bool any_condition(Analysis& a, u32 instruction, u32 block, F&& f) {
  constexpr u32 most_decisions = 64;
  Flow& flow = a.flow;
  if (flow.function.instructions[instruction].guard.valid() &&
      f(flow.sources(flow.ssa.of_guard[instruction])))
    return true;
  u32 decided = flow.decided_at[block];
  for (u32 n = 0; decided != ir::no_value; ++n) {
    if (n == most_decisions) return true;
    const u32 above = flow.ssa.dominator[decided].value;
    const ir::Instruction* end = flow.conditional_end(above);
    if (f(flow.sources(flow.ssa.of_guard[static_cast<u32>(end - flow.function.instructions.data())])))
      return true;
    decided = flow.decided_at[above];
  }
  return false;
}

class Faults {
public:
  Faults(Analysis& a, Claim& out, const ActiveLanes& lanes, u32 instruction, u32 block)
      : a_(a), out_(out), lanes_(lanes), instruction_(instruction), block_(block),
        parts_(a.algebra.parts(out.address)) {}

  void run() {
    find_misaligned();
    find_outside();
  }

private:
  // What an address has to be a multiple of: 0 where that is another matter.
  u64 needed_alignment() const {
    const access::AccessHeader& h = out_.header;
    const ir::Form& form = a_.flow.module.form(a_.flow.function.instructions[instruction_]);
    if (out_.row_bytes != 0 || form.opcode == ir::Opcode::wmma || h.bytes == 0) return 0;
    return std::has_single_bit(u64{h.bytes}) ? h.bytes : 0;
  }

  // Lanes that take part whenever the instruction is executed.
  u32 sure() const {
    if (lanes_.any_subset || lanes_.sets.empty()) return 0;
    u32 all = full_mask;
    for (u32 set : lanes_.sets) all &= set;
    return all;
  }

  u32 off(u64 modulus) const {
    u32 out = 0;
    for (u32 lane = 0; lane < warp_size; ++lane)
      if ((parts_.constant[lane] & static_cast<i64>(modulus - 1)) != 0) out |= 1u << lane;
    return out;
  }

  void find_misaligned() {
    const u64 needed = needed_alignment();
    if (needed <= 1) return;
    u64 of_lanes = needed; // modulus that does not ask what all lanes share
    for (const Term& t : parts_.others) of_lanes = std::min(of_lanes, a_.pool.divisor(t));
    const u64 modulus = std::min(of_lanes, a_.pool.facts(parts_.uniform).divisor);
    const u32 widest = lanes_.widest();
    const u32 wrong = off(modulus) & widest;
    const bool certain = wrong != 0 && (wrong == widest || (wrong & sure()) != 0);
    if (wrong != 0 && !certain) return;
    if (asks_for(pointer())) return;
    const u32 apart = differing(of_lanes, sure());
    if (wrong == 0 && apart == 0) return add_demands(needed);
    Claim::Fault fault;
    fault.lanes = wrong != 0 ? wrong : apart;
    const i64 start = wrong != 0 ? 0 : parts_.constant[static_cast<u32>(std::countr_zero(sure()))];
    fault.bytes = (parts_.constant[static_cast<u32>(std::countr_zero(fault.lanes))] - start) &
                  static_cast<i64>((wrong != 0 ? modulus : of_lanes) - 1);
    fault.modulus = needed;
    fault.pointer = apart != 0 ? ir::no_value : pointer();
    out_.fault = fault;
  }

  // Those of the lanes that are not where the first is, modulo `modulus`: they or the others are misaligned, wherever all begin.
  u32 differing(u64 modulus, u32 lanes) const {
    u32 out = 0;
    for_each_lane(lanes, [&](u32 lane) {
      const i64 from_first =
          parts_.constant[lane] - parts_.constant[static_cast<u32>(std::countr_zero(lanes))];
      if ((from_first & static_cast<i64>(modulus - 1)) != 0) out |= 1u << lane;
    });
    return out;
  }

  // The parameter that is believed to be aligned as cudaMalloc does it.
  u32 pointer() const {
    for (const Term& t : a_.pool.terms(parts_.uniform))
      for (u32 s : a_.pool.monomial(t.monomial))
        if (a_.pool.symbol(s).kind == SymbolKind::parameter && a_.pool.symbol(s).divisor == pointer_alignment)
          return s;
    return ir::no_value;
  }

  // Does the code look itself how far the pointer is aligned?
  bool asks_for(u32 pointer) const {
    if (pointer == ir::no_value) return false;
    const ir::VariableId variable = a_.flow.function.parameters[a_.pool.symbol(pointer).a];
    return any_condition(a_, instruction_, block_, [&](const Sources& of) {
      return std::ranges::find(of.parameters, variable) != of.parameters.end();
    });
  }

  void add_demands(u64 needed) {
    std::vector<Term> all = a_.pool.terms(parts_.uniform);
    all.insert(all.end(), parts_.others.begin(), parts_.others.end());
    for (const Term& t : all) {
      const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
      std::vector<u32> parameters;
      bool pointer = false;
      for (u32 s : symbols) {
        const symbolic::Symbol& symbol = a_.pool.symbol(s);
        if (symbol.kind != SymbolKind::parameter) continue;
        parameters.push_back(s);
        pointer = pointer || symbol.divisor == pointer_alignment;
      }
      const u64 divisor = a_.pool.divisor(t);
      if (pointer && symbols.size() == 1)
        out_.demands.push_back({parameters, needed});
      else if (!parameters.empty() && divisor < needed)
        out_.demands.push_back({parameters, needed / divisor});
    }
  }

  // ---- arrays whose size is known

  void find_outside() {
    u32 array = ir::no_value;
    std::vector<Term> rest;
    for (const Term& t : a_.pool.terms(parts_.uniform)) {
      const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
      if (symbols.size() == 1 && t.coefficient == symbolic::Coefficient{1} &&
          a_.pool.symbol(symbols[0]).kind == SymbolKind::address) {
        if (array != ir::no_value) return;
        array = a_.pool.symbol(symbols[0]).a;
      } else {
        rest.push_back(t);
      }
    }
    if (array == ir::no_value || !parts_.others.empty()) return;
    const ir::Variable& variable = a_.flow.module.variables[array];
    if (variable.external || variable.size == 0) return;
    const i64 size = static_cast<i64>(variable.size), bytes = out_.row_bytes != 0 ? 1 : out_.header.bytes;
    Lanes at = parts_.constant; // of each lane, from the start of the array
    if (out_.header.space == Space::shared)
      for (i64& lane : at) lane = symbolic::reduced(lane, 32);
    find_overrun(at, rest, size, bytes);
    const std::optional<symbolic::Range> range = range_of(rest);
    if (!range) return;
    u32 outside = 0;
    for (u32 lane = 0; lane < warp_size; ++lane)
      if (at[lane] + range->least + bytes > size || at[lane] + range->most < 0) outside |= 1u << lane;
    outside &= sure();
    if ((outside & 1) != 0) out_.overruns = false; // no smaller block helps the first thread
    if (outside == 0 || (!a_.known_block() && (outside & 1) == 0)) return; // any block has a first thread
    const i64 first = at[static_cast<u32>(std::countr_zero(outside))];
    out_.fault = Claim::Fault{outside, true, first + (first + range->most < 0 ? range->most : range->least),
                              variable.size, ir::no_value};
  }

  std::optional<symbolic::Range> range_of(const std::vector<Term>& terms) const {
    return a_.pool.facts(a_.pool.polynomial(terms, 0)).range;
  }

  // Would a thread of such a block go beyond the end? Then the code is for smaller ones. Who comes there may be fewer: threadIdx.x < n
  // says so, blockIdx.x * blockDim.x + threadIdx.x < n does not.
  void find_overrun(const Lanes& at, const std::vector<Term>& rest, i64 size, i64 bytes) {
    if (lanes_.any_subset) return;
    i64 beyond = 0;
    const bool some =
        any_condition(a_, instruction_, block_, [](const Sources& of) { return of.thread && !of.block; });
    for (const Term& t : rest) {
      const std::vector<u32>& symbols = a_.pool.monomial(t.monomial);
      const std::optional<symbolic::Range> range = range_of({t});
      if (!range) return;
      const bool thread = symbols.size() == 1 && is_thread(a_.pool.symbol(symbols[0]));
      beyond += !thread ? range->least : a_.known_block() && !some ? range->most : 0;
    }
    for_each_lane(some ? sure() : lanes_.widest(),
                  [&](u32 lane) { out_.overruns = out_.overruns || at[lane] + beyond + bytes > size; });
  }

  Analysis& a_;
  Claim& out_;
  const ActiveLanes& lanes_;
  const u32 instruction_, block_;
  const symbolic::LaneAlgebra::Parts parts_;
};

} // namespace

void find_faults(Analysis& a, Claim& claim, const ActiveLanes& lanes, u32 instruction, u32 block) {
  Faults(a, claim, lanes, instruction, block).run();
}

} // namespace warplens::check
