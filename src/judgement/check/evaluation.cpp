// Instructions in families: integer arithmetic, bits, decisions, movement, memory, what lanes exchange. Each takes what it
// has a rule for in symbolic/warp; of the rest only matters whether the operands are equal in all lanes.
#include "check/evaluation.h"
#include "check/codes.h"
#include "check/lane_semantics.h"
#include "ir/timing.h"

namespace warplens::check {

using ir::Modifier;
using ir::Opcode;
using symbolic::Compared;
using symbolic::Range;
using symbolic::Symbol;
using symbolic::SymbolKind;
using symbolic::Value;

Evaluation::Evaluation(Analysis& analysis)
    : a_(analysis), pool_(analysis.pool), algebra_(analysis.algebra), function_(analysis.flow.function),
      module_(analysis.flow.module) {}

Value Evaluation::source(u32 n, u32 bits) {
  return a_.operand(instruction_->first_operand + instruction_->destinations + n, block_, bits, index_);
}

void Evaluation::define(u32 n, Value v) {
  u32 o = instruction_->first_operand + n;
  u32 ssa = a_.flow.ssa.of_operand[o];
  if (function_.operands[o].kind != ir::Operand::Kind::reg || ssa == ir::no_value) return;
  u32 bits = ir::bits(function_.registers[function_.operands[o].reg.value].type);
  if (bits > 1 && bits < 64) v = algebra_.truncate(v, bits);
  if (instruction_->guard.valid() && a_.flow.ssa.overwritten[o] != ir::no_value) {
    Value old = a_.seen(a_.flow.ssa.overwritten[o], block_);
    v = algebra_.select(a_.guard(index_, block_), v, old, bits <= 1 ? 64 : bits);
  }
  a_.values_[ssa] = v;
  a_.known_[ssa] = true;
}

Value Evaluation::shared_result(u32 detail) {
  if (a_.apart(index_)) return differing_result(detail);
  Symbol made{SymbolKind::result, true, 1, {}, a_.loops_of_[block_], 0, index_, 0};
  return algebra_.fresh({of_instruction, index_, detail, made.loops, 0}, made);
}
Value Evaluation::differing_result(u32 detail) {
  u32 cause = static_cast<u32>(Reason::instructions) + index_;
  return a_.varying(of_differing, index_, detail, pool_.sets.of(cause), a_.loops_of_[block_]);
}

void Evaluation::step(u32 index, u32 block) {
  index_ = index;
  block_ = block;
  instruction_ = &function_.instructions[index];
  if (instruction_->destinations == 0) return;
  form_ = &module_.form(*instruction_);
  type_ = form_->type();
  bits_ = type_ == ir::Type::none ? 32 : ir::bits(type_);
  signed_ = type_ != ir::Type::none && ir::is_signed(type_);
  evaluate();
}

void Evaluation::evaluate() {
  bool carries = ir::sets_carry(*form_) || ir::takes_carry(*form_);
  bool pairs = type_ == ir::Type::u16x2 || type_ == ir::Type::s16x2;
  bool floating = type_ != ir::Type::none && (ir::is_float(type_) || pairs);
  bool plain = !carries && !form_->has(Modifier::sat) && bits_ <= 64;
  if (plain && !floating && (integer() || bitwise())) return;
  if (plain && (decision() || movement())) return;
  if (memory() || across_lanes()) return;
  other();
}

// ---- integer arithmetic

bool Evaluation::integer() {
  switch (form_->opcode) {
  case Opcode::add: define(0, algebra_.add(source(0), source(1), bits_)); return true;
  case Opcode::sub: define(0, algebra_.subtract(source(0), source(1), bits_)); return true;
  case Opcode::neg: define(0, algebra_.scale(source(0), -1, bits_)); return true;
  case Opcode::mul:
  case Opcode::mad:
    if (form_->has(Modifier::hi)) return false;
    define(0, multiplied());
    return true;
  case Opcode::mul24:
  case Opcode::mad24: { // of numbers of 24 bits, as which the text uses them
    if (form_->has(Modifier::hi)) return false;
    Value a = source(0), b = source(1);
    std::optional<Range> x = pool_.facts(a).range, y = pool_.facts(b).range;
    auto small = [](const std::optional<Range>& r) {
      return r && r->least >= -(1 << 23) && r->most < (1 << 23);
    };
    if (!small(x) || !small(y)) return false;
    Value product = algebra_.multiply(a, b, 32);
    define(0, form_->opcode == Opcode::mad24 ? algebra_.add(product, source(2), 32) : product);
    return true;
  }
  case Opcode::div: define(0, algebra_.divide(source(0), source(1), signed_, bits_)); return true;
  case Opcode::rem: define(0, algebra_.remainder(source(0), source(1), signed_, bits_)); return true;
  case Opcode::min:
  case Opcode::max:
    if (instruction_->sources != 2 || bits_ > 64 || ir::type_class(type_) == ir::TypeClass::packed_floating ||
        form_->has(Modifier::relu) || type_ == ir::Type::u16x2 || type_ == ir::Type::s16x2)
      return false;
    define(0, form_->opcode == Opcode::min ? algebra_.smaller(source(0), source(1), signed_, bits_)
                                           : algebra_.larger(source(0), source(1), signed_, bits_));
    return true;
  case Opcode::abs: {
    std::optional<Range> known = algebra_.range(source(0), true, bits_);
    if (!known || known->least < 0) return false;
    define(0, source(0));
    return true;
  }
  default: return false;
  }
}

Value Evaluation::multiplied() {
  bool wide = form_->has(Modifier::wide);
  Value a = source(0), b = source(1);
  u32 bits = wide ? 2 * bits_ : bits_;
  if (wide) a = algebra_.extend(a, signed_, bits_), b = algebra_.extend(b, signed_, bits_);
  Value product = algebra_.multiply(a, b, bits);
  return form_->opcode == Opcode::mad ? algebra_.add(product, source(2, bits), bits) : product;
}

// ---- bits

bool Evaluation::bitwise() {
  bool flags = type_ == ir::Type::pred;
  switch (form_->opcode) {
  case Opcode::and_:
    define(0, flags ? algebra_.both(source(0), source(1)) : algebra_.bit_and(source(0), source(1), bits_));
    return true;
  case Opcode::or_:
    define(0, flags ? algebra_.either(source(0), source(1)) : algebra_.bit_or(source(0), source(1), bits_));
    return true;
  case Opcode::xor_:
    define(0, flags ? algebra_.differ(source(0), source(1)) : algebra_.bit_xor(source(0), source(1), bits_));
    return true;
  case Opcode::not_:
    define(0, flags ? algebra_.negate(source(0)) : algebra_.subtract(pool_.constant(-1), source(0), bits_));
    return true;
  case Opcode::shl: define(0, algebra_.shift_left(source(0), source(1, 32), bits_)); return true;
  case Opcode::shr: {
    std::optional<i64> amount = pool_.number(source(1, 32));
    if (!amount) {
      define(0, algebra_.shift_right(source(0), source(1, 32), signed_, bits_));
      return true;
    }
    u64 n = static_cast<u32>(*amount);
    define(0, algebra_.shift_right(source(0), static_cast<u32>(std::min<u64>(n, bits_)), signed_, bits_));
    return true;
  }
  case Opcode::shf:
    if (pool_.number(source(2, 32)) || !pool_.facts(source(2, 32)).uniform) return false;
    define(0, turned());
    return true;
  case Opcode::brev: define(0, algebra_.reverse_bits(source(0), bits_)); return true;
  case Opcode::bfe:
  case Opcode::bfi: {
    Value field = bit_field();
    if (field.assumed == ~u32{0}) return false;
    define(0, field);
    return true;
  }
  case Opcode::lop3: {
    std::optional<i64> table = pool_.number(source(3, 32));
    if (!table || instruction_->destinations != 1) return false;
    define(0, by_table(static_cast<u32>(*table) & 0xff, source(0), source(1), source(2)));
    return true;
  }
  default: return false;
  }
}

// bfe and bfi with known fields; else a value whose assumptions are all ones.
Value Evaluation::bit_field() {
  bool extract = form_->opcode == Opcode::bfe;
  u32 first = extract ? 1 : 2;
  std::optional<i64> position = pool_.number(source(first, 32)), length = pool_.number(source(first + 1, 32));
  if (!position || !length || *position < 0 || *length < 1 || *position + *length > bits_ || *length >= 63)
    return {0, ~u32{0}};
  u32 at = static_cast<u32>(*position), count = static_cast<u32>(*length);
  Value mask = pool_.constant(static_cast<i64>((u64{1} << count) - 1));
  if (extract) {
    Value field = algebra_.bit_and(algebra_.shift_right(source(0), at, false, bits_), mask, bits_);
    return signed_ ? algebra_.extend(algebra_.truncate(field, count), true, count) : field;
  }
  Value old = algebra_.bit_and(algebra_.shift_right(source(1), at, false, bits_), mask, bits_);
  Value fresh = algebra_.bit_and(source(0), mask, bits_);
  Value change = algebra_.scale(algebra_.subtract(fresh, old, 64), static_cast<i64>(u64{1} << at), bits_);
  return algebra_.add(source(1), change, bits_);
}

// shf of known lanes by a number that all lanes share.
Value Evaluation::turned() {
  const bool wraps = form_->has(Modifier::wrap);
  const Value amount = source(2, 32);
  auto by = [&](i64 n) -> std::optional<symbolic::Lanes> {
    std::vector<symbolic::Lanes> lanes;
    for (Value v : {source(0), source(1), pool_.constant(n)}) {
      if (!pool_.is_constant(v)) return {};
      lanes.push_back(pool_.lanes(pool_.constant_of(v)));
    }
    return computed(*form_, lanes);
  };
  return algebra_.by_number(wraps ? algebra_.bit_and(amount, pool_.constant(31), 32)
                                  : algebra_.smaller(amount, pool_.constant(32), false, 32),
                            wraps ? 31 : 32, by, {of_form + instruction_->form.value, 0},
                            {source(0), source(1), amount});
}

// lop3, where its table is one of two operations in a row.
Value Evaluation::by_table(u32 table, Value a, Value b, Value c) {
  constexpr u32 A = 0xf0, B = 0xcc, C = 0xaa;
  auto apply = [&](u32 how, Value x, Value y) {
    return how == 0   ? algebra_.bit_and(x, y, bits_)
           : how == 1 ? algebra_.bit_or(x, y, bits_)
                      : algebra_.bit_xor(x, y, bits_);
  };
  auto bits = [](u32 how, u32 x, u32 y) { return how == 0 ? x & y : how == 1 ? x | y : x ^ y; };
  const Value value[3] = {a, b, c};
  const u32 of[3] = {A, B, C};
  for (u32 one = 0; one < 3; ++one) { // (two of them) and then the third; each may be inverted first
    u32 x = (one + 1) % 3, y = (one + 2) % 3;
    for (u32 inverted = 0; inverted < 8; ++inverted)
      for (u32 inner = 0; inner < 3; ++inner)
        for (u32 outer = 0; outer < 3; ++outer) {
          auto turned = [&](u32 i, u32 bit) { return (inverted >> bit & 1) != 0 ? ~of[i] & 0xff : of[i]; };
          if ((bits(outer, bits(inner, turned(x, 0), turned(y, 1)), turned(one, 2)) & 0xff) != table)
            continue;
          auto used = [&](u32 i, u32 bit) {
            return (inverted >> bit & 1) != 0 ? algebra_.subtract(pool_.constant(-1), value[i], bits_)
                                              : value[i];
          };
          return apply(outer, apply(inner, used(x, 0), used(y, 1)), used(one, 2));
        }
  }
  return algebra_.opaque({of_form + instruction_->form.value, table}, {a, b, c},
                         Analysis::instruction_cause(index_));
}

// ---- decisions

bool Evaluation::decision() {
  switch (form_->opcode) {
  case Opcode::setp: compare_and_set(); return true;
  case Opcode::selp: {
    if (ir::is_float(type_) && bits_ > 64) return false;
    define(0, algebra_.select(source(2, 1), source(0), source(1), bits_));
    return true;
  }
  default: return false;
  }
}

void Evaluation::compare_and_set() {
  Value a = source(0), b = source(1), result;
  bool integers = !ir::is_float(type_);
  using C = ir::Comparison;
  bool is_signed = signed_;
  switch (integers ? form_->comparison() : C::nan) {
  case C::eq: result = algebra_.compare(Compared::eq, a, b, is_signed, bits_); break;
  case C::ne: result = algebra_.compare(Compared::ne, a, b, is_signed, bits_); break;
  case C::lt: result = algebra_.compare(Compared::lt, a, b, is_signed, bits_); break;
  case C::le: result = algebra_.compare(Compared::le, a, b, is_signed, bits_); break;
  case C::gt: result = algebra_.compare(Compared::gt, a, b, is_signed, bits_); break;
  case C::ge: result = algebra_.compare(Compared::ge, a, b, is_signed, bits_); break;
  case C::ls_: result = algebra_.compare(Compared::le, a, b, false, bits_); break;
  case C::hs_: result = algebra_.compare(Compared::ge, a, b, false, bits_); break;
  default: {
    Symbol flag{SymbolKind::flag, true, 1, Range{0, 1}, 0, 0, 0, 0};
    result = algebra_.opaque({of_form + instruction_->form.value, 0}, {a, b},
                             Analysis::instruction_cause(index_), flag);
  }
  }
  Value inverse = algebra_.negate(result);
  if (instruction_->sources > 2) {
    Value with = source(2, 1);
    auto combined = [&](Value flag) {
      switch (form_->bool_op()) {
      case ir::BoolOp::and_: return algebra_.both(flag, with);
      case ir::BoolOp::or_: return algebra_.either(flag, with);
      case ir::BoolOp::xor_: return algebra_.differ(flag, with);
      default: return flag;
      }
    };
    result = combined(result), inverse = combined(inverse);
  }
  define(0, result);
  if (instruction_->destinations > 1) define(1, inverse);
}

// ---- movement

bool Evaluation::movement() {
  switch (form_->opcode) {
  case Opcode::mov:
    if (form_->vector > 1) { // element by element, as if at once
      std::vector<Value> from;
      for (u32 n = 0; n < instruction_->sources; ++n) from.push_back(source(n));
      for (u32 n = 0; n < instruction_->destinations; ++n) define(n, from[n]);
      return true;
    }
    if (instruction_->destinations > 1) { // a register into parts
      u32 part = bits_ / instruction_->destinations;
      for (u32 n = 0; n < instruction_->destinations; ++n)
        define(n, algebra_.truncate(algebra_.shift_right(source(0), part * n, false, bits_), part));
      return true;
    }
    define(0, moved());
    return true;
  case Opcode::cvta: define(0, source(0)); return true;
  case Opcode::cvt: {
    ir::Type from = form_->type(1), to = form_->type(0);
    bool plain =
        instruction_->sources == 1 && from != ir::Type::none && !ir::is_float(from) && !ir::is_float(to);
    if (!plain) return false;
    define(0, converted());
    return true;
  }
  default: return false;
  }
}

Value Evaluation::moved() {
  if (instruction_->sources == 1) return source(0);
  u32 part = bits_ / instruction_->sources; // parts into a register, the lowest first
  Value out = pool_.constant(0);
  for (u32 n = 0; n < instruction_->sources; ++n) {
    bool last = n + 1 == instruction_->sources; // above it nothing is
    Value piece = last ? source(n, part) : algebra_.extend(source(n, part), false, part);
    out = algebra_.add(out, algebra_.scale(piece, static_cast<i64>(u64{1} << (part * n)), bits_), bits_);
  }
  return out;
}

Value Evaluation::converted() {
  ir::Type to = form_->type(0), from = form_->type(1);
  u32 target = ir::bits(to), origin = ir::bits(from);
  Value v = algebra_.truncate(source(0, origin), origin);
  if (target > origin) return algebra_.extend(v, ir::is_signed(from), origin);
  if (target >= 16) return algebra_.truncate(v, target);
  return algebra_.extend(algebra_.truncate(v, target), ir::is_signed(to),
                         target); // 8 bits lie in a wider register
}

// ---- memory

bool Evaluation::memory() {
  switch (form_->opcode) {
  case Opcode::ld:
  case Opcode::ldu: load(); return true;
  case Opcode::atom:
  case Opcode::tex:
  case Opcode::tld4:
  case Opcode::suld:
  case Opcode::ldmatrix:
  case Opcode::wmma:
  case Opcode::mma:
  case Opcode::wgmma:
  case Opcode::movmatrix:
  case Opcode::call:
    for (u32 n = 0; n < instruction_->destinations; ++n) define(n, differing_result(n));
    return true;
  default: return false;
  }
}

void Evaluation::load() {
  if (form_->space() == ir::StateSpace::param) return load_parameter();
  u32 address = instruction_->first_operand + instruction_->destinations;
  // One address, so one value; but each thread has local memory of its own.
  Value where = a_.address(address, block_);
  bool local = form_->space() == ir::StateSpace::local;
  for (const symbolic::Term& t : pool_.terms(where))
    for (u32 s : pool_.monomial(t.monomial))
      if (pool_.symbol(s).kind == SymbolKind::address)
        local = local || module_.variables[pool_.symbol(s).a].space == ir::StateSpace::local;
  bool generic = form_->space() == ir::StateSpace::generic;
  bool own = a_.rules.own_memory && (local || (generic && !a_.points_to_shared_memory_of_all(where)));
  const bool changes =
      a_.apart(index_) && form_->space() != ir::StateSpace::constant; // from one lane's turn to the next
  bool one_value = pool_.facts(where).uniform && !own && !changes;
  for (u32 n = 0; n < instruction_->destinations; ++n) {
    define(n, one_value ? loaded(n) : differing_result(n));
  }
}

// From one address.
Value Evaluation::loaded(u32 n) {
  Symbol made{SymbolKind::loaded, true, 1, {}, a_.loops_of_[block_], 0, index_, n};
  if (bits_ < 32 && !ir::is_float(type_)) {
    i64 size = i64{1} << bits_;
    made.range = signed_ ? Range{-size / 2, size / 2 - 1} : Range{0, size - 1};
  }
  return algebra_.fresh({of_load, index_, n, made.loops, 0}, made);
}

void Evaluation::load_parameter() {
  const ir::Operand& from = function_.sources(*instruction_)[0];
  auto place = std::find(function_.parameters.begin(), function_.parameters.end(), from.variable);
  const bool known_place = from.variable.valid() && !from.reg.valid();
  const bool kernel = function_.entry && known_place && place != function_.parameters.end();
  // Of a kernel's parameters that are indexed: one address, so one value.
  const bool shared =
      function_.entry && !known_place &&
      pool_.facts(a_.address(instruction_->first_operand + instruction_->destinations, block_)).uniform;
  const Reason reason =
      place == function_.parameters.end() ? Reason::function_result : Reason::function_argument;
  for (u32 n = 0; n < instruction_->destinations; ++n) {
    if (shared) {
      define(n, loaded(n));
      continue;
    }
    if (!kernel) {
      const bool result = known_place && place == function_.parameters.end(); // of a call
      define(n, result || (function_.entry && !known_place)
                    ? differing_result(n)
                    : a_.varying(of_parameter, index_, n, pool_.sets.of(static_cast<u32>(reason)),
                                 a_.loops_of_[block_]));
      continue;
    }
    u32 number = static_cast<u32>(place - function_.parameters.begin());
    u32 byte = static_cast<u32>(from.value) + n * ir::bytes(type_);
    define(n, a_.parameter(number, byte, type_));
  }
}

// ---- across lanes, and the rest

bool Evaluation::across_lanes() {
  switch (form_->opcode) {
  case Opcode::shfl: {
    Value v = source(0, 32), lane = source(1, 32);
    bool whole_warp = pool_.number(source(2, 32)) == 31;
    bool from_one = form_->has(Modifier::idx) && whole_warp && pool_.facts(lane).uniform;
    define(0, pool_.facts(v).uniform ? v : from_one ? shared_result() : differing_result());
    if (instruction_->destinations > 1) define(1, differing_result(1));
    return true;
  }
  case Opcode::vote:
  case Opcode::activemask:
  case Opcode::redux:
  case Opcode::bar:
  case Opcode::barrier:
    for (u32 n = 0; n < instruction_->destinations; ++n) define(n, shared_result(n));
    return true;
  case Opcode::mbarrier: { // one that all lanes ask answers all of them alike
    bool alike = ir::polls(*form_);
    for (u32 n = 0; n < instruction_->sources; ++n) alike = alike && pool_.facts(source(n, 64)).uniform;
    for (u32 n = 0; n < instruction_->destinations; ++n)
      define(n, alike ? shared_result(n) : differing_result(n));
    return true;
  }
  case Opcode::match:
  case Opcode::elect:
    for (u32 n = 0; n < instruction_->destinations; ++n) define(n, differing_result(n));
    return true;
  default: return false;
  }
}

// Parts of registers are in no form: two instructions of one form may differ in them.
bool Evaluation::names_parts() const {
  auto is_part = [](const ir::Operand& o) { return o.part != ir::Part::whole; };
  std::span<const ir::Operand> to = function_.destinations(*instruction_),
                               from = function_.sources(*instruction_);
  return std::any_of(to.begin(), to.end(), is_part) || std::any_of(from.begin(), from.end(), is_part);
}

void Evaluation::other() {
  std::vector<Value> sources;
  std::vector<symbolic::Lanes> lanes;
  bool constant = true, readable = form_->family() == ir::Family::compute && !names_parts();
  for (u32 n = 0; n < instruction_->sources; ++n) {
    sources.push_back(source(n, 64));
    constant = constant && pool_.is_constant(sources.back());
    if (constant) lanes.push_back(pool_.lanes(pool_.constant_of(sources.back())));
  }
  if (readable && constant && instruction_->destinations == 1)
    if (std::optional<symbolic::Lanes> result = computed(*form_, lanes))
      return define(0, pool_.constant(*result));
  if (!readable || sources.empty()) {
    for (u32 n = 0; n < instruction_->destinations; ++n) define(n, differing_result(n));
    return;
  }
  Symbol made;
  made.a = index_;
  for (u32 n = 0; n < instruction_->destinations; ++n)
    define(n, algebra_.opaque({of_form + instruction_->form.value, n}, sources,
                              Analysis::instruction_cause(index_), made));
}

} // namespace warplens::check
