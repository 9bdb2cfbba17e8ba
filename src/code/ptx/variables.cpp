// Variable declarations: state space, alignment, type, arrays, initialisers (PTX ISA, "Variables").
#include "ptx/parser.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {

constexpr u64 largest_variable = u64{1} << 40;
constexpr u64 largest_initialiser = u64{1} << 28;
constexpr u32 deepest_initialiser = 16;

ir::StateSpace space_named(std::string_view d) {
  if (d == ".const") return ir::StateSpace::constant;
  if (d == ".shared") return ir::StateSpace::shared;
  if (d == ".local") return ir::StateSpace::local;
  if (d == ".param") return ir::StateSpace::param;
  return ir::StateSpace::global;
}

} // namespace

// Not a constant expression: there, '>' would compare.
bool Parser::range_count(u64& out, u64 limit) {
  std::string_view text = c_.token().text;
  if (c_.token().kind != TokenKind::number || text.size() > 12 ||
      text.find_first_not_of("0123456789") != text.npos)
    return c_.expected("a number of registers");
  out = 0;
  for (char d : text) out = out * 10 + static_cast<u64>(d - '0');
  if (out > limit)
    return c_.fail("ptx-limit", fmt::format("{} are more than can be declared ({})", out, limit));
  c_.advance();
  return c_.expect('>', "after the number");
}

bool Parser::declare(std::string_view name, Symbol symbol, const Token& where) {
  if (scopes_.declare(name, symbol) || scopes_.depth() == 1) return true; // module scope: declarations repeat
  return c_.fail("ptx-duplicate", fmt::format("'{}' is declared twice", name), where);
}

bool Parser::variable(Linkage linkage, std::string_view space, bool formal) {
  ir::Variable prototype;
  prototype.space = space_named(space);
  prototype.external = linkage.external;
  prototype.visible = linkage.visible || linkage.external;
  prototype.weak = linkage.weak;
  prototype.opaque = space == ".tex" || space == ".texref" || space == ".samplerref" || space == ".surfref";
  u32 vector = 1;
  bool aligned = false, pointer = false;
  while (c_.token().kind == TokenKind::directive) {
    Token token = c_.token();
    std::string_view d = token.text;
    c_.advance();
    if (d == ".align") {
      u64 n = 1;
      if (!parse_count(c_, n, u64{1} << 20, "alignment")) return false;
      if (pointer) continue; // that is how what the parameter points to is aligned
      prototype.alignment = static_cast<u32>(n == 0 ? 1 : n);
      aligned = true;
    } else if (d == ".v2" || d == ".v4" || d == ".v8") {
      vector = static_cast<u32>(d[2] - '0');
    } else if (auto type = ir::type_named(d.substr(1))) {
      prototype.type = *type;
    } else if (d == ".texref" || d == ".samplerref" || d == ".surfref") {
      prototype.opaque = true;
    } else if (d == ".attribute") {
      if (!c_.at('(')) return c_.expected("'(' after .attribute");
      c_.advance();
      while (!c_.at(')') && !c_.at_end()) {
        if (c_.at_directive(".managed")) prototype.managed = true;
        if (c_.at('(')) {
          if (!c_.skip_group()) return false;
          continue;
        }
        c_.advance();
      }
      if (!c_.expect(')', "after the attributes")) return false;
    } else if (d == ".ptr") {
      pointer = true;
    } else if (d != ".global" && d != ".const" && d != ".shared" && d != ".local" && d != ".param") {
      return c_.fail("ptx-unknown-directive", fmt::format("'{}' is not a type that is known here", d), token);
    }
  }
  if (prototype.opaque)
    prototype.type = ir::Type::b64; // whatever was said: `.tex .u32 t;` is how PTX 1.x has it
  if (prototype.type == ir::Type::none) return c_.expected("a type such as .b32");
  prototype.size = u64{ir::bytes(prototype.type)} * vector;
  if (!aligned) prototype.alignment = static_cast<u32>(prototype.size);
  if (prototype.opaque) prototype.size = prototype.alignment = 8;
  do {
    if (!one_variable(prototype)) return false;
  } while (!formal && c_.accept(','));
  return formal || c_.expect(';', "after the declaration");
}

// The names left open in the initialiser just read belong to this variable, or to none that counts.
void Parser::own_initialisers(std::optional<ir::VariableId> id) {
  while (!id && !unresolved_.empty() && !unresolved_.back().variable.valid()) unresolved_.pop_back();
  for (std::size_t u = unresolved_.size(); u-- > 0 && !unresolved_[u].variable.valid();)
    unresolved_[u].variable = *id;
}

bool Parser::one_variable(ir::Variable v) {
  Token where = c_.token();
  std::string_view name;
  if (!c_.expect_identifier(name, "the variable's name")) return false;
  v.name = name;
  u64 range = 0;
  if (c_.accept('<')) { // .param .b32 p<4>
    if (!range_count(range, 1 << 16)) return false;
  }
  if (!v.opaque && !array_and_initialiser(v)) return false; // a texture has neither
  v.owner = current_;
  u64 count = range == 0 ? 1 : range;
  for (u64 i = 0; i < count; ++i) {
    if (range != 0) v.name = fmt::format("{}{}", name, i);
    ir::VariableId id(m_.variables.size());
    if (!current_.valid()) { // a definition after a declaration takes its place
      if (Symbol known = scopes_.find_in_module(name); known.kind == Symbol::Kind::variable) {
        if (!v.external && !m_.variables[known.id].external)
          return c_.fail("ptx-duplicate", fmt::format("'{}' is defined twice", name), where);
        if (!v.external) m_.variables[known.id] = v;
        own_initialisers(v.external ? std::optional<ir::VariableId>() : ir::VariableId(known.id));
        continue;
      }
    }
    own_initialisers(id);
    m_.variables.push_back(v);
    if (current_.valid()) m_.functions[current_.value].variables.push_back(id);
    if (name == "_") continue;
    // Names of a range are not in the text: they live as long as the module's own string does, which never
    // moves.
    if (range == 0 && !declare(name, {Symbol::Kind::variable, 1, id.value}, where)) return false;
  }
  return true;
}

bool Parser::array_and_initialiser(ir::Variable& v) {
  u64 elements = 1, element = v.size;
  bool open = false, array = false;
  std::vector<u64> dimensions;
  while (c_.accept('[')) {
    array = true;
    if (c_.accept(']')) {
      open = true;
      dimensions.push_back(0);
      continue;
    }
    u64 n = 0;
    if (!parse_count(c_, n, largest_variable, "array size") || !c_.expect(']', "after the array size"))
      return false;
    if (n != 0 && elements > largest_variable / n)
      return c_.fail("ptx-limit", fmt::format("'{}' is larger than any memory", v.name));
    elements *= n;
    dimensions.push_back(n);
  }
  if (array) v.size = open ? 0 : elements * element;
  if (v.size > largest_variable)
    return c_.fail("ptx-limit", fmt::format("'{}' is larger than any memory", v.name));
  if (!c_.accept('=')) return true;
  rows_.assign(dimensions.size(), element);
  for (std::size_t d = dimensions.size(); d-- > 1;) rows_[d - 1] = rows_[d] * dimensions[d];
  u64 at = 0;
  if (!initialiser(v, at, 0)) return false;
  join_pointer_bytes(v);
  if (open) v.size = at;
  if (v.initial.size() > v.size)
    return c_.fail("ptx-initialiser", fmt::format("'{}' has more initial values than elements", v.name));
  return true;
}

// Braces at depth d > 0 are a row of dimension d; a short row is filled up with zeros.
bool Parser::initialiser(ir::Variable& v, u64& at, u32 depth) {
  if (!c_.accept('{')) return initial_element(v, at) && (at += ir::bytes(v.type), true);
  if (depth > deepest_initialiser)
    return c_.fail("ptx-limit", fmt::format("the initial value of '{}' is nested too deeply", v.name));
  u64 start = at;
  while (!c_.at('}')) {
    if (at > largest_initialiser)
      return c_.fail("ptx-limit", fmt::format("the initial value of '{}' is too large", v.name));
    if (!initialiser(v, at, depth + 1)) return false;
    if (!c_.at('}') && !c_.expect(',', "between initial values")) return false;
  }
  c_.advance();
  if (depth > 0 && depth <= rows_.size()) {
    u64 row = rows_[depth - 1];
    if (at - start > row)
      return c_.fail("ptx-initialiser",
                     fmt::format("a row of '{}' has more initial values than elements", v.name));
    at = start + row;
    if (at <= largest_initialiser) v.initial.resize(std::max<u64>(v.initial.size(), at));
  }
  return true;
}

// {0xFF(p), 0xFF00(p), …}: the parts of one pointer, lowest first, become one relocation of their total size.
void Parser::join_pointer_bytes(ir::Variable& v) {
  std::vector<ir::Relocation> joined;
  for (const ir::Relocation& r : v.relocations) {
    bool continues = false;
    if (!joined.empty() && r.shift != 0) {
      const ir::Relocation& last = joined.back();
      continues = last.offset + last.size == r.offset && last.shift == 0 && 8 * last.size == r.shift &&
                  last.variable == r.variable && last.function == r.function && last.addend == r.addend &&
                  last.generic == r.generic;
    }
    if (continues)
      joined.back().size += r.size;
    else
      joined.push_back(r);
  }
  // Later names are noted by their place in the list, which joining would change: such lists stay as they
  // are.
  if (unresolved_.empty() || unresolved_.back().variable.valid()) v.relocations = std::move(joined);
}

// Names that stand in initialisers before their declaration.
bool Parser::resolve_initialisers() {
  for (const Unresolved& u : unresolved_) {
    ir::Relocation& r = m_.variables[u.variable.value].relocations[u.relocation];
    Symbol symbol = scopes_.find_in_module(u.name.text);
    auto function = functions_.find(std::string(u.name.text));
    if (symbol.kind == Symbol::Kind::variable)
      r.variable = ir::VariableId(symbol.id);
    else if (function != functions_.end())
      r.function = function->second;
    else
      return c_.fail("ptx-unknown-name", fmt::format("'{}' is not declared", u.name.text), u.name);
  }
  return true;
}

bool Parser::initial_element(ir::Variable& v, u64 at) {
  u32 bytes = ir::bytes(v.type);
  u64 mask_shift = 0;
  bool masked = false, generic = false;
  // 0xFF00(symbol): one byte of an address
  Constant first;
  if (c_.token().kind == TokenKind::number || c_.at('-') || c_.at('(') || c_.at('~') || c_.at('+')) {
    if (!parse_constant(c_, first)) return false;
    if (!c_.at('(')) {
      u64 bits = to_bits(first, v.type);
      v.initial.resize(std::max<u64>(v.initial.size(), at + bytes));
      std::memcpy(v.initial.data() + at, &bits, std::min<u32>(bytes, 8));
      return true;
    }
    masked = true;
    while (mask_shift < 64 && (first.integer >> mask_shift & 0xff) == 0) mask_shift += 8;
    c_.advance();
  }
  std::string_view name;
  Token where = c_.token();
  if (!c_.expect_identifier(name, "an initial value")) return false;
  if (name == "generic") {
    generic = true;
    if (!c_.expect('(', "after 'generic'")) return false;
    where = c_.token();
    if (!c_.expect_identifier(name, "a variable's name") || !c_.expect(')', "after the name")) return false;
  }
  u64 addend = 0;
  if (c_.accept('+')) {
    Constant offset;
    if (!parse_constant(c_, offset)) return false;
    addend = offset.integer;
  } else if (c_.at('-')) {
    Constant offset;
    if (!parse_constant(c_, offset)) return false;
    addend = offset.integer;
  }
  if (masked && !c_.expect(')', "after the masked symbol")) return false;
  ir::Relocation r;
  r.offset = at;
  r.size = bytes;
  r.addend = addend;
  r.generic = generic;
  r.shift = static_cast<u8>(std::min<u64>(mask_shift, 63));
  Symbol symbol = find(name);
  auto function = functions_.find(std::string(name));
  if (symbol.kind == Symbol::Kind::variable)
    r.variable = ir::VariableId(symbol.id);
  else if (function != functions_.end())
    r.function = function->second;
  else
    unresolved_.push_back({{}, static_cast<u32>(v.relocations.size()), where});
  v.relocations.push_back(r);
  v.initial.resize(std::max<u64>(v.initial.size(), at + bytes));
  return true;
}

} // namespace warplens::ptx
