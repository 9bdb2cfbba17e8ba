// Every form of family `compute` that PTX 9.0 spells, as patterns: "add{.rn|.rz|}{.ftz|}.f32" with "2"
// sources. The tests ask for a kernel for each, run each on every target, and compare with results measured
// on a GPU. Inputs() makes the same lanes of operands each time: special values first, then pseudo-random
// ones.
#pragma once
#include "base/types.h"
#include <string>
#include <string_view>
#include <vector>

namespace warplens::sim::testing {

struct FormCase {
  std::string text;
  u32 destinations, sources;
  bool exact; // false: the hardware approximates, so results agree to a few units in the last place only
};

// Appends every choice of {a|b|c} groups in `pattern`.
inline void expand(std::string_view pattern, std::vector<std::string>& out) {
  std::size_t open = pattern.find('{');
  if (open == pattern.npos) return out.emplace_back(pattern), void();
  std::size_t close = pattern.find('}', open), from = open + 1;
  while (from <= close) {
    std::size_t end = std::min(pattern.find('|', from), close);
    expand(std::string(pattern.substr(0, open)) + std::string(pattern.substr(from, end - from)) +
               std::string(pattern.substr(close + 1)),
           out);
    from = end + 1;
  }
}

inline std::vector<FormCase> all_forms() {
  struct Row {
    const char* pattern;
    u32 destinations, sources;
    bool exact = true;
  };
  static constexpr Row rows[] = {
      {"{add|sub|mul.lo|mul.hi|div|rem|min|max}{.u16|.u32|.u64|.s16|.s32|.s64}", 1, 2},
      {"{add|min|max}{.u16x2|.s16x2}", 1, 2},
      {"{add|sub}.sat.s32", 1, 2},
      {"{min|max}.relu{.s16x2|.s32}", 1, 2},
      {"mul.wide{.u16|.u32|.s16|.s32}", 1, 2},
      {"mad.wide{.u16|.u32|.s16|.s32}", 1, 3},
      {"mad{.lo|.hi}{.u16|.u32|.u64|.s16|.s32|.s64}", 1, 3},
      {"mad.hi.sat.s32", 1, 3},
      {"mul24{.lo|.hi}{.u32|.s32}", 1, 2},
      {"mad24{.lo|.hi}{.u32|.s32}", 1, 3},
      {"mad24.hi.sat.s32", 1, 3},
      {"{abs|neg}{.s16|.s32|.s64}", 1, 1},
      {"sad{.u16|.u32|.u64|.s16|.s32|.s64}", 1, 3},
      {"{add|sub}.cc{.u32|.s32|.u64|.s64}", 2, 2},
      {"{addc|subc}{.u32|.s32|.u64|.s64}", 1, 3},
      {"{addc|subc}.cc{.u32|.s32|.u64|.s64}", 2, 3},
      {"mad{.lo|.hi}.cc{.u32|.s32|.u64|.s64}", 2, 3},
      {"madc{.lo|.hi}{.u32|.s32|.u64|.s64}", 1, 4},
      {"madc{.lo|.hi}.cc{.u32|.s32|.u64|.s64}", 2, 4},
      {"dp4a{.u32|.s32}{.u32|.s32}", 1, 3},
      {"dp2a{.lo|.hi}{.u32|.s32}{.u32|.s32}", 1, 3},
      // floating point
      {"{add|sub|mul}{|.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32", 1, 2},
      {"{add|sub|mul}{|.rn|.rz|.rm|.rp}.f64", 1, 2},
      {"{fma|mad}{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32", 1, 3},
      {"{fma|mad}{.rn|.rz|.rm|.rp}.f64", 1, 3},
      {"{add|sub|mul}{|.rn|.rz|.rm|.rp}{|.ftz}.f32x2", 1, 2},
      {"fma{.rn|.rz|.rm|.rp}{|.ftz}.f32x2", 1, 3},
      {"div{.rn|.rz|.rm|.rp}{|.ftz}.f32", 1, 2},
      {"div{.rn|.rz|.rm|.rp}.f64", 1, 2},
      {"div{.approx|.full}{|.ftz}.f32", 1, 2, false},
      {"{rcp|sqrt}{.rn|.rz|.rm|.rp}{|.ftz}.f32", 1, 1},
      {"{rcp|sqrt}{.rn|.rz|.rm|.rp}.f64", 1, 1},
      {"{rcp|sqrt|rsqrt|sin|cos|lg2|ex2}.approx{|.ftz}.f32", 1, 1, false},
      {"tanh.approx.f32", 1, 1, false},
      {"{rcp|rsqrt}.approx.ftz.f64", 1, 1, false},
      {"rsqrt.approx.f64", 1, 1, false},
      {"{abs|neg}{|.ftz}.f32", 1, 1},
      {"{abs|neg}.f64", 1, 1},
      {"copysign{.f32|.f64}", 1, 2},
      {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}.f32", 1, 2},
      {"{min|max}{|.ftz}{|.NaN}{|.abs}.f32", 1, 3},
      {"{min|max}.f64", 1, 2},
      {"testp{.finite|.infinite|.number|.notanumber|.normal|.subnormal}{.f32|.f64}", 1, 1},
      {"{add|sub|mul}{|.rn}{|.ftz}{|.sat}{.f16|.f16x2}", 1, 2},
      {"{add|sub|mul}{|.rn}{.bf16|.bf16x2}", 1, 2},
      {"fma.rn{|.ftz}{|.sat|.relu}{.f16|.f16x2}", 1, 3},
      {"fma.rn{|.relu}{.bf16|.bf16x2}", 1, 3},
      {"{abs|neg}{|.ftz}{.f16|.f16x2}", 1, 1},
      {"{abs|neg}{.bf16|.bf16x2}", 1, 1},
      {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}{.f16|.f16x2}", 1, 2},
      {"{min|max}{|.NaN}{|.xorsign.abs}{.bf16|.bf16x2}", 1, 2},
      {"{tanh|ex2}.approx{.f16|.f16x2}", 1, 1, false},
      {"tanh.approx{.bf16|.bf16x2}", 1, 1, false},
      {"ex2.approx.ftz{.bf16|.bf16x2}", 1, 1, false},
      // bits
      {"{and|or|xor}{.pred|.b16|.b32|.b64}", 1, 2},
      {"not{.pred|.b16|.b32|.b64}", 1, 1},
      {"cnot{.b16|.b32|.b64}", 1, 1},
      {"shl{.b16|.b32|.b64}", 1, 2},
      {"shr{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64}", 1, 2},
      {"shf{.l|.r}{.clamp|.wrap}.b32", 1, 3},
      {"{popc|clz|brev}{.b32|.b64}", 1, 1},
      {"bfind{|.shiftamt}{.u32|.u64|.s32|.s64}", 1, 1},
      {"bfe{.u32|.u64|.s32|.s64}", 1, 3},
      {"bfi{.b32|.b64}", 1, 4},
      {"bmsk{.clamp|.wrap}.b32", 1, 2},
      {"szext{.clamp|.wrap}{.u32|.s32}", 1, 2},
      {"fns.b32", 1, 3},
      {"prmt{|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16}.b32", 1, 3},
      {"prmt.b32", 1, 3},
      {"lop3.b32", 1, 4},
      {"lop3{.or|.and}.b32", 2, 5},
      // comparison
      {"setp{.eq|.ne}{.b16|.b32|.b64}", 1, 2},
      {"setp{.eq|.ne|.lt|.le|.gt|.ge}{.u16|.u32|.u64|.s16|.s32|.s64}", 1, 2},
      {"setp{.lo|.ls|.hi|.hs}{.u16|.u32|.u64}", 1, 2},
      {"setp{.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan}{.f32|.f64|.f16|.bf16}", 1, 2},
      {"setp{.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan}.ftz{.f32|.f16}", 1, 2},
      {"setp{.eq|.lt|.geu|.nan}{.f16x2|.bf16x2}", 2, 2},
      {"setp{.ne|.leu}{.and|.or|.xor}{.f16x2|.bf16x2}", 2, 3},
      {"setp.lt.ftz.f16x2", 2, 2},
      {"setp{.lt|.ge}{.s32|.u64|.f32|.f64}", 2, 2},
      {"setp{.lt|.ge}{.and|.or|.xor}{.s32|.u64|.f32}", 1, 3},
      {"setp{.lt|.ge}{.and|.or|.xor}{.s16|.u32|.f64}", 2, 3},
      {"set{.eq|.lt|.ge}{.u32|.s32|.f32}{.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64}", 1, 2},
      {"set.ne{.u32|.f32}{.b16|.b32|.b64}", 1, 2},
      {"set{.gtu|.nan}{|.ftz}{.u32|.f32}.f32", 1, 2},
      {"set{.eq|.lt}{.and|.or|.xor}{.u32|.f32}{.s32|.f64}", 1, 3},
      {"set{.eq|.ltu}{|.ftz}{.f16|.u16|.s16|.u32|.s32}.f16", 1, 2},
      {"set.lt.f16{.s32|.f32|.u64}", 1, 2},
      {"set{.eq|.ltu}{.bf16|.u16|.s16|.u32|.s32}.bf16", 1, 2},
      {"set{.eq|.gt}{|.ftz}{.f16x2|.u32|.s32}.f16x2", 1, 2},
      {"set{.eq|.gt}{.bf16x2|.u32|.s32}.bf16x2", 1, 2},
      {"set.lt{.and|.xor}.f16x2.f16x2", 1, 3},
      {"selp{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64}", 1, 3},
      {"slct{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64}.s32", 1, 3},
      {"slct{|.ftz}{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64}.f32", 1, 3},
      // conversion
      {"cvt{|.sat}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}{|.sat}{.f16|.f32|.f64}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}.bf16{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}", 1, 1},
      {"cvt{.rni|.rzi|.rmi|.rpi}{|.sat}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}{.f16|.f32|.f64}", 1, 1},
      {"cvt{.rni|.rzi|.rmi|.rpi}.ftz{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}.f32", 1, 1},
      {"cvt{.rni|.rzi|.rmi|.rpi}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}.bf16", 1, 1},
      {"cvt{.rni|.rzi|.rmi|.rpi}{|.ftz}{|.sat}.f32.f32", 1, 1},
      {"cvt{.rni|.rzi|.rmi|.rpi}{|.sat}{.f64.f64|.f16.f16}", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32.f64", 1, 1},
      {"cvt{|.ftz}{|.sat}.f64.f32", 1, 1},
      {"cvt{|.ftz}{|.sat}.f32.f32", 1, 1},
      {"cvt{|.sat}.f64.f64", 1, 1},
      {"cvt{|.sat}.f16.f16", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f16.f32", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}{|.sat}.f16.f64", 1, 1},
      {"cvt{.rn|.rz|.rm|.rp}.bf16{.f64|.f16}", 1, 1},
      {"cvt{|.ftz}{|.sat}.f32.f16", 1, 1},
      {"cvt{|.sat}.f64.f16", 1, 1},
      {"cvt.f32.bf16", 1, 1},
      {"cvt.f64.bf16", 1, 1},
      {"cvt{.rn|.rz}{|.relu}{|.satfinite}.bf16.f32", 1, 1},
      {"cvt{.rn|.rz}{|.relu}{|.satfinite}{.f16x2|.bf16x2}.f32", 1, 2},
      {"cvt{.rn|.rz}.relu{|.satfinite}.f16.f32", 1, 1},
      {"cvt.rna{|.satfinite}.tf32.f32", 1, 1},
      {"cvt{.rn|.rz}{|.relu}{|.satfinite}.tf32.f32", 1, 1},
      {"cvt.rn.satfinite{|.relu}{.e4m3x2|.e5m2x2}.f32", 1, 2},
      {"cvt.rn.satfinite{|.relu}{.e4m3x2|.e5m2x2}.f16x2", 1, 1},
      {"cvt.rn{|.relu}.f16x2{.e4m3x2|.e5m2x2}", 1, 1},
      {"cvt.pack.sat{.s16|.u16}.s32", 1, 2},
      {"cvt.pack.sat{.s8|.u8|.s4|.u4}.s32.b32", 1, 3},
      // video
      {"{vadd|vsub|vabsdiff|vmin|vmax}{.u32|.s32}{.u32|.s32}{.u32|.s32}{|.sat}", 1, 2},
      {"{vadd|vsub|vabsdiff|vmin|vmax}{.u32|.s32}{.u32|.s32}{.u32|.s32}{|.sat}{.add|.min|.max}", 1, 3},
      {"{vshl|vshr}{.u32|.s32}{.u32|.s32}.u32{|.sat}{.clamp|.wrap}", 1, 2},
      {"{vshl|vshr}{.u32|.s32}{.u32|.s32}.u32{|.sat}{.clamp|.wrap}{.add|.max}", 1, 3},
      {"vmad{.u32|.s32}{.u32|.s32}{.u32|.s32}{|.sat}{|.shr7|.shr15}", 1, 3},
      {"vmad{.u32|.s32}{.u32|.s32}{.u32|.s32}.po{|.sat}{|.shr7}", 1, 3},
      {"vset{.u32|.s32}{.u32|.s32}{.eq|.ne|.lt|.le|.gt|.ge}", 1, 2},
      {"vset{.u32|.s32}{.u32|.s32}{.lt|.ge}{.add|.min|.max}", 1, 3},
      {"{vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2}{.u32|.s32}{.u32|.s32}{.u32|.s32}{|.sat|.add}", 1, 3},
      {"{vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4}{.u32|.s32}{.u32|.s32}{.u32|.s32}{|.sat|.add}", 1, 3},
      {"{vset2|vset4}{.u32|.s32}{.u32|.s32}{.eq|.ne|.lt|.le|.gt|.ge}{|.add}", 1, 3},
  };
  std::vector<FormCase> forms;
  for (const Row& row : rows) {
    std::vector<std::string> texts;
    expand(row.pattern, texts);
    for (std::string& text : texts)
      forms.push_back({std::move(text), row.destinations, row.sources, row.exact});
  }
  return forms;
}

inline u64 scramble(u64 x) { // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
// Values of `bits` that tend to be interesting to integers and floats of that width alike.
inline u64 interesting(u32 bits, u64 random) {
  static constexpr u64 of16[] = {0,      1,      2,      0x7fff, 0x8000, 0x8001, 0xffff,
                                 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x0400,
                                 0x03ff, 0x3f80, 0x7f80, 0x3800, 0x20,   31};
  static constexpr u64 of32[] = {0,          1,          2,          31,         32,         33,
                                 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000,
                                 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x3f000000,
                                 0x40200000, 0x4f000000, 0x7f7fffff, 0x33800000, 0x47800000, 0x477ff000};
  static constexpr u64 of64[] = {0,
                                 1,
                                 2,
                                 63,
                                 64,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0x0010000000000000,
                                 0x000fffffffffffff,
                                 0x3fe0000000000000,
                                 0x4004000000000000,
                                 0x41e0000000000000,
                                 0x43e0000000000000,
                                 0x36a0000000000000,
                                 0x3810000000000000,
                                 0x47efffffe0000000};
  auto pick = [&](const auto& values) { return values[random % std::size(values)]; };
  return bits == 16 ? pick(of16) : bits == 32 ? pick(of32) : bits == 64 ? pick(of64) : random & 1;
}
// Operand `source` of lane `lane`: a third interesting, a third random, a third random with a float exponent
// near 1.
inline u64 input(u32 bits, u32 source, u32 lane) {
  u64 random = scramble(0x9e3779b97f4a7c15ull * (lane * 8 + source + 1));
  u64 choice = scramble(random) % 3;
  if (choice == 0) return interesting(bits, random >> 8);
  u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (choice == 1 || bits == 1) return random & mask;
  u64 sign_and_mantissa = bits == 64 ? 0x800fffffffffffff : bits == 32 ? 0x807fffff : 0x83ff;
  u64 exponent = bits == 64   ? (0x3f8 + random % 16) << 52
                 : bits == 32 ? (0x78 + random % 16) << 23
                              : (0xa + random % 10) << 10;
  return (scramble(random ^ 1) & sign_and_mantissa) | exponent;
}

} // namespace warplens::sim::testing
