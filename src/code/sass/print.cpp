// Instructions as text, as the disassembler writes them. See instruction.h.
#include "sass/instruction.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace warplens::sass {
namespace {

std::string signed_hex(u64 value, u32 bits) {
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  value &= mask;
  if (value >> (bits - 1) & 1) return fmt::format("-{:#x}", (~value + 1) & mask);
  return fmt::format("{:#x}", value);
}

// "+INF " and "-QNAN " have a blank at their end.
std::string number(double value, bool negative) {
  if (std::isnan(value)) return negative ? "-QNAN " : "+QNAN ";
  if (std::isinf(value)) return negative ? "-INF " : "+INF ";
  if (value == 0) return negative ? "-0" : "0";
  return std::abs(value) >= 1e9 ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}
std::string f32(u32 bits) { return number(std::bit_cast<float>(bits), bits >> 31 != 0); }
std::string f64(u32 high) { return number(std::bit_cast<double>(u64{high} << 32), high >> 31 != 0); }
std::string f16(u32 bits) {
  const u32 exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  const bool negative = (bits >> 15 & 1) != 0;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                                  : std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
  if (value == 0 && negative) return "-0.0 ";
  return number(negative ? -value : value, negative);
}

std::string immediate(const Operand& o) {
  const u32 word = static_cast<u32>(o.value);
  auto pair = [&](auto one) { return one(word >> 16) + ", " + one(word & 0xffff); };
  switch (o.style) {
  case Operand::Style::hex: return fmt::format("{:#x}", o.value);
  case Operand::Style::signed_hex: return signed_hex(o.value, o.bits);
  case Operand::Style::set: {
    std::string out;
    for (u32 bit = 32; bit-- > 0;)
      if ((o.value >> bit & 1) != 0) out += fmt::format("{}{}", out.empty() ? "{" : ",", bit);
    return out + "}";
  }
  case Operand::Style::f32: return f32(word);
  case Operand::Style::f64: return f64(word);
  case Operand::Style::f16x2: return pair(f16);
  case Operand::Style::bf16x2: return pair([](u32 half) { return f32(half << 16); });
  }
  return {};
}

std::string dotted(Modifier m) { return m == Modifier::none ? std::string() : fmt::format(".{}", name(m)); }

std::string reg(u8 n) { return n == zero_register ? "RZ" : fmt::format("R{}", n); }
std::string uniform(u8 n) { return n == zero_register ? "URZ" : fmt::format("UR{}", n); }

// "R2.64+UR4+0x8", or "RZ" where there is nothing else.
std::string sum(const Operand& o) {
  std::string out;
  auto add = [&](std::string_view part) { out += fmt::format("{}{}", out.empty() ? "" : "+", part); };
  if (o.has_register) add(reg(o.number) + dotted(o.part));
  if (o.has_uniform) add(uniform(o.uniform));
  if (o.value != 0 || out.empty()) add(signed_hex(o.value, 64));
  return out;
}

std::string text(const Operand& o) {
  using enum Operand::Kind;
  std::string out;
  auto part = [&] { return dotted(o.part); };
  const bool behind =
      o.part != Modifier::B1 && o.part != Modifier::B2 && o.part != Modifier::B3 && o.part != Modifier::H1;
  switch (o.kind) {
  case none: return {};
  case reg: out = sass::reg(o.number) + (behind ? "" : part()); break;
  case uniform: out = sass::uniform(o.number) + part(); break;
  case predicate:
  case uniform_predicate: {
    const char* u = o.kind == uniform_predicate ? "U" : "";
    out = o.number == true_predicate ? fmt::format("{}PT", u) : fmt::format("{}P{}", u, o.number);
    return (o.negated ? "!" : "") + out;
  }
  case immediate: return sass::immediate(o);
  case constant:
    out = o.has_descriptor ? fmt::format("cx[{}][", sass::uniform(o.descriptor))
                           : fmt::format("c[{:#x}][", o.bank);
    out += sum(o) + "]" + (o.has_register ? std::string() : part());
    break;
  case memory:
    if (!o.word.empty())
      return fmt::format("{}[{}]{}{}", o.word, sass::uniform(o.uniform), part(), dotted(o.suffix));
    return (o.has_descriptor ? fmt::format("desc[{}]", sass::uniform(o.descriptor)) : "") + "[" + sum(o) +
           "]";
  case special: return std::string(special_name(o.value));
  case target: return fmt::format("{:#x}", o.value);
  case barrier: return fmt::format("B{}", o.number);
  case word: return std::string(o.word);
  }
  if (o.absolute) out = "|" + out + "|";
  if (o.reuse) out += ".reuse";
  if (o.kind == reg && behind) out += part();
  if (o.negated) out = "-" + out;
  if (o.inverted) out = "~" + out;
  return out;
}

} // namespace

std::string_view special_name(u64 n) {
  static constexpr std::pair<u64, std::string_view> names[] = {
      {0, "SR_LANEID"},         {3, "SR_VIRTID"},         {33, "SR_TID.X"},
      {34, "SR_TID.Y"},         {35, "SR_TID.Z"},         {37, "SR_CTAID.X"},
      {38, "SR_CTAID.Y"},       {39, "SR_CTAID.Z"},       {46, "SR_LWINHI"},
      {47, "SR_SWINHI"},        {48, "SR_SWINLO"},        {50, "SR_SMEMSZ"},
      {55, "SR_LMEMHIOFF"},     {56, "SR_EQMASK"},        {57, "SR_LTMASK"},
      {58, "SR_LEMASK"},        {59, "SR_GTMASK"},        {60, "SR_GEMASK"},
      {67, "SR_VIRTUALSMID"},   {80, "SR_CLOCKLO"},       {81, "SR_CLOCKHI"},
      {82, "SR_GLOBALTIMERLO"}, {83, "SR_GLOBALTIMERHI"}, {100, "SR_PM0"},
      {102, "SR_PM1"},          {104, "SR_PM2"},          {106, "SR_PM3"},
      {136, "SR_CgaCtaId"},     {138, "SR_CgaSize"},      {255, "SRZ"}};
  for (auto [number, text] : names)
    if (number == n) return text;
  return {};
}

std::string text(const Instruction& i) {
  std::string out;
  if (i.guard != true_predicate || i.guard_negated) {
    const std::string number = i.guard == true_predicate ? "T" : fmt::format("{}", i.guard);
    out = fmt::format("@{}{}P{} ", i.guard_negated ? "!" : "", i.guard_uniform ? "U" : "", number);
  }
  out += name(i.opcode);
  for (Modifier m : i.modifiers()) out += dotted(m);
  const char* separator = " ";
  for (const Operand& o : i.operands()) {
    if (o.hidden) continue;
    out += (o.joined ? " " : separator) + text(o);
    separator = ", ";
  }
  return out;
}

} // namespace warplens::sass
