// Modifiers that a row of the table cannot say in its own words: those that depend on one another. See table.def.
#include "sass/fields.h"
#include <bit>
#include <unordered_map>

namespace warplens::sass {
namespace {

constexpr std::string_view rounding[] = {"", ".RM", ".RP", ".RZ"};

constexpr std::string_view to_integer[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};

constexpr std::string_view float_types[] = {"?", ".F16", ".F32", ".F64", ".BF16", ".TF32", "?", "?"};

constexpr std::string_view comparisons[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                            ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};

constexpr std::string_view booleans[] = {".AND", ".OR", ".XOR", "?"};

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
  if (form == 4 && std::has_single_bit(value) && value != 1 && c_zero && value != 0x10000 &&
      value != 0x80000000u)
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
  const bool halves = packed > 1 && source == 1; // two halves of B, to two bytes
  if (f.since(Generation::hopper)) put(d, rounding, round);
  d.modifiers(halves ? ".UNPACK_B_MERGE_C" : merge != 0 ? ".PACK_AB_MERGE_C" : ".PACK_AB");
  if (!f.since(Generation::hopper)) put(d, rounding, round);
  const u32 bytes = f.field(87, 4); // always so where 8-bit floats are merged
  if (bytes != (halves || (merge == 1 && packed > 1) ? 9 : 0) || (halves && merge != 0)) d.refuse();
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
  if (kind != 1 || type > 1) return d.refuse();
  d.modifiers(type == 1 ? ".S8" : ".U8");
  d.modifiers(f.bit(82) ? ".S8" : ".U8");
  if (f.bit(75)) d.modifiers(".SAT");
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

} // namespace

void special_modifiers(Decoder& d, std::string_view name) {
  auto found = modifier_functions().find(name);
  if (found == modifier_functions().end()) return d.refuse();
  found->second(d);
}

} // namespace warplens::sass
