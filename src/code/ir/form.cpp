// Forms: the tables behind opcodes, modifiers and types, generated from the .def files, and the analysis of
// "ld.global.nc.v2.f32" into opcode, modifier set, types and vector width.
//
// The analysis knows no grammar per opcode: every dotted token is a type or a modifier, in any order. What it
// does check is that each token is known, and that the opcode takes that type and that many types, so that an
// engine never sees a form whose meaning it would have to guess (add.f32.f16 is not add.f32). Names follow
// the PTX ISA.
#include "ir/form.h"
#include <charconv>
#include <unordered_map>

namespace warplens::ir {
namespace {

struct TypeInfo {
  std::string_view text;
  u32 bits;
  TypeClass type_class;
};

constexpr TypeClass class_of(char letter) {
  switch (letter) {
  case 'p': return TypeClass::predicate;
  case 'u': return TypeClass::unsigned_integer;
  case 's': return TypeClass::signed_integer;
  case 'f': return TypeClass::floating;
  case 'x': return TypeClass::packed_floating;
  default: return TypeClass::untyped;
  }
}

constexpr TypeInfo type_table[] = {
    {"", 0, TypeClass::untyped},
#define TYPE(id, text, bits, class) {text, bits, class_of(#class[0])},
#include "ir/types.def"
#undef TYPE
};

constexpr OpcodeInfo opcode_table[] = {
#define OPCODE(id, text, operands, types, family) {text, operands, types, Family::family},
#include "ir/opcodes.def"
#undef OPCODE
};

constexpr std::string_view modifier_table[] = {
#define MODIFIER(id, text) text,
#include "ir/modifiers.def"
#undef MODIFIER
};

using Names = std::unordered_map<std::string_view, u32>;

std::optional<u32> look_up(const Names& names, std::string_view text) {
  auto found = names.find(text);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

template <class Table, class TextOf> Names index(const Table& table, TextOf&& text_of) {
  Names names;
  u32 position = 0;
  for (const auto& row : table) names.emplace(text_of(row), position++); // the first of two equal names wins
  names.erase("");
  return names;
}

// "u16 u32 u64" contains "u32": whole words only.
bool contains_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

// The first types of a row are a closed list; the others (a source type, a matrix fragment) are not.
bool takes_type(const Form& form, Type type) {
  std::string_view list = info(form.opcode).types;
  return form.type_count > 0 || list.empty() || contains_word(list, name(type));
}

// "m16n8k16"
std::optional<MatrixShape> matrix_shape(std::string_view token) {
  MatrixShape shape;
  for (auto [letter, to] : {std::pair('m', &shape.m), std::pair('n', &shape.n), std::pair('k', &shape.k)}) {
    if (!token.starts_with(letter)) return {};
    const char* end = token.data() + token.size();
    auto [rest, error] = std::from_chars(token.data() + 1, end, *to);
    if (error != std::errc() || *to == 0 || *to > 256) return {};
    token = {rest, static_cast<std::size_t>(end - rest)};
  }
  return token.empty() ? std::optional(shape) : std::nullopt;
}

u32 vector_width(Modifier m) {
  switch (m) {
  case Modifier::v2:
  case Modifier::x2: return 2;
  case Modifier::v4:
  case Modifier::x4: return 4;
  case Modifier::v8: return 8;
  default: return 1;
  }
}

} // namespace

u32 bits(Type t) { return type_table[static_cast<std::size_t>(t)].bits; }
u32 bytes(Type t) { return (bits(t) + 7) / 8; }
TypeClass type_class(Type t) { return type_table[static_cast<std::size_t>(t)].type_class; }
std::string_view name(Type t) { return type_table[static_cast<std::size_t>(t)].text; }
std::string_view name(Modifier m) { return modifier_table[static_cast<std::size_t>(m)]; }
const OpcodeInfo& info(Opcode o) { return opcode_table[static_cast<std::size_t>(o)]; }

std::optional<Type> type_named(std::string_view text) {
  static const Names names = index(type_table, [](const TypeInfo& t) { return t.text; });
  std::optional<u32> found = look_up(names, text);
  return found ? std::optional(static_cast<Type>(*found)) : std::nullopt;
}

std::optional<Opcode> opcode_named(std::string_view text) {
  static const Names names = index(opcode_table, [](const OpcodeInfo& o) { return o.text; });
  std::optional<u32> found = look_up(names, text);
  return found ? std::optional(static_cast<Opcode>(*found)) : std::nullopt;
}

std::optional<Modifier> modifier_named(std::string_view text) {
  static const Names names = index(modifier_table, [](std::string_view t) { return t; });
  std::optional<u32> found = look_up(names, text);
  return found ? std::optional(static_cast<Modifier>(*found)) : std::nullopt;
}

ResultOr<Form, UnknownToken> parse_form(std::string_view text) {
  std::size_t end = std::min(text.find('.'), text.size());
  std::optional<Opcode> opcode = opcode_named(text.substr(0, end));
  if (!opcode) return failure(UnknownToken{text.substr(0, end), 0});
  Form form;
  form.text = text;
  form.opcode = *opcode;
  std::array<std::size_t, 5> type_offset{};
  while (end < text.size()) {
    std::size_t begin = end + 1;
    end = std::min(text.find('.', begin), text.size());
    std::string_view token = text.substr(begin, end - begin);
    UnknownToken unknown{token, begin};
    if (std::optional<Type> type = type_named(token)) {
      if (form.type_count == form.types.size() || !takes_type(form, *type)) return failure(unknown);
      type_offset[form.type_count] = begin;
      form.types[form.type_count++] = *type;
    } else if (std::optional<MatrixShape> shape = matrix_shape(token)) {
      form.shape = *shape;
    } else if (std::optional<Modifier> modifier = modifier_named(token)) {
      form.modifiers.add(*modifier);
      form.vector = static_cast<u8>(std::max<u32>(form.vector, vector_width(*modifier)));
    } else {
      return failure(unknown);
    }
  }
  form.supported = has_semantics(form);
  if (u32 required = required_types(form); form.type_count > required)
    return failure(UnknownToken{name(form.types[required]), type_offset[required]});
  return form;
}

Form unknown_form(std::string_view text) {
  Form form;
  form.text = text;
  form.opcode = Opcode::unknown;
  return form;
}

bool sets_carry(const Form& form) { return form.has(Modifier::cc); }

Rounding Form::rounding() const {
  constexpr std::pair<Modifier, Rounding> table[] = {
      {Modifier::rn, Rounding::nearest_even},  {Modifier::rz, Rounding::zero},
      {Modifier::rm, Rounding::down},          {Modifier::rp, Rounding::up},
      {Modifier::rna, Rounding::nearest_away}, {Modifier::rni, Rounding::integer_nearest},
      {Modifier::rzi, Rounding::integer_zero}, {Modifier::rmi, Rounding::integer_down},
      {Modifier::rpi, Rounding::integer_up},
  };
  return first_of(table, Rounding::none);
}

Comparison Form::comparison() const {
  constexpr std::pair<Modifier, Comparison> table[] = {
      {Modifier::eq, Comparison::eq},   {Modifier::ne, Comparison::ne},
      {Modifier::lt, Comparison::lt},   {Modifier::le, Comparison::le},
      {Modifier::gt, Comparison::gt},   {Modifier::ge, Comparison::ge},
      {Modifier::lo, Comparison::lt},   {Modifier::ls, Comparison::ls_},
      {Modifier::hi, Comparison::gt},   {Modifier::hs, Comparison::hs_},
      {Modifier::equ, Comparison::equ}, {Modifier::neu, Comparison::neu},
      {Modifier::ltu, Comparison::ltu}, {Modifier::leu, Comparison::leu},
      {Modifier::gtu, Comparison::gtu}, {Modifier::geu, Comparison::geu},
      {Modifier::num, Comparison::num}, {Modifier::nan_comparison, Comparison::nan},
  };
  return first_of(table, Comparison::none);
}

BoolOp Form::bool_op() const {
  if (has(Modifier::and_)) return BoolOp::and_;
  if (has(Modifier::or_)) return BoolOp::or_;
  return has(Modifier::xor_) ? BoolOp::xor_ : BoolOp::none;
}

AtomicOp Form::atomic_op() const {
  constexpr std::pair<Modifier, AtomicOp> table[] = {
      {Modifier::add, AtomicOp::add}, {Modifier::min, AtomicOp::min},   {Modifier::max, AtomicOp::max},
      {Modifier::inc, AtomicOp::inc}, {Modifier::dec, AtomicOp::dec},   {Modifier::and_, AtomicOp::and_},
      {Modifier::or_, AtomicOp::or_}, {Modifier::xor_, AtomicOp::xor_}, {Modifier::exch, AtomicOp::exch},
      {Modifier::cas, AtomicOp::cas},
  };
  return first_of(table, AtomicOp::none);
}

StateSpace Form::space() const {
  constexpr std::pair<Modifier, StateSpace> table[] = {
      {Modifier::shared, StateSpace::shared},         {Modifier::shared_cta, StateSpace::shared},
      {Modifier::shared_cluster, StateSpace::shared}, {Modifier::global, StateSpace::global},
      {Modifier::local, StateSpace::local},           {Modifier::const_, StateSpace::constant},
      {Modifier::param, StateSpace::param},           {Modifier::param_entry, StateSpace::param},
      {Modifier::param_func, StateSpace::param},      {Modifier::reg, StateSpace::reg},
  };
  return first_of(table, StateSpace::generic);
}

access::Cache Form::cache() const {
  constexpr std::pair<Modifier, access::Cache> table[] = {
      {Modifier::nc, access::Cache::nc}, {Modifier::volatile_, access::Cache::volatile_},
      {Modifier::ca, access::Cache::ca}, {Modifier::cg, access::Cache::cg},
      {Modifier::cs, access::Cache::cs}, {Modifier::lu, access::Cache::lu},
      {Modifier::cv, access::Cache::cv}, {Modifier::wb, access::Cache::wb},
      {Modifier::wt, access::Cache::wt},
  };
  return first_of(table, access::Cache::none);
}

} // namespace warplens::ir
