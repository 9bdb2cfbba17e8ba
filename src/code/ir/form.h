// A form: an opcode with its modifiers and types, as in "ld.global.nc.v2.f32". Modules intern forms, so that
// text is analysed once per distinct spelling and engines lower each form once.
#pragma once
#include "access/access.h"
#include "base/result.h"
#include "base/types.h"
#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::ir {

enum class Type : u8 {
  none,
#define TYPE(id, text, bits, class) id,
#include "ir/types.def"
#undef TYPE
};
inline constexpr std::size_t type_count = []() {
  std::size_t n = 1;
#define TYPE(...) ++n;
#include "ir/types.def"
#undef TYPE
  return n;
}();

enum class TypeClass : u8 { predicate, untyped, unsigned_integer, signed_integer, floating, packed_floating };

u32 bits(Type);  // width; 0 for none
u32 bytes(Type); // width in memory: bits / 8, at least 1; 0 for none
TypeClass type_class(Type);
std::string_view name(Type); // "f32", without the dot
std::optional<Type> type_named(std::string_view);
inline bool is_signed(Type t) { return type_class(t) == TypeClass::signed_integer; }
inline bool is_float(Type t) { return type_class(t) >= TypeClass::floating; }

enum class Opcode : u16 {
#define OPCODE(id, text, operands, types, family) id,
#include "ir/opcodes.def"
#undef OPCODE
};
inline constexpr std::size_t opcode_count = []() {
  std::size_t n = 0;
#define OPCODE(...) ++n;
#include "ir/opcodes.def"
#undef OPCODE
  return n;
}();

enum class Family : u8 { compute, move, memory, texture, control, warp, barrier, hint, unsupported };

struct OpcodeInfo {
  std::string_view text;     // "add"
  std::string_view operands; // as opcodes.def has them; operands.h reads them
  std::string_view types;    // space-separated list
  Family family;
};
const OpcodeInfo& info(Opcode);
std::optional<Opcode> opcode_named(std::string_view);

enum class Modifier : u8 {
#define MODIFIER(id, text) id,
#include "ir/modifiers.def"
#undef MODIFIER
  count_
};
std::string_view name(Modifier);
std::optional<Modifier> modifier_named(std::string_view);

class ModifierSet {
public:
  bool has(Modifier m) const { return bits_[static_cast<std::size_t>(m)]; }
  void add(Modifier m) { bits_[static_cast<std::size_t>(m)] = true; }
  bool operator==(const ModifierSet&) const = default;

private:
  std::bitset<static_cast<std::size_t>(Modifier::count_)> bits_;
};

enum class Rounding : u8 {
  none,
  nearest_even,
  zero,
  down,
  up,
  nearest_away,
  integer_nearest,
  integer_zero,
  integer_down,
  integer_up
};
// ls_/hs_: unsigned le/ge; lo and hi are lt and gt of unsigned types.
enum class Comparison : u8 { none, eq, ne, lt, le, gt, ge, ls_, hs_, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class BoolOp : u8 { none, and_, or_, xor_ };
enum class AtomicOp : u8 { none, add, min, max, inc, dec, and_, or_, xor_, exch, cas };
// State spaces of the PTX text; `generic` where the instruction names none.
enum class StateSpace : u8 { generic, global, shared, local, constant, param, reg };

// D[m][n] = A[m][k] · B[k][n] + C[m][n], as ".m16n8k16" names it.
struct MatrixShape {
  u16 m = 0, n = 0, k = 0; // 0: the form names none
};

struct Form {
  std::string text; // as written, dots and all: "ld.global.nc.v2.f32"
  Opcode opcode{};
  MatrixShape shape; // mma, wmma, wgmma
  ModifierSet modifiers;
  std::array<Type, 5> types{}; // in textual order: cvt.rn.f32.s32 → f32, s32
  u8 type_count = 0;
  u8 vector = 1;         // 1 2 4 8; ldmatrix, stmatrix: how many matrices
  bool supported = true; // the row of opcodes.def says what its operands are

  bool has(Modifier m) const { return modifiers.has(m); }
  Type type(u32 i = 0) const { return i < type_count ? types[i] : Type::none; }
  Family family() const { return supported ? info(opcode).family : Family::unsupported; }
  // What the table has for the first of its modifiers that the form has.
  template <class T, std::size_t n> T first_of(const std::pair<Modifier, T> (&table)[n], T otherwise) const {
    for (const auto& [modifier, value] : table)
      if (has(modifier)) return value;
    return otherwise;
  }

  Rounding rounding() const;
  Comparison comparison() const; // set, setp, vset
  BoolOp bool_op() const;        // set, setp, lop3 with a predicate; bar.red
  AtomicOp atomic_op() const;    // atom, red, redux
  StateSpace space() const;      // of ld, st, atom, red, cvta, isspacep; of cvta.to.X: X
  access::Cache cache() const;
};

// Analyses "ld.global.nc.v2.f32". On failure returns the first token that is not known, with its offset in
// `text`.
struct UnknownToken {
  std::string_view token;
  std::size_t offset; // 0: the opcode itself, rather than a modifier
};
ResultOr<Form, UnknownToken> parse_form(std::string_view text);

// Whether it is known what the form's operands are (operands.h).
bool has_semantics(const Form&);

// How many type suffixes the form needs: cvt 2, vadd 3, bra 0.
u32 required_types(const Form&);
// The type of an instruction's operand `index`, destinations first: what an immediate there is converted to and
// how wide a register the semantics expect. E.g. mul.wide.s32: s64, s32, s32; shl.b64: b64, b64, u32; ld.v2.f32:
// f32, f32, u64. operands.h has the rules behind it.
Type operand_type(const Form&, u32 destinations, u32 sources, u32 index);
bool sets_carry(const Form&);  // .cc
bool takes_carry(const Form&); // addc subc madc

// A form that no row describes: `text` is kept, its family is unsupported.
Form unknown_form(std::string_view text);

} // namespace warplens::ir
