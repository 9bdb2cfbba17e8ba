// The type of each operand of a form: what an immediate there is converted to, and how wide its register is.
//
// Most forms have one type for all operands. The exceptions are listed here, opcode by opcode, after the PTX
// ISA's instruction descriptions: shift amounts and masks are u32 whatever the data is, counts come out as
// u32, a wide product is twice as wide as its factors, conversions and comparisons name two types.
//
// Operands are numbered as the text has them without the optional `|p` and the carry flag; the second
// overload renumbers the operands of an instruction to that.
#include "ir/form.h"

namespace warplens::ir {
namespace {

Type widened(Type t) {
  switch (t) {
  case Type::u16: return Type::u32;
  case Type::s16: return Type::s32;
  case Type::u32: return Type::u64;
  case Type::s32: return Type::s64;
  default: return t;
  }
}

// Integer dot products accumulate as signed when either factor is signed.
Type accumulator(const Form& f) {
  return is_signed(f.type(0)) || is_signed(f.type(1)) ? Type::s32 : Type::u32;
}

Type cvt_operand(const Form& f, u32 index) {
  if (f.has(Modifier::pack)) {
    if (index == 0) return Type::b32;
    return index == 3 ? f.type(2) : f.type(1);
  }
  if (index == 0) return f.type(0);
  return index == 3 ? Type::b32 : f.type(1); // the random bits of .rs
}

// vadd.d.a.b d, a, b, c; vset.a.b has no type of its own for the result.
Type video_operand(const Form& f, u32 index) {
  bool set = f.opcode == Opcode::vset || f.opcode == Opcode::vset2 || f.opcode == Opcode::vset4;
  Type result = set ? Type::u32 : f.type(0);
  if (index == 1) return set ? f.type(0) : f.type(1);
  if (index == 2) return set ? f.type(1) : f.type(2);
  return result;
}

Type memory_operand(const Form& f, u32 index) {
  bool address_first = f.opcode == Opcode::st || f.opcode == Opcode::red;
  u32 destinations = address_first ? 0 : f.vector;
  if (index == destinations) return Type::u64;
  u32 data_sources = f.opcode == Opcode::ld || f.opcode == Opcode::ldu ? 0 : f.vector;
  if (f.opcode == Opcode::atom && f.has(Modifier::cas)) data_sources *= 2;
  return index <= destinations + data_sources ? f.type(0) : Type::u64; // after the data: a cache policy
}

// `table` has one type per operand: 'T' the form's, 'p' a predicate, 'u' u32, 's' s32, 'a' u64.
Type from(std::string_view table, const Form& f, u32 index) {
  if (index >= table.size()) return Type::none;
  switch (table[index]) {
  case 'T': return f.type(0);
  case 'p': return Type::pred;
  case 's': return Type::s32;
  case 'a': return Type::u64;
  default: return Type::u32;
  }
}

} // namespace

Type operand_type(const Form& f, u32 index) {
  switch (f.opcode) {
  case Opcode::mul: return f.has(Modifier::wide) && index == 0 ? widened(f.type(0)) : f.type(0);
  case Opcode::mad:
    return f.has(Modifier::wide) && (index == 0 || index == 3) ? widened(f.type(0)) : f.type(0);
  case Opcode::setp: return from("pTTp", f, index);
  case Opcode::set:
    if (index == 3) return Type::pred;
    return f.type(index == 0 ? 0 : 1);
  case Opcode::selp: return from("TTTp", f, index);
  case Opcode::slct: return f.type(index == 3 ? 1 : 0);
  case Opcode::cvt: return cvt_operand(f, index);
  case Opcode::testp: return from("pT", f, index);
  case Opcode::isspacep: return from("pa", f, index);
  case Opcode::shl:
  case Opcode::shr: return from("TTu", f, index);
  case Opcode::shf: return from("TTTu", f, index);
  case Opcode::popc:
  case Opcode::clz:
  case Opcode::bfind: return from("uT", f, index);
  case Opcode::bfe: return from("TTuu", f, index);
  case Opcode::bfi: return from("TTTuu", f, index);
  case Opcode::bmsk:
  case Opcode::szext: return from("TTu", f, index);
  case Opcode::fns: return from("TTTs", f, index);
  case Opcode::lop3: return from("TTTTup", f, index);
  case Opcode::dp4a:
  case Opcode::dp2a: return index == 0 || index == 3 ? accumulator(f) : f.type(index == 1 ? 0 : 1);
  case Opcode::ld:
  case Opcode::ldu:
  case Opcode::st:
  case Opcode::atom:
  case Opcode::red: return memory_operand(f, index);
  case Opcode::prefetch:
  case Opcode::prefetchu: return Type::u64;
  case Opcode::applypriority:
  case Opcode::discard: return from("au", f, index);
  case Opcode::fence: return from("au", f, index);
  case Opcode::mapa: return from("TTu", f, index);
  case Opcode::alloca: return from("TTu", f, index);
  case Opcode::brx:
  case Opcode::nanosleep:
  case Opcode::pmevent:
  case Opcode::setmaxnreg: return Type::u32;
  case Opcode::shfl: return from("TTuuu", f, index);
  case Opcode::vote: return from("Tpu", f, index);
  case Opcode::match: return from("uTu", f, index);
  case Opcode::redux: return from("TTu", f, index);
  case Opcode::elect: return from("uu", f, index);
  case Opcode::bar:
  case Opcode::barrier: return f.has(Modifier::red) ? from(index == 2 ? "Tup" : "Tuup", f, index) : Type::u32;
  default: break;
  }
  if (info(f.opcode).operands == "x") return Type::none;
  return required_types(f) == 3 || f.opcode == Opcode::vset || f.opcode == Opcode::vset2 ||
                 f.opcode == Opcode::vset4
             ? video_operand(f, index)
             : f.type(0);
}

Type operand_type(const Form& f, u32 destinations, u32 sources, u32 index) {
  u32 carry_out = sets_carry(f), plain = destinations - carry_out;
  if (carry_out && index == plain) return Type::pred;
  if (takes_carry(f) && index + 1 == destinations + sources) return Type::pred;
  if (f.opcode == Opcode::mov && (destinations > 1 || sources > 1)) { // mov.b64 {lo, hi}, d and back
    u32 parts = index < destinations ? destinations : sources;
    constexpr Type by_count[] = {Type::b8, Type::b16, Type::b32, Type::b64, Type::b128};
    for (Type t : by_count)
      if (bits(t) * parts == bits(f.type(0))) return t;
    return Type::none;
  }
  bool barrier = f.opcode == Opcode::bar || f.opcode == Opcode::barrier;
  if (barrier && f.has(Modifier::red) && sources == 3) { // d, barrier, threads, predicate
    if (index == 0) return f.type(0);
    return index == 3 ? Type::pred : Type::u32;
  }
  u32 in_text = index - (carry_out && index > plain ? 1 : 0);
  std::string_view pattern = operand_pattern(f);
  bool scalar_destination = !pattern.empty() && (pattern[0] == 'q' || pattern[0] == 'e' || pattern[0] == 'd');
  if (scalar_destination && plain == 2) { // d|p
    if (in_text == 1) return Type::pred;
    if (in_text > 1) --in_text;
  }
  return operand_type(f, in_text);
}

} // namespace warplens::ir
