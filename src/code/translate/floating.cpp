// Floating point and conversions of machine code as PTX. See kernel_translation.h.
#include "translate/kernel_translation.h"

namespace warplens::translate {

namespace {

// The relation of FSETP, DSETP and HSETP2, as setp names it; empty for .T and .F.
const char* relation(const Instruction& i) {
  static constexpr std::pair<Modifier, const char*> names[] = {
      {Modifier::LT, "lt"},   {Modifier::EQ, "eq"},   {Modifier::LE, "le"},   {Modifier::GT, "gt"},
      {Modifier::NE, "ne"},   {Modifier::GE, "ge"},   {Modifier::LTU, "ltu"}, {Modifier::EQU, "equ"},
      {Modifier::LEU, "leu"}, {Modifier::GTU, "gtu"}, {Modifier::NEU, "neu"}, {Modifier::GEU, "geu"},
      {Modifier::NUM, "num"}, {Modifier::NAN_, "nan"}};
  for (auto [modifier, name] : names)
    if (i.has(modifier)) return name;
  return "";
}

// What .D2 and its kin multiply a product by; nullptr without one.
const char* scale_of_product(const Instruction& i) {
  static constexpr std::pair<Modifier, const char*> scales[] = {
      {Modifier::D2, "0d3FE0000000000000"}, {Modifier::D4, "0d3FD0000000000000"},
      {Modifier::D8, "0d3FC0000000000000"}, {Modifier::M2, "0d4000000000000000"},
      {Modifier::M4, "0d4010000000000000"}, {Modifier::M8, "0d4020000000000000"}};
  for (auto [modifier, scale] : scales)
    if (i.has(modifier)) return scale;
  return nullptr;
}

const char* rounding(const Instruction& i) {
  return i.has(Modifier::RM) ? ".rm" : i.has(Modifier::RP) ? ".rp" : i.has(Modifier::RZ) ? ".rz" : ".rn";
}
const char* to_integer(const Instruction& i) {
  return i.has(Modifier::FLOOR)   ? ".rmi"
         : i.has(Modifier::CEIL)  ? ".rpi"
         : i.has(Modifier::TRUNC) ? ".rzi"
                                  : ".rni";
}

// Of a conversion: 0 8 bits, 1 16 bits or half, 2 32 bits, 3 64 bits, 4 bfloat16.
u32 converted_to(const Instruction& i) { return static_cast<u32>(i.high >> 11 & 7); }
u32 converted_from(const Instruction& i) { return static_cast<u32>(i.high >> 20 & 7); }

} // namespace

// The product is exact in 64 bits, so that it is rounded once.
bool Kernel::scaled_product(const char* scale) {
  if (has(Modifier::FTZ) || has(Modifier::SAT)) return refuse();
  const std::string a = wide_temporary(), b = wide_temporary();
  put("cvt.f64.f32 {}, {};", a, read_float(at(1)));
  put("cvt.f64.f32 {}, {};", b, read_float(at(2)));
  put("mul.f64 {0}, {0}, {1};", a, b);
  put("mul.f64 {0}, {0}, {1};", a, scale);
  const std::string once = temporary();
  put("cvt{}.f32.f64 {}, {};", rounding(*now_), once, a);
  act("mul.f32 {}, {}, 0f3F800000;", target(at(0)), once); // NaN is the canonical one
  return true;
}

// FCHK: whether a division needs its long way, since exponents are near the ends of the range.
bool Kernel::checked_division() {
  const std::string a = temporary(), b = temporary(), apart = temporary();
  const std::string z0 = predicate_temporary(), z1 = predicate_temporary(), z2 = predicate_temporary();
  put("bfe.u32 {}, {}, 23, 8;", a, read_float(at(1)));
  put("bfe.u32 {}, {}, 23, 8;", b, read_float(at(2)));
  put("sub.s32 {}, {}, {};", apart, a, b);
  // The short way is taken for a in 25 … 254, b in 2 … 251 and a - b in -124 … 126: what an H200 does (tests/hardware/instructions.md).
  put("sub.u32 {0}, {0}, 2;", b);
  put("setp.gt.u32 {}, {}, 249;", z0, b);
  put("add.s32 {0}, {0}, 124;", apart);
  put("setp.gt.u32 {}, {}, 250;", z1, apart);
  put("sub.u32 {0}, {0}, 25;", a);
  put("setp.gt.u32 {}, {}, 229;", z2, a);
  put("or.pred {0}, {0}, {1};", z0, z1);
  put("or.pred {0}, {0}, {1};", z0, z2);
  write_predicate(at(0), z0);
  return true;
}

bool Kernel::special_function() {
  if (has(Modifier::F16) || has(Modifier::BF16)) return refuse();
  const Operand &d = at(0), &s = at(1);
  if (has(Modifier::RCP64H) || has(Modifier::RSQ64H)) {
    const std::string e = wide_temporary();
    put("mov.b64 {}, {{0, {}}};", e, s.kind == OperandKind::immediate ? read(s) : read_float(s));
    put("{}.approx.ftz.f64 {}, {};", has(Modifier::RCP64H) ? "rcp" : "rsqrt", e, e);
    act("mov.b64 {{%sink, {}}}, {};", target(d), e);
    return true;
  }
  const bool sine = has(Modifier::SIN), cosine = has(Modifier::COS);
  if (sine || cosine) { // .full: of a value in turns
    act("{}.full.ftz.f32 {}, {};", sine ? "sin" : "cos", target(d), read_float(s));
    return true;
  }
  const char* function = has(Modifier::RCP)    ? "rcp.approx.ftz"
                         : has(Modifier::RSQ)  ? "rsqrt.approx.ftz"
                         : has(Modifier::SQRT) ? "sqrt.approx.ftz"
                         : has(Modifier::LG2)  ? "lg2.approx.ftz"
                         : has(Modifier::EX2)  ? "ex2.approx.ftz"
                         : has(Modifier::TANH) ? "tanh.approx"
                                               : nullptr;
  if (function == nullptr) return refuse();
  act("{}.f32 {}, {};", function, target(d), read_float(s));
  return true;
}

bool Kernel::floating() {
  const char* flush = has(Modifier::FTZ) ? ".ftz" : "";
  const char* saturate = has(Modifier::SAT) ? ".sat" : "";
  if (has(Modifier::FMZ)) return refuse();
  switch (now_->opcode) {
  case Opcode::FADD:
  case Opcode::UFADD:
    act("add{}{}{}.f32 {}, {}, {};", rounding(*now_), flush, saturate, target(at(0)), read_float(at(1)),
        read_float(at(2)));
    return true;
  case Opcode::FMUL:
  case Opcode::UFMUL:
    if (const char* scale = scale_of_product(*now_)) return scaled_product(scale);
    act("mul{}{}{}.f32 {}, {}, {};", rounding(*now_), flush, saturate, target(at(0)), read_float(at(1)),
        read_float(at(2)));
    return true;
  case Opcode::FFMA:
  case Opcode::UFFMA:
    act("fma{}{}{}.f32 {}, {}, {}, {};", rounding(*now_), flush, saturate, target(at(0)), read_float(at(1)),
        read_float(at(2)), read_float(at(3)));
    return true;
  case Opcode::FMNMX:
  case Opcode::FMNMX3: {
    const bool three = now_->opcode == Opcode::FMNMX3;
    const char* nan = has(Modifier::NAN_) ? ".NaN" : "";
    const std::string a = read_float(at(1)), b = read_float(at(2)), c = three ? read_float(at(3)) : "";
    const Predicate p = predicate(at(three ? 4 : 3));
    auto extreme = [&](bool least) {
      std::string t = temporary();
      put("{}{}{}.f32 {}, {}, {};", least ? "min" : "max", flush, nan, t, a, b);
      if (three) put("{}{}{}.f32 {}, {}, {};", least ? "min" : "max", flush, nan, t, t, c);
      return t;
    };
    if (p.is_constant) {
      write(at(0), extreme(p.value));
    } else {
      const std::string least = extreme(true), most = extreme(false);
      select(at(0), p, least, most);
    }
    return true;
  }
  case Opcode::FSEL:
  case Opcode::UFSEL:
    if (*flush != '\0') return refuse();
    select(at(0), predicate(at(3)), read_float(at(1)), read_float(at(2)));
    return true;
  case Opcode::FSETP:
  case Opcode::UFSETP: {
    const char* name = relation(*now_);
    const std::string z = predicate_temporary();
    if (*name == '\0')
      put("setp.{}.u32 {}, 0, 0;", has(Modifier::T) ? "eq" : "ne", z);
    else
      put("setp.{}{}.f32 {}, {}, {};", name, flush, z, read_float(at(2)), read_float(at(3)));
    write_comparison(at(0), at(1), z, predicate(at(4)));
    return true;
  }
  case Opcode::FSET: {
    const char* name = relation(*now_);
    const Predicate with = predicate(at(3));
    if (*name == '\0' || (with.is_constant && (!with.value || !has(Modifier::AND)))) return refuse();
    const std::string z = predicate_temporary();
    put("setp.{}{}.f32 {}, {}, {};", name, flush, z, read_float(at(1)), read_float(at(2)));
    if (!with.is_constant)
      put("{0}.pred {1}, {1}, {2};",
          has(Modifier::AND)  ? "and"
          : has(Modifier::OR) ? "or"
                              : "xor",
          z, predicate_register(at(3)));
    act("selp.b32 {}, 0x3f800000, 0, {};", target(at(0)), z);
    return true;
  }
  case Opcode::FCHK: return checked_division();
  case Opcode::MUFU: return special_function();
  default: return doubles() || halves() || conversion();
  }
}

bool Kernel::doubles() {
  const std::string result = wide_temporary();
  switch (now_->opcode) {
  case Opcode::DADD:
    put("add{}.f64 {}, {}, {};", rounding(*now_), result, read_double(at(1)), read_double(at(2)));
    break;
  case Opcode::DMUL:
    put("mul{}.f64 {}, {}, {};", rounding(*now_), result, read_double(at(1)), read_double(at(2)));
    break;
  case Opcode::DFMA:
    put("fma{}.f64 {}, {}, {}, {};", rounding(*now_), result, read_double(at(1)), read_double(at(2)),
        read_double(at(3)));
    break;
  case Opcode::DSETP: {
    const std::string a = read_double(at(2)), b = read_double(at(3)), z = predicate_temporary();
    if (has(Modifier::MIN) || has(Modifier::MAX)) {
      // P: A is the one, of equals only as the least; Q: the result is not a number. The sign of zero counts.
      const std::string one = wide_temporary(), nan = predicate_temporary();
      put("{}.f64 {}, {}, {};", has(Modifier::MIN) ? "min" : "max", one, a, b);
      put("setp.eq.b64 {}, {}, {};", z, one, a);
      if (has(Modifier::MAX)) {
        const std::string apart = predicate_temporary();
        put("setp.ne.b64 {}, {}, {};", apart, a, b);
        put("and.pred {0}, {0}, {1};", z, apart);
      }
      put("setp.nan.f64 {}, {}, {};", nan, one, one);
      write_predicate(at(0), z);
      write_predicate(at(1), nan);
      return true;
    }
    const char* name = relation(*now_);
    if (*name == '\0') return refuse();
    put("setp.{}.f64 {}, {}, {};", name, z, a, b);
    write_comparison(at(0), at(1), z, predicate(at(4)));
    return true;
  }
  default: return false;
  }
  write_wide(at(0), result);
  return true;
}

bool Kernel::halves() {
  const bool bfloat = has(Modifier::BF16_V2);
  const char* type = bfloat ? "bf16x2" : "f16x2";
  const char* flush = has(Modifier::FTZ) ? ".ftz" : "";
  const char* saturate = has(Modifier::SAT) ? ".sat" : "";
  switch (now_->opcode) {
  case Opcode::HADD2:
    if (has(Modifier::F32)) { // a conversion
      const Operand& half = nothing(at(1)) ? at(2) : at(1);
      if (!nothing(nothing(at(1)) ? at(1) : at(2)) || half.kind == OperandKind::immediate) return refuse();
      const bool high = half.part == Modifier::H1_H1;
      put("mov.b32 {{{}}}, {};", high ? "%h1, %h0" : "%h0, %h1", read_half(half));
      act("cvt.f32.f16 {}, %h0;", target(at(0)));
      return true;
    }
    if (has(Modifier::RELU)) return refuse();
    act("{}{}{}.{} {}, {}, {};", bfloat ? "add.rn" : "add", bfloat ? "" : flush, saturate, type,
        target(at(0)), read_half(at(1)), read_half(at(2)));
    return true;
  case Opcode::HMUL2:
    if (has(Modifier::RELU)) return refuse();
    act("{}{}{}.{} {}, {}, {};", bfloat ? "mul.rn" : "mul", bfloat ? "" : flush, saturate, type,
        target(at(0)), read_half(at(1)), read_half(at(2)));
    return true;
  case Opcode::HFMA2:
    if (nothing(at(1)) && nothing(at(2)) && at(3).kind == OperandKind::immediate) { // a constant
      write(at(0), read(at(3)));
      return true;
    }
    act("fma.rn{}{}{}.{} {}, {}, {}, {};", bfloat ? "" : flush, saturate, has(Modifier::RELU) ? ".relu" : "",
        type, target(at(0)), read_half(at(1)), read_half(at(2)), read_half(at(3)));
    return true;
  case Opcode::HMNMX2: {
    const Predicate p = predicate(at(3));
    if (!p.is_constant || has(Modifier::F32) || has(Modifier::XORSIGN)) return refuse();
    act("{}{}{}.{} {}, {}, {};", p.value ? "min" : "max", bfloat ? "" : flush,
        has(Modifier::NAN_) ? ".NaN" : "", type, target(at(0)), read_half(at(1)), read_half(at(2)));
    return true;
  }
  case Opcode::HSETP2:
  case Opcode::HSET2: {
    const bool predicates = now_->opcode == Opcode::HSETP2;
    const char* name = relation(*now_);
    const Operand &a = at(predicates ? 2 : 1), &b = at(predicates ? 3 : 2);
    const Predicate with = predicate(at(predicates ? 4 : 3));
    if (*name == '\0' || (predicates && wanted(at(1)) && !with.is_constant)) return refuse();
    if (!predicates && (!with.is_constant || !with.value || !has(Modifier::AND))) return refuse();
    const std::string low = predicate_temporary(), high = predicate_temporary();
    put("setp.{}{}.{} {}|{}, {}, {};", name, bfloat ? "" : flush, type, low, high, read_half(a),
        read_half(b));
    if (predicates) { // the second is that of the high halves
      const Operand nobody{.kind = OperandKind::predicate, .number = sass::true_predicate};
      write_comparison(at(0), nobody, low, with);
      if (wanted(at(1))) write_comparison(at(1), nobody, high, with);
      return true;
    }
    const u32 yes = !has(Modifier::BF) ? 0xffff : bfloat ? 0x3f80 : 0x3c00;
    const std::string t = temporary();
    put("selp.b32 {}, {:#x}, 0, {};", t, yes, low);
    act("selp.b32 {}, {:#x}, 0, {};", target(at(0)), yes << 16, high);
    act("or.b32 {0}, {0}, {1};", target(at(0)), t);
    return true;
  }
  default: return false;
  }
}

// What a conversion reads as a float; `type` is what PTX calls it.
std::string Kernel::float_source(const Operand& s, const char*& type) {
  const u32 from = converted_from(*now_);
  if (from == 3) {
    type = "f64";
    return read_double(s);
  }
  if (from == 2) {
    type = "f32";
    return read_float(s);
  }
  type = from == 1 ? "f16" : "bf16";
  if (s.kind == OperandKind::immediate) refuse();
  put("mov.b32 {{{}}}, {};", s.part == Modifier::H1 ? "%h1, %h0" : "%h0, %h1", read_half(s));
  return "%h0";
}

bool Kernel::to_integers() {
  const char* flush = has(Modifier::FTZ) ? ".ftz" : "";
  const Operand& d = at(0);
  const u32 to = converted_to(*now_), from = converted_from(*now_);
  const bool is_signed = (now_->high >> 8 & 1) != 0;
  const u32 bits = 8u << (to & 3);
  const char* type = nullptr;
  const std::string value = float_source(at(1), type);
  if (bits <
      32) { // the nearest number of so many bits, in 32; all halves and 65,536 numbers of 32 bits on an H200
    const std::string t = temporary(), clamped = temporary();
    put("cvt{}{}.{}32.{} {}, {};", to_integer(*now_), from == 2 ? flush : "", is_signed ? 's' : 'u', type, t,
        value);
    if (is_signed) put("max.s32 {}, {}, {};", clamped, t, -(1 << (bits - 1)));
    put("min.{0}32 {1}, {2}, {3};", is_signed ? 's' : 'u', t, is_signed ? clamped : t,
        (1u << (is_signed ? bits - 1 : bits)) - 1);
    if (from == 3) { // a NaN of 64 bits
      const std::string z = predicate_temporary();
      put("setp.nan.f64 {0}, {1}, {1}; selp.b32 {2}, {3}, {2}, {0};", z, value, t, 1u << (bits - 1));
    }
    act("mov.b32 {}, {};", target(d), t);
  } else if (bits == 64) {
    const std::string e = wide_temporary();
    put("cvt{}{}.{}64.{} {}, {};", to_integer(*now_), from == 2 ? flush : "", is_signed ? 's' : 'u', type, e,
        value);
    write_wide(d, e);
  } else {
    act("cvt{}{}.{}32.{} {}, {};", to_integer(*now_), from == 2 ? flush : "", is_signed ? 's' : 'u', type,
        target(d), value);
  }
  return true;
}

bool Kernel::from_integers() {
  const Operand &d = at(0), &s = at(1);
  const u32 to = converted_to(*now_), from = converted_from(*now_);
  const bool is_signed = (now_->high >> 10 & 1) != 0;
  const u32 bits = 8u << (from & 3);
  const char sign = is_signed ? 's' : 'u';
  std::string value, type = fmt::format("{}{}", sign, bits < 32 ? 32 : bits);
  if (bits == 64) {
    value = read_wide(s);
  } else if (bits == 32) {
    value = read(s);
  } else {
    const u32 byte = s.part == Modifier::B1   ? 1
                     : s.part == Modifier::B2 ? 2
                     : s.part == Modifier::B3 ? 3
                     : s.part == Modifier::H1 ? 2
                                              : 0;
    value = temporary();
    put("bfe.{} {}, {}, {}, {};", type, value, read(s), byte * 8, bits);
  }
  if (to == 3) {
    const std::string e = wide_temporary();
    put("cvt{}.f64.{} {}, {};", rounding(*now_), type, e, value);
    write_wide(d, e);
  } else if (to == 2) {
    act("cvt{}.f32.{} {}, {};", rounding(*now_), type, target(d), value);
  } else if (to == 1 || to == 4) {
    put("cvt{}.{}.{} %h0, {};", rounding(*now_), to == 1 ? "f16" : "bf16", type, value);
    act("cvt.u32.u16 {}, %h0;", target(d));
  } else {
    return refuse();
  }
  return true;
}

bool Kernel::packed_floats() {
  const bool bfloat = has(Modifier::BF16), small = has(Modifier::E4M3) || has(Modifier::E5M2);
  const bool half = !bfloat && !small && !has(Modifier::TF32);
  const char* format = has(Modifier::E4M3) ? "e4m3" : "e5m2";
  const Operand& only = at(1).kind == OperandKind::none ? at(2) : at(1); // what is unpacked or alone
  if (small && has(Modifier::UNPACK_B) && has(Modifier::F16)) {
    put("mov.b32 {{{}}}, {};", only.part == Modifier::H1 ? "%h1, %h0" : "%h0, %h1", read(only));
    act("cvt.rn.f16x2.{}x2 {}, %h0;", format, target(at(0)));
    return true;
  }
  if (small && has(Modifier::PACK_AB_MERGE_C) && has(Modifier::F32) && has(Modifier::SATFINITE) &&
      nothing(at(3))) {
    put("cvt.rn.satfinite.{}x2.f32 %h0, {}, {};", format, read_float(at(1)), read_float(at(2)));
    act("cvt.u32.u16 {}, %h0;", target(at(0)));
    return true;
  }
  if (small && has(Modifier::UNPACK_B_MERGE_C) && has(Modifier::F16) && has(Modifier::SATFINITE) &&
      nothing(at(3))) {
    put("cvt.rn.satfinite.{}x2.f16x2 %h0, {};", format, read(at(2)));
    act("cvt.u32.u16 {}, %h0;", target(at(0)));
    return true;
  }
  if (has(Modifier::TF32) && has(Modifier::PACK_B)) {
    act("cvt{}.tf32.f32 {}, {};", has(Modifier::RZ) ? ".rz" : ".rn", target(at(0)), read_float(only));
    return true;
  }
  if (!has(Modifier::PACK_AB) || (!bfloat && !half) || at(2).kind == OperandKind::none) return refuse();
  const char* round = has(Modifier::RZ) ? ".rz" : ".rn";
  if (has(Modifier::RM) || has(Modifier::RP)) return refuse();
  act("cvt{}{}.{}x2.f32 {}, {}, {};", round, has(Modifier::RELU) ? ".relu" : "", bfloat ? "bf16" : "f16",
      target(at(0)), read_float(at(1)), read_float(at(2)));
  return true;
}

bool Kernel::conversion() {
  const Operand &d = at(0), &s = at(1);
  const char* flush = has(Modifier::FTZ) ? ".ftz" : "";
  const u32 to = converted_to(*now_), from = converted_from(*now_);
  switch (now_->opcode) {
  case Opcode::F2I:
  case Opcode::UF2I: return to_integers();
  case Opcode::I2F:
  case Opcode::UI2F: return from_integers();
  case Opcode::I2FP:
  case Opcode::UI2FP:
    act("cvt{}.f32.{} {}, {};", rounding(*now_), has(Modifier::S32) ? "s32" : "u32", target(d), read(s));
    return true;
  case Opcode::F2F: {
    const char* type = nullptr;
    const std::string value = float_source(at(1), type);
    if (to == 3) {
      const std::string e = wide_temporary();
      put("cvt{}.f64.{} {}, {};", from == 2 ? flush : "", type, e, value);
      write_wide(d, e);
    } else if (to == 2 && from == 3) {
      act("cvt{}{}.f32.f64 {}, {};", rounding(*now_), flush, target(d), value);
    } else if (to == 2 && from == 1) {
      act("cvt{}.f32.f16 {}, {};", flush, target(d), value);
    } else if (to == 4 && from >= 2) {
      put("cvt{}.bf16.{} %h0, {};", rounding(*now_), type, value);
      act("cvt.u32.u16 {}, %h0;", target(d));
    } else if (to == 1 && from >= 2) {
      put("cvt{}{}.f16.{} %h0, {};", rounding(*now_), from == 2 ? flush : "", type, value);
      act("cvt.u32.u16 {}, %h0;", target(d));
    } else if (to == 2 && from == 2) {
      act("cvt{}.f32.f32 {}, {};", flush, target(d), value);
    } else {
      return refuse();
    }
    return true;
  }
  case Opcode::FRND:
  case Opcode::UFRND: {
    const char* type = nullptr;
    const std::string value = float_source(at(1), type);
    if (to != from) return refuse();
    if (to == 1 || to == 4) {
      put("cvt{0}.{1}.{1} %h0, %h0;", to_integer(*now_), type);
      act("cvt.u32.u16 {}, %h0;", target(d));
    } else if (to == 3) {
      const std::string e = wide_temporary();
      put("cvt{}.f64.f64 {}, {};", to_integer(*now_), e, value);
      write_wide(d, e);
    } else {
      act("cvt{}{}.f32.f32 {}, {};", to_integer(*now_), flush, target(d), value);
    }
    return true;
  }
  case Opcode::F2FP: return packed_floats();
  default: return false;
  }
}

} // namespace warplens::translate
