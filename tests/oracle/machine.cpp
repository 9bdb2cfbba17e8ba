// Numbers in, numbers out. See machine.h.
#include "oracle/machine.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace warplens::oracle {
namespace {

using sass::Instruction;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using Kind = Operand::Kind;

constexpr u32 canonical_nan = 0x7fffffff;
constexpr u64 wide_canonical_nan = 0xfff8000000000000;
constexpr u64 step_limit = 20'000;

// Not covered: sums of three with two carries, where the order of the carries is not known; the sums of IMAD with carries; halves.
bool has_unknown_modifier(const Instruction& i) {
  static constexpr Modifier known[] = {
      Modifier::X,     Modifier::WIDE, Modifier::U32,  Modifier::S32, Modifier::HI,   Modifier::MOV,
      Modifier::SHL,   Modifier::IADD, Modifier::SX32, Modifier::LUT, Modifier::L,    Modifier::R,
      Modifier::U64,   Modifier::S64,  Modifier::W,    Modifier::F,   Modifier::LT,   Modifier::EQ,
      Modifier::LE,    Modifier::GT,   Modifier::NE,   Modifier::GE,  Modifier::T,    Modifier::AND,
      Modifier::OR,    Modifier::XOR,  Modifier::EX,   Modifier::NUM, Modifier::NAN_, Modifier::LTU,
      Modifier::EQU,   Modifier::LEU,  Modifier::GTU,  Modifier::NEU, Modifier::GEU,  Modifier::RM,
      Modifier::RP,    Modifier::RZ,   Modifier::SAT,  Modifier::F32, Modifier::F64,  Modifier::TRUNC,
      Modifier::FLOOR, Modifier::CEIL, Modifier::NTZ,  Modifier::SH,  Modifier::E,    Modifier::n64,
      Modifier::n128,  Modifier::U8,   Modifier::S8,   Modifier::U16, Modifier::S16};
  return std::ranges::any_of(i.modifiers(),
                             [](Modifier m) { return std::ranges::find(known, m) == std::end(known); });
}

bool writes(const Operand& p) { return p.kind == Kind::predicate && p.number != sass::true_predicate; }

float as_float(u32 bits) { return std::bit_cast<float>(bits); }
double as_double(u64 bits) { return std::bit_cast<double>(bits); }
u32 bits_of(float x) { return std::isnan(x) ? canonical_nan : std::bit_cast<u32>(x); }

u32 sign_of(u32 x) { return static_cast<i32>(x) < 0 ? ~0u : 0; } // in each bit

struct Rounding {
  explicit Rounding(const Instruction& i) {
    std::fesetround(i.has(Modifier::RM)   ? FE_DOWNWARD
                    : i.has(Modifier::RP) ? FE_UPWARD
                    : i.has(Modifier::RZ) ? FE_TOWARDZERO
                                          : FE_TONEAREST);
  }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
};

template <class T> bool holds(const Instruction& i, T a, T b) {
  const bool unordered = a != a || b != b;
  auto ordered = [&](bool result) { return !unordered && result; };
  if (i.has(Modifier::F)) return false;
  if (i.has(Modifier::T)) return true;
  if (i.has(Modifier::NUM)) return !unordered;
  if (i.has(Modifier::NAN_)) return unordered;
  if (i.has(Modifier::LT)) return ordered(a < b);
  if (i.has(Modifier::EQ)) return ordered(a == b);
  if (i.has(Modifier::LE)) return ordered(a <= b);
  if (i.has(Modifier::GT)) return ordered(a > b);
  if (i.has(Modifier::NE)) return ordered(a != b);
  if (i.has(Modifier::GE)) return ordered(a >= b);
  return unordered || (i.has(Modifier::LTU)   ? a < b
                       : i.has(Modifier::EQU) ? a == b
                       : i.has(Modifier::LEU) ? a <= b
                       : i.has(Modifier::GTU) ? a > b
                       : i.has(Modifier::NEU) ? a != b
                                              : a >= b);
}

template <class To> To truncated(const Instruction& i, double x) {
  if (std::isnan(x)) return i.has(Modifier::F64) ? static_cast<To>(0x80000000u) : 0;
  const double whole = i.has(Modifier::TRUNC)   ? std::trunc(x)
                       : i.has(Modifier::FLOOR) ? std::floor(x)
                       : i.has(Modifier::CEIL)  ? std::ceil(x)
                                                : std::nearbyint(x);
  if (whole <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (whole >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(whole);
}

class Step {
public:
  Step(const Instruction& i, MachineThread& t) : i_(i), t_(t), o_(i.operands()) {}

  // Where it goes on; nothing: at the next instruction.
  std::optional<u64> run(bool& ended) {
    if (i_.guard != sass::true_predicate ? t_.predicates[i_.guard] == i_.guard_negated : i_.guard_negated)
      return {};
    switch (i_.opcode) {
    case Opcode::EXIT: ended = true; return {};
    case Opcode::BRA:
      if (predicate(o_[0])) return o_.back().value;
      return {};
    case Opcode::BSSY:
    case Opcode::BSYNC:
    case Opcode::NOP: return {};
    default: compute(); return {};
    }
  }

private:
  bool has(Modifier m) const { return i_.has(m); }
  bool predicate(const Operand& o) const {
    if (o.kind != Kind::predicate) return true;
    return (o.number == sass::true_predicate || t_.predicates[o.number]) != o.negated;
  }
  void set(const Operand& o, bool value) {
    if (writes(o)) t_.predicates[o.number] = value;
  }
  u32 word(const Operand& o, u32 n = 0) const { // without its signs
    if (o.kind == Kind::immediate) return static_cast<u32>(o.value);
    if (o.kind == Kind::constant) return t_.constants.at(o.value + 4 * n);
    if ((o.kind != Kind::reg && o.kind != Kind::memory) || o.number == sass::zero_register) return 0;
    return t_.registers[o.number + n];
  }
  u32 integer(const Operand& o) const {
    const u32 x = word(o);
    return o.inverted ? ~x : o.negated ? 0 - x : x;
  }
  u64 pair(const Operand& o) const {
    return o.number == sass::zero_register ? 0 : u64{word(o, 1)} << 32 | word(o);
  }
  float real(const Operand& o) const {
    u32 x = word(o);
    if (o.absolute) x &= 0x7fffffff;
    return as_float(o.negated ? x ^ 0x80000000 : x);
  }
  double wide_real(const Operand& o) const {
    u64 x = o.kind == Kind::immediate ? o.value << 32 : pair(o);
    if (std::isnan(as_double(x))) return as_double(x); // whose sign does not change
    if (o.absolute) x &= ~(u64{1} << 63);
    return as_double(o.negated ? x ^ u64{1} << 63 : x);
  }
  void put(const Operand& o, u32 value, u32 n = 0) {
    if (o.number != sass::zero_register) t_.registers[o.number + n] = value;
  }
  void put_wide(const Operand& o, u64 value) {
    put(o, static_cast<u32>(value)), put(o, static_cast<u32>(value >> 32), 1);
  }
  void put_float(const Operand& o, float x) {
    if (has(Modifier::SAT)) x = std::isnan(x) || x <= 0 ? 0.0f : std::min(x, 1.0f);
    put(o, bits_of(x));
  }
  bool joined(bool x, const Operand& p) const { // .AND, .OR, .XOR
    const bool y = predicate(p);
    return has(Modifier::OR) ? x || y : has(Modifier::XOR) ? x != y : x && y;
  }
  void set_both(bool result, const Operand& with) {
    const bool first = joined(result, with), second = joined(!result, with);
    set(o_[0], first), set(o_[1], second);
  }

  void add() {
    u64 sum = 0; // every negated summand is its complement and one
    for (u32 n : {3, 4, 5})
      sum += u64{o_[n].negated || o_[n].inverted ? ~word(o_[n]) : word(o_[n])} + o_[n].negated;
    if (has(Modifier::X)) sum += u64{predicate(o_[6])} + predicate(o_[7]);
    put(o_[0], static_cast<u32>(sum));
    set(o_[1], (sum >> 32) != 0);
  }
  void multiply_add() {
    const bool is_unsigned = has(Modifier::U32), wide = has(Modifier::WIDE);
    auto extended = [&](const Operand& o) {
      return is_unsigned ? u64{word(o)} : static_cast<u64>(static_cast<i64>(static_cast<i32>(word(o))));
    };
    const u64 product = extended(o_[2]) * extended(o_[3]);
    if (wide) {
      const u64 c = o_[4].kind == Kind::immediate ? extended(o_[4]) : pair(o_[4]);
      put_wide(o_[0], product + (o_[4].negated ? 0 - c : c));
    } else if (has(Modifier::HI)) {
      put(o_[0], static_cast<u32>(product >> 32));
    } else {
      put(o_[0], word(o_[2]) * word(o_[3]) + integer(o_[4]));
    }
  }
  void lea() {
    const u32 shift = word(o_[5]) & 31;
    u64 shifted = word(o_[2]);
    if (has(Modifier::HI)) shifted |= u64{has(Modifier::SX32) ? sign_of(word(o_[2])) : word(o_[4])} << 32;
    shifted <<= shift;
    const u64 sum = u64{static_cast<u32>(has(Modifier::HI) ? shifted >> 32 : shifted)} + word(o_[3]) +
                    (has(Modifier::X) && predicate(o_[6]));
    put(o_[0], static_cast<u32>(sum));
    set(o_[1], sum >> 32 != 0);
  }
  void shift() {
    const bool is_64 = has(Modifier::U64) || has(Modifier::S64),
               arithmetic = has(Modifier::S64) || has(Modifier::S32);
    const u32 width = is_64 ? 64 : 32;
    const u32 by = has(Modifier::W) ? word(o_[2]) % width : std::min(word(o_[2]), width);
    __extension__ using Wide = __int128;
    const u64 both = u64{word(o_[3])} << 32 | word(o_[1]);
    const Wide value = arithmetic ? Wide{static_cast<i64>(both)} : Wide{both};
    const u64 result = static_cast<u64>(has(Modifier::L) ? Wide{both} << by : value >> by);
    put(o_[0], static_cast<u32>(has(Modifier::HI) ? result >> 32 : result));
  }
  void permute() {
    const u64 bytes = u64{word(o_[3])} << 32 | word(o_[1]);
    u32 out = 0;
    for (u32 n = 0; n < 4; ++n) {
      const u32 selector = word(o_[2]) >> 4 * n & 15;
      u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
      if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
      out |= byte << 8 * n;
    }
    put(o_[0], out);
  }
  void extend() { // SGXT
    const u32 bits = has(Modifier::W) ? word(o_[2]) & 31 : std::min(word(o_[2]), 32u), x = word(o_[1]);
    if (bits == 0) return put(o_[0], 0);
    const u32 left = x << (32 - bits);
    put(o_[0],
        has(Modifier::U32) ? left >> (32 - bits) : static_cast<u32>(static_cast<i32>(left) >> (32 - bits)));
  }
  void mask() { // BMSK
    const u32 at = has(Modifier::W) ? word(o_[1]) & 31 : std::min(word(o_[1]), 32u);
    const u32 bits = has(Modifier::W) ? word(o_[2]) & 31 : std::min(word(o_[2]), 32u);
    put(o_[0], static_cast<u32>(((u64{1} << bits) - 1) << at));
  }
  void find_leading() { // FLO
    u32 x = o_[2].inverted ? ~word(o_[2]) : word(o_[2]);
    if (!has(Modifier::U32) && static_cast<i32>(x) < 0) x = ~x;
    const u32 at = static_cast<u32>(std::bit_width(x)) - 1;
    put(o_[0], x == 0 ? ~0u : has(Modifier::SH) ? 31 - at : at);
  }
  void compare() {
    const u32 a = word(o_[2]), b = word(o_[3]);
    bool result = has(Modifier::U32) ? holds(i_, a, b) : holds(i_, static_cast<i32>(a), static_cast<i32>(b));
    if (has(Modifier::EX)) { // of the high words; the low ones have been compared
      const bool low = predicate(o_[5]);
      if (a == b && !has(Modifier::F) && !has(Modifier::T)) result = low;
    }
    set_both(result, o_[4]);
  }
  void convert_to_float() { // I2F, I2FP
    Rounding rounding(i_);
    const Operand& from = o_[1];
    const bool wide = has(Modifier::U64) || has(Modifier::S64),
               is_unsigned =
                   has(Modifier::U32) || has(Modifier::U64) || has(Modifier::U16) || has(Modifier::U8);
    u64 x = wide ? pair(from) : word(from);
    if (!wide && !is_unsigned) x = static_cast<u64>(static_cast<i64>(static_cast<i32>(x)));
    if (has(Modifier::U16)) x &= 0xffff;
    if (has(Modifier::U8)) x &= 0xff;
    if (has(Modifier::S16)) x = static_cast<u64>(static_cast<i64>(static_cast<i16>(x)));
    if (has(Modifier::S8)) x = static_cast<u64>(static_cast<i64>(static_cast<i8>(x)));
    const volatile i64 s = static_cast<i64>(x);
    const volatile u64 u = x;
    if (has(Modifier::F64))
      put_wide(o_[0], std::bit_cast<u64>(is_unsigned ? static_cast<double>(u) : static_cast<double>(s)));
    else
      put(o_[0], bits_of(is_unsigned ? static_cast<float>(u) : static_cast<float>(s)));
  }
  void convert_to_integer() {
    const double x = has(Modifier::F64) ? wide_real(o_[1]) : double{real(o_[1])};
    put(o_[0], has(Modifier::U32) ? truncated<u32>(i_, x) : static_cast<u32>(truncated<i32>(i_, x)));
  }
  void extreme() { // FMNMX
    const float a = real(o_[1]), b = real(o_[2]);
    const bool least = predicate(o_[3]);
    if (std::isnan(a) || std::isnan(b))
      return put(o_[0], has(Modifier::NAN_) ? canonical_nan : bits_of(std::isnan(a) ? b : a));
    const bool a_is_less = a < b || (a == b && std::signbit(a));
    put(o_[0], bits_of(a_is_less == least ? a : b));
  }
  void floats() {
    Rounding rounding(i_);
    const volatile float a = real(o_[1]), b = real(o_[2]);
    switch (i_.opcode) {
    case Opcode::FADD: put_float(o_[0], a + b); break;
    case Opcode::FMUL: put_float(o_[0], a * b); break;
    default: put_float(o_[0], std::fma(a, b, real(o_[3])));
    }
  }
  void doubles() {
    Rounding rounding(i_);
    const volatile double a = wide_real(o_[1]), b = wide_real(o_[2]);
    const double c = o_.size() > 3 ? wide_real(o_[3]) : 0;
    for (double one :
         {double{b}, c, double{a}}) // a NaN stays what it is, on an H200 (tests/hardware/instructions.md)
      if (std::isnan(one)) return put_wide(o_[0], std::bit_cast<u64>(one) | u64{1} << 51);
    const double result = i_.opcode == Opcode::DADD   ? a + b
                          : i_.opcode == Opcode::DMUL ? a * b
                                                      : std::fma(a, b, c);
    put_wide(o_[0], std::isnan(result) ? wide_canonical_nan : std::bit_cast<u64>(result));
  }

  u32 bytes() const {
    return has(Modifier::n128)                        ? 16
           : has(Modifier::n64)                       ? 8
           : has(Modifier::U8) || has(Modifier::S8)   ? 1
           : has(Modifier::U16) || has(Modifier::S16) ? 2
                                                      : 4;
  }
  std::byte* place(const Operand& at) {
    const bool is_global = i_.opcode == Opcode::LDG || i_.opcode == Opcode::STG;
    const u64 address =
        is_global ? pair(at) + at.value : u64{static_cast<u32>(word(at) + static_cast<u32>(at.value))};
    if (address % bytes() != 0) throw std::runtime_error("a misaligned access");
    if (!is_global) {
      if (address < t_.shared_at || address + bytes() > t_.shared_at + t_.shared->size())
        throw std::runtime_error("outside shared memory");
      return t_.shared->data() + (address - t_.shared_at);
    }
    auto range = t_.global->upper_bound(address);
    if (range == t_.global->begin()) throw std::runtime_error("outside global memory");
    --range;
    if (address + bytes() > range->first + range->second.size())
      throw std::runtime_error("outside global memory");
    return range->second.data() + (address - range->first);
  }
  void load(const Operand& to, const Operand& at) {
    u32 words[4] = {};
    std::memcpy(words, place(at), bytes());
    if (has(Modifier::S8)) words[0] = static_cast<u32>(static_cast<i32>(static_cast<i8>(words[0])));
    if (has(Modifier::S16)) words[0] = static_cast<u32>(static_cast<i32>(static_cast<i16>(words[0])));
    for (u32 n = 0; n < std::max(1u, bytes() / 4); ++n) put(to, words[n], n);
  }
  void store(const Operand& at, const Operand& from) {
    u32 words[4] = {};
    for (u32 n = 0; n < std::max(1u, bytes() / 4); ++n) words[n] = word(from, n);
    std::memcpy(place(at), words, bytes());
  }

  void compute() {
    switch (i_.opcode) {
    case Opcode::S2R: return put(o_[0], t_.index);
    case Opcode::LDC:
      put(o_[0], t_.constants.at(o_[1].value));
      if (has(Modifier::n64)) put(o_[0], t_.constants.at(o_[1].value + 4), 1);
      return;
    case Opcode::MOV: return put(o_[0], word(o_[1]));
    case Opcode::SEL: return put(o_[0], predicate(o_[3]) ? word(o_[1]) : word(o_[2]));
    case Opcode::IADD3: return add();
    case Opcode::VIADD: return put(o_[0], word(o_[1]) + integer(o_[2]));
    case Opcode::IMAD: return multiply_add();
    case Opcode::LEA: return lea();
    case Opcode::IABS: return put(o_[0], static_cast<i32>(word(o_[1])) < 0 ? 0 - word(o_[1]) : word(o_[1]));
    case Opcode::POPC:
      return put(o_[0], static_cast<u32>(std::popcount(o_[1].inverted ? ~word(o_[1]) : word(o_[1]))));
    case Opcode::BREV: {
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n) out |= (word(o_[1]) >> n & 1) << (31 - n);
      return put(o_[0], out);
    }
    case Opcode::FLO: return find_leading();
    case Opcode::SHF: return shift();
    case Opcode::PRMT: return permute();
    case Opcode::SGXT: return extend();
    case Opcode::BMSK: return mask();
    case Opcode::LOP3: {
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n) {
        const u32 row = (word(o_[2]) >> n & 1) << 2 | (word(o_[3]) >> n & 1) << 1 | (word(o_[4]) >> n & 1);
        out |= (word(o_[5]) >> row & 1) << n;
      }
      const bool with = predicate(o_[6]);
      put(o_[1], out);
      return set(o_[0], out != 0 || with);
    }
    case Opcode::R2P:
      for (u8 n = 0; n < 5; ++n)
        if (o_[2].value >> n & 1) t_.predicates[n] = word(o_[1]) >> n & 1;
      return;
    case Opcode::PLOP3: {
      const u32 row = predicate(o_[2]) << 2 | predicate(o_[3]) << 1 | static_cast<u32>(predicate(o_[4]));
      set(o_[0], word(o_[5]) >> row & 1);
      return set(o_[1], word(o_[6]) >> row & 1);
    }
    case Opcode::VIMNMX: {
      const bool least = predicate(o_[5]);
      const u32 a = word(o_[3]), b = word(o_[4]);
      const bool a_is_less = has(Modifier::U32) ? a < b : static_cast<i32>(a) < static_cast<i32>(b);
      return put(o_[0], a_is_less == least ? a : b);
    }
    case Opcode::ISETP: return compare();
    case Opcode::FSETP: return set_both(holds(i_, real(o_[2]), real(o_[3])), o_[4]);
    case Opcode::DSETP: return set_both(holds(i_, wide_real(o_[2]), wide_real(o_[3])), o_[4]);
    case Opcode::FSEL: return put(o_[0], std::bit_cast<u32>(predicate(o_[3]) ? real(o_[1]) : real(o_[2])));
    case Opcode::FMNMX: return extreme();
    case Opcode::FADD:
    case Opcode::FMUL:
    case Opcode::FFMA: return floats();
    case Opcode::DADD:
    case Opcode::DMUL:
    case Opcode::DFMA: return doubles();
    case Opcode::I2F:
    case Opcode::I2FP: return convert_to_float();
    case Opcode::F2I: return convert_to_integer();
    case Opcode::LDG: return load(o_[1], o_[2]);
    case Opcode::LDS: return load(o_[0], o_[1]);
    case Opcode::STG:
    case Opcode::STS: return store(o_[0], o_[1]);
    default: throw std::runtime_error("an instruction that is not known");
    }
  }

  const Instruction& i_;
  MachineThread& t_;
  std::span<const Operand> o_;
};

} // namespace

bool computes(const Instruction& i) {
  static constexpr Opcode others[] = {Opcode::EXIT, Opcode::BRA, Opcode::BSSY, Opcode::BSYNC,
                                      Opcode::NOP,  Opcode::S2R, Opcode::LDC,  Opcode::LDG,
                                      Opcode::STG,  Opcode::LDS, Opcode::STS};
  return std::ranges::find(others, i.opcode) == std::end(others);
}

u32 width_of(const Instruction& i, std::size_t operand) {
  switch (i.opcode) {
  case Opcode::IMAD: return i.has(Modifier::WIDE) && (operand == 0 || operand == 4) ? 2 : 1;
  case Opcode::DADD:
  case Opcode::DMUL:
  case Opcode::DFMA:
  case Opcode::DSETP: return 2;
  case Opcode::I2F:
    return i.has(operand == 0 ? Modifier::F64 : Modifier::U64) || (operand == 1 && i.has(Modifier::S64)) ? 2
                                                                                                         : 1;
  case Opcode::F2I: return operand == 1 && i.has(Modifier::F64) ? 2 : 1;
  default: return 1;
  }
}

bool knows(const Instruction& i) {
  if (has_unknown_modifier(i) || i.guard_uniform) return false;
  const auto o = i.operands();
  for (const Operand& one : o)
    if (one.kind == Kind::uniform || one.kind == Kind::uniform_predicate ||
        (one.kind == Kind::reg && one.part != Modifier::none) ||
        (one.kind == Kind::constant && i.opcode != Opcode::LDC))
      return false;
  const auto nothing = [](const Operand& x) {
    return x.kind == Kind::reg && x.number == sass::zero_register && !x.negated && !x.inverted;
  };
  static constexpr Opcode all_forms[] = {
      Opcode::EXIT,  Opcode::BRA,   Opcode::BSSY,  Opcode::BSYNC, Opcode::NOP,  Opcode::LDC,   Opcode::LDG,
      Opcode::STG,   Opcode::LDS,   Opcode::STS,   Opcode::MOV,   Opcode::SEL,  Opcode::VIADD, Opcode::IABS,
      Opcode::POPC,  Opcode::BREV,  Opcode::SHF,   Opcode::PRMT,  Opcode::SGXT, Opcode::BMSK,  Opcode::LOP3,
      Opcode::PLOP3, Opcode::ISETP, Opcode::FSETP, Opcode::DSETP, Opcode::FSEL, Opcode::FMNMX, Opcode::FADD,
      Opcode::FMUL,  Opcode::FFMA,  Opcode::DADD,  Opcode::DMUL,  Opcode::DFMA, Opcode::I2F,   Opcode::I2FP};
  if (std::ranges::find(all_forms, i.opcode) != std::end(all_forms)) return true;
  switch (i.opcode) {
  // With one carry out where the sum of two words has it.
  case Opcode::IADD3:
    return !writes(o[2]) && (!writes(o[1]) || nothing(o[3]) || nothing(o[4]) || nothing(o[5]));
  case Opcode::IMAD:
    return !i.has(Modifier::X) && !writes(o[1]) && (!i.has(Modifier::WIDE) || o[4].kind == Kind::reg) &&
           (!i.has(Modifier::HI) || nothing(o[4]));
  case Opcode::LEA: return !o[2].negated && !o[2].inverted && !o[3].negated;
  case Opcode::R2P: return o[2].value < 32; // the predicates of values, in programs
  case Opcode::FLO: return !writes(o[1]);
  case Opcode::VIMNMX: return !writes(o[1]) && !writes(o[2]);
  case Opcode::F2I: {
    static constexpr Modifier others[] = {Modifier::U64, Modifier::S64, Modifier::U16,
                                          Modifier::S16, Modifier::U8,  Modifier::S8};
    return std::ranges::none_of(others, [&](Modifier m) { return i.has(m); });
  }
  case Opcode::S2R: return sass::special_name(o[1].value) == "SR_TID.X";
  default: return false;
  }
}

std::string interpret(const std::vector<Instruction>& code, MachineThread& thread) {
  u64 at = 0;
  bool ended = false;
  try {
    for (u64 steps = 0; !ended; ++steps) {
      if (steps == step_limit) return "it does not end";
      if (at / sass::instruction_bytes >= code.size()) return "it leaves the code";
      const Instruction& i = code[at / sass::instruction_bytes];
      at = Step(i, thread).run(ended).value_or(at + sass::instruction_bytes);
    }
  } catch (const std::exception& e) {
    return std::string(e.what()) + " at " + sass::text(code[at / sass::instruction_bytes]);
  }
  return {};
}

} // namespace warplens::oracle
