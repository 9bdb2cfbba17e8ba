// What a row of the table cannot say in its own words: modifiers and operands that depend on one another. See table.def.
#include "sass/fields.h"
#include <unordered_map>

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;
using Style = Operand::Style;

constexpr std::string_view rounding[] = {"", ".RM", ".RP", ".RZ"};
constexpr std::string_view to_integer[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
constexpr std::string_view float_types[] = {"?", ".F16", ".F32", ".F64", ".BF16", ".TF32", "?", "?"};
constexpr std::string_view byte_parts[] = {"", ".B1", ".B2", ".B3"};
constexpr std::string_view comparisons[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                            ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
constexpr std::string_view booleans[] = {".AND", ".OR", ".XOR", "?"};
constexpr Modifier byte_of[] = {Modifier::none, Modifier::B1, Modifier::B2, Modifier::B3};

bool is_power_of_two(u32 x) { return x != 0 && (x & (x - 1)) == 0; }

// Adds a name out of a table; "?" refuses.
void put(Decoder& d, std::string_view name) {
  if (name == "?") return d.refuse();
  d.modifiers(name);
}
template <std::size_t n> void put(Decoder& d, const std::string_view (&names)[n], u32 value) {
  put(d, value < n ? names[value] : "?");
}
void flag(Decoder& d, u32 bit, std::string_view name) {
  if (d.fields.bit(bit)) d.modifiers(name);
}

void hide(Operand& o, bool hidden = true) { o.hidden = hidden; }

// ---- memory order and types

void memory_order(Decoder& d) {
  Fields& f = d.fields;
  if (!f.since(Generation::ampere)) {
    static constexpr std::string_view scopes[] = {".CTA", ".SM", ".GPU", ".SYS"};
    const u32 scope = f.field(77, 2);
    switch (f.field(79, 2)) {
    case 0: d.modifiers(".CONSTANT"); return put(d, scopes, scope);
    case 1: return scope != 0 ? put(d, scopes, scope) : void();
    case 2: d.modifiers(".STRONG"); return put(d, scopes, scope);
    default: d.modifiers(".MMIO"); return put(d, scopes, scope);
    }
  }
  switch (f.field(77, 4)) {
  case 0: return;
  case 4: return put(d, d.out.opcode == Opcode::LD || d.out.opcode == Opcode::LDG ? ".CONSTANT" : "?");
  case 5: return d.modifiers(".STRONG.SM");
  case 7: return d.modifiers(".STRONG.GPU");
  case 10: return d.modifiers(".STRONG.SYS");
  default: d.refuse();
  }
}

void integer_type(Decoder& d) {
  static constexpr std::string_view now[] = {"", ".S32", ".64", ".S64", ".128", "?", "?", "?"};
  static constexpr std::string_view before[] = {"",          ".S32", ".64",     ".F32.FTZ.RN",
                                                ".F16x2.RN", ".S64", ".F64.RN", "?"};
  d.fields.since(Generation::hopper) ? put(d, now, d.fields.field(73, 3))
                                     : put(d, before, d.fields.field(73, 3));
}

void integer_multiply(Decoder& d) { // the disassembler's names for what IMAD is used for
  Fields& f = d.fields;
  const bool is_signed = f.bit(73);
  const std::string_view sign = is_signed ? "" : ".U32";
  if (f.bit(74)) return d.modifiers(sign), d.modifiers(".X");
  const u32 form = f.form(), value = form == 4 ? f.field(32, 32) : 0;
  const bool b_low = form == 1, a_zero = f.field(24, 8) == 255;
  const u32 b = b_low ? f.field(32, 8) : f.field(64, 8);
  const bool b_zero = (form == 1 || form == 2 || form == 3 || form == 7) && b == 255;
  const bool c_zero = (form == 1 || form == 4 || form == 5 || form == 6) && f.field(64, 8) == 255;
  std::string_view use;
  if (a_zero && b_zero && form != 7) use = ".MOV";
  if (form == 4 && value == 0 && !is_signed) use = ".MOV";
  if (form == 4 && value == 1) use = c_zero && !is_signed ? ".MOV" : ".IADD";
  if (form == 4 && is_power_of_two(value) && value != 1 && c_zero && value != 0x10000 && value != 0x80000000u)
    use = ".SHL";
  d.modifiers(use);
  d.modifiers(sign);
}

// ---- conversions

void float_to_integer(Decoder& d) {
  Fields& f = d.fields;
  static constexpr std::string_view is_signed[] = {".S8", ".S16", "", ".S64"},
                                    is_unsigned[] = {".U8", ".U16", ".U32", ".U64"};
  flag(d, 80, ".FTZ");
  const u32 to = f.field(75, 2);
  f.bit(72) ? put(d, is_signed, to) : put(d, is_unsigned, to);
  const u32 from = f.field(84, 3);
  if (from != 2) put(d, float_types, from);
  put(d, to_integer, f.field(78, 2));
  flag(d, 77, ".NTZ");
}
void integer_to_float(Decoder& d) {
  Fields& f = d.fields;
  static constexpr std::string_view is_signed[] = {".S8", ".S16", "", ".S64"},
                                    is_unsigned[] = {".U8", ".U16", ".U32", ".U64"};
  const u32 to = f.field(75, 3), from = f.field(84, 2);
  if (to != 2) put(d, float_types, to);
  f.bit(74) ? put(d, is_signed, from) : put(d, is_unsigned, from);
  put(d, rounding, f.field(78, 2));
}
void float_to_float(Decoder& d) {
  Fields& f = d.fields;
  flag(d, 80, ".FTZ");
  put(d, float_types, f.field(75, 3));
  put(d, float_types, f.field(84, 3));
  put(d, rounding, f.field(78, 2));
}
void round_float(Decoder& d) {
  Fields& f = d.fields;
  const u32 to = f.field(75, 3), from = f.field(84, 3);
  flag(d, 80, ".FTZ");
  if (to != from || to != 2) put(d, float_types, to);
  if (to != from) put(d, float_types, from);
  put(d, to_integer, f.field(78, 2));
}
void pack_floats(Decoder& d) { // F2FP
  Fields& f = d.fields;
  static constexpr std::string_view to[] = {".F16", ".BF16", ".E5M2", ".E4M3"};
  static constexpr std::string_view from[] = {".F32", ".F16", ".E5M2", ".E4M3", "?", "?", "?", "?"};
  const u32 packed = f.field(76, 2), merge = f.field(78, 1);
  if (!f.since(Generation::ada)) {
    if (packed != 0) put(d, to, packed);
    flag(d, 75, ".RELU");
    d.modifiers(merge != 0 ? ".MERGE_C" : ".PACK_AB");
    return put(d, rounding, f.field(79, 2));
  }
  const u32 source = f.field(73, 2);
  const bool unpack = f.bit(89);
  if (unpack && f.bit(86)) return put(d, packed == 1 && source == 0 && merge == 1 ? ".TF32.F32.PACK_B" : "?");
  flag(d, 75, ".RELU");
  if (!unpack && packed > 1) d.modifiers(".SATFINITE");
  put(d, to, packed);
  put(d, from, source);
  if (unpack) return d.modifiers(".UNPACK_B");
  const u32 round = f.field(79, 2);
  if (f.since(Generation::hopper)) put(d, rounding, round);
  d.modifiers(merge != 0 ? ".PACK_AB_MERGE_C" : ".PACK_AB");
  if (!f.since(Generation::hopper)) put(d, rounding, round);
  const u32 bytes = f.field(87, 4); // always so where 8-bit floats are merged
  if (bytes != (merge == 1 && packed > 1 ? 9 : 0)) d.refuse();
}

void half_modifiers(Decoder& d) {
  const bool bfloat = d.fields.bit(85);
  if (bfloat) d.modifiers(".BF16_V2");
  if (!bfloat) flag(d, 78, ".F32");
  flag(d, 80, ".FTZ"), flag(d, 76, ".FMZ"), flag(d, 77, ".SAT"), flag(d, 79, ".RELU");
}

void integer_dot(Decoder& d) {
  Fields& f = d.fields;
  const bool pairs = f.bit(76);
  d.modifiers(!pairs ? ".4A" : f.bit(77) ? ".2A.HI" : ".2A.LO");
  d.modifiers(f.bit(73) ? (pairs ? ".S16" : ".S8") : (pairs ? ".U16" : ".U8"));
  d.modifiers(f.bit(74) ? ".S8" : ".U8");
}

// ---- control

void barrier_modifiers(Decoder& d) {
  Fields& f = d.fields;
  static constexpr std::string_view kinds[] = {".SYNC", ".ARV", ".RED", ".SCAN", ".SYNCALL", "?", "?", "?"};
  static constexpr std::string_view reductions[] = {".POPC", ".AND", ".OR", "?"};
  const u32 kind = f.field(77, 3);
  put(d, kinds, kind);
  if (kind == 2) put(d, reductions, f.field(74, 2));
  flag(d, 80, ".DEFER_BLOCKING");
}
void barrier_predicate(Decoder& d) {
  Operand o;
  hide(o);
  if (d.fields.field(77, 3) == 2)
    o = d.predicate(87, 90);
  else
    d.unused(87, 4);
  d.add(o);
}

void copy_modifiers(Decoder& d) { // LDGSTS
  Fields& f = d.fields;
  static constexpr std::string_view sizes[] = {"?", "?", "?", "?", "", ".64", ".128", "?"};
  d.modifiers(".E");
  if (!f.bit(81)) d.modifiers(".BYPASS");
  flag(d, 72, ".LTC128B");
  static constexpr std::string_view sizes_now[] = {"", "?", ".64", "?", ".128", "?", "?", "?"};
  f.since(Generation::blackwell) ? put(d, sizes_now, f.field(73, 3)) : put(d, sizes, f.field(73, 3));
  if (!f.since(Generation::blackwell)) memory_order(d);
  flag(d, 82, ".ZFILL");
  f.bit(84);
}
void copy_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool by_register = d.options.variant == 'r'; // UR is added to the address in shared memory
  Operand to = d.memory(16), from = d.memory(24);
  to.value = f.field(44, 20);
  from.value = static_cast<u64>(f.signed_field(32, 12));
  const bool described = f.bit(76), uniform = f.bit(91);
  const Operand u = d.uniform(64);
  if (by_register) {
    if (uniform) to.uniform = u.number, to.has_uniform = u.number != zero_register;
    if (described && f.since(Generation::hopper)) {
      from.has_descriptor = true; // the next uniform register holds it
      from.descriptor = static_cast<u8>(u.number == zero_register ? 64 : u.number + 1);
    }
    if (f.bit(f.since(Generation::blackwell) ? 83 : 70) || described) from.part = Modifier::n64;
  } else {
    from.part = f.bit(f.since(Generation::blackwell) ? 83 : 70) ? Modifier::n64 : Modifier::U32;
    if (described) {
      from.has_descriptor = f.since(Generation::hopper);
      from.descriptor = u.number;
      from.part = Modifier::n64;
    } else {
      from.has_register = from.number != zero_register;
      from.uniform = u.number, from.has_uniform = !from.has_register || u.number != zero_register;
    }
  }
  d.add(to);
  d.add(from);
  Operand guard = d.predicate(87, 90);
  hide(guard, guard.number == true_predicate && !guard.negated);
  d.add(guard);
}

// [R2+UR4+0x8], whatever the bits for a descriptor say
Operand system_address(Decoder& d) {
  Operand o = d.memory(24);
  o.value = static_cast<u64>(d.fields.signed_field(40, 24));
  o.has_register = o.number != zero_register;
  o.uniform = d.uniform(64).number;
  o.has_uniform = true;
  return o;
}
Operand uniform_address(Decoder& d) {
  Operand o;
  o.kind = Kind::memory;
  o.value = static_cast<u64>(d.fields.signed_field(40, 24));
  o.uniform = d.uniform(24).number;
  o.has_uniform = true;
  return o;
}
Operand in_brackets(const Operand& u) {
  Operand o;
  o.kind = Kind::memory;
  o.uniform = u.number;
  o.has_uniform = true;
  return o;
}

// ---- textures and surfaces

constexpr std::string_view texture_shapes[] = {"1D",       "2D",       "3D", "CUBE",
                                               "ARRAY_1D", "ARRAY_2D", "?",  "ARRAY_CUBE"};

void texture_handle(Decoder& d) {
  Fields& f = d.fields;
  if (d.options.variant == 'c') {
    d.add(hex_operand(f.field(54, 5)));
    d.add(hex_operand(f.field(40, 14)));
  }
  if (d.options.variant == 'u') {
    d.add(d.uniform(40));
    const u32 second = f.field(48, 8); // 255 since sm_100: none
    if (!f.since(Generation::blackwell) || second != 255) d.add(hex_operand(second));
  }
}
void texture_modifiers(Decoder& d) {
  Fields& f = d.fields;
  static constexpr std::string_view lods[] = {"", ".LZ", ".LB", ".LL", ".LC", ".LB.LC", "?", "?"};
  static constexpr std::string_view channels[] = {".R", ".G", ".B", ".A"};
  const char kind = d.options.kind; // x TEX, l TLD, 4 TLD4, d TXD, q TXQ
  auto lod = [&] {
    if (f.since(Generation::blackwell)) { // the two that were seen
      const u32 lod = f.field(59, 1) | f.field(87, 3) << 1;
      return put(d, kind == 'l' && lod == 0   ? ".LZ"
                    : kind == 'x' && lod == 3 ? ".LL"
                    : kind == 'x' && lod == 0 ? ""
                                              : "?");
    }
    put(d, lods, f.field(87, 3));
  };
  flag(d, 60, kind == 'q' ? "?" : ".SCR");
  if (kind == '4') put(d, channels, f.field(87, 2));
  if (d.options.variant == 'r') d.modifiers(".B");
  if (kind == 'x' || kind == 'l') lod();
  if (kind == '4') {
    static constexpr std::string_view offsets[] = {"", ".AOFFI", ".PTP", "?"};
    put(d, offsets, f.field(76, 2));
  } else if (kind != 'q') {
    flag(d, 76, ".AOFFI");
  }
  if (kind == 'x') flag(d, 78, ".DC"), flag(d, 77, ".NDV");
  if (kind == 'l') flag(d, 77, ".CL"), flag(d, 78, ".MS");
  if (kind == '4') flag(d, 78, ".DC");
  flag(d, 90, ".NODEP");
}
void texture_operands(Decoder& d) {
  Fields& f = d.fields;
  const char kind = d.options.kind;
  Operand resident = d.predicate(81);
  hide(resident, resident.number == true_predicate || kind == 'q');
  if (kind == 'q') d.unused(81, 3);
  d.add(resident);
  d.add(d.reg(64));
  d.add(d.reg(16));
  d.add(d.reg(24));
  const u32 mask = f.field(72, 4);
  if (kind == 'q') {
    static constexpr std::string_view what[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
                                                "TEX_HEADER_SAMPLER_POS", "?"};
    d.add(word_operand(what[f.field(62, 2)]));
    texture_handle(d);
  } else {
    Operand second = d.reg(32);
    hide(second,
         (kind == 'l' || (kind == 'x' && f.since(Generation::blackwell))) && second.number == zero_register);
    d.add(second);
    texture_handle(d);
    const std::string_view shape = texture_shapes[f.field(61, 3)];
    if (shape == "?") d.refuse();
    d.add(word_operand(shape));
  }
  Operand components = hex_operand(mask);
  hide(components, mask == 15);
  d.add(components);
}
void surface_shape(Decoder& d) {
  static constexpr std::string_view shapes[] = {".1D",       ".1D_BUFFER", ".1D_ARRAY", ".2D",
                                                ".2D_ARRAY", ".3D",        "?",         "?"};
  if (d.options.kind == 'd') {
    d.modifiers(".D");
    flag(d, 72, ".BA");
  } else {
    d.modifiers(".P");
  }
  put(d, shapes, d.fields.field(61, 3));
}
void surface_bounds(Decoder& d) {
  static constexpr std::string_view bounds[] = {".IGN", "", ".TRAP", "?"};
  put(d, bounds, d.fields.field(59, 2));
}
void surface_modifiers(Decoder& d) {
  Fields& f = d.fields;
  static constexpr std::string_view sizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", "?"};
  surface_shape(d);
  if (d.options.kind == 'd') put(d, sizes, f.field(73, 3));
  memory_order(d);
  if (d.options.kind == 'p') {
    const u32 mask = f.field(72, 4);
    put(d, mask == 1 ? ".R" : mask == 3 ? ".RG" : mask == 15 ? "" : "?");
  }
  surface_bounds(d);
}

// ---- matrices

Operand fragment(Decoder& d, u32 at, u32 reuse, Modifier part = Modifier::none) {
  Operand o = d.reg(at, reuse);
  o.part = part;
  return o;
}
void sparse_metadata(Decoder& d) {
  d.add(d.reg(40));
  d.add(hex_operand(d.fields.field(48, 2)));
}
void half_matrix_modifiers(Decoder& d) { // HMMA
  Fields& f = d.fields;
  auto precision = [&](u32 bit) { d.modifiers(f.bit(bit) ? ".F32" : ".F16"); };
  if ((f.opcode12() & 0x1ff) == 0x36) {
    static constexpr std::string_view steps[] = {".STEP0", ".STEP1", ".STEP2", ".STEP3"};
    d.modifiers(".884");
    precision(76), precision(78);
    return put(d, steps, f.field(79, 2));
  }
  static constexpr std::string_view shapes[] = {".1688", ".16816", ".1684", ".16832"};
  static constexpr std::string_view types[] = {"", ".BF16", ".TF32", "?"};
  flag(d, 73, ".SP");
  put(d, shapes, f.field(75, 1) | f.field(78, 1) << 1);
  precision(76);
  put(d, types, f.field(82, 2));
}
void half_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool old =
      (f.opcode12() & 0x1ff) == 0x36 || (d.out.opcode == Opcode::QMMA && !f.since(Generation::hopper));
  auto order = [&](u32 bit) { return !old ? Modifier::none : f.bit(bit) ? Modifier::COL : Modifier::ROW; };
  d.add(d.reg(16));
  d.add(fragment(d, 24, 122, order(73)));
  d.add(fragment(d, 32, 123, order(74)));
  d.add(fragment(d, 64, 124));
  if (!old && f.bit(73)) sparse_metadata(d);
}
void integer_matrix_modifiers(Decoder& d) { // IMMA
  Fields& f = d.fields;
  static constexpr std::string_view shapes[] = {".8816",  "?",      ".8832",  "?",
                                                ".16816", ".16832", ".16864", "?"};
  auto type = [&](u32 sign, u32 narrow) {
    d.modifiers(f.bit(sign) ? (f.bit(narrow) ? ".S4" : ".S8") : (f.bit(narrow) ? ".U4" : ".U8"));
  };
  flag(d, 72, ".SP");
  put(d, shapes, f.field(75, 1) | f.field(85, 2) << 1);
  type(76, 83), type(78, 84);
  flag(d, 82, ".SAT");
}
void integer_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  d.add(d.reg(16));
  d.add(fragment(d, 24, 122, f.bit(73) ? Modifier::COL : Modifier::ROW));
  d.add(fragment(d, 32, 123, f.bit(74) ? Modifier::COL : Modifier::ROW));
  d.add(fragment(d, 64, 124));
  if (d.options.kind == 's' && f.bit(72)) sparse_metadata(d);
}
void warpgroup_matrix_modifiers(Decoder& d) { // HGMMA, IGMMA, BGMMA, QGMMA
  Fields& f = d.fields;
  static constexpr std::string_view widths[] = {
      ".64x8",   ".64x16",  ".64x24",  ".64x32",  ".64x40",  ".64x48",  ".64x56",  ".64x64",
      ".64x72",  ".64x80",  ".64x88",  ".64x96",  ".64x104", ".64x112", ".64x120", ".64x128",
      ".64x136", ".64x144", ".64x152", ".64x160", ".64x168", ".64x176", ".64x184", ".64x192",
      ".64x200", ".64x208", ".64x216", ".64x224", ".64x232", ".64x240", ".64x248", ".64x256"};
  const u32 kind = f.opcode12() & 15, type = f.field(76, 2);
  const bool tf32 = kind == 0 && f.bit(58);
  const std::string depth = kind == 0 ? (tf32 ? "x8" : "x16") : "x32";
  d.modifiers(std::string(widths[f.field(53, 5)]) + depth);
  if (kind == 0) {
    static constexpr std::string_view types[] = {"", ".BF16", ".TF32", "?"};
    d.modifiers(f.bit(75) ? ".F32" : ".F16");
    return put(d, types, type);
  }
  if (kind == 3) {
    static constexpr std::string_view types[] = {".E4M3.E4M3", ".E5M2.E4M3", ".E4M3.E5M2", ".E5M2.E5M2"};
    d.modifiers(f.bit(75) ? ".F32" : ".F16");
    return put(d, types, type);
  }
  if (kind != 1 || f.bit(78)) return d.refuse();
  d.modifiers(".S8.S8");
}
void warpgroup_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool from_registers = d.options.variant == 'a';
  d.add(d.reg(16));
  if (from_registers) d.add(d.reg(24));
  Operand descriptor = word_operand("gdesc");
  descriptor.kind = Kind::memory;
  descriptor.uniform = d.uniform(from_registers ? 32 : 24).number;
  if (f.bit(61)) descriptor.part = Modifier::tnspA;
  if (f.bit(62)) descriptor.suffix = Modifier::tnspB;
  d.add(descriptor);
  d.add(d.reg(64));
  Operand scale = d.predicate(87, 90, true); // stored as 7 - n
  scale.number = static_cast<u8>(7 - scale.number);
  hide(scale, scale.number == true_predicate && !scale.negated);
  d.add(scale);
  const u32 group = f.field(84, 3);
  if (group != 0 && group != 7) d.refuse();
  Operand name = word_operand("gsb0");
  hide(name, group == 7);
  d.add(name);
}

void float_atomic_type(Decoder& d) {
  static constexpr std::string_view types[] = {
      ".F16x2.RN", ".F16x4.RN", ".F16x8.RN", ".BF16x2.RN",  ".BF16x4.RN",    ".BF16x8.RN",
      "?",         "?",         "?",         ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN",
      ".F32.RN",   ".F32x2.RN", ".F32x4.RN", ".F64.RN"};
  put(d, types, d.fields.field(73, 4));
}

using Modifiers = void (*)(Decoder&);
const std::unordered_map<std::string_view, Modifiers>& modifier_functions() {
  static const std::unordered_map<std::string_view, Modifiers> functions = {
      {"imad", integer_multiply},
      {"f2i", float_to_integer},
      {"i2f", integer_to_float},
      {"f2f", float_to_float},
      {"frnd", round_float},
      {"f2fp", pack_floats},
      {"half", half_modifiers},
      {"idp", integer_dot},
      {"bar", barrier_modifiers},
      {"order", memory_order},
      {"itype", integer_type},
      {"ftype", float_atomic_type},
      {"ldgsts", copy_modifiers},
      {"tx", texture_modifiers},
      {"su", surface_modifiers},
      {"hmma", half_matrix_modifiers},
      {"imma", integer_matrix_modifiers},
      {"gmma", warpgroup_matrix_modifiers},
      {"ev",
       [](Decoder& d) {
         static constexpr std::string_view names[] = {".EF", "", ".EL", ".LU", ".EU", ".NA", "?", "?"};
         put(d, names, d.fields.field(84, 3));
       }},
      {"vtype",
       [](Decoder& d) {
         static constexpr std::string_view names[] = {".U32", "", ".U16x2", ".S16x2"};
         const u32 type = d.fields.field(72, 2);
         put(d, d.options.kind == 's' && type == 1 ? ".S32" : names[type]);
         flag(d, 76, ".RELU");
       }},
      {"hset",
       [](Decoder& d) {
         flag(d, 65, ".BF16_V2"), flag(d, 71, ".BF");
         put(d, comparisons, d.fields.field(76, 4));
         flag(d, 80, ".FTZ");
         put(d, booleans, d.fields.field(69, 2));
       }},
      {"cas64",
       [](Decoder& d) {
         if (d.fields.field(73, 3) == 2) d.modifiers(".64");
       }},
      {"acas",
       [](Decoder& d) {
         const u32 kind = d.fields.field(87, 4);
         d.modifiers((kind & 1) != 0 ? ".CAST" : ".CAS");
         if ((kind & 2) != 0) d.modifiers(".SPIN");
         if (kind > 3 || kind == 2) d.refuse();
         static constexpr std::string_view sizes[] = {"", "?", ".64", "?", "?", "?", "?", "?"};
         put(d, sizes, d.fields.field(73, 3));
       }},
      {"popc",
       [](Decoder& d) {
         const bool now = d.fields.since(Generation::hopper);
         const u32 kind = now ? d.fields.field(87, 4) : d.fields.field(87, 3);
         put(d, kind == (now ? 9 : 1) ? ".ARRIVE" : kind == (now ? 11 : 2) ? ".POPC.INC" : "?");
         static constexpr std::string_view sizes[] = {".32", "?", ".64", "?", "?", "?", "?", "?"};
         put(d, sizes, d.fields.field(73, 3));
         d.fields.bit(90);
       }},
      {"cctl",
       [](Decoder& d) {
         static constexpr std::string_view names[] = {".PF1", ".PF2", ".WB",     ".IV",    ".IVALL",
                                                      ".RS",  "?",    ".IVALLP", ".WBALL", ".WBALLP"};
         if (d.fields.bit(72) && d.fields.field(24, 8) != 255) d.modifiers(".E");
         put(d, names, d.fields.field(87, 4));
       }},
      {"sured",
       [](Decoder& d) {
         static constexpr std::string_view operations[] = {".ADD", ".MIN", ".MAX", ".INC",
                                                           ".DEC", ".AND", ".OR",  ".XOR"};
         surface_shape(d);
         put(d, operations, d.fields.field(87, 3));
         integer_type(d);
         memory_order(d);
         surface_bounds(d);
       }},
  };
  return functions;
}

void lea_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool u = d.options.uniform, high = f.bit(80), extended = f.bit(74), sign = f.bit(73);
  d.add(u ? d.uniform(16) : d.reg(16));
  Operand carry = d.predicate(81, 0, u);
  hide(carry, carry.number == true_predicate);
  d.add(carry);
  Operand a = u ? d.uniform(24) : d.reg(24, 122);
  (extended ? a.inverted : a.negated) = f.bit(72);
  d.add(a);
  const u32 form = f.form();
  d.add(d.source('B', form == 1 || form == 5 || form == 6 ? "-x" : ""));
  Operand c;
  hide(c);
  if (high && !sign) c = d.source('C', "");
  if (!high || sign) d.unused(64, 8);
  d.add(c);
  d.add(hex_operand(f.field(75, 5)));
  Operand in;
  hide(in);
  if (extended)
    in = d.predicate(87, 90, u);
  else
    d.unused(87, 4);
  d.add(in);
}

void logic_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool u = d.options.uniform;
  Operand p = d.predicate(81, 0, u);
  hide(p, p.number == true_predicate);
  d.add(p);
  d.add(u ? d.uniform(16) : d.reg(16));
  for (char which : {'A', 'B', 'C'}) d.add(d.source(which, ""));
  d.add(hex_operand(f.field(72, 8)));
  d.add(d.predicate(87, 90, u));
}

void convert_source(Decoder& d) {
  Fields& f = d.fields;
  Operand o = d.source('B', "");
  if (o.kind != Kind::immediate) {
    const u32 part = f.field(60, 2);
    if (part > 1 || (part == 1 && f.field(84, 3) != 1)) return d.refuse();
    if (part == 1) o.part = Modifier::H1;
    o.absolute = f.bit(62), o.negated = f.bit(63);
  }
  d.add(o);
}

void integer_source(Decoder& d) { // of I2F
  Fields& f = d.fields;
  Operand o = d.source('B', "");
  const u32 from = f.field(84, 2);
  if (o.kind == Kind::immediate)
    o.style = f.bit(74) ? Style::signed_hex : Style::hex;
  else if (from == 0)
    o.part = byte_of[f.field(60, 2)];
  else if (from == 1)
    o.part = f.field(60, 2) == 1 ? Modifier::H1 : Modifier::none;
  if (o.kind != Kind::immediate && f.field(60, 2) != 0 && o.part == Modifier::none) d.refuse();
  d.add(o);
}

void branch_operands(Decoder& d) {
  Fields& f = d.fields;
  Operand second = d.predicate(87, 90);
  hide(second, second.number == true_predicate && !second.negated);
  d.add(second);
  Operand mask;
  hide(mask);
  const u32 kind = f.field(32, 2);
  if ((kind == 2 || kind == 3) && f.bit(91)) {
    mask = d.uniform(24);
    mask.inverted = !f.since(Generation::blackwell) && f.bit(30);
  }
  d.add(mask);
  d.add(d.target());
}

Operand absolute_target(Decoder& d) {
  Operand o;
  o.kind = Kind::target;
  o.value = d.fields.wide_field(34, 48) << 2;
  return o;
}

// "R20 0x0": a register, and what is added to it
void relative(Decoder& d, const Operand& base, bool absolute) {
  d.add(base);
  const i64 far = d.displacement() + (absolute ? static_cast<i64>(d.out.address + instruction_bytes) : 0);
  Operand o = hex_operand(static_cast<u64>(far));
  o.style = Style::signed_hex, o.bits = 64, o.joined = true;
  d.add(o);
}

constexpr std::string_view convergence_registers[] = {"THREAD_STATE_ENUM.0",
                                                      "THREAD_STATE_ENUM.1",
                                                      "THREAD_STATE_ENUM.2",
                                                      "THREAD_STATE_ENUM.3",
                                                      "THREAD_STATE_ENUM.4",
                                                      "TRAP_RETURN_PC.LO",
                                                      "TRAP_RETURN_PC.HI",
                                                      "TRAP_RETURN_MASK",
                                                      "MEXITED",
                                                      "MKILL",
                                                      "MACTIVE",
                                                      "MATEXIT",
                                                      "OPT_STACK",
                                                      "API_CALL_DEPTH",
                                                      "ATEXIT_PC.LO",
                                                      "ATEXIT_PC.HI"};
void convergence_register(Decoder& d) { // of BMOV
  const u32 n = d.fields.field(24, 6);
  if (n >= 32) return d.refuse();
  if (n >= 16) return d.add(word_operand(convergence_registers[n - 16]));
  Operand o;
  o.kind = Kind::barrier, o.number = static_cast<u8>(n);
  d.add(o);
}

void scoreboards(Decoder& d) {                             // that DEPBAR waits for
  Operand waited_for = hex_operand(d.fields.field(32, 6)); // scoreboards
  waited_for.style = Style::set;
  hide(waited_for, waited_for.value == 0);
  d.add(waited_for);
}

using Operands = void (*)(Decoder&);
const std::unordered_map<std::string_view, Operands>& operand_functions() {
  static const std::unordered_map<std::string_view, Operands> functions = {
      {"lea", lea_operands},
      {"lop", logic_operands},
      {"cvtsrc", convert_source},
      {"ifsrc", integer_source},
      {"bra", branch_operands},
      {"bmov", convergence_register},
      {"ldgsts", copy_operands},
      {"tx", texture_operands},
      {"th", texture_handle},
      {"hmma", half_matrix_operands},
      {"imma", integer_matrix_operands},
      {"gmma", warpgroup_matrix_operands},
      {"barp", barrier_predicate},
      {"abs", [](Decoder& d) { d.add(absolute_target(d)); }},
      {"sysa", [](Decoder& d) { d.add(system_address(d)); }},
      {"uaddr", [](Decoder& d) { d.add(uniform_address(d)); }},
      {"rel", [](Decoder& d) { relative(d, d.reg(24), false); }},
      {"relabs", [](Decoder& d) { relative(d, d.reg(24), true); }},
      {"urel", [](Decoder& d) { relative(d, d.uniform(24), false); }},
      {"ret", [](Decoder& d) { relative(d, d.reg(24), !d.fields.bit(85)); }},
      {"lanes",
       [](Decoder& d) {
         Operand o = hex_operand(d.fields.field(72, 4));
         hide(o, o.value == 15);
         d.add(o);
       }},
      {"bdst", // BSSY
       [](Decoder& d) {
         Operand o;
         o.kind = Kind::target;
         o.value = d.out.address + instruction_bytes + static_cast<u64>(d.fields.signed_field(34, 30) * 4);
         d.add(o);
       }},
      {"lepc",
       [](Decoder& d) {
         Operand o;
         o.kind = Kind::target;
         o.value = d.out.address + instruction_bytes +
                   (d.fields.wide_field(16 + 8, 8) | d.fields.wide_field(34, 48) << 8);
         d.add(o);
       }},
      {"brau", [](Decoder& d) { d.add(d.predicate(24, 27, true)); }},
      {"mufu",
       [](Decoder& d) {
         Operand o = d.source('B', "-|");
         const u32 function = d.fields.field(74, 6);
         if (o.kind == Kind::immediate && d.fields.field(72, 2) != 0) d.refuse();
         if (o.kind == Kind::immediate && (function == 6 || function == 7)) o.style = Style::f64;
         if (o.kind == Kind::reg && d.fields.field(72, 2) != 0 && d.fields.bit(60)) o.part = Modifier::H1;
         d.add(o);
       }},
      {"ffa", // F2FP's first source
       [](Decoder& d) {
         Fields& f = d.fields;
         const bool now = f.since(Generation::ada);
         if (now && f.bit(89)) {
           Operand o;
           hide(o);
           f.field(24, 8);
           return d.add(o);
         }
         Operand o = now && f.field(73, 2) != 0 ? d.reg(24, 122) : d.source('A', "-|");
         hide(o, o.number == zero_register && (now ? f.field(73, 2) != 0 : f.bit(78)));
         d.add(o);
       }},
      {"ffb",
       [](Decoder& d) {
         const bool unpack = d.fields.since(Generation::ada) && d.fields.bit(89);
         if (unpack && d.fields.bit(86)) return d.add(d.source('B', ""));
         Operand o = d.source('B', unpack ? "" : "-|");
         if (unpack && d.fields.bit(88)) o.part = Modifier::H1;
         d.add(o);
       }},
      {"mergec",
       [](Decoder& d) {
         Operand o = d.source('C', "");
         const bool unpacks = d.fields.since(Generation::ada) && d.fields.bit(89);
         hide(o, !d.fields.bit(78) || unpacks);
         if (unpacks && !d.fields.bit(86)) d.unused(78, 1), d.fields.bit(78) ? d.refuse() : void();
         d.add(o);
       }},
      {"relu",
       [](Decoder& d) {
         Operand o = d.predicate(87, 90);
         hide(o, !d.fields.bit(79));
         if (o.hidden) d.unused(87, 4);
         d.add(o);
       }},
      {"vote",
       [](Decoder& d) {
         Operand o = d.reg(16);
         hide(o, o.number == zero_register);
         d.add(o);
       }},
      {"uvote",
       [](Decoder& d) {
         Operand o = d.uniform(16);
         hide(o, o.number == zero_register);
         d.add(o);
       }},
      {"pldg", // stored as 7 - n
       [](Decoder& d) {
         const u32 n = d.fields.field(64, 3);
         Operand o = d.predicate(64, 67);
         o.number = static_cast<u8>(7 - n);
         hide(o, n == 0 && !o.negated);
         d.add(o);
       }},
      {"gld", // generic, without a uniform register: 32 bits of offset
       [](Decoder& d) {
         Operand o = d.memory(24);
         o.value = static_cast<u64>(d.fields.signed_field(32, 32));
         d.add(o);
       }},
      {"plain",
       [](Decoder& d) {
         Operand o = d.memory(24);
         o.value = static_cast<u64>(d.fields.signed_field(40, 24));
         o.has_register = o.number != zero_register || o.value == 0;
         d.add(o);
       }},
      {"bare", [](Decoder& d) { d.add(d.memory(24)); }},
      {"imm64",
       [](Decoder& d) {
         d.add(hex_operand(d.fields.wide_field(24, 40) | d.fields.wide_field(64, 24) << 40));
       }},
      {"ulx", // ULDC with an index
       [](Decoder& d) {
         Operand o;
         o.kind = Kind::constant;
         o.value = d.fields.field(38, 16);
         o.bank = static_cast<u8>(d.fields.field(54, 5));
         o.uniform = d.uniform(24).number, o.has_uniform = true;
         d.add(o);
       }},
      {"ldcu",
       [](Decoder& d) {
         Operand o;
         o.kind = Kind::constant;
         o.value = static_cast<u64>(d.fields.signed_field(37, 17));
         o.bank = static_cast<u8>(d.fields.field(54, 5));
         o.uniform = d.uniform(24).number;
         o.has_uniform = o.uniform != zero_register || o.value == 0;
         d.add(o);
       }},
      {"wsync", // WARPSYNC by a register
       [](Decoder& d) {
         const bool collective = d.fields.since(Generation::hopper) && d.fields.bit(86);
         d.add(d.reg(collective || (d.fields.since(Generation::hopper) && d.fields.bit(85)) ? 24 : 32));
         Operand o;
         hide(o);
         if (collective) o = d.target();
         d.add(o);
       }},
      {"wsynci",
       [](Decoder& d) {
         if (!d.fields.since(Generation::hopper)) return d.add(hex_operand(d.fields.field(32, 32)));
         Operand o;
         hide(o);
         if (d.fields.bit(86)) o = d.target();
         d.add(o);
       }},
      {"scoreboards", scoreboards},
      {"depbar",
       [](Decoder& d) {
         static constexpr std::string_view names[] = {"SB0", "SB1", "SB2", "SB3", "SB4", "SB5", "SB6", "SB7"};
         d.add(word_operand(names[d.fields.field(44, 3)]));
         d.add(hex_operand(d.fields.field(38, 6)));
         scoreboards(d);
       }},
      {"cctl",
       [](Decoder& d) {
         Operand o = d.memory(24);
         o.value = static_cast<u64>(d.fields.signed_field(32, 32));
         const u32 what = d.fields.field(87, 4);
         hide(o, o.number == zero_register && (what == 4 || what >= 7)); // all lines
         if (o.hidden && (o.value != 0 || d.fields.bit(72))) d.refuse();
         d.add(o);
       }},
      {"popca",
       [](Decoder& d) {
         Operand o = system_address(d);
         o.part =
             d.fields.bit(d.fields.since(Generation::blackwell) ? 90 : 70) ? Modifier::n64 : Modifier::U32;
         d.add(o);
       }},
      {"qspc",
       [](Decoder& d) {
         Operand o = d.memory(24);
         if (d.fields.form() == 4) {
           o.has_register = o.number != zero_register;
           o.uniform = d.uniform(32).number, o.has_uniform = true;
           if (d.fields.bit(90)) o.part = Modifier::n64;
         } else {
           o.value = static_cast<u64>(d.fields.signed_field(40, 24));
         }
         d.add(o);
       }},
      {"barn",
       [](Decoder& d) { // how many threads, if a number says it
         Operand o = hex_operand(d.fields.field(42, 12));
         hide(o, o.value == 0);
         d.add(o);
       }},
      {"btr",
       [](Decoder& d) {
         Operand o = d.predicate(81);
         hide(o, o.number == true_predicate);
         d.add(o);
       }},
      {"rbyte",
       [](Decoder& d) {
         Operand o = d.reg(24, 122);
         o.part = byte_of[d.fields.field(76, 2)];
         d.add(o);
       }},
      {"pmask",
       [](Decoder& d) {
         Operand o = hex_operand(d.fields.field(32, 32));
         hide(o, o.value == 0xff);
         d.add(o);
       }},
      {"bulk",
       [](Decoder& d) {
         d.add(in_brackets(d.uniform(32)));
         d.add(in_brackets(d.uniform(24)));
         d.add(d.uniform(64));
       }},
      {"tma",
       [](Decoder& d) {
         d.add(in_brackets(d.uniform(32)));
         d.add(in_brackets(d.uniform(24)));
         if (d.options.variant == 'm') d.add(d.uniform(64));
         if (!d.fields.bit(76)) return;
         Operand o = word_operand("desc"); // of the cache
         o.kind = Kind::memory, o.uniform = d.uniform(40).number;
         d.add(o);
       }},
      {"far", // STAS: a 64-bit register
       [](Decoder& d) {
         Operand o = d.memory(24);
         o.value = static_cast<u64>(d.fields.signed_field(40, 24));
         o.part = Modifier::n64;
         d.uniform(64);
         d.fields.field(90, 2);
         d.add(o);
       }},
      {"rpc", [](Decoder& d) { d.add(word_operand(d.fields.bit(31) ? "Rpc.HI" : "Rpc.LO")); }},
      {"sign", // PLOP3 of signs
       [](Decoder& d) {
         for (char which : {'A', 'B', 'C'}) {
           Operand o = d.source(which, "");
           o.part = Modifier::SIGN;
           d.add(o);
         }
       }},
  };
  return functions;
}

} // namespace

void special_modifiers(Decoder& d, std::string_view name) {
  auto found = modifier_functions().find(name);
  if (found == modifier_functions().end()) return d.refuse();
  found->second(d);
}
void special_operands(Decoder& d, std::string_view name) {
  auto found = operand_functions().find(name);
  if (found == operand_functions().end()) return d.refuse();
  found->second(d);
}

} // namespace warplens::sass
