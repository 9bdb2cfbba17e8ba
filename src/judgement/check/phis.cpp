// What a value is where ways meet: at the joins of branches, at the headers of loops, and behind them.
#include "check/analysis.h"
#include "check/codes.h"
#include "check/ways.h"

namespace warplens::check {

using symbolic::Facts;
using symbolic::Range;
using symbolic::SetId;
using symbolic::Symbol;
using symbolic::SymbolKind;
using symbolic::Value;

// A value, where lanes may have left the loops in which it was made.
Value Analysis::seen(u32 ssa_value, u32 block) {
  if (ssa_value == ir::no_value || !known_[ssa_value])
    return varying(of_differing, ssa_value, 0, pool.sets.of(static_cast<u32>(Reason::unassigned)), 0);
  Value v = values_[ssa_value];
  SetId left = pool.sets.without(loops_of_[flow.ssa.block_of[ssa_value].value], loops_of_[block]);
  left = pool.sets.intersect(left, divergent_loops_);
  if (left == 0 || !pool.sets.meet(pool.facts(v).loops, left)) return v;
  Value out = pool.constant(0);
  for (const symbolic::Term& t : pool.terms(v)) {
    Value term = pool.polynomial({{0, t.coefficient}}, 0);
    for (u32 s : pool.monomial(t.monomial)) {
      Symbol symbol = pool.symbol(s);
      u32 number = s;
      const bool shared = symbol.uniform || symbol.kind == SymbolKind::threshold ||
                          symbol.kind == SymbolKind::table; // by all lanes: the value, the bound, the row
      if (shared && pool.sets.meet(symbol.loops, left)) {
        symbol.uniform = false;
        symbol.kind = SymbolKind::other;
        symbol.modulus = 1; // of each lane in its own round
        symbol.decider = 0;
        symbol.loops = pool.sets.without(symbol.loops, left);
        symbol.causes = pool.sets.of(static_cast<u32>(Reason::divergent_loop));
        number = pool.symbol({of_exit, s, left, 0, 0}, symbol);
      }
      term = algebra.multiply(term, pool.of_symbol(number), 64);
    }
    out = algebra.add(out, term, 64);
  }
  out.assumed = v.assumed;
  return out;
}

// What a value is on the edge from block `from` to `to`: of one that is itself a phi of `from`, what it can be there.
std::vector<u32> Analysis::coming_over(u32 value, u32 from, u32 to) const {
  if (flow.loop_at(from) != nullptr || flow.conditional_end(from) == nullptr) return {value};
  for (const ir::Phi& phi : flow.ssa.phis[from]) {
    if (phi.value != value) continue;
    std::vector<u32> out;
    const auto& before = flow.cfg.predecessors[from];
    for (std::size_t p = 0; p < before.size(); ++p)
      if (!exclude_each_other(flow, before[p].value, from, to)) out.push_back(phi.incoming[p]);
    return out.size() == before.size() ? std::vector<u32>{value} : out;
  }
  return {value};
}

// The join of what comes over the edges from inside the block's loop, from outside, or both. `any`: is there one?
Value Analysis::incoming(const ir::Phi& phi, u32 block, bool from_inside, bool from_outside, bool& any) {
  const Loop* loop = flow.loop_at(block);
  std::vector<Value> values;
  std::vector<ir::BlockId> from;
  const auto& predecessors = flow.cfg.predecessors[block];
  for (std::size_t p = 0; p < predecessors.size(); ++p) {
    bool inside = loop != nullptr && loop->body[predecessors[p].value];
    if (!(inside ? from_inside : from_outside)) continue;
    from.push_back(predecessors[p]);
    for (u32 value : coming_over(phi.incoming[p], predecessors[p].value, block))
      if (value != ir::no_value && known_[value]) values.push_back(seen(value, block));
  }
  any = !values.empty();
  if (!any) return {};
  const bool apart =
      rules.joins && any_divergent_around(block, [&](const Split& d) { return flow.joins(d, block, from); });
  u32 key = phi.value * 2 + (loop != nullptr && from_inside);
  return join(key, values, apart, loops_of_[block]);
}

Value Analysis::join(u32 key, const std::vector<Value>& values, bool apart, SetId loops) {
  SetId assumed = 0;
  bool alike = true, no_varying = true;
  for (Value v : values) {
    assumed = pool.sets.unite(assumed, v.assumed);
    alike = alike && v.polynomial == values[0].polynomial;
    no_varying = no_varying && !pool.facts(v).varying;
  }
  auto assuming = [&](Value v) {
    v.assumed = assumed;
    return v;
  };
  if (alike) return assuming(values[0]);
  if (apart) return assuming(join_apart(key, values, loops));
  Value first = values[0], step = pool.constant(0);
  bool shared = true, one_step = true;
  Symbol difference;
  difference.divisor = symbolic::most_divisor;
  difference.loops = loops;
  Symbol whole = difference;
  whole.range = pool.facts(first).range;
  whole.divisor = pool.facts(first).divisor;
  whole.loops = pool.sets.unite(loops, pool.facts(first).loops);
  SetId causes = 0;
  for (Value v : values) {
    Value d = algebra.subtract(v, first, 64);
    const Facts fd = pool.facts(d), fv = pool.facts(v);
    shared = shared && fd.uniform;
    difference.divisor = std::min(difference.divisor, fd.divisor);
    difference.loops = pool.sets.unite(difference.loops, fd.loops);
    whole.divisor = std::min(whole.divisor, fv.divisor);
    whole.loops = pool.sets.unite(whole.loops, fv.loops);
    whole.range = whole.range && fv.range ? std::optional(Range{std::min(whole.range->least, fv.range->least),
                                                                std::max(whole.range->most, fv.range->most)})
                                          : std::nullopt;
    causes = pool.sets.unite(causes, fv.causes);
    if (d.polynomial == 0) continue;
    one_step = one_step && (step.polynomial == 0 || step.polynomial == d.polynomial);
    step = d;
  }
  if (shared && pool.facts(first).uniform) { // the key has all that the symbol is known by
    u32 bounds = whole.range ? pool.constant(whole.range->least).polynomial : 0;
    u32 most = whole.range ? pool.constant(whole.range->most).polynomial : 0;
    return assuming(algebra.fresh(
        {of_join, key, bounds, most, whole.divisor * 2 + whole.range.has_value() + (u64{whole.loops} << 50)},
        whole));
  }
  if (shared)
    return assuming(algebra.add(
        first,
        algebra.fresh({of_difference, key, first.polynomial, difference.loops, difference.divisor},
                      difference),
        64));
  if (one_step && no_varying) {
    Symbol taken{SymbolKind::flag, true, 1, Range{0, 1}, loops, 0, 0, 0};
    return assuming(algebra.add(
        first,
        algebra.multiply(algebra.fresh({of_condition, key, first.polynomial, step.polynomial, loops}, taken),
                         step, 64),
        64));
  }
  if (no_varying) return assuming(join_patterns(key, values, loops));
  if (causes == 0) causes = pool.sets.of(static_cast<u32>(Reason::different_patterns));
  return assuming(varying(of_join, key, 0, causes, loops));
}

// All lanes have the same one of the values. Those that differ by what all lanes share are one pattern.
Value Analysis::join_patterns(u32 key, const std::vector<Value>& values, SetId loops) {
  constexpr std::size_t most_patterns = 4;
  std::vector<std::vector<Value>> patterns;
  for (Value v : values) {
    auto same = std::find_if(patterns.begin(), patterns.end(), [&](const std::vector<Value>& of) {
      return pool.facts(algebra.subtract(v, of[0], 64)).uniform;
    });
    same == patterns.end() ? void(patterns.push_back({v})) : same->push_back(v);
  }
  const SetId causes = pool.sets.of(static_cast<u32>(Reason::different_patterns));
  if (patterns.size() > most_patterns) return varying(of_join, key, 0, causes, loops);
  Value out;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Value one = join(key, patterns[i], false, loops);
    if (i == 0) {
      out = one;
      continue;
    }
    Symbol taken{SymbolKind::flag, true, 1, Range{0, 1}, loops, 0, 0, 0};
    const Value flag =
        algebra.fresh({of_condition, key, out.polynomial, one.polynomial, u64{loops} << 8 | i}, taken);
    out = algebra.add(out, algebra.multiply(flag, algebra.subtract(one, out, 64), 64), 64);
  }
  return out;
}

// Each lane has one of the values.
Value Analysis::join_apart(u32 key, const std::vector<Value>& values, SetId loops) {
  constexpr std::size_t most_alternatives = 3;
  std::vector<Value> different;
  SetId causes = 0;
  bool no_varying = true;
  for (Value v : values) {
    causes = pool.sets.unite(causes, pool.facts(v).causes);
    no_varying = no_varying && !pool.facts(v).varying;
    bool known = false;
    for (Value other : different) known = known || other.polynomial == v.polynomial;
    if (!known) different.push_back(v);
  }
  if (causes == 0) causes = pool.sets.of(static_cast<u32>(Reason::divergent_join));
  if (different.size() > most_alternatives || !no_varying) return varying(of_join, key, 1, causes, loops);
  Value out = different[0];
  for (std::size_t i = 1; i < different.size(); ++i) {
    Symbol taken{SymbolKind::choice, false, 1, Range{0, 1}, loops, causes, 0, 0};
    Value choice = algebra.fresh(
        {of_choice, key, different[0].polynomial, different[i].polynomial, u64{loops} << 8 | i}, taken);
    out =
        algebra.add(out, algebra.multiply(choice, algebra.subtract(different[i], different[0], 64), 64), 64);
  }
  return out;
}

Value Analysis::value_at_header(const ir::Phi& phi, u32 block, Value entry, const Going& going) {
  Symbol made;
  made.loops = loops_of_[block];
  switch (going.kind) {
  case Going::same: return entry;
  case Going::by_step: {
    made.kind = SymbolKind::iteration;
    made.a = block;
    Value rounds = algebra.fresh({of_rounds, block, 0, 0, 0}, made);
    return algebra.add(entry, algebra.multiply(rounds, going.step, 64), 64);
  }
  case Going::shared:
    made.divisor = going.divisor;
    if (!pool.facts(entry).uniform)
      return algebra.add(entry, algebra.fresh({of_phi, phi.value, 1, made.loops, made.divisor}, made), 64);
    made.divisor = std::min(made.divisor, pool.facts(entry).divisor);
    return algebra.fresh({of_phi, phi.value, 0, made.loops, made.divisor}, made);
  case Going::anything: break;
  }
  return varying(of_phi, phi.value, 0, going.causes, made.loops);
}

void Analysis::start_phis(u32 block) {
  bool loop = flow.loop_at(block) != nullptr;
  for (const ir::Phi& phi : flow.ssa.phis[block]) {
    bool any = false;
    Value v;
    if (flow.irreducible) {
      v = varying(of_phi, phi.value, 0, pool.sets.of(static_cast<u32>(Reason::irreducible)),
                  loops_of_[block]);
      any = true;
    } else if (!loop) {
      v = incoming(phi, block, true, true, any);
    } else {
      Value entry = incoming(phi, block, false, true, any);
      if (!any) entry = pool.constant(0); // not assigned: any number does
      v = value_at_header(phi, block, entry, going_[phi.value]);
      v.assumed = pool.sets.unite(v.assumed, entry.assumed);
      any = true;
    }
    if (!any) continue;
    values_[phi.value] = v;
    known_[phi.value] = true;
  }
}

bool Analysis::settle() {
  bool settled = true;
  if (flow.irreducible) return true;
  for (const Loop& loop : flow.loops)
    for (const ir::Phi& phi : flow.ssa.phis[loop.header])
      if (!settle(phi, loop.header, going_[phi.value])) settled = false;
  return settled;
}

bool Analysis::settle(const ir::Phi& phi, u32 block, Going& going) {
  constexpr u32 most_changes = 5;
  if (going.kind == Going::anything) return true;
  bool any = false;
  Value back = incoming(phi, block, true, false, any);
  if (!any) return true;
  Value step = algebra.subtract(back, values_[phi.value], 64);
  const Facts facts = pool.facts(step);
  bool invariant = !pool.sets.contains(facts.loops, block) && !facts.varying;
  if (going.kind == Going::same && step.polynomial == 0) return true;
  if (going.kind == Going::by_step && step.polynomial == going.step.polynomial) return true;
  ++going.changes;
  if (going.kind <= Going::by_step && invariant && going.changes <= most_changes) {
    going.kind = Going::by_step;
    going.step = step;
    return false;
  }
  if (facts.uniform) {
    u64 divisor = going.kind == Going::shared ? std::min(going.divisor, facts.divisor) : facts.divisor;
    if (going.kind == Going::shared && divisor == going.divisor) return true;
    going.kind = Going::shared;
    going.divisor = divisor;
    return false;
  }
  going.kind = Going::anything;
  going.causes =
      facts.causes != 0 ? facts.causes : pool.sets.of(static_cast<u32>(Reason::different_patterns));
  return false;
}

} // namespace warplens::check
