// Integers, bits and predicates of machine code as PTX. See kernel_translation.h.
#include "translate/kernel_translation.h"
#include <bit>

namespace warplens::translate {

// D, P, Q = A + B + C, and the carries in of .X. Two carries can leave: the sum of P and Q is what matters, so the first two operands
// have one and the third has the other.
bool Kernel::add3() {
  const Operand &d = at(0), &p = at(1), &q = at(2);
  std::vector<const Operand*> terms;
  for (std::size_t i : {3, 4, 5})
    if (!nothing(at(i)) || at(i).inverted || at(i).negated) // -RZ, too, has a carry
      terms.push_back(&at(i));
  const bool extended = has(Modifier::X);
  if (has(Modifier::n64)) {
    if (wanted(p) || wanted(q)) return refuse();
    const std::string sum = wide_temporary();
    put("mov.u64 {}, {};", sum, read_wide(at(3)));
    if (at(3).negated) put("neg.s64 {0}, {0};", sum);
    for (std::size_t i : {4, 5})
      if (!nothing(at(i)))
        put("{1}.s64 {0}, {0}, {2};", sum, at(i).negated ? "sub" : "add", read_wide(at(i)));
    write_wide(d, sum);
    return true;
  }
  if (!wanted(p) && !wanted(q)) {
    std::string sum = terms.empty() ? "0" : "";
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool last = i + 1 == terms.size() && !extended;
      if (i == 0) {
        sum = terms.size() > 1 || extended || terms[0]->negated || terms[0]->inverted
                  ? read_integer(*terms[0])
                  : read(*terms[0]);
        if (last) write(d, sum);
        continue;
      }
      const bool minus = terms[i]->negated;
      const std::string value = minus ? read(*terms[i]) : read_integer(*terms[i]);
      if (last) {
        act("{} {}, {}, {};", minus ? "sub.s32" : "add.s32", target(d), sum, value);
      } else {
        const std::string t = temporary();
        put("{} {}, {}, {};", minus ? "sub.s32" : "add.s32", t, sum, value);
        sum = t;
      }
    }
    if (terms.empty() || extended) {
      if (extended) sum = carry(carry(sum, predicate(at(6))), predicate(at(7)));
      write(d, sum);
    }
    return true;
  }
  // As 64 bits: what is above the low 32 is the number of carries. A negated term is its complement plus one.
  std::string sum = wide_temporary();
  put("mov.u64 {}, 0;", sum);
  for (const Operand* term : terms) {
    std::string value = read(*term);
    if (term->negated || term->inverted) {
      const std::string t = temporary();
      put("not.b32 {}, {};", t, value);
      value = t;
    }
    const std::string e = wide_temporary();
    put("cvt.u64.u32 {}, {};", e, value);
    put("add.u64 {0}, {0}, {1};", sum, e);
    if (term->negated) put("add.u64 {0}, {0}, 1;", sum);
  }
  if (extended)
    for (std::size_t i : {6, 7}) {
      const Predicate in = predicate(at(i));
      if (in.is_constant && !in.value) continue;
      const std::string e = wide_temporary();
      put("cvt.u64.u32 {}, {};", e, as_number(in));
      put("add.u64 {0}, {0}, {1};", sum, e);
    }
  const std::string low = temporary(), high = temporary();
  put("mov.b64 {{{}, {}}}, {};", low, high, sum);
  if (wanted(p)) act("setp.ge.u32 {}, {}, 1;", predicate(p).name, high);
  if (wanted(q)) act("setp.ge.u32 {}, {}, 2;", predicate(q).name, high);
  write(d, low);
  return true;
}

bool Kernel::multiply_add() {
  const Operand &d = at(0), &p = at(1), &a = at(2), &b = at(3), &c = at(4);
  const char* type = has(Modifier::U32) ? "u32" : "s32";
  if (has(Modifier::WIDE)) {
    std::string sum = read_wide(c);
    if (c.negated || c.inverted) {
      const std::string e = wide_temporary();
      put("{} {}, {};", c.inverted ? "not.b64" : "neg.s64", e, sum);
      sum = e;
    }
    const std::string product = wide_temporary();
    if (nothing(c) && !c.inverted)
      put("mul.wide.{} {}, {}, {};", type, product, read(a), read(b));
    else
      put("mad.wide.{} {}, {}, {}, {};", type, product, read(a), read(b), sum);
    if (has(Modifier::X)) {
      const std::string e = wide_temporary();
      put("cvt.u64.u32 {}, {};", e, as_number(predicate(at(5))));
      put("add.u64 {0}, {0}, {1};", product, e);
    }
    if (wanted(p)) act("setp.lt.u64 {}, {}, {};", predicate(p).name, product, sum);
    write_wide(d, product);
    return true;
  }
  if (auto factor = numbers_.find(number_of(a)); a.kind == OperandKind::reg && factor != numbers_.end() &&
                                                 factor->second == 0 && nothing(c) && !wanted(p) &&
                                                 !has(Modifier::X))
    return write(d, "0"), true; // so that what it leads to is known, too (SR_CgaSize)
  if (has(Modifier::HI)) {      // the high word of a product to which 64 bits are added
    if (nothing(c) && !wanted(p) && !has(Modifier::X)) {
      act("mul.hi.{} {}, {}, {};", type, target(d), read(a), read(b));
      return true;
    }
    const std::string sum = read_wide(c), product = wide_temporary();
    put("mad.wide.{} {}, {}, {}, {};", type, product, read(a), read(b), sum);
    if (has(Modifier::X)) {
      if (wanted(p)) return refuse();
      const std::string e = wide_temporary();
      put("cvt.u64.u32 {}, {};", e, as_number(predicate(at(5))));
      put("add.u64 {0}, {0}, {1};", product, e);
    }
    if (wanted(p)) act("setp.lt.u64 {}, {}, {};", predicate(p).name, product, sum);
    act("mov.b64 {{%sink, {}}}, {};", target(d), product);
    return true;
  }
  // IMAD also moves, adds and shifts.
  if (wanted(p)) return refuse();
  const bool one = b.kind == OperandKind::immediate && b.value == 1, zero = nothing(a) || nothing(b);
  const bool plain = !has(Modifier::X);
  if (plain && (zero || (one && nothing(c)))) {
    write(d, zero ? read_integer(c) : read(a));
    return true;
  }
  if (plain && one) {
    act("{} {}, {}, {};", c.negated ? "sub.s32" : "add.s32", target(d), read(a),
        c.negated ? read(c) : read_integer(c));
    return true;
  }
  if (plain && b.kind == OperandKind::immediate && nothing(c) &&
      std::has_single_bit(static_cast<u32>(b.value))) {
    act("shl.b32 {}, {}, {};", target(d), read(a), std::countr_zero(static_cast<u32>(b.value)));
    return true;
  }
  const std::string addend = read_integer(c);
  if (plain) {
    if (nothing(c))
      act("mul.lo.s32 {}, {}, {};", target(d), read(a), read(b));
    else
      act("mad.lo.s32 {}, {}, {}, {};", target(d), read(a), read(b), addend);
    return true;
  }
  const std::string t = temporary();
  put("mad.lo.s32 {}, {}, {}, {};", t, read(a), read(b), addend);
  write(d, carry(t, predicate(at(5))));
  return true;
}

void Kernel::add_with_carry(const char* type, const std::string& sum, const std::string& a,
                            const std::string& b, const Predicate& in, const Operand& out) {
  put("add.cc.u32 {}, {}, -1;", temporary(), as_number(in));
  put("addc.cc.{} {}, {}, {};", type, sum, a, b);
  if (!wanted(out)) return;
  const std::string carried = temporary();
  put("addc.u32 {}, 0, 0;", carried);
  act("setp.ne.u32 {}, {}, 0;", predicate(out).name, carried);
}

// D, P = A + B + Q, 64 bits (12.0 and later). A negated term is its complement plus one.
bool Kernel::add_wide() {
  const std::string sum = wide_temporary();
  if (!has(Modifier::X) && !wanted(at(1))) { // as arrays are followed through it
    put("mov.u64 {}, {};", sum, read_wide(at(2)));
    if (at(2).negated) put("neg.s64 {0}, {0};", sum);
    put("{1}.s64 {0}, {0}, {2};", sum, at(3).negated ? "sub" : "add", read_wide(at(3)));
    write_wide(at(0), sum);
    return true;
  }
  if (at(2).negated && at(3).negated) return refuse();
  std::string terms[] = {read_wide(at(2)), read_wide(at(3))};
  for (std::size_t i : {2, 3})
    if (at(i).negated || at(i).inverted) {
      const std::string complement = wide_temporary();
      put("not.b64 {}, {};", complement, terms[i - 2]);
      terms[i - 2] = complement;
    }
  const Predicate one{.is_constant = true, .value = at(2).negated || at(3).negated};
  add_with_carry("u64", sum, terms[0], terms[1], has(Modifier::X) ? predicate(at(4)) : one, at(1));
  write_wide(at(0), sum);
  return true;
}

// P, Q, D = the lesser or greater of A and B, 64 bits (10.0 and later).
bool Kernel::extreme_of_wide() {
  const Predicate least = predicate(at(5)), with = predicate(at(6));
  if (wanted(at(0)) || wanted(at(1)) || !least.is_constant || !with.is_constant || with.value)
    return refuse();
  const std::string e = wide_temporary();
  put("{}.{}64 {}, {}, {};", least.value ? "min" : "max", has(Modifier::U64) ? 'u' : 's', e, read_wide(at(3)),
      read_wide(at(4)));
  write_wide(at(2), e);
  return true;
}

// LEA: (A << s) + B; .HI: the high word of (C:A << s), plus B
bool Kernel::lea() {
  const Operand &d = at(0), &p = at(1), &a = at(2), &b = at(3), &c = at(4);
  const u32 shift = static_cast<u32>(at(5).value);
  const std::string base = read_integer(a);
  std::string shifted = temporary();
  if (has(Modifier::HI)) {
    if (a.negated) return refuse();
    const std::string high = nothing(c) ? "0" : read(c);
    constexpr u32 word_bits = 32;
    if (has(Modifier::SX32) && shift != 0)
      put("shr.s32 {}, {}, {};", shifted, base, word_bits - shift);
    else if (has(Modifier::SX32))
      put("shr.s32 {}, {}, 31;", shifted, base);
    else
      put("shf.l.clamp.b32 {}, {}, {}, {};", shifted, base, high, shift);
  } else {
    put("shl.b32 {}, {}, {};", shifted, base, shift);
  }
  const std::string term = read_integer(b);
  if (!has(Modifier::X) && !wanted(p)) {
    act("add.s32 {}, {}, {};", target(d), shifted, term);
    return true;
  }
  const std::string sum = temporary();
  put("add.s32 {}, {}, {};", sum, shifted, term);
  if (!has(Modifier::X)) {
    const std::string carried = predicate_temporary();
    if (a.negated && b.negated) return refuse();
    if (a.negated) { // b - what is shifted: no borrow
      put("neg.s32 {0}, {0};", shifted);
      put("setp.ge.u32 {}, {}, {};", carried, term, shifted);
    } else if (b.negated) {
      put("setp.ge.u32 {}, {}, {};", carried, shifted, read(b));
    } else {
      put("setp.lt.u32 {}, {}, {};", carried, sum, term);
    }
    write_predicate(p, carried);
    write(d, sum);
    return true;
  }
  if (!wanted(p)) return write(d, carry(sum, predicate(at(6)))), true;
  add_with_carry("u32", sum, shifted, term, predicate(at(6)), p);
  write(d, sum);
  return true;
}

// ---- logic

// A predicate that is the table's value for three inputs; bit 7 of the table is the value for all true.
std::string Kernel::truth_table(u32 table, const Predicate (&inputs)[3]) {
  std::vector<std::string> names;
  auto value = [&](u32 row) { // row: the registers' values
    u32 index = 0;
    for (u32 i = 0; i < 3; ++i) {
      bool bit = inputs[i].value;
      if (!inputs[i].is_constant) {
        const u32 n = static_cast<u32>(std::ranges::find(names, inputs[i].name) - names.begin());
        bit = ((row >> n & 1) != 0) != inputs[i].negated;
      }
      index |= (bit ? 4u : 0u) >> i;
    }
    return (table >> index & 1) != 0;
  };
  for (const Predicate& p : inputs)
    if (!p.is_constant && std::ranges::find(names, p.name) == names.end()) names.push_back(p.name);
  u32 rows = 0;
  for (u32 row = 0; row < 1u << names.size(); ++row) rows |= (value(row) ? 1u : 0u) << row;
  const std::string z = predicate_temporary();
  const u32 all = (1u << (1u << names.size())) - 1;
  if (rows == 0 || rows == all) {
    put("setp.{}.u32 {}, 0, 0;", rows == 0 ? "ne" : "eq", z);
    return z;
  }
  if (names.size() == 1) {
    put("{} {}, {};", rows == 2 ? "mov.pred" : "not.pred", z, names[0]);
    return z;
  }
  if (names.size() == 2 && (rows == 8 || rows == 14 || rows == 6)) {
    put("{}.pred {}, {}, {};", rows == 8 ? "and" : rows == 14 ? "or" : "xor", z, names[0], names[1]);
    return z;
  }
  std::string words[3] = {"0", "0", "0"};
  for (std::size_t i = 0; i < names.size(); ++i) words[i] = as_number({false, false, names[i], false}, 1);
  u32 lut = 0; // of lop3, whose first operand is the highest bit of its index
  for (u32 index = 0; index < 8; ++index) {
    u32 row = 0;
    for (u32 i = 0; i < names.size(); ++i) row |= (index >> (2 - i) & 1) << i;
    lut |= (rows >> row & 1) << index;
  }
  const std::string t = temporary(), one = temporary();
  put("lop3.b32 {}, {}, {}, {}, {:#x};", t, words[0], words[1], words[2], lut);
  put("and.b32 {}, {}, 1;", one, t);
  put("setp.ne.u32 {}, {}, 0;", z, one);
  return z;
}

bool Kernel::predicate_logic() {
  Predicate inputs[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand& o = at(2 + i);
    inputs[i] = predicate(o);
    if (o.kind != OperandKind::reg) continue;
    const std::string negative = predicate_temporary();
    put("setp.lt.s32 {}, {}, 0;", negative, read(o));
    inputs[i] = {false, false, negative, o.negated || o.inverted};
  }
  const std::string first = wanted(at(0)) ? truth_table(static_cast<u32>(at(5).value), inputs) : "";
  const std::string second = wanted(at(1)) ? truth_table(static_cast<u32>(at(6).value), inputs) : "";
  if (!first.empty()) write_predicate(at(0), first);
  if (!second.empty()) write_predicate(at(1), second);
  return true;
}

namespace {

// A logical operation of three inputs as two of two: (x first y) second z. None: it takes more.
struct LogicSteps {
  const char *first, *second;
  u32 x, y, z; // which input
};
std::optional<LogicSteps> two_steps(u32 table) {
  constexpr u32 inputs[] = {0xf0, 0xcc, 0xaa}; // the tables of the inputs themselves
  constexpr std::pair<const char*, u32 (*)(u32, u32)> operations[] = {
      {"and", [](u32 a, u32 b) { return a & b; }},
      {"or", [](u32 a, u32 b) { return a | b; }},
      {"xor", [](u32 a, u32 b) { return a ^ b; }}};
  for (u32 z = 0; z < 3; ++z)
    for (const auto& [first, apply_first] : operations)
      for (const auto& [second, apply_second] : operations) {
        const u32 x = z == 0 ? 1 : 0, y = z == 2 ? 1 : 2;
        if (apply_second(apply_first(inputs[x], inputs[y]), inputs[z]) == table)
          return LogicSteps{first, second, x, y, z};
      }
  return {};
}

// Bits of input `yes` where `mask` has ones, of `no` elsewhere.
struct ChosenBits {
  u32 mask, yes, no; // which input
};
std::optional<ChosenBits> chosen_bits(u32 table) {
  switch (table) {
  case 0xca: return ChosenBits{0, 1, 2};
  case 0xac: return ChosenBits{0, 2, 1};
  case 0xe2: return ChosenBits{1, 0, 2};
  case 0xb8: return ChosenBits{1, 2, 0};
  case 0xe4: return ChosenBits{2, 0, 1};
  case 0xd8: return ChosenBits{2, 1, 0};
  default: return {};
  }
}

} // namespace

bool Kernel::logic() {
  const Operand &p = at(0), &d = at(1);
  const u32 table = static_cast<u32>(at(5).value);
  const std::string inputs[] = {read(at(2)), read(at(3)), read(at(4))};
  const auto& [a, b, c] = inputs;
  const bool with_predicate = wanted(p);
  const std::string to = with_predicate ? temporary() : target(d);
  auto set = [&](const std::string& text) { with_predicate ? line(text) : line(guard_ + text); };
  const bool no_c = nothing(at(4));
  if (no_c && table == 0xc0)
    set(fmt::format("and.b32 {}, {}, {};", to, a, b));
  else if (no_c && table == 0xfc)
    set(fmt::format("or.b32 {}, {}, {};", to, a, b));
  else if (no_c && table == 0x3c)
    set(fmt::format("xor.b32 {}, {}, {};", to, a, b));
  else if (no_c && nothing(at(2)) && table == 0x33)
    set(fmt::format("not.b32 {}, {};", to, b));
  else if (const std::optional<LogicSteps> steps = two_steps(table)) {
    const std::string t = temporary();
    put("{}.b32 {}, {}, {};", steps->first, t, inputs[steps->x], inputs[steps->y]);
    set(fmt::format("{}.b32 {}, {}, {};", steps->second, to, t, inputs[steps->z]));
  } else if (const std::optional<ChosenBits> bits = chosen_bits(table);
             bits && at(2 + bits->mask).kind == OperandKind::immediate) {
    const std::string yes = temporary(), no = temporary();
    const u32 mask = static_cast<u32>(at(2 + bits->mask).value);
    put("and.b32 {}, {}, {:#x};", yes, inputs[bits->yes], mask);
    put("and.b32 {}, {}, {:#x};", no, inputs[bits->no], ~mask);
    set(fmt::format("or.b32 {}, {}, {};", to, yes, no));
  } else {
    set(fmt::format("lop3.b32 {}, {}, {}, {}, {:#x};", to, a, b, c, table));
  }
  if (!with_predicate) return true;
  const std::string z = predicate_temporary();
  put("setp.ne.u32 {}, {}, 0;", z, to);
  const Predicate with = predicate(at(6));
  if (with.is_constant && with.value == has(Modifier::PAND))
    write_predicate(p, z);
  else if (with.is_constant)
    set_predicate(p, !has(Modifier::PAND));
  else
    act("{}.pred {}, {}, {};", has(Modifier::PAND) ? "and" : "or", predicate(p).name, z,
        predicate_register(at(6)));
  write(d, to);
  return true;
}

// SHF: C:A are 64 bits; left: the low or (.HI) high word of the value shifted left, right likewise
bool Kernel::funnel_shift() {
  const Operand &d = at(0), &a = at(1), &b = at(2), &c = at(3);
  const bool left = has(Modifier::L), high = has(Modifier::HI), wraps = has(Modifier::W);
  const bool is_signed = has(Modifier::S32) || has(Modifier::S64),
             wide = has(Modifier::S64) || has(Modifier::U64);
  std::string amount = read(b);
  if (wraps) {
    const std::string t = temporary();
    put("and.b32 {}, {}, {};", t, amount, wide ? 63 : 31);
    amount = t;
  }
  const bool small = b.kind == OperandKind::immediate && b.value < 32;
  if (left && !high && (!wide || small)) {
    act("shl.b32 {}, {}, {};", target(d), read(a), amount);
  } else if (!left && high && (!wide || small)) {
    act("shr.{} {}, {}, {};", is_signed ? "s32" : "u32", target(d), read(c), amount);
  } else if (small || !wide) {
    act("shf.{}.clamp.b32 {}, {}, {}, {};", left ? "l" : "r", target(d), read(a), read(c), amount);
  } else {
    const std::string value = wide_temporary();
    put("mov.b64 {}, {{{}, {}}};", value, read(a), read(c));
    put("{} {}, {}, {};", left ? "shl.b64" : is_signed ? "shr.s64" : "shr.u64", value, value, amount);
    act("mov.b64 {{{}}}, {};", high ? "%sink, " + target(d) : target(d) + ", %sink", value);
  }
  return true;
}

bool Kernel::integer_comparison() {
  const char* comparison = has(Modifier::LT)   ? "lt"
                           : has(Modifier::EQ) ? "eq"
                           : has(Modifier::LE) ? "le"
                           : has(Modifier::GT) ? "gt"
                           : has(Modifier::NE) ? "ne"
                           : has(Modifier::GE) ? "ge"
                                               : "";
  const bool always = has(Modifier::T), is_unsigned = has(Modifier::U32) || has(Modifier::U64);
  const bool wide = has(Modifier::U64) || has(Modifier::S64);
  const std::string z = predicate_temporary();
  if (*comparison == '\0') {
    put("setp.{}.u32 {}, 0, 0;", always ? "eq" : "ne", z);
  } else if (wide) {
    put("setp.{}.{} {}, {}, {};", comparison, is_unsigned ? "u64" : "s64", z, read_wide(at(2)),
        read_wide(at(3)));
  } else {
    const std::string a = read(at(2)), b = read(at(3));
    const char* type = is_unsigned ? "u32" : "s32";
    if (has(Modifier::EX)) { // the high words; the low ones were compared before
      const std::string low = predicate_register(at(5)), equal = predicate_temporary(),
                        mine = predicate_temporary();
      put("setp.eq.u32 {}, {}, {};", equal, a, b);
      put("and.pred {}, {}, {};", mine, equal, low);
      if (has(Modifier::EQ)) {
        put("mov.pred {}, {};", z, mine);
      } else {
        const std::string apart = predicate_temporary();
        put("setp.{}.{} {}, {}, {};",
            has(Modifier::LE)   ? "lt"
            : has(Modifier::GE) ? "gt"
                                : comparison,
            type, apart, a, b);
        put("or.pred {}, {}, {};", z, apart, mine);
      }
    } else {
      put("setp.{}.{} {}, {}, {};", comparison, type, z, a, b);
    }
  }
  write_comparison(at(0), at(1), z, predicate(at(4)));
  return true;
}

bool Kernel::bits() {
  const Operand& d = at(0);
  switch (now_->opcode) {
  case Opcode::PRMT:
  case Opcode::UPRMT: {
    const char* mode = has(Modifier::F4E)    ? ".f4e"
                       : has(Modifier::B4E)  ? ".b4e"
                       : has(Modifier::RC8)  ? ".rc8"
                       : has(Modifier::ECL)  ? ".ecl"
                       : has(Modifier::ECR)  ? ".ecr"
                       : has(Modifier::RC16) ? ".rc16"
                                             : "";
    act("prmt.b32{} {}, {}, {}, {};", mode, target(d), read(at(1)), read(at(3)), read(at(2)));
    return true;
  }
  case Opcode::POPC:
  case Opcode::UPOPC: act("popc.b32 {}, {};", target(d), read_integer(at(1))); return true;
  case Opcode::BREV:
  case Opcode::UBREV: act("brev.b32 {}, {};", target(d), read(at(1))); return true;
  case Opcode::FLO:
  case Opcode::UFLO:
    if (wanted(at(1))) return refuse();
    act("bfind{}.{} {}, {};", has(Modifier::SH) ? ".shiftamt" : "", has(Modifier::U32) ? "u32" : "s32",
        target(d), read_integer(at(2)));
    return true;
  case Opcode::BMSK:
  case Opcode::UBMSK:
    act("bmsk.{}.b32 {}, {}, {};", has(Modifier::W) ? "wrap" : "clamp", target(d), read(at(1)), read(at(2)));
    return true;
  case Opcode::SGXT:
  case Opcode::USGXT:
    act("szext.{}.{} {}, {}, {};", has(Modifier::W) ? "wrap" : "clamp", has(Modifier::U32) ? "u32" : "s32",
        target(d), read(at(1)), read(at(2)));
    return true;
  case Opcode::IABS: act("abs.s32 {}, {};", target(d), read(at(1))); return true;
  case Opcode::IDP: {
    if ((has(Modifier::S8) && has(Modifier::U8)) || at(3).negated) return refuse();
    const bool pairs = has(Modifier::n2A);
    const char* bytes = has(Modifier::S8) ? "s32" : "u32";
    const char* others = !pairs ? bytes : has(Modifier::S16) ? "s32" : "u32";
    act("{}.{}.{} {}, {}, {}, {};",
        !pairs              ? "dp4a"
        : has(Modifier::LO) ? "dp2a.lo"
                            : "dp2a.hi",
        others, bytes, target(d), read(at(1)), read(at(2)), read(at(3)));
    return true;
  }
  default: return false;
  }
}

bool Kernel::integer() {
  auto extreme = [&](const Operand& d, const std::string& a, const std::string& b, const Operand& which,
                     const char* type) {
    const Predicate p = predicate(which);
    if (p.is_constant && !has(Modifier::RELU)) {
      act("{}.{} {}, {}, {};", p.value ? "min" : "max", type, target(d), a, b);
      return;
    }
    const std::string least = temporary(), most = temporary();
    put("min.{} {}, {}, {};", type, least, a, b);
    put("max.{} {}, {}, {};", type, most, a, b);
    if (has(Modifier::RELU))
      for (const std::string& one : {least, most}) put("max.{0} {1}, {1}, 0;", type, one);
    select(d, p, least, most);
  };
  const char* type = has(Modifier::U32)     ? "u32"
                     : has(Modifier::U16x2) ? "u16x2"
                     : has(Modifier::S16x2) ? "s16x2"
                                            : "s32";
  switch (now_->opcode) {
  case Opcode::IADD3:
  case Opcode::UIADD3: return add3();
  case Opcode::IADD: return add_wide();
  case Opcode::IMAD:
  case Opcode::UIMAD: return multiply_add();
  case Opcode::VIADD:
    if (has(Modifier::ISAT)) return refuse();
    if (has(Modifier::n16x2))
      act("add.u16x2 {}, {}, {};", target(at(0)), read(at(1)), read_halves(at(2)));
    else if (has(Modifier::U8x4))
      act("{}.u32.u32.u32 {}, {}, {}, 0;", at(2).negated ? "vsub4" : "vadd4", target(at(0)), read(at(1)),
          read(at(2)));
    else
      act("{} {}, {}, {};", at(2).negated ? "sub.s32" : "add.s32", target(at(0)), read(at(1)), read(at(2)));
    return true;
  case Opcode::VABSDIFF:
    if (wanted(at(1))) return refuse();
    act("sad.{} {}, {}, {}, {};", has(Modifier::U32) ? "u32" : "s32", target(at(0)), read(at(2)), read(at(3)),
        read(at(4)));
    return true;
  case Opcode::VABSDIFF4: { // of four bytes; .ACC: their sum, and a third operand
    if (wanted(at(1))) return refuse();
    const char* bytes = has(Modifier::S8) ? "s32" : "u32";
    act("vabsdiff4.u32.{0}.{0}{1} {2}, {3}, {4}, {5};", bytes, has(Modifier::ACC) ? ".add" : "",
        target(at(0)), read(at(2)), read(at(3)), read(at(4)));
    return true;
  }
  case Opcode::LEA:
  case Opcode::ULEA: return lea();
  case Opcode::LOP3:
  case Opcode::ULOP3: return logic();
  case Opcode::SHF:
  case Opcode::USHF: return funnel_shift();
  case Opcode::ISETP:
  case Opcode::UISETP: return integer_comparison();
  case Opcode::PLOP3:
  case Opcode::UPLOP3: return predicate_logic();
  case Opcode::IMNMX:
    if (has(Modifier::U64) || has(Modifier::S64)) return extreme_of_wide();
    if (at(0).kind != OperandKind::reg) return refuse();
    if (at(1).kind == OperandKind::predicate)
      extreme(at(0), read(at(3)), read(at(4)), at(5), type);
    else
      extreme(at(0), read(at(1)), read(at(2)), at(3), type);
    return true;
  case Opcode::VIMNMX:
    if (has(Modifier::U8x4)) {
      const Predicate least = predicate(at(5));
      if (!least.is_constant) return refuse();
      act("{}.u32.u32.u32 {}, {}, {}, 0;", least.value ? "vmin4" : "vmax4", target(at(0)), read(at(3)),
          read(at(4)));
      return true;
    }
    [[fallthrough]];
  case Opcode::UVIMNMX: extreme(at(0), read(at(3)), read(at(4)), at(5), type); return true;
  case Opcode::VIMNMX3: {
    const Predicate p = predicate(at(4));
    if (!p.is_constant || has(Modifier::RELU)) return refuse();
    const std::string t = temporary();
    put("{}.{} {}, {}, {};", p.value ? "min" : "max", type, t, read(at(1)), read(at(2)));
    act("{}.{} {}, {}, {};", p.value ? "min" : "max", type, target(at(0)), t, read(at(3)));
    return true;
  }
  case Opcode::VIADDMNMX: {
    const bool halves = type[1] == '1';
    const std::string t = temporary();
    if (halves)
      put("add.u16x2 {}, {}, {};", t, read(at(1)), read_halves(at(2)));
    else
      put("{} {}, {}, {};", at(2).negated ? "sub.s32" : "add.s32", t, read(at(1)), read(at(2)));
    extreme(at(0), t, read(at(3)), at(4), type);
    return true;
  }
  default: return bits();
  }
}

} // namespace warplens::translate
