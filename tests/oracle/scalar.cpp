// A function for each opcode over 128-bit numbers, chosen by the text of the instruction. See scalar.h.
#include "oracle/scalar.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace warplens::oracle {

bool evaluate_float(const Spelling&, std::span<const u64> sources, std::span<u64> results); // floats.cpp
bool evaluate_conversion(const Spelling&, std::span<const u64> sources, std::span<u64> results);
bool compare_floats(std::string_view comparison, const TypeText&, bool ftz, u64 a, u64 b);
u64 float_one(const TypeText&);

namespace {

using i128 = __int128;
using u128 = unsigned __int128;
using Sources = std::span<const u64>;
using Results = std::span<u64>;

TypeText type_of(std::string_view text) {
  TypeText type{std::string(text), 0, 0, false};
  if (text == "pred") return {type.text, 'p', 1, false};
  std::string_view rest = text;
  if (rest.starts_with("bf"))
    type.letter = 'g', rest.remove_prefix(2);
  else if (!rest.empty() && std::string_view("busf").find(rest[0]) != rest.npos)
    type.letter = rest[0], rest.remove_prefix(1);
  else
    return type;
  if (rest.ends_with("x2")) type.packed = true, rest.remove_suffix(2);
  for (char c : rest) {
    if (c < '0' || c > '9') return {type.text, 0, 0, false};
    type.bits = type.bits * 10 + static_cast<u32>(c - '0');
  }
  if (std::string_view("8 16 32 64 128").find(rest) == rest.npos || rest.empty()) type.letter = 0;
  return type;
}

i128 number(u64 bits, const TypeText& type) {
  u64 value = extended(bits, type.bits, type.is_signed());
  return type.is_signed() ? i128{static_cast<i64>(value)} : i128{value};
}
u64 stored(i128 value, const TypeText& type) {
  return extended(static_cast<u64>(value), type.bits, type.is_signed());
}

i128 largest(const TypeText& t) {
  return t.is_signed() ? (i128{1} << (t.bits - 1)) - 1 : (i128{1} << t.bits) - 1;
}
i128 smallest(const TypeText& t) { return t.is_signed() ? -(i128{1} << (t.bits - 1)) : 0; }

// The part of a product that mul.lo, mul.hi and mul.wide keep.
i128 product_part(const Spelling& s, i128 product) {
  return s.has("hi") ? product >> s.type().bits : product;
}
// 64-bit factors without sign fill all 128 bits: the sign bit of the product is one of them.
i128 product_of(i128 a, i128 b) {
  return static_cast<i128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}
TypeText product_type(const Spelling& s) {
  TypeText type = s.type();
  if (s.has("wide")) type.bits *= 2;
  return type;
}

bool mul(const Spelling& s, Sources in, Results out) {
  out[0] =
      stored(product_part(s, product_of(number(in[0], s.type()), number(in[1], s.type()))), product_type(s));
  return true;
}

bool mad(const Spelling& s, Sources in, Results out) {
  TypeText wide = product_type(s);
  i128 sum =
      product_part(s, product_of(number(in[0], s.type()), number(in[1], s.type()))) + number(in[2], wide);
  if (s.has("sat")) sum = std::clamp(sum, smallest(s.type()), largest(s.type()));
  out[0] = stored(sum, wide);
  return true;
}

bool mul24(const Spelling& s, Sources in, Results out) {
  TypeText narrow = s.type();
  narrow.bits = 24;
  i128 product = number(in[0], narrow) * number(in[1], narrow);
  i128 part = s.has("hi") ? product >> 16 : product; // the upper 32 of 48 bits
  if (s.opcode == "mad24") part = number(static_cast<u64>(part), s.type()) + number(in[2], s.type());
  if (s.has("sat")) part = std::clamp(part, smallest(s.type()), largest(s.type()));
  out[0] = stored(part, s.type());
  return true;
}

// Calls f for each half of a packed pair, or once.
template <class F> void for_elements(const TypeText& type, u32 element_bits, Results out, F f) {
  if (!type.packed) {
    out[0] = f(0);
    return;
  }
  u64 low = truncated(f(0), element_bits), high = truncated(f(element_bits), element_bits);
  out[0] = low | high << element_bits;
}

bool add_like(const Spelling& s, Sources in, Results out) {
  const TypeText& t = s.type();
  for_elements(t, t.bits, out, [&](u32 shift) {
    i128 a = number(in[0] >> shift, t), b = number(in[1] >> shift, t), r = 0;
    if (s.opcode == "add") r = a + b;
    if (s.opcode == "sub") r = a - b;
    if (s.opcode == "min") r = std::min(a, b);
    if (s.opcode == "max") r = std::max(a, b);
    if (s.has("sat")) r = std::clamp(r, smallest(t), largest(t));
    if (s.has("relu")) r = std::max<i128>(r, 0);
    return stored(r, t);
  });
  return true;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry comes in as the last source and leaves as the last
// result.
bool with_carry(const Spelling& s, Sources in, Results out) {
  TypeText t = s.type();
  t.letter = 'u';
  bool takes = s.opcode.ends_with('c');
  bool subtract = s.opcode.starts_with("sub");
  u32 carry = takes ? static_cast<u32>(in.back() & 1) : subtract;
  i128 mask = largest(t), a, b;
  if (s.opcode.starts_with("mad")) {
    i128 product = product_of(number(in[0], s.type()), number(in[1], s.type()));
    a = (s.has("hi") ? product >> t.bits : product) & mask;
    b = number(in[2], t);
  } else {
    a = number(in[0], t);
    b = number(in[1], t);
  }
  i128 r = a + (subtract ? mask - b : b) + carry; // the flag of a subtraction is that of a + ~b + 1
  out[0] = stored(r, s.type());
  if (s.has("cc") && out.size() > 1) out[1] = r > mask;
  return true;
}

bool divide(const Spelling& s, Sources in, Results out) {
  i128 a = number(in[0], s.type()), b = number(in[1], s.type());
  if (b == 0) return false; // the PTX ISA leaves the result open
  out[0] = stored(s.opcode == "div" ? a / b : a % b, s.type());
  return true;
}

bool sad(const Spelling& s, Sources in, Results out) {
  i128 a = number(in[0], s.type()), b = number(in[1], s.type());
  out[0] = stored((a > b ? a - b : b - a) + number(in[2], s.type()), s.type());
  return true;
}

bool sign(const Spelling& s, Sources in, Results out) {
  i128 a = number(in[0], s.type());
  out[0] = stored(s.opcode == "neg" || a < 0 ? -a : a, s.type());
  return true;
}

bool logic(const Spelling& s, Sources in, Results out) {
  u64 a = in[0], b = in.size() > 1 ? in[1] : 0;
  u64 r = s.opcode == "and" ? (a & b) : s.opcode == "or" ? (a | b) : s.opcode == "xor" ? (a ^ b) : ~a;
  if (s.opcode == "cnot") r = truncated(a, s.type().bits) == 0;
  out[0] = truncated(r, s.type().bits);
  return true;
}

bool lop3(const Spelling& s, Sources in, Results out) {
  u64 r = 0;
  for (u32 bit = 0; bit < 32; ++bit) {
    u64 row = (in[0] >> bit & 1) << 2 | (in[1] >> bit & 1) << 1 | (in[2] >> bit & 1);
    r |= (in[3] >> row & 1) << bit;
  }
  out[0] = r;
  if (out.size() > 1) {
    bool p = r != 0, q = in[4] & 1;
    out[1] = s.has("or") ? (p || q) : (p && q);
  }
  return true;
}

bool shift(const Spelling& s, Sources in, Results out) {
  const TypeText& t = s.type();
  u64 amount = std::min<u64>(truncated(in[1], 32), t.bits);
  i128 a = number(in[0], t);
  out[0] = stored(s.opcode == "shl" ? a << amount : a >> amount, t);
  return true;
}

bool funnel(const Spelling& s, Sources in, Results out) {
  u64 pair = truncated(in[0], 32) | in[1] << 32;
  u64 n = s.has("clamp") ? std::min<u64>(truncated(in[2], 32), 32) : (in[2] & 31);
  u64 r = s.has("l") ? static_cast<u64>((u128{pair} << n) >> 32) : static_cast<u64>(u128{pair} >> n);
  out[0] = truncated(r, 32);
  return true;
}

bool bit_counts(const Spelling& s, Sources in, Results out) {
  u32 bits = s.type().bits;
  u64 a = truncated(in[0], bits), r = 0;
  if (s.opcode == "popc") {
    for (u32 i = 0; i < bits; ++i) r += a >> i & 1;
  } else if (s.opcode == "clz") {
    for (i32 i = static_cast<i32>(bits) - 1; i >= 0 && !(a >> i & 1); --i) ++r;
  } else { // brev
    for (u32 i = 0; i < bits; ++i) r |= (a >> i & 1) << (bits - 1 - i);
  }
  out[0] = r;
  return true;
}

bool bfind(const Spelling& s, Sources in, Results out) {
  const TypeText& t = s.type();
  u64 a = truncated(in[0], t.bits);
  if (t.is_signed() && (a >> (t.bits - 1) & 1)) a = truncated(~a, t.bits);
  u64 r = 0xffffffff;
  for (u32 i = 0; i < t.bits; ++i)
    if (a >> i & 1) r = i;
  if (s.has("shiftamt") && r != 0xffffffff) r = t.bits - 1 - r;
  out[0] = r;
  return true;
}

bool bfe(const Spelling& s, Sources in, Results out) {
  const TypeText& t = s.type();
  u32 msb = t.bits - 1, position = in[1] & 0xff, length = in[2] & 0xff;
  u64 a = truncated(in[0], t.bits), r = 0;
  u32 sign_at = std::min(position + length - 1, msb);
  bool fill = t.is_signed() && length != 0 && (a >> sign_at & 1);
  for (u32 i = 0; i <= msb; ++i) {
    bool bit = i < length && position + i <= msb ? (a >> (position + i) & 1) != 0 : fill;
    r |= u64{bit} << i;
  }
  out[0] = extended(r, t.bits, t.is_signed());
  return true;
}

bool bfi(const Spelling& s, Sources in, Results out) {
  u32 bits = s.type().bits, position = in[2] & 0xff, length = in[3] & 0xff;
  u64 r = truncated(in[1], bits);
  for (u32 i = 0; i < length && position + i < bits; ++i) {
    r &= ~(u64{1} << (position + i));
    r |= (in[0] >> i & 1) << (position + i);
  }
  out[0] = r;
  return true;
}

bool bmsk(const Spelling& s, Sources in, Results out) {
  u64 a = truncated(in[0], 32), b = truncated(in[1], 32), r = 0;
  if (s.has("wrap")) a &= 31, b &= 31;
  for (u64 i = a; i < 32 && i < a + b; ++i) r |= u64{1} << i;
  out[0] = r;
  return true;
}

bool szext(const Spelling& s, Sources in, Results out) {
  u64 n = truncated(in[1], 32);
  if (s.has("wrap")) n &= 31;
  u32 bits = static_cast<u32>(std::min<u64>(n, 32));
  u64 value = bits == 0 ? 0 : extended(in[0], bits, s.type().is_signed());
  out[0] = extended(value, 32, s.type().is_signed());
  return true;
}

bool fns(const Spelling&, Sources in, Results out) {
  u64 mask = truncated(in[0], 32), base = truncated(in[1], 32);
  i64 offset = static_cast<i64>(extended(in[2], 32, true));
  out[0] = 0xffffffff; // also for a base past the mask
  i64 step = offset < 0 ? -1 : 1, left = std::max<i64>(std::abs(offset), 1);
  for (i64 i = static_cast<i64>(base); i >= 0 && i < 32; i += step) {
    bool set = mask >> i & 1;
    if (set && --left == 0) out[0] = static_cast<u64>(i);
    if (left == 0 || offset == 0) break;
  }
  return true;
}

// The byte numbers that prmt's special modes pick for the low two bits of c.
u32 permute_selector(const Spelling& s, u64 c) {
  static const std::map<std::string, std::array<u32, 4>> modes = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& [mode, selectors] : modes)
    if (s.has(mode)) return selectors[c & 3];
  return static_cast<u32>(c & 0xffff);
}

bool prmt(const Spelling& s, Sources in, Results out) {
  u64 pair = truncated(in[0], 32) | in[1] << 32, r = 0;
  u32 selector = permute_selector(s, in[2]);
  for (u32 i = 0; i < 4; ++i) {
    u32 pick = selector >> (4 * i) & 15;
    u64 byte = pair >> (8 * (pick & 7)) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * i);
  }
  out[0] = r;
  return true;
}

bool dot(const Spelling& s, Sources in, Results out) {
  bool two = s.opcode == "dp2a";
  TypeText a_type{"", s.type(0).letter, two ? 16u : 8u, false}, b_type{"", s.type(1).letter, 8, false};
  i128 sum = number(in[2], TypeText{"", 's', 32, false});
  for (u32 i = 0; i < (two ? 2u : 4u); ++i) {
    u32 b_at = two && s.has("hi") ? i + 2 : i;
    sum += number(in[0] >> (i * a_type.bits), a_type) * number(in[1] >> (8 * b_at), b_type);
  }
  bool is_signed = s.type(0).is_signed() || s.type(1).is_signed();
  out[0] = extended(static_cast<u64>(sum), 32, is_signed);
  return true;
}

bool compare(const Spelling& s, const TypeText& t, u64 a, u64 b) {
  std::string name;
  for (const std::string& m : s.modifiers)
    if (std::string_view("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan").find(m) !=
        std::string_view::npos)
      if (name.empty()) name = m;
  if (t.is_float()) return compare_floats(name, t, s.has("ftz"), a, b);
  i128 x = number(a, t), y = number(b, t);
  if (name == "eq") return x == y;
  if (name == "ne") return x != y;
  if (name == "lt" || name == "lo") return x < y;
  if (name == "le" || name == "ls") return x <= y;
  if (name == "gt" || name == "hi") return x > y;
  return x >= y;
}

bool combine(const Spelling& s, bool compared, Sources in) {
  if (in.size() < 3) return compared;
  bool c = in[2] & 1;
  return s.has("and") ? compared && c : s.has("or") ? compared || c : compared != c;
}

bool setp(const Spelling& s, Sources in, Results out) {
  bool compared = compare(s, s.type(), in[0], in[1]);
  out[0] = combine(s, compared, in);
  if (out.size() > 1) out[1] = combine(s, !compared, in);
  return !s.type().packed;
}

bool set(const Spelling& s, Sources in, Results out) {
  bool r = combine(s, compare(s, s.type(1), in[0], in[1]), in);
  const TypeText& t = s.type(0);
  out[0] = !r ? 0 : t.is_float() ? float_one(t) : extended(~u64{0}, t.bits, t.is_signed());
  return !t.packed;
}

bool select(const Spelling& s, Sources in, Results out) {
  bool first = in[2] & 1;
  if (s.opcode == "slct") {
    const TypeText& by = s.type(1);
    first = by.is_float() ? compare_floats("ge", by, s.has("ftz"), in[2], 0) : number(in[2], by) >= 0;
  }
  out[0] = extended(first ? in[0] : in[1], s.type().bits, s.type().is_signed());
  return true;
}

using Rule = bool (*)(const Spelling&, Sources, Results);
const std::map<std::string, Rule, std::less<>>& integer_rules() {
  static const std::map<std::string, Rule, std::less<>> rules = {
      {"add", add_like},    {"sub", add_like}, {"min", add_like},    {"max", add_like},
      {"mul", mul},         {"mad", mad},      {"mul24", mul24},     {"mad24", mul24},
      {"div", divide},      {"rem", divide},   {"sad", sad},         {"abs", sign},
      {"neg", sign},        {"and", logic},    {"or", logic},        {"xor", logic},
      {"not", logic},       {"cnot", logic},   {"lop3", lop3},       {"shl", shift},
      {"shr", shift},       {"shf", funnel},   {"popc", bit_counts}, {"clz", bit_counts},
      {"brev", bit_counts}, {"bfind", bfind},  {"bfe", bfe},         {"bfi", bfi},
      {"bmsk", bmsk},       {"szext", szext},  {"fns", fns},         {"prmt", prmt},
      {"dp4a", dot},        {"dp2a", dot},     {"addc", with_carry}, {"subc", with_carry},
      {"madc", with_carry}, {"setp", setp},    {"set", set},         {"selp", select},
      {"slct", select}};
  return rules;
}

} // namespace

u64 truncated(u64 value, u32 bits) { return bits >= 64 ? value : value & ((u64{1} << bits) - 1); }

u64 extended(u64 value, u32 bits, bool is_signed) {
  u64 low = truncated(value, bits);
  if (bits >= 64 || bits == 0 || !is_signed || !(low >> (bits - 1) & 1)) return low;
  return low | ~u64{0} << bits;
}

bool Spelling::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Spelling spell(std::string_view text) {
  Spelling spelling;
  for (bool first = true; !text.empty(); first = false) {
    std::string_view token = text.substr(0, text.find('.'));
    text.remove_prefix(std::min(text.size(), token.size() + 1));
    TypeText type = type_of(token);
    if (first)
      spelling.opcode = token;
    else if (type.letter != 0)
      spelling.types.push_back(type);
    else
      spelling.modifiers.emplace_back(token);
  }
  return spelling;
}

bool evaluate(const Spelling& s, Sources in, Results out) {
  if (s.opcode == "cvt") return evaluate_conversion(s, in, out);
  if (s.types.empty()) return false;
  if (s.has("cc")) return with_carry(s, in, out);
  bool by_bits = s.opcode == "setp" || s.opcode == "set" || s.opcode == "selp" || s.opcode == "slct";
  if (s.type().is_float() && !by_bits) return evaluate_float(s, in, out);
  auto rule = integer_rules().find(s.opcode);
  return rule != integer_rules().end() && rule->second(s, in, out);
}

u64 atomic_result(const Spelling& s, u64 old, std::span<const u64> in) {
  const TypeText& t = s.type();
  if (s.has("cas")) return truncated(old, t.bits) == truncated(in[0], t.bits) ? in[1] : old;
  if (s.has("exch")) return in[0];
  if (s.has("and")) return old & in[0];
  if (s.has("or")) return old | in[0];
  if (s.has("xor")) return old ^ in[0];
  u64 a = truncated(old, t.bits), b = truncated(in[0], t.bits);
  if (s.has("inc")) return a >= b ? 0 : a + 1;
  if (s.has("dec")) return a == 0 || a > b ? b : a - 1;
  Spelling plain{s.has("add") ? "add" : s.has("min") ? "min" : "max", {}, {t}};
  u64 sources[2] = {old, in[0]}, result[1] = {};
  evaluate(plain, sources, result);
  return result[0];
}

} // namespace warplens::oracle
