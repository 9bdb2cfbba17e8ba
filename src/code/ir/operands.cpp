// The words of opcodes.def become rules, and rules become types.
//
// Most operands have the form's one type. The exceptions stand in the rows, after the PTX ISA's descriptions of
// the instructions: shift amounts and positions are u32 whatever the data is, counts come out as u32, a wide
// product is twice as wide as its factors, conversions and comparisons name two types.
#include "ir/operands.h"
#include "ir/matrix.h"
#include "ir/texture.h"
#include <algorithm>
#include <cstdlib>

namespace warplens::ir {
namespace {

constexpr std::size_t most_rules = 10;

struct OperandList {
  std::array<OperandRule, most_rules> rule{};
  u8 count = 0;
};

// Not constexpr: a word that leads here ends the compilation.
[[noreturn]] void this_word_cannot_be_read() { std::abort(); }

constexpr OperandType usual_type(char letter) {
  switch (letter) {
  case 'q':
  case 'c':
  case 'k': return OperandType::pred;
  case 'a':
  case 'B': return OperandType::u64;
  case 'l':
  case 't':
  case 'x': return OperandType::none;
  default: return OperandType::first;
  }
}

constexpr OperandType named_type(std::string_view name) {
  if (name == "1") return OperandType::first;
  if (name == "2") return OperandType::second;
  if (name == "3") return OperandType::third;
  if (name == "4") return OperandType::fourth;
  if (name == "wide") return OperandType::wide;
  if (name == "sum") return OperandType::sum;
  if (name == "packed") return OperandType::packed;
  if (name == "part") return OperandType::part;
  if (name == "b32") return OperandType::b32;
  if (name == "u32") return OperandType::u32;
  if (name == "s32") return OperandType::s32;
  if (name == "u16") return OperandType::u16;
  if (name == "f32") return OperandType::f32;
  if (name != "u64") this_word_cannot_be_read();
  return OperandType::u64;
}

// "?s:u32"
constexpr OperandRule read_word(std::string_view word) {
  OperandRule rule;
  rule.optional = word.starts_with('?');
  if (rule.optional) word.remove_prefix(1);
  if (word.empty() || std::string_view("dDVqesSTGOBcaltkxMmw").find(word[0]) == word.npos)
    this_word_cannot_be_read();
  rule.letter = word[0];
  word.remove_prefix(1);
  if (!word.empty() && word[0] != ':') this_word_cannot_be_read();
  rule.type = word.empty() ? usual_type(rule.letter) : named_type(word.substr(1));
  return rule;
}

constexpr OperandList read_words(std::string_view text) {
  OperandList list;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (list.count == most_rules) this_word_cannot_be_read();
    list.rule[list.count++] = read_word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

constexpr OperandList rows[] = {
#define OPCODE(id, text, operands, types, family) read_words(operands),
#include "ir/opcodes.def"
#undef OPCODE
};

bool is_narrow_pair(Type t) {
  return t == Type::f16x2 || t == Type::bf16x2 || t == Type::e4m3x2 || t == Type::e5m2x2;
}
// Two sources become the halves of a pair: cvt.rn.f16x2.f32, but not cvt.rn.f16x2.e4m3x2.
bool packs_two(const Form& form) { return is_narrow_pair(form.type(0)) && !is_narrow_pair(form.type(1)); }

bool is_matrix_rule(OperandRule rule) { return rule.matrix() || rule.described(); }

bool is_copy_of_threads(const Form& form) {
  return form.opcode == Opcode::cp && form.has(Modifier::async) && !form.has(Modifier::bulk);
}

bool arrives_announcing(const Form& form) {
  return (form.has(Modifier::arrive) || form.has(Modifier::arrive_drop)) && form.has(Modifier::expect_tx);
}

struct Variant {
  Opcode opcode;
  bool (*applies)(const Form&);
  OperandList operands;
};
constexpr Variant variants[] = {
#define OPCODE(...)
#define VARIANT(id, condition, operands)                                                                     \
  {Opcode::id, [](const Form& form) { return condition; }, read_words(operands)},
#include "ir/opcodes.def"
#undef OPCODE
};

// Of each opcode the first of its variants, or how many there are in all: most instructions have none.
constexpr auto first_variants = [] {
  std::array<u8, std::size(rows)> out{};
  static_assert(std::size(variants) < 256);
  for (std::size_t i = 0; i < out.size(); ++i)
    while (out[i] < std::size(variants) && variants[out[i]].opcode != static_cast<Opcode>(i)) ++out[i];
  return out;
}();

MatrixOperand matrix_operand(OperandRule rule) {
  switch (rule.type) {
  case OperandType::second: return MatrixOperand::a;
  case OperandType::third: return MatrixOperand::b;
  case OperandType::fourth: return MatrixOperand::c;
  default: return MatrixOperand::d;
  }
}

// Matrices of narrow elements lie in registers of 32 bits.
Type register_type(Type element) { return bits(element) == 64 ? element : Type::b32; }

Type widened(Type t) {
  switch (t) {
  case Type::u16: return Type::u32;
  case Type::s16: return Type::s32;
  case Type::u32: return Type::u64;
  case Type::s32: return Type::s64;
  default: return t;
  }
}

Type part_of(Type whole, u32 parts) {
  if (parts <= 1) return whole;
  for (Type t : {Type::b8, Type::b16, Type::b32, Type::b64})
    if (bits(t) * parts == bits(whole)) return t;
  return Type::none;
}

u32 types_named(OperandType type) {
  switch (type) {
  case OperandType::first:
  case OperandType::wide:
  case OperandType::packed:
  case OperandType::part: return 1;
  case OperandType::second:
  case OperandType::sum: return 2;
  case OperandType::third: return 3;
  case OperandType::fourth: return 4;
  default: return 0;
  }
}

} // namespace

bool takes_parts(const Form& form) { return form.opcode >= Opcode::vadd && form.opcode <= Opcode::vset4; }

u32 element_bits(const Form& form) {
  if (form.opcode < Opcode::vadd2 || form.opcode > Opcode::vset4) return 32;
  return form.opcode <= Opcode::vset2 ? 16 : 8;
}

bool copies_asynchronously(const Form& form) {
  return is_copy_of_threads(form) && (form.has(Modifier::ca) || form.has(Modifier::cg));
}

bool waits_for_copies(const Form& form) {
  return is_copy_of_threads(form) &&
         (form.has(Modifier::commit_group) || form.has(Modifier::wait_group) || form.has(Modifier::wait_all));
}

bool arrives_after_copies(const Form& form) {
  return is_copy_of_threads(form) && form.has(Modifier::mbarrier) && form.has(Modifier::arrive);
}

u32 tensor_dimensions(const Form& form) {
  constexpr Modifier dimensions[] = {Modifier::tex1d, Modifier::tex2d, Modifier::tex3d, Modifier::tensor4d,
                                     Modifier::tensor5d};
  for (u32 d = 0; d < std::size(dimensions); ++d)
    if (form.has(dimensions[d])) return d + 1;
  return 0;
}

u32 im2col_offsets(const Form& form) { return form.has(Modifier::im2col) ? tensor_dimensions(form) - 2 : 0; }

BulkCopy bulk_copy(const Form& form) {
  if (form.opcode != Opcode::cp || !form.has(Modifier::bulk)) return BulkCopy::none;
  if (form.has(Modifier::commit_group) || form.has(Modifier::wait_group)) return BulkCopy::group;
  bool tensor = form.has(Modifier::tensor);
  if (tensor && tensor_dimensions(form) == 0) return BulkCopy::none;
  bool columns = form.has(Modifier::im2col) || form.has(Modifier::im2col_no_offs);
  if (columns && (!tensor || tensor_dimensions(form) < 3)) return BulkCopy::none;
  if (form.has(Modifier::prefetch)) return tensor ? BulkCopy::tensor_prefetch : BulkCopy::prefetch;
  if (form.has(Modifier::bulk_group)) return tensor ? BulkCopy::tensor_out : BulkCopy::out;
  if (!form.has(Modifier::complete_tx_bytes)) return BulkCopy::none;
  if (form.has(Modifier::global)) return tensor ? BulkCopy::tensor_in : BulkCopy::in;
  return tensor ? BulkCopy::none : BulkCopy::across;
}

bool moves_global_in_bulk(const Form& form) {
  switch (bulk_copy(form)) {
  case BulkCopy::in:
  case BulkCopy::out:
  case BulkCopy::tensor_in:
  case BulkCopy::tensor_out: return true;
  default: return false;
  }
}

bool has_semantics(const Form& form) {
  std::span<const OperandRule> rules = operands(form);
  return form.opcode == Opcode::call || rules.empty() || rules[0].letter != 'x';
}

std::span<const OperandRule> operands(const Form& form) {
  const std::size_t row = static_cast<std::size_t>(form.opcode);
  const OperandList* list = &rows[row];
  for (std::size_t i = first_variants[row]; i < std::size(variants); ++i)
    if (variants[i].opcode == form.opcode && variants[i].applies(form)) {
      list = &variants[i].operands;
      break;
    }
  return {list->rule.data(), list->count};
}

u32 required_types(const Form& form) {
  u32 most = 0;
  if (form.opcode == Opcode::wmma && form.type_count == 2) return 2; // of D and C: the others are f16
  for (OperandRule rule : operands(form)) {
    if (rule.letter == 'x') return form.type_count;
    most = std::max(most, rule.described() ? 3 : types_named(rule.type)); // of a description of B, too
  }
  return most;
}

bool takes_carry(const Form& form) {
  std::span<const OperandRule> rules = operands(form);
  return !rules.empty() && rules.back().letter == 'k';
}

Type type_of(OperandRule rule, const Form& form, u32 registers) {
  if (rule.described() && registers == 1) return Type::u64;
  if (is_matrix_rule(rule)) return register_type(matrix_type(form, matrix_operand(rule)));
  switch (rule.type) {
  case OperandType::none: return Type::none;
  case OperandType::first: return form.type(0);
  case OperandType::second: return form.type(1);
  case OperandType::third: return form.type(2);
  case OperandType::fourth: return form.type(3);
  case OperandType::wide: return form.has(Modifier::wide) ? widened(form.type(0)) : form.type(0);
  case OperandType::sum: return is_signed(form.type(0)) || is_signed(form.type(1)) ? Type::s32 : Type::u32;
  case OperandType::packed: return register_type(form.type(0));
  case OperandType::part: return form.vector > 1 ? form.type(0) : part_of(form.type(0), registers);
  case OperandType::pred: return Type::pred;
  case OperandType::b32: return Type::b32;
  case OperandType::u32: return Type::u32;
  case OperandType::s32: return Type::s32;
  case OperandType::u16: return Type::u16;
  case OperandType::u64: return Type::u64;
  case OperandType::f32: return Type::f32;
  }
  return Type::none;
}

u32 least_count(OperandRule rule, const Form& form) {
  if (rule.letter == 't') return 0; // brx keeps its targets elsewhere
  if (rule.matrix()) return matrix_registers(form, matrix_operand(rule));
  if (rule.texture()) return 1u + geometry_of(form)->elements;
  if (rule.changes()) return form.opcode == Opcode::cp ? im2col_offsets(form) : geometry_of(form)->changes;
  if (rule.shift()) return shifted_numbers(form);
  if (rule.box()) return 1 + tensor_dimensions(form);
  return rule.vector() && rule.type != OperandType::part ? form.vector : 1;
}

Type OperandGroup::type(const Form& form, u32 n) const {
  if (rule.takes_predicate() && n >= (rule.vector() ? form.vector : 1u)) return Type::pred; // d|p
  if (rule.texture() && n == 0) return Type::u64;
  if (rule.texture() && n == 1 && geometry_of(form)->layered) return Type::u32;
  if (rule.box() && n > 0) return Type::s32; // coordinates
  return type_of(rule, form, rule.vector() || rule.described() ? count : 1);
}

// The registers of wgmma's A, or 1 for a descriptor: which of them, the number of all sources says. Behind it come B, of a
// sparse A its metadata and which threads have them, whether to add to D, and for floating types two signs and, of f16 and
// bf16, one or two transpositions.
u32 described_count(const Form& form, u32 sources) {
  u32 dense = sources - (is_sparse(form) ? 2 : 0);
  return dense == 6 || dense >= 8 ? 4 : 1;
}

OperandGroups operand_groups(const Form& form, u32 destinations, u32 sources) {
  OperandGroups groups;
  std::span<const OperandRule> rules = operands(form);
  u32 carry = sets_carry(form) && destinations > 0 ? 1 : 0, at = 0;
  for (OperandRule rule : rules)
    if (rule.destination() && at < destinations - carry) {
      groups.add({rule, 0, destinations - carry});
      at = destinations - carry;
    }
  if (carry != 0) groups.add({{'k', false, OperandType::pred}, at, 1});
  u32 needed = 0; // by the rules that are still to come
  for (OperandRule rule : rules)
    if (!rule.destination() && !rule.optional) needed += least_count(rule, form);
  at = destinations;
  for (OperandRule rule : rules) {
    if (rule.destination()) continue;
    u32 count = least_count(rule, form), left = destinations + sources - at;
    if (!rule.optional) needed -= count;
    if (rule.described()) count = described_count(form, sources);
    if (rule.optional && left < needed + count) continue;
    count = rule.type == OperandType::part ? left : std::min(count, left);
    if (count == 0) continue;
    groups.add({rule, at, count});
    at += count;
  }
  return groups;
}

Type operand_type(const Form& form, u32 destinations, u32 sources, u32 index) {
  for (const OperandGroup& group : operand_groups(form, destinations, sources))
    if (index >= group.first && index - group.first < group.count)
      return group.type(form, index - group.first);
  return Type::none;
}

} // namespace warplens::ir
