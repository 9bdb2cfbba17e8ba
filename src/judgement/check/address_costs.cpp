// An address is taken apart into what all lanes share, known distances, and terms that are neither. What can be a few things
// only (flags, thresholds, tables) is tried out; of one number that all lanes share every value is (strides.h); a choice of
// each lane is bounded by the sum of its alternatives.
#include "check/address_costs.h"
#include "arch/count.h"
#include "symbolic/warp/cases.h"
#include "symbolic/warp/codes.h"
#include <numeric>
#include <set>

namespace warplens::check {
namespace {

using access::Space;
using symbolic::Lanes;
using symbolic::SymbolKind;
using symbolic::Term;
using symbolic::Value;

constexpr u64 sector = measure::sector_bytes;
constexpr std::size_t most_cases = 256, most_choices = 4;
constexpr std::size_t most_counts = 1 << 18; // of a stride: values, times places, times sets of lanes

bool is_flag(const symbolic::Symbol& s) { return s.range == symbolic::Range{0, 1}; }

// The value with symbols replaced by what they are in each lane.
Value replaced(symbolic::Pool& pool, Value v, const std::map<u32, Lanes>& known) {
  std::vector<Term> out;
  for (const Term& t : pool.terms(v)) {
    Term left{0, t.coefficient};
    for (u32 s : pool.monomial(t.monomial)) {
      if (auto found = known.find(s); found != known.end())
        left.coefficient = pool.product(left.coefficient, pool.coefficient(found->second));
      else
        left.monomial = pool.product(left.monomial, pool.terms(pool.of_symbol(s)).front().monomial);
    }
    out.push_back(left);
  }
  return pool.polynomial(std::move(out), v.assumed);
}

// Symbols that follow from one thing that is not known.
struct Unknown {
  std::vector<u32> symbols;
  std::vector<std::vector<symbolic::Case>> cases; // [symbols], as many of each
};

using Groups = std::map<std::vector<i64>, u32>; // lanes, by the coefficients of what is not known

class Costing {
public:
  Costing(Analysis& a, Claim& out, const ActiveLanes& lanes, std::span<Counter> counters)
      : a_(a), pool_(a.pool), out_(out), lanes_(lanes), counters_(counters) {}

  void run() {
    out_.causes = pool_.facts(out_.address).causes;
    find_unknowns();
    if (varying_ || choices_.size() > most_choices) return cannot_tell();
    out_.dependence = choices_.empty() ? Dependence::none : Dependence::choice;
    subsets_ = lanes_.any_subset || !choices_.empty();
    out_.costs.resize(counters_.size());
    out_.aligned.resize(counters_.size());
    std::set<u32> seen;
    std::size_t combinations = 1;
    for (const Unknown& one : unknowns_) combinations *= one.cases[0].size();
    for (std::size_t n = 0; n < combinations; ++n)
      if (std::optional<Value> one = in_case(n); one && seen.insert(one->polynomial).second)
        by_choice(*one, seen.size() == 1);
    if (seen.empty()) return cannot_tell(); // conditions that exclude each other: nothing is believed of them
    out_.anywhere = choices_.empty() && anywhere_ ? *anywhere_ : out_.costs[0];
    out_.rests_on_pointers = a_.rules.pointers && !(out_.anywhere == out_.costs[0]);
    out_.decided = choices_.empty() && whole_->exact();
    out_.decided_if = choices_.empty() && whole_if_aligned_->exact();
    if (choices_.empty()) tell_stride();
  }

private:
  void find_unknowns() {
    std::map<std::pair<bool, u32>, Unknown> found; // tables by their index, others by themselves
    for (const Term& t : pool_.terms(out_.address))
      for (u32 s : pool_.monomial(t.monomial)) {
        const symbolic::Symbol symbol = pool_.symbol(s);
        const bool by_lane = !t.coefficient.uniform() || pool_.facts(pool_.polynomial({t}, 0)).varying;
        if (symbol.uniform && !by_lane) continue;
        std::vector<symbolic::Case> cases = symbolic::cases_of(pool_, s);
        if (!cases.empty()) {
          const bool table = symbol.kind == SymbolKind::table;
          Unknown& one = found[{table, table ? symbol.b : s}];
          if (std::find(one.symbols.begin(), one.symbols.end(), s) != one.symbols.end()) continue;
          one.symbols.push_back(s);
          one.cases.push_back(std::move(cases));
        } else if (!symbol.uniform) {
          is_flag(symbol) ? add(choices_, s) : void(varying_ = true);
        }
      }
    for (auto& [key, one] : found) unknowns_.push_back(std::move(one));
    limit_cases();
  }

  // Of too many cases the thresholds become choices, which cost less to bound.
  void limit_cases() {
    std::stable_sort(unknowns_.begin(), unknowns_.end(), [](const Unknown& a, const Unknown& b) {
      return a.cases[0].size() < b.cases[0].size();
    });
    std::size_t combinations = 1, kept = 0;
    for (Unknown& one : unknowns_) {
      if (combinations * one.cases[0].size() <= most_cases) {
        combinations *= one.cases[0].size();
        std::swap(unknowns_[kept++], one);
      } else if (pool_.symbol(one.symbols[0]).kind == SymbolKind::threshold) {
        add(choices_, one.symbols[0]);
      } else {
        varying_ = true;
      }
    }
    unknowns_.resize(kept);
  }

  // The address in one of the combinations of cases; nothing where they exclude each other.
  std::optional<Value> in_case(std::size_t number) {
    std::map<u32, Lanes> known;
    std::vector<u32> zeros;
    for (const Unknown& one : unknowns_) {
      const std::size_t which = number % one.cases[0].size();
      number /= one.cases[0].size();
      for (std::size_t s = 0; s < one.symbols.size(); ++s) known[one.symbols[s]] = one.cases[s][which].value;
      if (one.cases[0][which].zero != 0) zeros.push_back(one.cases[0][which].zero);
    }
    Value out = replaced(pool_, out_.address, known);
    for (u32 zero : zeros) {
      const Value left = replaced(pool_, {zero, 0}, known);
      if (std::optional<i64> n = pool_.number(left); n && *n != 0) return {};
      out = symbolic::where_zero(pool_, out, left.polynomial);
    }
    return out;
  }

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
  void by_choice(Value address, bool first) {
    std::vector<Costs> most(counters_.size()), aligned(counters_.size());
    std::set<u32> seen;
    for (u32 ones = 0; ones < 1u << choices_.size(); ++ones) {
      std::map<u32, Lanes> chosen;
      for (std::size_t i = 0; i < choices_.size(); ++i) chosen[choices_[i]].fill(ones >> i & 1);
      Value one = replaced(pool_, address, chosen);
      if (!seen.insert(one.polynomial).second) continue;
      std::vector<Costs> costs = of(one, false), best = of(one, true);
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (choices_.empty()) {
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

  void add_alternative(Costs& sum, const Costs& one) const {
    for (auto member : cost_members) {
      if (member == &Costs::requests && is_one_request()) {
        sum.requests = sum.requests == Interval{} ? one.requests : hull(sum.requests, one.requests);
        continue;
      }
      (sum.*member).least = std::min<u64>(1, (one.*member).least);
      (sum.*member).most += (one.*member).most;
    }
  }

  // Without varying symbols and flags. `aligned`: as if parameters were multiples of what it takes.
  std::vector<Costs> of(Value address, bool aligned) {
    symbolic::LaneAlgebra::Parts parts = a_.algebra.parts(address);
    u64 unit = aligned ? aligned_unit(parts.uniform) : pool_.facts(parts.uniform).divisor;
    Groups groups;
    for (u32 lane = 0; lane < warp_size; ++lane) {
      std::vector<i64> key;
      for (const Term& t : parts.others) key.push_back(pool_.lanes(t.coefficient)[lane]);
      groups[key] |= 1u << lane;
    }
    const bool strided = groups.size() > 1;
    if (!strided) unit = std::min(unit, unit_of(parts.others));
    if (strided && out_.dependence == Dependence::none) out_.dependence = Dependence::stride;
    if (!strided && !aligned) note_example(parts.constant, unit);
    if (out_.header.space ==
        Space::shared) { // addresses of 32 bits: the polynomial may be 2^32 off, lane by lane
      i64 first = parts.constant[0];
      for (i64& lane : parts.constant) lane = first + symbolic::reduced(lane - first, 32);
    }
    const Placed placed{parts.constant, unit, 0, out_.row_bytes, out_.written};
    const bool tried = strided && out_.row_bytes == 0;
    std::optional<Along> along = tried ? along_one(placed, parts) : std::nullopt;
    Placed loose = placed;
    loose.unit = std::min(unit, unit_of(parts.others));
    Lie lie{loose, std::move(groups), along ? &*along : nullptr};
    std::vector<Costs> out;
    for (Counter& counter : counters_) out.push_back(over_lanes(counter, lie, lanes_.sets, subsets_));
    note_whole(lie, aligned ? whole_if_aligned_ : whole_);
    if (!aligned) {
      note_stride(lie);
      note_pointers(lie, parts.uniform, out[0]);
    }
    return out;
  }

  u64 unit_of(const std::vector<Term>& terms) const {
    u64 out = symbolic::most_divisor;
    for (const Term& t : terms) out = std::min(out, pool_.divisor(t));
    return out;
  }

  // Lanes apart by one number, and its values to try.
  struct Along {
    Strided lanes;
    StrideValues values;
    Value number; // of which lanes.step is per `unit`
    i64 unit = 1;
    bool by_set = true; // tried for each set of lanes; else any of the widest are believed to take part
  };
  // How the lanes of an address lie.
  struct Lie {
    Placed placed;
    Groups groups;
    const Along* along = nullptr; // where that is known; `placed` and `groups` hold as well
  };

  // All that is not known as one number: a product of symbols, or a sum whose parts move lanes alike.
  std::optional<Along> along_one(const Placed& placed, const symbolic::LaneAlgebra::Parts& parts) {
    Along out;
    out.lanes.placed = placed;
    out.lanes.placed.passes = false;
    const Lanes first = pool_.lanes(parts.others[0].coefficient);
    i64 common = 0;
    if (parts.others.size() > 1)
      for (i64 lane : first) common = std::gcd(common, lane);
    else
      common = 1;
    std::vector<Term> number;
    for (const Term& t : parts.others) {
      const Lanes step = pool_.lanes(t.coefficient);
      const u32 at = static_cast<u32>(std::find_if(first.begin(), first.end(), [](i64 v) { return v != 0; }) -
                                      first.begin());
      if (at == warp_size || step[at] * common % first[at] != 0) return {};
      const i64 times = step[at] * common / first[at];
      for (u32 lane = 0; lane < warp_size; ++lane)
        if (step[lane] * common != first[lane] * times) return {};
      number.push_back({t.monomial, {times}});
    }
    out.number = pool_.polynomial(std::move(number), 0);
    const symbolic::Facts& facts = pool_.facts(out.number);
    out.unit = static_cast<i64>(facts.divisor);
    for (u32 lane = 0; lane < warp_size; ++lane) out.lanes.step[lane] = first[lane] / common * out.unit;
    if (facts.range)
      out.lanes.range = symbolic::Range{-symbolic::floor_divided(-facts.range->least, facts.divisor),
                                        symbolic::floor_divided(facts.range->most, facts.divisor)};
    std::optional<StrideValues> values = values_of(out.lanes, out_.header, lanes_.widest());
    if (!values || values->all.empty()) return {};
    std::size_t places = arch::address_period / std::min<u64>(placed.unit, arch::address_period);
    if (placed.written) places *= arch::address_period / placed.written->unit;
    out.by_set = values->all.size() * places * lanes_.sets.size() <= most_counts;
    if (values->all.size() * places > most_counts) return {};
    out.values = std::move(*values);
    return out;
  }

  // The worst of those at known distances, aligned as well as can be.
  void note_example(const Lanes& offset, u64 unit) {
    out_.known_unit = std::min(out_.known_unit, unit);
    const Placed one{offset, arch::address_period, out_.active, out_.row_bytes};
    const u64 now = paid(counters_[0].count(out_.header, one), out_.header.space).most;
    if (out_.example && now <= example_pays_) return;
    out_.example = one;
    example_pays_ = now;
  }

  // What the largest sets of lanes pay on the first architecture.
  std::vector<u32> largest() const {
    std::vector<u32> out;
    for (u32 set : lanes_.sets) {
      if (!out.empty() && std::popcount(set) > std::popcount(out[0])) out.clear();
      if (out.empty() || std::popcount(set) == std::popcount(out[0])) out.push_back(set);
    }
    return out;
  }
  void note_whole(const Lie& lie, std::optional<Interval>& whole) {
    Interval now = paid(over_lanes(counters_[0], lie, largest(), false), out_.header.space);
    whole = whole ? hull(*whole, now) : now;
  }

  // What it would cost if pointers were aligned to no more than what is accessed.
  void note_pointers(Lie lie, Value uniform, const Costs& costs) {
    bool pointer = false;
    for (const Term& t : pool_.terms(uniform))
      for (u32 s : pool_.monomial(t.monomial))
        pointer = pointer || (pool_.symbol(s).kind == SymbolKind::parameter &&
                              pool_.symbol(s).divisor == pointer_alignment);
    Costs now = costs;
    const u64 natural = std::bit_floor(std::max<u64>(1, out_.header.bytes));
    const u64 unit = lie.along != nullptr ? lie.along->lanes.placed.unit : lie.placed.unit;
    if (pointer && unit > natural) {
      Along along = lie.along != nullptr ? *lie.along : Along{};
      lie.placed.unit = std::min(lie.placed.unit, natural);
      along.lanes.placed.unit = natural;
      if (lie.along != nullptr) lie.along = &along;
      now = over_lanes(counters_[0], lie, lanes_.sets, subsets_);
    }
    anywhere_ = anywhere_ ? hull(*anywhere_, now) : now;
  }

  // By one number, in every case: else no table can be told.
  void note_stride(const Lie& lie) {
    if (lie.groups.size() == 1) {
      without_number_.push_back(lie);
      return;
    }
    const bool same =
        lie.along != nullptr && (by_number_.empty() || by_number_[0].number == lie.along->number);
    one_number_ = one_number_ && same;
    if (same) by_number_.push_back(*lie.along);
  }

  void tell_stride() {
    if (by_number_.empty() || !one_number_) return;
    Claim::Stride told;
    const Along& first = by_number_[0];
    told.number = first.number, told.unit = first.unit, told.lanes = first.lanes;
    told.in_every_case = without_number_.empty();
    for (const Along& one : by_number_) {
      told.far = std::max(told.far, one.values.far * one.unit);
      told.in_every_case = told.in_every_case && one.lanes.step == first.lanes.step &&
                           one.lanes.placed.offset == first.lanes.placed.offset;
    }
    for (i64 v : first.values.all) {
      std::optional<Interval> all;
      auto join = [&](const Costs& costs) {
        const Interval& now = paid(costs, out_.header.space);
        all = all ? hull(*all, now) : now;
      };
      for (u32 set : largest()) {
        for (const Along& one : by_number_) {
          Placed at = at_value(one.lanes, v);
          at.active = set;
          if (can_be_aligned(at, out_.header.bytes)) join(counters_[0].count(out_.header, at));
        }
      }
      for (const Lie& one : without_number_) join(over_lanes(counters_[0], one, largest(), false));
      if (all) told.paid.emplace_back(v * told.unit, *all);
    }
    if (told.paid.empty()) return;
    out_.stride = std::move(told);
  }

  Costs over_lanes(Counter& counter, const Lie& lie, const std::vector<u32>& sets, bool subsets) {
    std::optional<Costs> all;
    u32 widest = 0;
    for (u32 set : sets) {
      Costs one = over_groups(counter, lie, set, subsets);
      if (lie.along != nullptr && lie.along->by_set)
        one = over_values(counter, *lie.along, set, subsets, one);
      all = all ? hull(*all, one) : one;
      widest |= set;
    }
    if (lie.along != nullptr && !lie.along->by_set)
      return over_values(counter, *lie.along, widest, true, *all);
    return *all;
  }

  Costs count(Counter& counter, const Placed& placed, bool subsets) const {
    return subsets ? counter.count_any_subset(out_.header, placed) : counter.count(out_.header, placed);
  }

  // Every value of the number; of passes, which follow from all bits of an address, what holds of groups.
  Costs over_values(Counter& counter, const Along& along, u32 set, bool subsets,
                    const Costs& of_groups) const {
    std::optional<Costs> out;
    for (i64 v : along.values.all) {
      Placed at = at_value(along.lanes, v);
      at.active = set;
      if (!subsets && !can_be_aligned(at, out_.header.bytes)) continue;
      const Costs one = count(counter, at, subsets);
      out = out ? hull(*out, one) : one;
    }
    if (!out) return of_groups;
    if (along.values.may_meet) lower(*out, 1);
    out->tag_passes = of_groups.tag_passes;
    return *out;
  }

  // Constant memory is asked for once for each address; else an instruction is one request.
  bool is_one_request() const { return out_.header.space != Space::constant; }

  Costs over_groups(Counter& counter, const Lie& lie, u32 set, bool subsets) const {
    Placed placed = lie.placed;
    placed.active = set;
    if (lie.groups.size() == 1) return count(counter, placed, subsets);
    Costs sum;
    for (const auto& [key, lanes] : lie.groups) {
      Placed one = placed;
      one.active &= lanes;
      if (one.active == 0) continue;
      Costs costs = count(counter, one, subsets),
            apart = counter.count_any_subset(out_.header, one); // lanes of groups do not merge
      for (auto member : cost_members) {
        const bool monotone =
            member == &Costs::sectors || member == &Costs::tags || member == &Costs::tag_passes;
        u64 least = monotone ? (costs.*member).least : std::min<u64>(1, (costs.*member).least);
        (sum.*member).least = std::max((sum.*member).least, least);
        (sum.*member).most += (apart.*member).most;
      }
      if (is_one_request()) sum.requests = costs.requests;
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
        out_.unit_in_launch = std::min(out_.unit_in_launch, divisor);
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
  std::vector<Unknown> unknowns_;
  std::vector<u32> choices_;
  bool varying_ = false;
  u64 example_pays_ = 0;
  std::vector<Along> by_number_;    // the cases with lanes apart by a number,
  std::vector<Lie> without_number_; // those without,
  bool one_number_ = true;          // and whether it is the same in all of the former
};

} // namespace

void find_costs(Analysis& a, Claim& claim, const ActiveLanes& lanes, std::span<Counter> counters) {
  Costing(a, claim, lanes, counters).run();
}

} // namespace warplens::check
