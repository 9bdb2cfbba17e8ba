// Claims of one access gathered, its conditions and premises, and the verdict that follows. See judge.h.
#include "check/judge.h"
#include "arch/count.h"
#include "check/stride_table.h"

namespace warplens::check {
namespace {

using access::Space;

// Of a product of symbols each of them, else the whole as one.
std::vector<std::string> factors_of(const Analysis& a, symbolic::Value v, const Expressions& expressions) {
  const std::vector<symbolic::Term>& terms = a.pool.terms(v);
  std::vector<std::string> out;
  if (terms.size() == 1 && terms[0].coefficient == symbolic::Coefficient{1})
    for (u32 symbol : a.pool.monomial(terms[0].monomial)) out.push_back(expressions.symbol(symbol));
  if (out.empty()) out.push_back(expressions.polynomial(v));
  return out;
}

// Are all factors numbers that the program has, and none that the analysis made up?
bool is_of_program(const Analysis& a, const symbolic::Term& term) {
  using Kind = symbolic::SymbolKind;
  constexpr Kind known[] = {Kind::parameter, Kind::launch, Kind::address, Kind::iteration, Kind::loaded};
  return std::ranges::all_of(a.pool.monomial(term.monomial), [&](u32 s) {
    const symbolic::Symbol& symbol = a.pool.symbol(s);
    return std::ranges::find(known, symbol.kind) != std::end(known) ||
           (symbol.kind == Kind::result && symbol.a != 0); // of an instruction
  });
}

std::string factor_of(const std::string& number) {
  return number.find(' ') == number.npos ? number : "(" + number + ")";
}

Premise premise_of(symbolic::AssumptionKind kind) {
  switch (kind) {
  case symbolic::AssumptionKind::no_signed_wrap: return Premise::no_signed_wrap;
  case symbolic::AssumptionKind::no_unsigned_wrap: return Premise::no_unsigned_wrap;
  default: return Premise::not_negative;
  }
}

// Warps of one launch begin at multiples of `in_launch` from the example on, which tells a shift from rows of another length.
// With what is not known of the array's own start they begin at multiples of `known`, as whole vectors ask.
measure::SiteRecord record_of(const access::Site& site, const access::WarpAccess& example, u64 in_launch,
                              u64 known, std::span<Counter> counters) {
  measure::SiteRecord out;
  out.site = site;
  out.space = example.space;
  for (Counter& counter : counters) out.counters.push_back(arch::count(counter.architecture(), example));
  measure::WarpClass one = measure::class_of(example, 1, counters[0].architecture());
  const u64 place = static_cast<u64>(std::countr_zero(one.starts));
  const u64 unit = one.shape.form == measure::Form::misaligned ? in_launch : known;
  for (u64 at = unit; at < measure::sector_bytes; at += unit)
    one.starts |= 1u << (place + at) % measure::sector_bytes;
  out.distribution.classes.push_back(std::move(one));
  out.pattern = measure::pattern_of(out.distribution);
  return out;
}

} // namespace

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {
      "coalesced",     "broadcast",     "misaligned",        "uncoalesced",         "scattered",
      "conflict-free", "bank-conflict", "constant-together", "constant-serialised", "local-together",
      "local-array",   "unknown",       "never-executed",    "not-judged"};
  return names[static_cast<u32>(verdict)];
}

bool is_fine(Verdict v) {
  return v == Verdict::coalesced || v == Verdict::broadcast || v == Verdict::conflict_free ||
         v == Verdict::constant_together || v == Verdict::local_together || v == Verdict::never_executed;
}

void Judge::leave(Analysis& a, const Coordinates& where, u32 instruction, u32 block,
                  const Expressions& expressions) {
  leave({where.decided_by});
  const bool first = out_.address.empty();
  out_.address.clear();
  std::vector<symbolic::Value> of_each;
  for (u32 n = 0; n < where.count; ++n) {
    const symbolic::Value v = a.operand(where.first + n, block, 32, instruction);
    of_each.push_back(v);
    const std::string text = expressions.address(v);
    out_.address += (n == 0 ? "[" : ", ") + (text.empty() ? "0" : text);
    for (Cause& reason : expressions.causes(a.pool.facts(v).causes)) leave(std::move(reason));
  }
  out_.address += ']';
  const Pattern pattern = lie_of_texels(a, where, of_each);
  if (first) out_.pattern = pattern;
  if (pattern != out_.pattern) out_.pattern = {}; // not the same in all warps
}

void Judge::add(Analysis& a, const Claim& claim, const Expressions& expressions) {
  judged_ = true;
  out_.address = expressions.address(claim.address);
  out_.row_bytes = claim.row_bytes;
  if (!claim.executed) return;
  if (!executed_) {
    out_.space = claim.header.space;
    out_.costs = claim.costs;
    out_.aligned = claim.aligned.empty() ? claim.costs : claim.aligned;
  } else {
    for (std::size_t i = 0; i < out_.costs.size(); ++i) {
      out_.costs[i] = hull(out_.costs[i], claim.costs[i]);
      out_.aligned[i] = hull(out_.aligned[i], claim.aligned.empty() ? claim.costs[i] : claim.aligned[i]);
    }
  }
  out_.anywhere = executed_ ? hull(out_.anywhere, claim.anywhere) : claim.anywhere;
  out_.decided = (!executed_ || out_.decided) && claim.decided;
  out_.decided_if = (!executed_ || out_.decided_if) && claim.decided_if;
  executed_ = true;
  widest_ |= claim.active;
  if (out_.array.empty()) out_.array = expressions.array(claim.address);
  if (claim.copied) out_.copied = claim.copied;
  if (is_written(out_.site) && out_.site.array.kind == access::ArrayKind::unknown && !out_.array.empty())
    out_.site.array = {access::ArrayKind::shared, out_.array}; // among whose accesses advice looks for others
  if (out_.site.array.name.empty()) out_.site.array.name = out_.array;
  conflict_free_ = conflict_free_ && claim.conflict_free;
  uniform_ = uniform_ && claim.uniform;
  out_.walks = out_.walks || claim.walks;
  worst_ = std::max(worst_, claim.dependence);
  unit_in_launch_ = std::min(unit_in_launch_, claim.unit_in_launch);
  out_.cut_by_blocks |= claim.unit_in_launch < measure::sector_bytes && a.has_partial_warps();
  if (claim.dependence == Dependence::stride) out_.fine_for_many = fine_for_many(a, claim);
  out_.any_subset = out_.any_subset || claim.any_subset;
  out_.proved = out_.proved && claim.assumed == 0;
  for (u32 assumed : a.pool.sets.elements(claim.assumed)) {
    const symbolic::Assumption& one = a.algebra.assumption(assumed);
    if (one.kind == symbolic::AssumptionKind::multiple) {
      const Condition condition{factors_of(a, {one.polynomial, 0}, expressions),
                                {expressions.polynomial({one.polynomial, 0}), one.modulus}};
      add(conditions_, condition);
      add(rests_on_, condition);
    } else
      add_new(out_.assumed, premise_of(one.kind));
  }
  if (claim.dependence >= Dependence::choice)
    for (Cause& reason : expressions.causes(claim.causes)) add_new(out_.reasons, std::move(reason));
  if (claim.rests_on_pointers) add_new(out_.premises, Premise::aligned_pointers);
  if (claim.rests_on_reconvergence) add_new(out_.premises, Premise::reconvergence);
  if (claim.rests_on_global) add_new(out_.premises, Premise::global_memory);
  note_alignment(claim, expressions);
  note_fault(claim, expressions);
  describe(a, claim, expressions);
}

void Judge::note_fault(const Claim& claim, const Expressions& expressions) {
  for (const Claim::Alignment& demand : claim.demands)
    if (std::optional<Multiple> one = expressions.demand(demand)) add_new(out_.demands, std::move(*one));
  if (!claim.fault || out_.fault) return;
  const Claim::Fault& fault = *claim.fault;
  out_.fault = {
      fault.outside, fault.bytes, fault.modulus, fault.lanes == claim.active ? full_mask : fault.lanes, {}};
  if (fault.pointer != ir::no_value)
    out_.fault->assumed = Multiple{expressions.symbol(fault.pointer), fault.modulus, true};
}

void Judge::add_group(const ir::Form& form, const ir::Instruction& i) {
  judged_ = executed_ = true;
  out_.space = Space::shared;
  out_.costs.clear();
  for (const Counter& counter : counters_)
    out_.costs.push_back(*group_costs(form, i, counter.architecture()));
  out_.aligned = out_.costs;
  out_.anywhere = out_.costs[0];
  out_.decided = out_.decided_if = true;
}

// Parameters whose alignment decides.
void Judge::note_alignment(const Claim& claim, const Expressions& expressions) {
  bool matters = false;
  for (std::size_t i = 0; i < claim.aligned.size(); ++i)
    matters = matters || !(claim.aligned[i] == claim.costs[i]);
  if (!matters) return;
  out_.varies = out_.varies || claim.unit_in_launch < measure::sector_bytes;
  for (const Claim::Alignment& alignment : claim.alignments) {
    if (alignment.symbols.empty()) continue; // the constant: it is what it is
    std::vector<std::string> factors;
    for (u32 symbol : alignment.symbols) factors.push_back(expressions.symbol(symbol));
    add(conditions_, {std::move(factors), {expressions.product(alignment.symbols), alignment.modulus}});
  }
}

// A condition that follows from another one is none: n % 8 == 0 says it of n*m, too.
void Judge::add(std::vector<Condition>& to, Condition fresh) {
  std::ranges::sort(fresh.factors);
  auto implies = [](const Condition& a, const Condition& b) {
    return a.multiple.modulus % b.multiple.modulus == 0 && std::ranges::includes(b.factors, a.factors);
  };
  if (std::ranges::any_of(to, [&](const Condition& known) { return implies(known, fresh); })) return;
  std::erase_if(to, [&](const Condition& known) { return implies(fresh, known); });
  to.push_back(std::move(fresh));
}

void Judge::describe(Analysis& a, const Claim& claim, const Expressions& expressions) {
  if (claim.row_bytes != 0) return; // no pattern of a warp
  if (claim.stride) return describe_stride(a, claim, expressions);
  if (!claim.example || claim.dependence != Dependence::none) return;
  known_unit_ = std::min(known_unit_, claim.known_unit);
  access::WarpAccess example = access_at(claim.header, *claim.example, any_start);
  // The case with the most lanes stands for all.
  if (example_ && std::popcount(example_->active) >= std::popcount(example.active)) return;
  example_ = example;
}

// How far a row of lanes is from the next, where all are as far: "8*n + 4".
std::string Judge::apart(Analysis& a, const Claim::Stride& stride, u32 row, const Expressions& expressions) {
  const symbolic::Lanes &step = stride.lanes.step, &known = stride.lanes.placed.offset;
  for (u32 lane = row; lane < warp_size; ++lane)
    if (step[lane] - step[lane - row] != step[row] - step[0] ||
        known[lane] - known[lane - row] != known[row] - known[0])
      return {};
  const symbolic::Value by = a.algebra.scale(stride.number, (step[row] - step[0]) / stride.unit, 64);
  return expressions.polynomial(a.algebra.add(by, a.pool.constant(known[row] - known[0]), 64));
}

// Rows of a table hold for all warps with as many lanes as there are at most.
bool Judge::join_rows(const Claim& claim, const std::string& number) {
  const u32 lanes = static_cast<u32>(std::popcount(claim.active));
  if (lanes < stride_lanes_) return false;
  const Claim::Stride& fresh = *claim.stride;
  if (lanes > stride_lanes_) {
    stride_lanes_ = lanes, stride_ = fresh, stride_number_ = number;
    return true;
  }
  const bool alike = stride_ && stride_number_ == number && stride_->paid.size() == fresh.paid.size() &&
                     stride_->paid.front().first == fresh.paid.front().first;
  if (!alike) {
    stride_.reset();
    return true;
  }
  for (std::size_t i = 0; i < fresh.paid.size(); ++i)
    stride_->paid[i].second = hull(stride_->paid[i].second, fresh.paid[i].second);
  stride_->far = std::max(stride_->far, fresh.far);
  stride_->number = fresh.number;
  return true;
}

void Judge::describe_stride(Analysis& a, const Claim& claim, const Expressions& expressions) {
  const Claim::Stride& stride = *claim.stride;
  const std::string number = expressions.polynomial(stride.number);
  if (join_rows(claim, number)) {
    out_.table = stride_ ? stride_table(a, claim.header.space, *stride_, expressions) : std::nullopt;
    out_.fine_where.clear();
  }
  const symbolic::Lanes& step = stride.lanes.step;
  u32 row = 1; // lanes before the first that is elsewhere
  while (row < warp_size && step[row] == step[0]) ++row;
  const StridePattern pattern{row, row < warp_size ? apart(a, stride, row, expressions) : "", {}};
  const bool told = stride.in_every_case && !pattern.bytes.empty() &&
                    (out_.pattern == Pattern() || out_.pattern == Pattern(pattern));
  out_.pattern = told ? pattern : StridePattern{.number = number};
  if (told && claim.header.space == Space::global)
    if (const i64 multiple = fine_multiple(claim); multiple > 1)
      out_.fine_where.push_back({factor_of(number), static_cast<u64>(multiple)});
  if (!stride_example_) { // for advice: a wide one
    constexpr i64 wide = 1024;
    Placed one = at_value(stride.lanes, wide);
    one.active = claim.active, one.unit = arch::address_period;
    example_ = access_at(claim.header, one, any_start);
    stride_example_ = true;
  }
}

// Would a warp need no more than its bytes need, or next to it, where its base is as good as can be?
bool Judge::is_fine(const access::AccessHeader& header, u32 active, const Interval& paid) {
  const u64 bytes = static_cast<u64>(std::popcount(active)) * header.bytes;
  return header.space == Space::shared ? paid.least <= std::max<u64>(1, (bytes + 127) / 128)
                                       : 2 * paid.least <= 3 * std::max<u64>(1, (bytes + 31) / 32);
}

// The least power of two of whose multiples each is fine, among values that are far from 0; 0 where there is none.
i64 Judge::fine_multiple(const Claim& claim) {
  const Claim::Stride& stride = *claim.stride;
  for (i64 multiple = stride.unit; multiple <= 128 * stride.unit; multiple *= 2) {
    bool some = false, all = true;
    for (const auto& [value, paid] : stride.paid) {
      if (std::abs(value) <= stride.far || value % multiple != 0) continue;
      some = true;
      all = all && is_fine(claim.header, claim.active, paid);
    }
    if (some && all) return multiple;
  }
  return 0;
}

// Are there infinitely many values of what is not known with which a warp needs what its bytes need, or next to it? Of a number
// with few values: one besides 0 and 1.
bool Judge::fine_for_many(Analysis& a, const Claim& claim) {
  if (claim.stride) {
    const Claim::Stride& stride = *claim.stride;
    const bool is_far =
        std::ranges::any_of(stride.paid, [&](const auto& one) { return std::abs(one.first) > stride.far; });
    return std::ranges::any_of(stride.paid, [&](const auto& one) {
      const i64 from_zero = std::abs(one.first);
      return (is_far ? from_zero > stride.far : from_zero > stride.unit) &&
             is_fine(claim.header, claim.active, one.second);
    });
  }
  constexpr i64 large = 1 << 16; // from there on only the remainder matters
  const std::vector<symbolic::Term> strides = a.algebra.parts(claim.address).others;
  // Lanes lie in one of several ways, as in a loop that is unrolled: nothing says that it is a bad one.
  if (std::ranges::any_of(strides, [&](const symbolic::Term& t) { return !is_of_program(a, t); }))
    return true;
  if (strides.empty() || strides.size() > 2 || !claim.example) return false;
  auto moved = [&](Placed placed, const symbolic::Term& stride, i64 value) {
    const symbolic::Lanes step = a.pool.lanes(stride.coefficient);
    for (u32 lane = 0; lane < warp_size; ++lane) placed.offset[lane] += step[lane] * value;
    return placed;
  };
  auto fine = [&](const Placed& placed) {
    const Interval now = paid(counters_[0].count(claim.header, placed), claim.header.space);
    return is_fine(claim.header, claim.active, {now.most, now.most});
  };
  for (i64 first = 0; first <= 64; first = std::max<i64>(1, 2 * first)) {
    const Placed one = moved(*claim.example, strides[0], large + first);
    if (strides.size() == 1 && fine(one)) return true;
    for (i64 second = 0; strides.size() == 2 && second <= 64; second = std::max<i64>(1, 2 * second))
      if (fine(moved(one, strides[1], 5 * large + second))) return true;
  }
  return false;
}

// `needed` sectors or less are fine, and so are two where one would do.
Verdict Judge::global_verdict() const {
  constexpr u64 few = 4; // as many as a word for each lane takes
  u64 most = out_.costs[0].sectors.most;
  auto is_little = [&](u64 sectors) { return sectors <= out_.needed || (sectors == 2 && out_.needed == 1); };
  switch (worst_) {
  case Dependence::data: return Verdict::scattered;
  case Dependence::undecided: return Verdict::unknown;
  case Dependence::stride:
    return is_little(most) || 2 * most <= 3 * out_.needed ? Verdict::coalesced : Verdict::uncoalesced;
  case Dependence::choice:
    return most <= 2 * std::max(few, out_.needed) ? Verdict::coalesced : Verdict::unknown;
  case Dependence::none: break;
  }
  if (uniform_) return Verdict::broadcast;
  const u64 aligned = std::min<u64>(most, arch::count(counters_[0].architecture(), *example_).sectors);
  if (aligned <= out_.needed && (!out_.cut_by_blocks || is_little(most))) return Verdict::coalesced;
  measure::Form form = measure::class_of(*example_, 1, counters_[0].architecture()).shape.form;
  if (form == measure::Form::misaligned || aligned <= out_.needed || 2 * aligned < 3 * out_.needed)
    return Verdict::misaligned;
  return Verdict::uncoalesced;
}

Verdict Judge::copy_verdict() const {
  if (worst_ > Dependence::none) return Verdict::unknown;
  return out_.aligned[0].sectors.most <= out_.needed ? Verdict::coalesced : Verdict::misaligned;
}

Verdict Judge::verdict() const {
  if (!judged_) return Verdict::not_judged;
  if (executed_ && out_.row_bytes != 0) return copy_verdict();
  if (!executed_) return Verdict::never_executed;
  const Interval& now = paid(out_.costs[0], out_.space);
  bool known = worst_ <= Dependence::stride;
  switch (out_.space) {
  case Space::global: return global_verdict();
  case Space::shared:
    if (now.most <= needed() || (is_written(out_.site) && conflict_free_)) return Verdict::conflict_free;
    if (worst_ == Dependence::none) return Verdict::bank_conflict;
    return worst_ == Dependence::data     ? Verdict::scattered
           : worst_ == Dependence::stride ? Verdict::bank_conflict
                                          : Verdict::unknown;
  case Space::constant:
    if (uniform_ || now.most <= 1) return Verdict::constant_together;
    return known                        ? Verdict::constant_serialised
           : worst_ == Dependence::data ? Verdict::scattered
                                        : Verdict::unknown;
  case Space::local:
    if (uniform_) return Verdict::local_together;
    return worst_ != Dependence::undecided || lanes_decide() ? Verdict::local_array : Verdict::unknown;
  default: return Verdict::not_judged;
  }
}

// Does each lane bring an address of its own, by the branches that it took?
bool Judge::lanes_decide() const {
  return !out_.reasons.empty() && std::ranges::all_of(out_.reasons, [](const Cause& reason) {
    return reason.kind == Cause::Kind::divergent_join || reason.kind == Cause::Kind::divergent_loop;
  });
}

// The least that lanes with different addresses could do with.
u64 Judge::needed() const {
  if (!executed_ || out_.costs.empty()) return 0;
  const Costs& costs = out_.costs[0];
  if (out_.row_bytes != 0) return (out_.row_bytes + 31) / 32;
  u64 bytes = static_cast<u64>(std::popcount(widest_)) * out_.site.bytes;
  switch (out_.space) {
  case Space::shared: // of lanes at unknown places the ideal is that of what they turn out to be
    return std::max<u64>(1, worst_ == Dependence::none ? costs.ideal.most : (bytes + 127) / 128);
  case Space::constant: return 1;
  case Space::global: {
    u64 packed = std::max<u64>(1, (bytes + 31) / 32);
    return worst_ <= Dependence::stride && example_
               ? std::min(packed, arch::count(counters_[0].architecture(), *example_).ideal_sectors)
               : packed;
  }
  default: return std::max<u64>(1, (bytes + 31) / 32);
  }
}

Judgement Judge::take(std::optional<measure::SiteRecord>& record) {
  out_.needed = needed();
  for (Condition& one : conditions_) out_.conditions.push_back(std::move(one.multiple));
  for (Condition& one : rests_on_) out_.rests_on.push_back(std::move(one.multiple));
  out_.conditional = executed_ && !out_.conditions.empty();
  out_.verdict = verdict();
  out_.dependence = worst_;
  out_.exact = executed_ && worst_ == Dependence::none;
  if (executed_ && example_) {
    record = record_of(out_.site, *example_, unit_in_launch_, known_unit_, counters_);
    out_.example = example_;
    if (out_.pattern == Pattern()) out_.pattern = record->pattern;
  }
  return std::move(out_);
}

} // namespace warplens::check
