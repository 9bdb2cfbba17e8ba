// Operands that most instructions have: registers, predicates, the three sources of arithmetic, addresses. See fields.h.
#include "sass/fields.h"
#include <charconv>

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;
using Style = Operand::Style;

// Where the marks of a source are, by where its register is.
struct Slot {
  u32 negated, absolute, part;
};
Slot slot_of(u32 at, bool half) {
  if (at == 24) return {72, 73, 74};
  if (at == 32) return {63, 62, 60};
  return half ? Slot{84, 83, 81} : Slot{75, 74, 81};
}

// What follows the letters of an operand's word: "P87!90?" → 87, 90, true.
struct Numbers {
  u32 at = 0, second = 0;
  std::string_view rest;
};
Numbers numbers_of(std::string_view text) {
  Numbers out;
  auto read = [&](u32& to) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  };
  read(out.at);
  if (!text.empty() && (text[0] == '!' || text[0] == ':')) {
    text.remove_prefix(1);
    read(out.second);
  }
  out.rest = text;
  return out;
}

} // namespace

Operand hex_operand(u64 value) {
  Operand o;
  o.kind = Kind::immediate, o.value = value;
  return o;
}
Operand word_operand(std::string_view text) {
  Operand o;
  o.kind = Kind::word, o.word = text;
  return o;
}

void Decoder::modifiers(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(1); // the dot
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::optional<Modifier> modifier = modifier_named(text.substr(0, end));
    if (!modifier || !out.add(*modifier)) refuse();
    text.remove_prefix(end);
  }
}

Operand Decoder::reg(u32 at, u32 reuse_bit) {
  Operand o;
  o.kind = Kind::reg;
  o.number = static_cast<u8>(fields.field(at, 8));
  o.reuse = reuse_bit != 0 && fields.bit(reuse_bit);
  return o;
}

Operand Decoder::uniform(u32 at) {
  Operand o;
  o.kind = Kind::uniform;
  const bool eight_bits = fields.since(Generation::blackwell);
  o.number = static_cast<u8>(fields.field(at, eight_bits ? 8 : 6));
  fields.bit(91); // a uniform register is used
  if (!eight_bits && o.number == 63) o.number = zero_register;
  return o;
}

Operand Decoder::predicate(u32 at, u32 negated_bit, bool is_uniform) {
  Operand o;
  o.kind = is_uniform ? Kind::uniform_predicate : Kind::predicate;
  o.number = static_cast<u8>(fields.field(at, 3));
  o.negated = negated_bit != 0 && fields.bit(negated_bit);
  return o;
}

Operand Decoder::immediate(char style) {
  Operand o = hex_operand(fields.field(32, 32));
  switch (style) {
  case 'x': break;
  case 'f': o.style = Style::f32; break;
  case 'd': o.style = Style::f64; break;
  case 'h':
    o.style = options.bfloat_bit != 0 && fields.bit(options.bfloat_bit) ? Style::bf16x2 : Style::f16x2;
    break;
  default: o.style = Style::signed_hex;
  }
  return o;
}

Operand Decoder::constant() {
  Operand o;
  o.kind = Kind::constant;
  o.value = fields.field(38, 16);
  if (fields.bit(91)) {
    o.descriptor = uniform(32).number;
    o.has_descriptor = true;
  } else {
    o.bank = static_cast<u8>(fields.field(54, 5));
  }
  return o;
}

// Where the second and third operands of arithmetic are is the form's matter:
//   1 registers   2 C immediate, B at 64   3 C constant, B at 64   4 B immediate   5 B constant   6 B uniform   7 C uniform, B at 64
Operand Decoder::source(char which, std::string_view marks) {
  const u32 form = fields.form();
  const bool half = marks.find('h') != marks.npos;
  auto marked = [&](char c) { return marks.find(c) != marks.npos; };
  if (form == 0) refuse();
  u32 at = 24;
  char place = 'r';
  if (which == 'B') {
    at = form == 1 ? 32 : form == 2 || form == 3 || form == 7 ? 64 : 32;
    place = form == 4 ? 'i' : form == 5 ? 'c' : form == 6 ? 'u' : 'r';
  } else if (which == 'C') {
    at = form == 2 || form == 3 || form == 7 ? 32 : 64;
    place = form == 2 ? 'i' : form == 3 ? 'c' : form == 7 ? 'u' : 'r';
  } else if (which == 'S') { // the only other one: at 32, of form 1 too
    at = 32;
    place = form == 2 || form == 4 ? 'i' : form == 3 || form == 5 ? 'c' : form == 6 || form == 7 ? 'u' : 'r';
  } else if (which == 'D') { // the same, but in form 1 at 64
    at = form == 1 ? 64 : 32;
    place = form == 2 || form == 4 ? 'i' : form == 3 || form == 5 ? 'c' : form == 6 || form == 7 ? 'u' : 'r';
  }
  if (place == 'i') return immediate(options.immediate);
  const u32 reuse = which == 'A' ? 122 : which == 'B' ? 123 : 124;
  Operand o = place == 'r'   ? (options.uniform ? uniform(at) : reg(at, reuse))
              : place == 'u' ? uniform(32)
                             : constant();
  const Slot slot = slot_of(at, half);
  if (half) {
    static constexpr Modifier parts[] = {Modifier::none, Modifier::F32, Modifier::H0_H0, Modifier::H1_H1};
    o.part = parts[fields.field(slot.part, 2)];
  }
  const bool complement =
      marked('~') || (marked('x') && fields.bit(74)); // with .X a negation is a complement
  if (marked('|')) o.absolute = fields.bit(slot.absolute);
  if (marked('-') || marked('~') || marked('x')) {
    const bool set = marked('-') || complement ? fields.bit(slot.negated) : false;
    (complement ? o.inverted : o.negated) = set;
  }
  return o;
}

Operand Decoder::memory(u32 reg_at) {
  Operand o;
  o.kind = Kind::memory;
  o.number = static_cast<u8>(fields.field(reg_at, 8));
  o.has_register = true;
  return o;
}

i64 Decoder::displacement() {
  if (fields.since(Generation::hopper))
    return (static_cast<i64>(fields.wide_field(16, 8)) | fields.signed_field(34, 48) * 256) * 4;
  return fields.signed_field(34, 48) * 4;
}

Operand Decoder::target() {
  Operand o;
  o.kind = Kind::target;
  o.value = out.address + instruction_bytes + static_cast<u64>(displacement());
  return o;
}

namespace {

// [R2.64+0x8]  [R2.64+UR4+0x8]  desc[UR4][R2.64+0x8]
Operand global_address(Decoder& d, u32 reg_at) {
  Fields& f = d.fields;
  Operand o = d.memory(reg_at);
  o.value = static_cast<u64>(f.signed_field(40, 24));
  const bool extended = f.bit(72), uniform = f.bit(91);
  if (!uniform) {
    if (d.options.uniform_at == 64) d.unused(64, 8);
    return o;
  }
  u32 descriptor_bit = d.options.descriptor_bit, wide_bit = d.options.wide_bit;
  if (f.since(
          Generation::blackwell)) { // uniform registers have eight bits there: flags behind them have moved
    const bool atomic = wide_bit == 70, of_floats = d.options.kind == 'f';
    if (atomic) wide_bit = of_floats ? 90 : 76, o.value = static_cast<u64>(f.signed_field(40, 23));
    if (descriptor_bit == 71) descriptor_bit = atomic ? 63 : 81;
  }
  const Operand added = d.uniform(d.options.uniform_at);
  const bool described = f.bit(descriptor_bit), wide = f.bit(wide_bit);
  if (described) {
    o.part = extended ? Modifier::n64 : Modifier::none;
    o.has_descriptor = f.since(Generation::hopper); // the disassembler leaves it out below
    o.descriptor = added.number;
    if (o.number == zero_register && o.value != 0) o.has_register = false;
    return o;
  }
  o.part = wide ? Modifier::n64 : extended ? Modifier::U32 : Modifier::none;
  o.uniform = added.number;
  o.has_uniform = true;
  o.has_register = o.number != zero_register || o.part == Modifier::U32;
  return o;
}

// Shared and local memory: [R2+0x8], [R2.X4+UR4]
Operand near_address(Decoder& d, u32 reg_at) {
  Fields& f = d.fields;
  Operand o = d.memory(reg_at);
  o.value = static_cast<u64>(f.signed_field(40, 24));
  const bool uniform = f.bit(91);
  if (d.options.scaled) {
    static constexpr Modifier scales[] = {Modifier::none, Modifier::X4, Modifier::X8, Modifier::X16};
    o.part = scales[f.field(78, 2)];
  }
  o.has_register = o.number != zero_register || (!uniform && o.value == 0);
  if (!uniform && d.options.uniform_at == 64) d.unused(64, 8);
  if (o.number == zero_register && o.part != Modifier::none) d.refuse(); // not in the text
  if (uniform) {
    o.uniform = d.uniform(d.options.uniform_at).number;
    o.has_uniform = o.uniform != zero_register || d.options.shows_zero || f.since(Generation::blackwell) ||
                    (!o.has_register && o.value == 0);
  }
  return o;
}

// c[0x0][R2+0x8], cx[UR4][R2+0x8]
Operand indexed_constant(Decoder& d, bool bindless) {
  Fields& f = d.fields;
  Operand o;
  o.kind = Kind::constant;
  o.value = static_cast<u64>(f.signed_field(38, 16));
  if (d.options.uniform) {
    o.value = f.field(38, 16);
    if (f.bit(91)) {
      o.descriptor = d.uniform(24).number;
      o.has_descriptor = true;
    } else {
      o.bank = static_cast<u8>(f.field(54, 5));
    }
    return o;
  }
  o.number = static_cast<u8>(f.field(bindless ? 64 : 24, 8));
  o.has_register = o.number != zero_register || o.value == 0;
  if (bindless) {
    o.descriptor = d.uniform(24).number;
    o.has_descriptor = true;
  } else {
    o.bank = static_cast<u8>(f.field(54, 5));
  }
  return o;
}

} // namespace

void read_operand(Decoder& d, std::string_view word) {
  std::size_t letters = 0;
  while (letters < word.size() &&
         ((word[letters] >= 'A' && word[letters] <= 'Z') || (word[letters] >= 'a' && word[letters] <= 'z')))
    ++letters;
  const std::string_view kind = word.substr(0, letters), rest = word.substr(letters);
  const Numbers n = numbers_of(rest);
  Fields& f = d.fields;
  if (kind == "R") return d.add(d.reg(n.at));
  if (kind == "Rr") return d.add(d.reg(n.at, n.at == 24 ? 122 : n.at == 32 ? 123 : 124));
  if (kind == "U") return d.add(d.uniform(n.at));
  if (kind == "A" || kind == "B" || kind == "C" || kind == "S" || kind == "D")
    return d.add(d.source(kind[0], rest));
  if (kind == "P" || kind == "UP") { // P81: written; P81?: left out where it is PT; P81?100: below sm_100
    Operand o = d.predicate(n.at, n.second, kind == "UP");
    const bool may_hide = n.rest == "?" || (n.rest == "?100" && !f.since(Generation::blackwell));
    if (n.rest == "~" && o.number != true_predicate && kind == "P" && n.second == 0) d.refuse();
    o.hidden = n.rest == "~" || (may_hide && o.number == true_predicate && !o.negated);
    return d.add(o);
  }
  if (kind == "xP" || kind == "xU" || kind == "eP" || kind == "eU") { // only with .X (bit 74), .EX (bit 72)
    Operand o;
    o.hidden = true;
    const Operand p = d.predicate(n.at, n.second, kind[1] == 'U');
    if (f.bit(kind[0] == 'x' ? 74 : 72))
      o = p;
    else
      d.unused(n.at, 3), p.negated && (kind[0] == 'e' || p.number != true_predicate) ? d.refuse() : void();
    return d.add(o);
  }
  if (kind == "Im" || kind == "Is") {
    Operand o = hex_operand(f.wide_field(n.at, n.second));
    if (kind == "Is") o.style = Style::signed_hex, o.bits = static_cast<u8>(n.second);
    return d.add(o);
  }
  if (kind == "Bar") {
    Operand o;
    o.kind = Kind::barrier;
    o.number = static_cast<u8>(f.field(n.at, 4));
    return d.add(o);
  }
  if (kind == "SR") {
    Operand o;
    o.kind = Kind::special;
    o.value = f.field(72, 8);
    if (special_name(o.value).empty() || (!f.since(Generation::blackwell) && o.value == 138)) d.refuse();
    return d.add(o);
  }
  if (kind == "T") return d.add(d.target());
  if (kind.starts_with("Lit")) return d.add(word_operand(word.substr(3)));
  if (kind == "Ag") return d.add(global_address(d, n.at));
  if (kind == "As") return d.add(near_address(d, n.at));
  if (kind == "Cb") return d.add(indexed_constant(d, false));
  if (kind == "Cx") return d.add(indexed_constant(d, true));
  if (kind == "PLUT") return d.add(hex_operand(f.field(64, 3) | f.field(72, 5) << 3));
  if (kind == "Pc") { // PLOP3's third source
    if (d.options.uniform) d.unused(67, 1);
    return d.add(d.predicate(68, 71, d.options.uniform || f.bit(67)));
  }
  d.refuse();
}

} // namespace warplens::sass
