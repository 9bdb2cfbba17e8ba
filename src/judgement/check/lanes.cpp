// The sets of lanes for which a branch's condition can hold, intersected on the way to an instruction. See lanes.h.
#include "check/lanes.h"
#include "symbolic/warp/cases.h"
#include <set>

namespace warplens::check {
namespace {

using symbolic::Lanes;
using symbolic::Value;

constexpr std::size_t most_sets = 96;

// The sets of lanes for which a condition can hold; none where it is not made of such symbols.
std::optional<std::set<u32>> sets_of(Analysis& a, Value condition) {
  std::vector<u32> symbols;
  for (const symbolic::Term& t : a.pool.terms(condition))
    for (u32 s : a.pool.monomial(t.monomial))
      if (std::find(symbols.begin(), symbols.end(), s) == symbols.end()) symbols.push_back(s);
  std::vector<std::vector<symbolic::Case>> choices;
  std::size_t combinations = 1;
  for (u32 s : symbols) {
    choices.push_back(symbolic::cases_of(a.pool, s));
    combinations *= choices.back().size();
    if (combinations == 0 || combinations > most_sets) return {};
  }
  std::set<u32> out;
  for (std::size_t n = 0; n < combinations; ++n) {
    Lanes sum{};
    for (const symbolic::Term& t : a.pool.terms(condition)) {
      Lanes term = a.pool.lanes(t.coefficient);
      for (u32 s : a.pool.monomial(t.monomial)) {
        std::size_t i =
            static_cast<std::size_t>(std::find(symbols.begin(), symbols.end(), s) - symbols.begin());
        std::size_t rest = n;
        for (std::size_t k = 0; k < i; ++k) rest /= choices[k].size();
        const Lanes& value = choices[i][rest % choices[i].size()].value;
        for (u32 lane = 0; lane < warp_size; ++lane) term[lane] *= value[lane];
      }
      for (u32 lane = 0; lane < warp_size; ++lane) sum[lane] += term[lane];
    }
    u32 set = 0;
    bool possible_here = true; // flags of one comparison exclude each other
    for (u32 lane = 0; lane < warp_size; ++lane) {
      possible_here = possible_here && (sum[lane] == 0 || sum[lane] == 1);
      set |= (sum[lane] == 1 ? 1u : 0u) << lane;
    }
    if (possible_here) out.insert(set);
  }
  return out;
}

void narrow(Analysis& a, Value condition, ActiveLanes& active) {
  if (a.pool.facts(condition).uniform && !a.pool.is_constant(condition)) return; // all or none
  std::optional<std::set<u32>> sets = sets_of(a, condition);
  if (!sets) {
    active.any_subset = true;
    return;
  }
  std::set<u32> out;
  for (u32 known : active.sets)
    for (u32 set : *sets)
      if ((known & set) != 0) out.insert(known & set);
  if (out.size() > most_sets) {
    active.any_subset = true;
    return;
  }
  active.sets.assign(out.begin(), out.end());
  active.assumed = a.pool.sets.unite(active.assumed, condition.assumed);
}

// What the branch at the end of block `at` says of those who come to `below`, which it decides on, as block `block` sees it.
void narrow_by_branch(Analysis& a, u32 at, u32 below, u32 block, ActiveLanes& out) {
  Flow& flow = a.flow;
  const ir::Instruction* end = flow.conditional_end(at);
  if (flow.module.form(*end).opcode == ir::Opcode::brx) {
    bool alike = a.pool.facts(a.condition(at)).uniform || !a.rules.tables;
    out.any_subset = out.any_subset || (!alike && flow.split(at).goes_apart_to(block));
    return;
  }
  if (a.rules.rounds && a.left_apart(at, block)) return; // each lane went that way in a round of its own
  const auto& successors = flow.function.blocks[at].successors;
  bool leaves = flow.module.form(*end).opcode != ir::Opcode::bra; // then what follows is for the others
  if (successors.size() == 1 && !leaves) return;
  for (std::size_t k = 0; k < successors.size(); ++k)
    if (successors[k].value == below) {
      Value holds = a.condition(at);
      narrow(a, k == 0 && !leaves ? holds : a.algebra.negate(holds), out);
    }
}

// By all branches above. No branch above one in fewer loops is in a loop of the block's alone: what is known where that one
// decides is kept there, and holds here.
ActiveLanes from_branches(Analysis& a, u32 block) {
  const Flow& flow = a.flow;
  auto in_all_loops_of = [&](u32 above) {
    const std::vector<u32>&here = flow.loops_of[block], &there = flow.loops_of[above];
    return flow.irreducible ? here == there
                            : std::includes(here.begin(), here.end(), there.begin(), there.end());
  };
  std::vector<u32> chain; // from one block that a branch decides on to the next above it
  ActiveLanes out{{a.warp.active}, !flow.function.entry && a.rules.calls};
  for (u32 decided = a.decided_at(block); decided != ir::no_value;
       decided = a.decided_at(flow.ssa.dominator[decided].value)) {
    if (auto known = a.lanes_at.find(decided); known != a.lanes_at.end() && in_all_loops_of(decided)) {
      out = known->second;
      break;
    }
    chain.push_back(decided);
  }
  for (auto below = chain.rbegin(); below != chain.rend(); ++below) {
    narrow_by_branch(a, flow.ssa.dominator[*below].value, *below, block, out);
    if (in_all_loops_of(*below)) a.lanes_at[*below] = out;
  }
  return out;
}

} // namespace

ActiveLanes active_lanes(Analysis& a, u32 instruction, u32 block) {
  ActiveLanes out = from_branches(a, block);
  narrow(a, a.guard(instruction, block), out);
  out.any_subset = out.any_subset || a.apart(instruction);
  if (a.rules.control)
    out.any_subset = out.any_subset || a.any_divergent_around(block, [&](const Split& d) {
      return a.flow.partly_controls(d, block);
    });
  return out;
}

} // namespace warplens::check
