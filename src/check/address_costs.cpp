// An address is taken apart into what all lanes share, known distances, and terms that are neither. Flags among these are
// tried out; a choice of each lane is bounded by the sum of its alternatives.
#include "check/address_costs.h"
#include "arch/count.h"
#include <set>

namespace warplens::check {
namespace {

using access::Space;
using symbolic::Lanes;
using symbolic::SymbolKind;
using symbolic::Term;
using symbolic::Value;

constexpr u64 sector = 32;
constexpr std::size_t most_flags = 6, most_choices = 4;

bool is_flag(const symbolic::Symbol& s) { return s.range == symbolic::Range{0, 1}; }

// The value with each of these symbols, which are 0 or 1, replaced: bit i of `ones` for the i-th.
Value replaced(symbolic::Pool& pool, Value v, const std::vector<u32>& symbols, u32 ones) {
  std::vector<Term> out;
  for (const Term& t : pool.terms(v)) {
    u32 rest = 0;
    bool zero = false;
    for (u32 s : pool.monomial(t.monomial)) {
      auto known = std::find(symbols.begin(), symbols.end(), s);
      if (known == symbols.end())
        rest = pool.product(rest, pool.terms(pool.of_symbol(s)).front().monomial);
      else
        zero = zero || (ones >> (known - symbols.begin()) & 1) == 0;
    }
    if (!zero) out.push_back({rest, t.coefficient});
  }
  return pool.polynomial(std::move(out), v.assumed);
}

using Groups = std::map<std::vector<i64>, u32>; // lanes, by the coefficients of what is not known

class Costing {
public:
  Costing(Analysis& a, Claim& out, const ActiveLanes& lanes, std::span<Counter> counters)
      : a_(a), pool_(a.pool), out_(out), lanes_(lanes), counters_(counters) {}

  void run() {
    std::vector<u32> flags, choices;
    bool varying = false;
    for (const Term& t : pool_.terms(out_.address))
      for (u32 s : pool_.monomial(t.monomial)) {
        const symbolic::Symbol& symbol = pool_.symbol(s);
        bool by_lane = !t.coefficient.uniform() || pool_.facts(pool_.polynomial({t}, 0)).varying;
        if (symbol.uniform && by_lane && is_flag(symbol)) add(flags, s);
        if (symbol.uniform) continue;
        if (is_flag(symbol))
          add(choices, s);
        else
          varying = true;
      }
    out_.causes = pool_.facts(out_.address).causes;
    if (varying || choices.size() > most_choices || flags.size() > most_flags) return cannot_tell();
    out_.dependence = choices.empty() ? Dependence::none : Dependence::choice;
    subsets_ = lanes_.any_subset || !choices.empty();
    out_.costs.resize(counters_.size());
    out_.aligned.resize(counters_.size());
    bool first = true;
    for (u32 ones = 0; ones < 1u << flags.size(); ++ones) {
      by_choice(replaced(pool_, out_.address, flags, ones), choices, first);
      first = false;
    }
    out_.anywhere = choices.empty() && anywhere_ ? *anywhere_ : out_.costs[0];
    out_.rests_on_pointers = a_.rules.pointers && !(out_.anywhere == out_.costs[0]);
    out_.decided = choices.empty() && whole_->exact();
    out_.decided_if = choices.empty() && whole_if_aligned_->exact();
  }

private:
  static void add(std::vector<u32>& list, u32 s) {
    if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(s);
  }

  // From one to what the lanes could need at most.
  void cannot_tell() {
    bool loaded = true;
    for (u32 cause : pool_.sets.elements(out_.causes)) loaded = loaded && is_load(cause);
    out_.dependence = loaded ? Dependence::data : Dependence::undecided;
    u64 lanes = static_cast<u64>(std::popcount(out_.active));
    for (Counter& counter : counters_) {
      Placed apart{{}, 1, out_.active, out_.row_bytes}; // each lane on its own, in the same bank
      for (u32 lane = 0; lane < warp_size; ++lane) apart.offset[lane] = i64{lane} << 12;
      Costs far = counter.count_any_subset(out_.header, apart);
      far.wavefronts.most = std::max(far.wavefronts.most, lanes);
      if (arch::counts_stages(counter.architecture(), out_.header) && out_.row_bytes == 0)
        far.tag_passes = {std::min<u64>(1, lanes), lanes}; // all lines in one set
      out_.costs.push_back(far);
    }
    out_.anywhere = out_.costs[0];
  }

  bool is_load(u32 cause) const {
    if (cause < static_cast<u32>(Reason::instructions)) return false;
    ir::Opcode opcode =
        a_.flow.module.form(a_.flow.function.instructions[cause - static_cast<u32>(Reason::instructions)])
            .opcode;
    return opcode == ir::Opcode::ld || opcode == ir::Opcode::ldu || opcode == ir::Opcode::atom ||
           opcode == ir::Opcode::shfl;
  }

  // Each lane has one of the alternatives: all of them together bound it.
  void by_choice(Value address, const std::vector<u32>& choices, bool first) {
    std::vector<Costs> most(counters_.size()), aligned(counters_.size());
    std::set<u32> seen;
    for (u32 ones = 0; ones < 1u << choices.size(); ++ones) {
      Value one = replaced(pool_, address, choices, ones);
      if (!seen.insert(one.polynomial).second) continue;
      std::vector<Costs> costs = of(one, false), best = of(one, true);
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (choices.empty()) {
          most[i] = costs[i], aligned[i] = best[i];
          continue;
        }
        add_alternative(most[i], costs[i]);
        add_alternative(aligned[i], best[i]);
      }
    }
    for (std::size_t i = 0; i < most.size(); ++i) {
      out_.costs[i] = first ? most[i] : hull(out_.costs[i], most[i]);
      out_.aligned[i] = first ? aligned[i] : hull(out_.aligned[i], aligned[i]);
    }
  }

  static void add_alternative(Costs& sum, const Costs& one) {
    for (auto member : cost_members) {
      (sum.*member).least = std::min<u64>(1, (one.*member).least);
      (sum.*member).most += (one.*member).most;
    }
  }

  // Without varying symbols and flags. `aligned`: as if parameters were multiples of what it takes.
  std::vector<Costs> of(Value address, bool aligned) {
    symbolic::Algebra::Parts parts = a_.algebra.parts(address);
    u64 unit = aligned ? aligned_unit(parts.uniform) : pool_.facts(parts.uniform).divisor;
    Groups groups;
    for (u32 lane = 0; lane < warp_size; ++lane) {
      std::vector<i64> key;
      for (const Term& t : parts.others) key.push_back(pool_.lanes(t.coefficient)[lane]);
      groups[key] |= 1u << lane;
    }
    for (const Term& t : parts.others) unit = std::min(unit, pool_.divisor(t));
    if (groups.size() > 1) {
      if (out_.dependence == Dependence::none) out_.dependence = Dependence::stride;
      if (parts.others.size() == 1) out_.stride = parts.others.front();
      out_.example = Placed{parts.constant, arch::address_period, out_.active, out_.row_bytes};
    } else if (!out_.example) {
      out_.example = Placed{parts.constant, arch::address_period, out_.active, out_.row_bytes};
    }
    if (out_.header.space ==
        Space::shared) { // addresses of 32 bits: the polynomial may be 2^32 off, lane by lane
      i64 first = parts.constant[0];
      for (i64& lane : parts.constant) lane = first + symbolic::reduced(lane - first, 32);
    }
    std::vector<Costs> out;
    const Placed placed{parts.constant, unit, 0, out_.row_bytes, out_.written};
    for (Counter& counter : counters_)
      out.push_back(over_lanes(counter, placed, groups, lanes_.sets, subsets_));
    note_whole(placed, groups, aligned ? whole_if_aligned_ : whole_);
    if (!aligned) note_pointers(placed, groups, parts.uniform, out[0]);
    return out;
  }

  // What the largest sets of lanes pay on the first architecture.
  void note_whole(const Placed& placed, const Groups& groups, std::optional<Interval>& whole) {
    std::vector<u32> largest;
    for (u32 set : lanes_.sets) {
      if (!largest.empty() && std::popcount(set) > std::popcount(largest[0])) largest.clear();
      if (largest.empty() || std::popcount(set) == std::popcount(largest[0])) largest.push_back(set);
    }
    Interval now = paid(over_lanes(counters_[0], placed, groups, largest, false), out_.header.space);
    whole = whole ? hull(*whole, now) : now;
  }

  // What it would cost if pointers were aligned to no more than what is accessed.
  void note_pointers(Placed placed, const Groups& groups, Value uniform, const Costs& costs) {
    bool pointer = false;
    for (const Term& t : pool_.terms(uniform))
      for (u32 s : pool_.monomial(t.monomial))
        pointer = pointer || (pool_.symbol(s).kind == SymbolKind::parameter &&
                              pool_.symbol(s).divisor == pointer_alignment);
    Costs now = costs;
    if (u64 natural = std::bit_floor(std::max<u64>(1, out_.header.bytes)); pointer && placed.unit > natural) {
      placed.unit = natural;
      now = over_lanes(counters_[0], placed, groups, lanes_.sets, subsets_);
    }
    anywhere_ = anywhere_ ? hull(*anywhere_, now) : now;
  }

  Costs over_lanes(Counter& counter, Placed placed, const Groups& groups, const std::vector<u32>& sets,
                   bool subsets) {
    std::optional<Costs> all;
    for (u32 set : sets) {
      placed.active = set;
      Costs one = over_groups(counter, placed, groups, subsets);
      all = all ? hull(*all, one) : one;
    }
    return *all;
  }

  Costs over_groups(Counter& counter, const Placed& placed, const Groups& groups, bool subsets) {
    auto count = [&](const Placed& p) {
      return subsets ? counter.count_any_subset(out_.header, p) : counter.count(out_.header, p);
    };
    if (groups.size() == 1) return count(placed);
    Costs sum;
    for (const auto& [key, lanes] : groups) {
      Placed one = placed;
      one.active &= lanes;
      if (one.active == 0) continue;
      Costs costs = count(one),
            apart = counter.count_any_subset(out_.header, one); // lanes of groups do not merge
      for (auto member : cost_members) {
        const bool monotone =
            member == &Costs::sectors || member == &Costs::tags || member == &Costs::tag_passes;
        u64 least = monotone ? (costs.*member).least : std::min<u64>(1, (costs.*member).least);
        (sum.*member).least = std::max((sum.*member).least, least);
        (sum.*member).most += (apart.*member).most;
      }
    }
    return sum;
  }

  // The divisor that what all lanes share has where parameters are as aligned as it takes; notes which.
  u64 aligned_unit(Value uniform) {
    const symbolic::Pool::Congruent congruent = pool_.congruent(pool_.terms(uniform));
    u64 unit = congruent.modulus;
    for (const Term& t : congruent.terms) {
      u64 divisor = pool_.divisor(t);
      if (divisor >= sector) {
        unit = std::min(unit, divisor);
        continue;
      }
      std::vector<u32> parameters;
      for (u32 s : pool_.monomial(t.monomial))
        if (pool_.symbol(s).kind == SymbolKind::parameter) parameters.push_back(s);
      if (parameters.empty() && t.monomial != 0) {
        out_.aligned_by_launch = true;
        unit = std::min(unit, divisor);
        continue;
      }
      Claim::Alignment needed{parameters, sector / divisor};
      bool known = false;
      for (Claim::Alignment& other : out_.alignments)
        if (other.symbols == parameters)
          other.modulus = std::max(other.modulus, needed.modulus), known = true;
      if (!known) out_.alignments.push_back(needed);
      unit = std::min(unit, sector);
    }
    return unit;
  }

  Analysis& a_;
  symbolic::Pool& pool_;
  Claim& out_;
  const ActiveLanes& lanes_;
  std::span<Counter> counters_;
  bool subsets_ = false;                             // any of the lanes may be at one of the places
  std::optional<Interval> whole_, whole_if_aligned_; // what is paid by all lanes that may take part
  std::optional<Costs> anywhere_;
};

} // namespace

void find_costs(Analysis& a, Claim& claim, const ActiveLanes& lanes, std::span<Counter> counters) {
  Costing(a, claim, lanes, counters).run();
}

} // namespace warplens::check
