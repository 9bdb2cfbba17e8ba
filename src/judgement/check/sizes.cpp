// Comparisons on the way to a block, and the bounds of what instructions compute. See sizes.h.
#include "check/sizes.h"
#include <algorithm>
#include <cmath>

namespace warplens::check {
namespace {

using ir::Opcode;
constexpr u32 most_decisions = 64, most_visits = 400, most_depth = 16; // what is deeper is left out

// Of two bounds of one number the one that says more.
std::optional<Bound> smaller(const std::optional<Bound>& a, const std::optional<Bound>& b) {
  if (!a || !b) return a ? a : b;
  return largest(*b, 1e15) < largest(*a, 1e15) ? b : a;
}

std::optional<double> number(const Bound& b) {
  if (b.empty()) return 0;
  return b.size() == 1 && b.begin()->first.empty() ? std::optional(b.begin()->second) : std::nullopt;
}

Bound constant(double v) { return v == 0 ? Bound() : Bound{{{}, v}}; }
// 2^n, where n is known and small.
std::optional<Bound> power_of_two(const std::optional<Bound>& n) {
  const std::optional<double> by = n ? number(*n) : std::nullopt;
  return by && *by >= 0 && *by < 32 ? std::optional(constant(std::ldexp(1.0, static_cast<int>(*by))))
                                    : std::nullopt;
}
Bound one(Size::Kind kind, u32 a, u32 b = 0) { return {{{Size{kind, a, b}}, 1.0}}; }

// Immediates of 32 bits are kept as unsigned numbers.
i64 as_signed(u64 v) { return v >> 32 == 0 ? static_cast<i32>(static_cast<u32>(v)) : static_cast<i64>(v); }

bool is_integer(const ir::Form& form) { return form.type() != ir::Type::none && !ir::is_float(form.type()); }

} // namespace

double most(const Size& size) {
  constexpr double threads_of_block = 1024;
  constexpr double blocks[] = {2147483647, 65535, 65535};
  switch (size.kind) {
  case Size::Kind::blocks: return blocks[size.a];
  case Size::Kind::threads: return blocks[size.a] * threads_of_block;
  case Size::Kind::block_size: return threads_of_block;
  case Size::Kind::thread: return threads_of_block - 1;
  default: return 2147483647;
  }
}

double largest(const Bound& bound, double value) {
  double out = 0;
  for (const auto& [of, times] : bound) {
    double term = times;
    for (const Size& size : of) term *= std::min(value, most(size));
    out += term;
  }
  return out;
}

Bound sum(const Bound& a, const Bound& b, double factor) {
  Bound out = a;
  for (const auto& [of, times] : b) {
    double& now = out[of];
    now += factor * times;
    if (now == 0) out.erase(of);
  }
  return out;
}

Bound product(const Bound& a, const Bound& b) {
  Bound out;
  for (const auto& [x, m] : a)
    for (const auto& [y, n] : b) {
      Product both = x;
      both.insert(both.end(), y.begin(), y.end());
      std::sort(both.begin(), both.end());
      out = sum(out, {{both, m * n}});
    }
  return out;
}

std::optional<Bound> larger(const std::optional<Bound>& a, const std::optional<Bound>& b) {
  if (!a || !b) return {};
  const Bound apart = sum(*a, *b, -1);
  auto grows = [](const Bound& bound) {
    return std::ranges::all_of(bound, [](const auto& term) { return term.first.empty() || term.second > 0; });
  };
  if (std::optional<double> n = number(apart)) return *n >= 0 ? a : b;
  if (number(*b) && grows(*a)) return a;
  if (number(*a) && grows(*b)) return b;
  return {};
}

// Rounded down. What is taken away of something smaller than the divisor may be nothing.
Bound quotient(const Bound& of, const Size& by) {
  Bound out;
  for (const auto& [product, times] : of) {
    Product left = product;
    if (const auto factor = std::ranges::find(left, by); factor != left.end())
      left.erase(factor);
    else if (times < 0)
      continue;
    out = sum(out, {{left, times}});
  }
  return out;
}

Sizes::Sizes(const Flow& f, const Launches& launches) : flow(f), launches_(launches), phis_(f.ssa.values()) {
  for (const std::vector<ir::Phi>& of_block : flow.ssa.phis)
    for (const ir::Phi& phi : of_block) phis_[phi.value] = &phi;
}

const ir::Phi* Sizes::phi(u32 value) const { return value == ir::no_value ? nullptr : phis_[value]; }

void Sizes::at(u32 block) {
  facts_ = facts_at(block);
  known_.clear();
  steps_ = 0;
}

// ---- comparisons

Sizes::Facts Sizes::facts_at(u32 block) const {
  Facts out;
  u32 decided = flow.decided_at[block];
  for (u32 n = 0; decided != ir::no_value && n < most_decisions; ++n) {
    const u32 above = flow.ssa.dominator[decided].value;
    add_edge(above, decided, out);
    decided = flow.decided_at[above];
  }
  return out;
}

// What holds where `from` is left towards `to`.
void Sizes::add_edge(u32 from, u32 to, Facts& out) const {
  const ir::Instruction* end = flow.conditional_end(from);
  if (end == nullptr || flow.module.form(*end).opcode != Opcode::bra) return;
  const auto& successors = flow.function.blocks[from].successors;
  if (successors.size() != 2 || successors[0] == successors[1]) return;
  const u32 index = static_cast<u32>(end - flow.function.instructions.data());
  add(flow.ssa.of_guard[index], (successors[0].value == to) != end->guard_negated, out);
}

void Sizes::add(u32 predicate, bool holds, Facts& out, u32 depth) const {
  const ir::Instruction* i = flow.definition(predicate);
  if (i == nullptr || depth > most_depth) return;
  const ir::Form& form = flow.module.form(*i);
  auto pass_on = [&](u32 n, bool truth) {
    const ir::Operand& o = flow.function.operands[source(*i, n)];
    if (o.kind == ir::Operand::Kind::reg)
      add(flow.ssa.of_operand[source(*i, n)], truth != o.negated, out, depth + 1);
  };
  switch (form.opcode) {
  case Opcode::not_: return pass_on(0, !holds);
  case Opcode::and_:
  case Opcode::or_:
    if (holds == (form.opcode == Opcode::and_)) pass_on(0, holds), pass_on(1, holds);
    return;
  case Opcode::setp: break;
  default: return;
  }
  if (!is_integer(form) || flow.ssa.of_operand[i->first_operand] != predicate) return;
  if (i->sources > 2) {
    const bool splits =
        form.bool_op() == ir::BoolOp::and_ ? holds : form.bool_op() == ir::BoolOp::or_ && !holds;
    if (!splits) return;
    pass_on(2, holds);
  }
  const u32 a = source(*i, 0), b = source(*i, 1);
  using C = ir::Comparison;
  switch (form.comparison()) {
  case C::lt: return holds ? add_less(a, b, -1, out) : add_less(b, a, 0, out);
  case C::le:
  case C::ls_: return holds ? add_less(a, b, 0, out) : add_less(b, a, -1, out);
  case C::gt: return holds ? add_less(b, a, -1, out) : add_less(a, b, 0, out);
  case C::ge:
  case C::hs_: return holds ? add_less(b, a, 0, out) : add_less(a, b, -1, out);
  case C::eq:
    if (holds) add_less(a, b, 0, out), add_less(b, a, 0, out);
    return;
  case C::ne:
    if (!holds) add_less(a, b, 0, out), add_less(b, a, 0, out);
    return;
  default: return;
  }
}

// less ≤ than + more
void Sizes::add_less(u32 less, u32 than, double more, Facts& out) const {
  if (flow.function.operands[less].kind == ir::Operand::Kind::reg)
    add_most(flow.ssa.of_operand[less], than, more, out);
}

// It bounds what the value is made from, too, where no wrap comes between: x + 1 < n, max(x, y) < n.
void Sizes::add_most(u32 value, u32 operand, double more, Facts& out) const {
  for (u32 depth = 0; depth < most_depth && value != ir::no_value; ++depth) {
    out.push_back({value, operand, more});
    const ir::Instruction* i = flow.definition(value);
    if (i == nullptr) return;
    const ir::Form& form = flow.module.form(*i);
    auto is_register = [&](u32 n) {
      return n < i->sources && flow.function.operands[source(*i, n)].kind == ir::Operand::Kind::reg;
    };
    auto value_of = [&](u32 n) { return flow.ssa.of_operand[source(*i, n)]; };
    const bool integer = is_integer(form);
    if (form.opcode == Opcode::max && integer && is_register(0) && is_register(1))
      add_most(value_of(1), operand, more, out);
    else if (form.opcode == Opcode::add && integer && is_register(0) &&
             flow.function.operands[source(*i, 1)].kind == ir::Operand::Kind::immediate)
      more -= static_cast<double>(as_signed(flow.function.operands[source(*i, 1)].value));
    else if (!((form.opcode == Opcode::cvt && !ir::is_float(form.type(1)) && integer) ||
               (form.opcode == Opcode::mov && i->sources == 1)) ||
             !is_register(0))
      return;
    value = value_of(0);
  }
}

std::optional<Bound> Sizes::from(const Facts& facts, u32 value) {
  std::optional<Bound> out;
  for (const Fact& fact : facts) {
    if (fact.value != value) continue;
    std::optional<Bound> bound = upper(fact.operand);
    if (!bound) continue;
    bound = sum(*bound, constant(fact.more));
    if (!out || (number(*bound) && (!number(*out) || *number(*bound) < *number(*out)))) out = bound;
  }
  return out;
}

// ---- values

std::optional<Bound> Sizes::upper(u32 operand) {
  const ir::Operand& o = flow.function.operands[operand];
  switch (o.kind) {
  case ir::Operand::Kind::reg: return o.negated ? std::nullopt : of_value(flow.ssa.of_operand[operand]);
  case ir::Operand::Kind::immediate: return constant(static_cast<double>(as_signed(o.value)));
  case ir::Operand::Kind::special: return of_special(o.special);
  default: return {};
  }
}

std::optional<Size> Sizes::exactly(u32 operand) {
  const ir::Operand& o = flow.function.operands[operand];
  std::optional<Bound> out = o.kind == ir::Operand::Kind::special ? of_special(o.special) : std::nullopt;
  if (o.kind == ir::Operand::Kind::reg && !o.negated)
    if (const ir::Instruction* i = flow.definition(flow.ssa.of_operand[operand])) {
      const ir::Form& form = flow.module.form(*i);
      if ((form.opcode == Opcode::mov && i->sources == 1) ||
          (form.opcode == Opcode::cvt && !ir::is_float(form.type(1))))
        return exactly(source(*i, 0));
      if (form.opcode == Opcode::ld) out = of_parameter(*i, flow.ssa.of_operand[operand]);
    }
  if (!out || out->size() != 1 || out->begin()->first.size() != 1 || out->begin()->second != 1) return {};
  const Size size = out->begin()->first[0];
  return size.kind == Size::Kind::thread || size.kind == Size::Kind::loaded ? std::nullopt
                                                                            : std::optional(size);
}

std::optional<Bound> Sizes::of_value(u32 value) {
  if (value == ir::no_value || ++steps_ > most_visits) return {};
  auto [known, fresh] = known_.try_emplace(value); // nothing, while it is asked for within itself
  if (!fresh) return known->second;
  std::optional<Bound> out = from(facts_, value);
  if (!out) out = computed(value);
  return known_[value] = out;
}

std::optional<Bound> Sizes::computed(u32 value) {
  if (phi(value) != nullptr) return of_phi(value);
  const ir::Instruction* i = flow.definition(value);
  if (i == nullptr) return {};
  return flow.module.form(*i).opcode == Opcode::ld ? of_parameter(*i, value) : of_instruction(*i);
}

// The largest of what comes over the edges, each with what holds there.
std::optional<Bound> Sizes::of_phi(u32 value) {
  const u32 block = flow.ssa.block_of[value].value;
  const auto& before = flow.cfg.predecessors[block];
  std::optional<Bound> out;
  for (std::size_t p = 0; p < before.size(); ++p) {
    const u32 comes = phi(value)->incoming[p];
    if (comes == ir::no_value || comes == value) continue;
    Facts facts;
    add_edge(before[p].value, block, facts);
    std::optional<Bound> bound = from(facts, comes);
    if (!bound) bound = from(facts = facts_at(before[p].value), comes);
    if (!bound) bound = of_value(comes);
    if (!bound) return {};
    out = out ? larger(out, bound) : bound;
    if (!out) return {};
  }
  return out;
}

std::optional<Bound> Sizes::of_special(ir::Special which) const {
  using S = ir::Special;
  const u32 number = static_cast<u32>(which);
  auto axis = [&](S first) -> std::optional<u32> {
    const u32 from = number - static_cast<u32>(first);
    return from < 3 ? std::optional(from) : std::nullopt;
  };
  auto size = [](const Dim3& d, u32 a) { return a == 0 ? d.x : a == 1 ? d.y : d.z; };
  if (auto a = axis(S::tid_x))
    return launches_.block ? constant(size(*launches_.block, *a) - 1.0) : one(Size::Kind::thread, *a);
  if (auto a = axis(S::ntid_x))
    return launches_.block ? constant(size(*launches_.block, *a)) : one(Size::Kind::block_size, *a);
  if (auto a = axis(S::nctaid_x))
    return launches_.grid ? constant(size(*launches_.grid, *a)) : one(Size::Kind::blocks, *a);
  if (auto a = axis(S::ctaid_x))
    return launches_.grid ? constant(size(*launches_.grid, *a) - 1.0)
                          : sum(one(Size::Kind::blocks, *a), constant(-1));
  if (which == S::laneid) return constant(warp_size - 1.0);
  return {};
}

// Of a kernel; what is loaded from memory counts as a size, too.
std::optional<Bound> Sizes::of_parameter(const ir::Instruction& i, u32 result) const {
  const ir::Form& form = flow.module.form(i);
  if (!is_integer(form)) return {};
  if (const u32 bits = ir::bits(form.type()); bits < 32)
    return constant(std::ldexp(1.0, static_cast<int>(bits - ir::is_signed(form.type()))) - 1);
  if (form.space() != ir::StateSpace::param)
    return one(Size::Kind::loaded, static_cast<u32>(&i - flow.function.instructions.data()));
  const ir::Operand& from = flow.function.operands[source(i, 0)];
  const auto place = std::ranges::find(flow.function.parameters, from.variable);
  if (!flow.function.entry || from.reg.valid() || place == flow.function.parameters.end()) return {};
  const u32 number = static_cast<u32>(place - flow.function.parameters.begin());
  u32 byte = static_cast<u32>(from.value);
  for (u32 n = 0; n < i.destinations; ++n)
    if (flow.ssa.of_operand[i.first_operand + n] == result) byte += n * ir::bytes(form.type());
  const auto known = launches_.arguments.find({number, byte});
  if (known != launches_.arguments.end()) return constant(static_cast<double>(known->second));
  return one(Size::Kind::parameter, number, byte);
}

// a | b, where b is smaller than what a is shifted by?
bool Sizes::is_below_bits_of(const ir::Instruction& i) {
  for (const u32 n : {0u, 1u}) {
    const ir::Operand& o = flow.function.operands[source(i, n)];
    const ir::Instruction* shift =
        o.kind == ir::Operand::Kind::reg ? flow.definition(flow.ssa.of_operand[source(i, n)]) : nullptr;
    if (shift == nullptr || flow.module.form(*shift).opcode != Opcode::shl) continue;
    const ir::Operand& by = flow.function.operands[source(*shift, 1)];
    const std::optional<Bound> other = upper(source(i, 1 - n));
    if (by.kind == ir::Operand::Kind::immediate && by.value < 32 && other &&
        largest(*other, 1e15) < std::ldexp(1.0, static_cast<int>(by.value)))
      return true;
  }
  return false;
}

// Of what is not fixed the least is not known: it cannot be taken away.
std::optional<Bound> Sizes::of_sum(const ir::Instruction& i, std::span<const ir::Summand> summands) {
  if (flow.module.form(i).has(ir::Modifier::hi)) return {};
  Bound out;
  for (const ir::Summand& s : summands) {
    std::optional<Bound> term = upper(source(i, s.source));
    if (s.factor != ir::Summand::none) {
      std::optional<Bound> by = upper(source(i, s.factor));
      if (s.is_power) by = power_of_two(by);
      term = term && by ? std::optional(product(*term, *by)) : std::nullopt;
    }
    const bool fixed = flow.function.operands[source(i, s.source)].kind == ir::Operand::Kind::immediate;
    if (!term || (s.is_subtracted && !fixed)) return {};
    out = sum(out, *term, s.is_subtracted ? -1 : 1);
  }
  return out;
}

std::optional<Bound> Sizes::of_instruction(const ir::Instruction& i) {
  const ir::Form& form = flow.module.form(i);
  if (form.type() != ir::Type::none &&
      (ir::is_float(form.type()) || ir::type_class(form.type()) == ir::TypeClass::predicate))
    return {};
  auto of = [&](u32 n) { return n < i.sources ? upper(source(i, n)) : std::nullopt; };
  auto known = [&](u32 n) {
    const std::optional<Bound> b = of(n);
    return b ? number(*b) : std::nullopt;
  };
  auto times = [&](u32 n, double factor) -> std::optional<Bound> {
    const std::optional<Bound> b = of(n);
    return b ? std::optional(product(*b, constant(factor))) : std::nullopt;
  };
  switch (form.opcode) {
  case Opcode::cvta: return {};
  case Opcode::mov: return i.sources == 1 ? of(0) : std::nullopt;
  case Opcode::cvt: return ir::is_float(form.type(1)) ? std::nullopt : of(0);
  case Opcode::or_: // as compilers add what is apart
    return is_below_bits_of(i) ? of_sum(i, ir::summands(Opcode::add)) : std::nullopt;
  case Opcode::shr: {
    const std::optional<Bound> by = power_of_two(of(1));
    return by ? times(0, 1 / *number(*by)) : of(0);
  }
  case Opcode::div: {
    const std::optional<double> by = known(1);
    if (by && *by >= 1) return times(0, 1 / *by);
    const std::optional<Size> size = exactly(source(i, 1));
    const std::optional<Bound> whole = of(0);
    return size && whole ? std::optional(quotient(*whole, *size)) : whole;
  }
  case Opcode::rem: {
    const std::optional<Bound> by = of(1);
    return by ? smaller(of(0), sum(*by, constant(-1))) : of(0);
  }
  case Opcode::and_: {
    const std::optional<double> mask = known(1);
    return mask && *mask >= 0 ? smaller(of(0), constant(*mask)) : of(0);
  }
  case Opcode::min: return smaller(of(0), of(1));
  case Opcode::max: return larger(of(0), of(1));
  case Opcode::selp: return larger(of(0), of(1));
  default: {
    const std::span<const ir::Summand> summands = ir::summands(form.opcode);
    return summands.empty() ? std::nullopt : of_sum(i, summands);
  }
  }
}

std::optional<i64> Sizes::of_first_thread(u32 operand) {
  const ir::Operand& o = flow.function.operands[operand];
  if (o.kind == ir::Operand::Kind::immediate) return as_signed(o.value);
  using S = ir::Special;
  auto is_index = [](S which) {
    return (which >= S::tid_x && which <= S::tid_z) || (which >= S::ctaid_x && which <= S::ctaid_z);
  };
  if (o.kind == ir::Operand::Kind::special) return is_index(o.special) ? std::optional<i64>(0) : std::nullopt;
  const ir::Instruction* i =
      o.kind == ir::Operand::Kind::reg ? flow.definition(flow.ssa.of_operand[operand]) : nullptr;
  if (i == nullptr || o.negated || ++steps_ > most_visits) return {};
  auto of = [&](u32 n) { return of_first_thread(source(*i, n)); };
  const ir::Form& form = flow.module.form(*i);
  const std::span<const ir::Summand> summands = ir::summands(form.opcode);
  if (summands.empty() || form.has(ir::Modifier::hi) || (form.opcode == Opcode::mov && i->sources != 1))
    return {};
  i64 out = 0;
  for (const ir::Summand& s : summands) {
    const std::optional<i64> one = of(s.source);
    if (s.factor == ir::Summand::none ? !one : one != 0 && (s.is_power || of(s.factor) != 0)) return {};
    if (s.factor == ir::Summand::none) out += s.is_subtracted ? -*one : *one;
  }
  return out;
}

} // namespace warplens::check
