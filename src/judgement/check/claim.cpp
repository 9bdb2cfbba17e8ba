// Who takes part in an access and in which space; what that costs is found by address_costs.h.
#include "check/claim.h"
#include "check/address_costs.h"
#include "check/faults.h"
#include "ir/fragment.h"
#include "ir/operands.h"
#include <set>

namespace warplens::check {
namespace {

using access::Space;
using symbolic::Lanes;
using symbolic::SymbolKind;
using symbolic::Term;
using symbolic::Value;

// The space of a generic address, by what it was computed from. Else it is believed to lead to global memory, where
// pointers that are parameters of kernels do.
Space space_of(const Analysis& a, const Value address, Space named, bool& believed) {
  believed = named == Space::global;
  for (const Term& t : a.pool.terms(address))
    for (u32 s : a.pool.monomial(t.monomial)) {
      const symbolic::Symbol& symbol = a.pool.symbol(s);
      if (symbol.kind == SymbolKind::parameter && symbol.divisor == pointer_alignment) believed = false;
      if (symbol.kind != SymbolKind::address) continue;
      believed = false;
      switch (a.flow.module.variables[symbol.a].space) {
      case ir::StateSpace::shared: return Space::shared;
      case ir::StateSpace::local: return Space::local;
      case ir::StateSpace::constant: return Space::constant;
      default: return Space::global;
      }
    }
  return named;
}

struct Claimed {
  Analysis& a;
  u32 instruction, block;
  std::span<Counter> counters;

  Claim at(const access::AccessHeader& header, u32 address, u64 row_bytes) const {
    return at(header, a.address(address, block), row_bytes);
  }

  Claim at(const access::AccessHeader& header, Value address, u64 row_bytes) const {
    Claim out;
    out.header = header;
    out.row_bytes = row_bytes;
    out.address = a.given_up() ? a.anything(instruction) : address;
    const ir::Form& form = a.flow.module.form(a.flow.function.instructions[instruction]);
    if (form.space() == ir::StateSpace::generic && form.opcode != ir::Opcode::ldmatrix &&
        form.opcode != ir::Opcode::cp)
      out.header.space = space_of(a, out.address, header.space, out.rests_on_global);
    ActiveLanes lanes =
        a.given_up() ? ActiveLanes{{a.warp.active}, true} : active_lanes(a, instruction, block);
    if (row_bytes != 0) each_for_itself(lanes);
    const bool may_read_nothing = header.space == Space::global && reads_as_told(form);
    if (ir::copies_asynchronously(form) && header.space == Space::global && !may_read_nothing)
      out.written = written(out);
    lanes.any_subset = lanes.any_subset || may_read_nothing;
    out.assumed = a.pool.sets.unite(out.address.assumed, lanes.assumed);
    out.executed = !lanes.sets.empty();
    if (!out.executed) return out;
    out.any_subset = lanes.any_subset;
    out.active = lanes.widest();
    out.uniform = a.pool.facts(out.address).uniform;
    out.rests_on_reconvergence = !a.given_up() && a.rests_on_reconvergence(block);
    find_costs(a, out, lanes, counters);
    find_faults(a, out, lanes, instruction, block);
    if (may_read_nothing) let_read_nothing(out);
    return out;
  }

  Claim of_written(const access::AccessHeader& header, u32 address) const {
    const Claim copy = at(header, address, 0);
    access::AccessHeader written = header;
    written.space = Space::shared;
    Claim out = at(written, destination(), 0);
    if (!out.executed) return out;
    if (copy.example && copy.dependence == Dependence::none)
      out.copied = access_at(copy.header, *copy.example, any_start);
    out.conflict_free = out.costs[0].wavefronts.most <= out.costs[0].ideal.most;
    auto whole = [](Costs& costs, const Costs& of_copy) {
      costs.wavefronts = {std::max(of_copy.wavefronts.least, costs.wavefronts.least),
                          of_copy.wavefronts.most};
    };
    for (std::size_t i = 0; i < out.costs.size(); ++i) whole(out.costs[i], copy.costs[i]);
    for (std::size_t i = 0; i < out.aligned.size(); ++i)
      whole(out.aligned[i], (copy.aligned.empty() ? copy.costs : copy.aligned)[i]);
    whole(out.anywhere, copy.anywhere);
    out.decided = out.decided && out.costs[0].wavefronts.exact();
    out.decided_if = out.decided_if && (out.aligned.empty() ? out.costs : out.aligned)[0].wavefronts.exact();
    out.assumed = a.pool.sets.unite(out.assumed, copy.assumed);
    return out;
  }

  // Each access that a fragment is moved by, once.
  std::vector<Claim> of_fragment(const access::AccessHeader& header) const {
    const ir::Instruction& i = a.flow.function.instructions[instruction];
    const ir::Form& form = a.flow.module.form(i);
    const ir::Fragment fragment = ir::fragment_of(form);
    symbolic::LaneAlgebra& algebra = a.algebra;
    const u32 first = i.first_operand + i.destinations, bits = ir::bits(form.type());
    const u32 behind =
        1 + (form.has(ir::Modifier::store) ? fragment.registers : 0); // the address, and what is stored
    const Value elements = i.sources > behind
                               ? algebra.extend(a.operand(first + behind, block, 32, instruction), false, 32)
                               : a.pool.constant(ir::least_stride(form));
    const Value line = bits >= 8 ? algebra.scale(elements, bits / 8, 64)
                                 : algebra.shift_right(elements, bits == 4 ? 1 : 3, false, 64);
    Lanes lines{}, bytes{};
    for (u32 lane = 0; lane < warp_size; ++lane) {
      const ir::FragmentPlace place = ir::fragment_place(fragment, lane);
      lines[lane] = place.lines, bytes[lane] = place.bytes;
    }
    auto on = [&](Value from, Value some, Value more) {
      return algebra.add(algebra.add(from, algebra.multiply(some, line, 64), 64), more, 64);
    };
    const Value base = on(a.address(first, block), a.pool.constant(lines), a.pool.constant(bytes));
    std::vector<Claim> out;
    std::set<u32> seen;
    for (const ir::FragmentPart& part : fragment.parts) {
      const Value where = on(base, a.pool.constant(part.lines), a.pool.constant(part.offset));
      if (seen.insert(where.polynomial).second) out.push_back(at(header, where, 0));
    }
    return out;
  }

private:
  u32 destination() const {
    const ir::Instruction& i = a.flow.function.instructions[instruction];
    return i.first_operand + i.destinations;
  }
  // Where cp.async writes, if that is at known distances. Adds what that rests on to the address'.
  std::optional<Written> written(Claim& claim) const {
    Value to = a.address(destination(), block);
    for (const Term& t : a.pool.terms(to))
      for (u32 s : a.pool.monomial(t.monomial))
        if (!a.pool.symbol(s).uniform) return {};
    symbolic::LaneAlgebra::Parts parts = a.algebra.parts(to);
    if (!parts.others.empty()) return {};
    claim.address.assumed = a.pool.sets.unite(claim.address.assumed, to.assumed);
    const i64 first = parts.constant[0]; // addresses of 32 bits
    for (i64& lane : parts.constant) lane = first + symbolic::reduced(lane - first, 32);
    return Written{parts.constant, std::min<u64>(a.pool.facts(parts.uniform).divisor, arch::address_period)};
  }
  // cp.async with an operand that says how much each lane reads, which may be less or nothing, or whether.
  bool reads_as_told(const ir::Form& form) const {
    const ir::Instruction& i = a.flow.function.instructions[instruction];
    const u32 before = form.has(ir::Modifier::l2_cache_hint) ? 4 : 3;
    if (!ir::copies_asynchronously(form) || i.sources <= before) return false;
    const u32 told = i.first_operand + i.destinations + 3;
    const i64 whole = static_cast<i64>(a.flow.function.operands[told - 1].value);
    if (a.flow.function.operands[told].kind == ir::Operand::Kind::immediate)
      return static_cast<i64>(a.flow.function.operands[told].value) < whole;
    if (form.cache() == access::Cache::cg)
      return true; // a register makes passes of its own there, whatever it says
    const std::optional<i64> bytes = a.pool.number(a.operand(told, block, 32, instruction));
    return !bytes || *bytes < whole;
  }
  static void let_read_nothing(Claim& out) {
    for (Costs& costs : out.costs) lower(costs, 0);
    for (Costs& costs : out.aligned) lower(costs, 0);
    lower(out.anywhere, 0);
    out.decided = out.decided_if = false;
  }

  // A copy is one lane's, whoever else copies.
  static void each_for_itself(ActiveLanes& lanes) {
    u32 any = 0;
    for (u32 set : lanes.sets) any |= set;
    lanes.sets.clear();
    for (u32 lane = 0; lane < warp_size; ++lane)
      if ((any >> lane & 1) != 0) lanes.sets.push_back(1u << lane);
    lanes.any_subset = false;
  }
};

} // namespace

Claim claim(Analysis& a, const access::AccessHeader& header, u32 instruction, u32 block, u32 address,
            std::span<Counter> counters) {
  return Claimed{a, instruction, block, counters}.at(header, address, 0);
}

std::vector<Claim> claims_of_fragment(Analysis& a, const access::AccessHeader& header, u32 instruction,
                                      u32 block, std::span<Counter> counters) {
  return Claimed{a, instruction, block, counters}.of_fragment(header);
}

Claim claim_of_written(Analysis& a, const access::AccessHeader& copy, u32 instruction, u32 block, u32 address,
                       std::span<Counter> counters) {
  return Claimed{a, instruction, block, counters}.of_written(copy, address);
}

std::optional<Claim> claim_of_copy(Analysis& a, const access::AccessHeader& header, u32 instruction,
                                   u32 block, const BulkOperands& operands, std::span<Counter> counters) {
  const std::optional<i64> bytes = a.pool.number(a.operand(operands.size, block, 32, instruction));
  constexpr i64 unit = 16,
                most = 227 << 10; // bytes: what it moves is a multiple of it, and fits into shared memory
  if (!bytes || *bytes <= 0 || *bytes % unit != 0 || *bytes > most) return {};
  return Claimed{a, instruction, block, counters}.at(header, operands.global, static_cast<u64>(*bytes));
}

} // namespace warplens::check