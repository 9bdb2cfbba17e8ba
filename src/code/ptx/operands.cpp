// Operands of instructions, by the rows of ir/opcodes.def: registers and their parts, vectors, immediates, variables,
// addresses, textures with their coordinates (PTX ISA, "Instruction Operands").
//
// What is not known, a special register or a selector, is remembered in unknown_part_, and the instruction as a whole
// is one of family `unsupported` (body.cpp).
#include "ptx/parser.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace warplens::ptx {

using ir::Opcode;
using ir::Operand;
using ir::Type;

// Special registers have dots, "%tid.x". Only mov reads those; anywhere else the name is of a register that
// was never declared.
bool Parser::special_operand(Operand& o) {
  Token token = c_.token();
  c_.extend_opcode();
  std::string_view whole = c_.token().text;
  if (auto special = ir::special_named(whole)) {
    o.kind = Operand::Kind::special;
    o.special = *special;
  } else if (in_mov_) {
    unknown_part_ = whole;
  } else {
    return c_.fail("ptx-unknown-name", fmt::format("'{}' is not a register of this function", whole), token);
  }
  c_.advance();
  return true;
}

// "v.x", and "v" alone for its first element.
void Parser::vector_element(Operand& o, Symbol vector) {
  std::size_t name_size = c_.token().text.size();
  c_.extend_opcode();
  std::string_view whole = c_.token().text;
  std::size_t component =
      whole.size() > name_size + 1 ? std::string_view("xyzwrgba").find(whole[name_size + 1]) : 0;
  o.kind = Operand::Kind::reg;
  o.reg = ir::RegisterId(vector.id + static_cast<u32>(component % 4));
  c_.advance();
}

// "r.b2", of video instructions; "r.h10" of those of halves and bytes. Anything else makes the instruction one that is not
// known.
bool Parser::register_part(Operand& o) {
  std::size_t name_size = c_.token().text.size();
  c_.extend_opcode();
  if (c_.token().text.size() <= name_size + 1)
    return c_.fail("ptx-syntax", fmt::format("expected a part of '{}' behind its name", c_.token().text));
  std::string_view which = c_.token().text.substr(name_size + 1);
  std::optional<ir::Part> part = ir::part_named(which);
  std::optional<ir::ElementList> elements = ir::ElementList::read(which);
  if (elements && elements->bits == element_bits_) {
    o.part = ir::Part::several;
    o.value = elements->packed();
  } else if (part && takes_parts_ && element_bits_ == 32)
    o.part = *part;
  else
    unknown_part_ = which;
  c_.advance();
  return true;
}

// "%tid" without a component, which only mov.v4 reads: three numbers and a zero.
bool Parser::special_vector(std::vector<Operand>& out) {
  std::string x = std::string(c_.token().text) + ".x";
  if (!in_mov_ || c_.touches('.') || !ir::special_named(x)) return false;
  for (char component : {'x', 'y', 'z'}) {
    x.back() = component;
    Operand& o = out.emplace_back();
    o.kind = Operand::Kind::special;
    o.special = *ir::special_named(x);
  }
  out.emplace_back().kind = Operand::Kind::immediate;
  c_.advance();
  return true;
}

bool Parser::variable_operand(Operand& o, Symbol variable) {
  o.kind = Operand::Kind::variable;
  o.variable = ir::VariableId(variable.id);
  if (!c_.at('+') && !c_.at('-')) return true;
  bool minus = c_.at('-');
  c_.advance();
  Constant offset;
  if (!parse_constant(c_, offset)) return false;
  o.value = minus ? 0 - offset.integer : offset.integer;
  return true;
}

// `symbol` is what the name stands for, which the caller had to look up anyway.
bool Parser::name_operand(Operand& o, char letter, Symbol symbol) {
  Token token = c_.token();
  std::string_view name = token.text;
  if (symbol.kind == Symbol::Kind::reg && letter != 'l' && letter != 't') {
    o.kind = Operand::Kind::reg;
    o.reg = ir::RegisterId(symbol.id);
    if (c_.touches('.')) return register_part(o);
    c_.advance();
    return true;
  }
  if (name == "_") {
    c_.advance();
    return true;
  }
  if ((name.starts_with('%') || name == "WARP_SZ") && symbol.kind == Symbol::Kind::none)
    return special_operand(o);
  if (letter == 'l' || letter == 't') {
    o.kind = Operand::Kind::label;
    o.block = label_id(name, token);
    c_.advance();
    return true;
  }
  if (symbol.kind == Symbol::Kind::vector) return vector_element(o, symbol), true;
  c_.advance();
  if (symbol.kind == Symbol::Kind::variable) return variable_operand(o, symbol);
  auto known = functions_.find(std::string(name));
  bool itself = m_.functions[current_.value].name == name;
  if (known == functions_.end() && !itself)
    return c_.fail("ptx-unknown-name", fmt::format("'{}' is not declared", name), token);
  o.kind = Operand::Kind::function;
  o.function = known != functions_.end() ? known->second : current_;
  return true;
}

bool Parser::address(Operand& o) {
  bool bracket = c_.accept('[');
  if (!bracket) return c_.expected("an address in [ ]");
  o.kind = Operand::Kind::address;
  if (c_.at_identifier()) {
    Operand base;
    if (!name_operand(base, 's', find(c_.token().text))) return false;
    if (base.kind == Operand::Kind::reg)
      o.reg = base.reg;
    else if (base.kind == Operand::Kind::variable)
      o.variable = base.variable;
    else
      return c_.expected("a register or a variable");
    o.value = base.value;
    if (c_.accept('[')) { // symbol[3]
      Constant index;
      if (!parse_constant(c_, index) || !c_.expect(']', "after the index")) return false;
      o.value += index.integer * (o.variable.valid() ? ir::bytes(m_.variables[o.variable.value].type) : 1);
    }
    if (c_.at('+') || c_.at('-')) {
      bool minus = c_.at('-');
      c_.advance();
      Constant offset;
      if (!parse_constant(c_, offset)) return false;
      o.value += minus ? 0 - offset.integer : offset.integer;
    }
  } else {
    Constant constant;
    if (!parse_constant(c_, constant)) return false;
    o.value = constant.integer;
  }
  return c_.expect(']', "after the address");
}

bool Parser::vector_or_operand(std::vector<Operand>& out, Type type, char letter) {
  if (!c_.accept('{')) return operand(out, type, letter);
  while (!c_.at('}')) {
    if (!operand(out, type, letter)) return false;
    if (!c_.at('}') && !c_.expect(',', "between the elements of a vector")) return false;
  }
  return c_.expect('}', "after the vector");
}

// [object, {coordinates}], or one coordinate without braces. With a sampler of its own between them (the independent
// texturing mode, which CUDA does not use) the instruction is none that is known.
bool Parser::texture(std::vector<Operand>& out, const ir::Form& form, ir::OperandRule rule) {
  if (!c_.expect('[', "before the texture") || !operand(out, Type::u64, 's') ||
      !c_.expect(',', "between the texture and the coordinates"))
    return false;
  const ir::OperandGroup group{rule, 0, ir::least_count(rule, form)};
  bool braces = c_.accept('{');
  for (u32 n = 1; n < group.count; ++n) {
    if (!operand(out, group.type(form, n), 's')) return false;
    if (!braces || c_.at('}')) break;
    if (!c_.expect(',', "between the coordinates")) return false;
  }
  if (!braces && c_.at(',')) return unknown_part_ = "sampler", true;
  return (!braces || c_.expect('}', "after the coordinates")) && c_.expect(']', "after the coordinates");
}

// [tensor map, {coordinates}]
bool Parser::box(std::vector<Operand>& out) {
  if (!c_.expect('[', "before the tensor map") || !operand(out, Type::u64, 's')) return false;
  out.back().kind = Operand::Kind::address;
  return c_.expect(',', "between the tensor map and the coordinates") &&
         vector_or_operand(out, Type::s32, 's') && c_.expect(']', "after the coordinates");
}

// One operand; a vector register without a component gives several.
bool Parser::operand(std::vector<Operand>& out, Type type, char letter) {
  if (letter == 'a') return address(out.emplace_back());
  if (letter == 'B') return box(out);
  bool negated = false;
  if (c_.at('!')) {
    negated = true;
    c_.advance();
  }
  if (c_.at_identifier() && c_.token().text != "WARP_SZ") {
    Symbol symbol = find(c_.token().text);
    // A vector register without a component stands for all its elements.
    if (symbol.kind == Symbol::Kind::vector && !c_.touches('.')) {
      for (u32 e = 0; e < symbol.count; ++e) {
        Operand& o = out.emplace_back();
        o.kind = Operand::Kind::reg;
        o.reg = ir::RegisterId(symbol.id + e);
      }
      c_.advance();
      return true;
    }
    if (symbol.kind == Symbol::Kind::none && special_vector(out)) return true;
    Operand& o = out.emplace_back();
    if (!name_operand(o, letter, symbol)) return false;
    o.negated = negated;
    return true;
  }
  Constant constant;
  if (!parse_constant(c_, constant)) return false;
  Operand& o = out.emplace_back();
  o.kind = Operand::Kind::immediate;
  o.value = negated ? constant.integer == 0 : to_bits(constant, type);
  return true;
}

void Parser::add_carry(const ir::Form& form, std::vector<Operand>& destinations,
                       std::vector<Operand>& sources) {
  bool writes = ir::sets_carry(form), reads = ir::takes_carry(form);
  if (!writes && !reads) return;
  ir::Function& f = m_.functions[current_.value];
  if (!f.carry.valid()) f.carry = ir::RegisterId(add_register("%cc", Type::pred));
  Operand carry;
  carry.kind = Operand::Kind::reg;
  carry.reg = f.carry;
  if (writes) destinations.push_back(carry);
  if (reads) sources.push_back(carry);
}

// ld.v2 takes two registers, mov.b64 packs 2, 4 or 8; everything else takes one.
bool Parser::check_vector(const ir::Form& form, ir::OperandRule rule, std::size_t count, const Token& where) {
  bool many = rule.matrix() || rule.texture() || rule.changes() || rule.box();
  u32 wanted = rule.vector() ? form.vector : many ? ir::least_count(rule, form) : 1;
  bool packs = rule.type == ir::OperandType::part && form.vector == 1 &&
               (count == 2 || count == 4 || count == 8) && ir::bits(form.type()) >= 8 * count;
  bool described = rule.described() && count == 4;
  if (count == wanted || packs || described || !unknown_part_.empty()) return true;
  return c_.fail("ptx-syntax",
                 fmt::format("'{}' takes {} here, not {}", form.text,
                             wanted == 1 ? "one element" : fmt::format("{} elements", wanted), count),
                 where);
}

bool Parser::operands(ir::Instruction& i, const ir::Form& form) {
  std::vector<Operand>&destinations = destinations_, &sources = sources_;
  destinations.clear();
  sources.clear();
  bool first = true;
  in_mov_ = form.opcode == Opcode::mov;
  takes_parts_ = ir::takes_parts(form);
  element_bits_ = ir::element_bits(form);
  std::span<const ir::OperandRule> rules = ir::operands(form);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    ir::OperandRule rule = rules[r];
    if (!rule.in_text()) continue;
    if (rule.optional && (c_.at(';') || (!first && !c_.at(',')))) break;
    if (!first && !c_.expect(',', "between operands")) return false;
    first = false;
    if (rule.letter == 't') {
      Token where = c_.token();
      std::string_view name;
      if (!c_.expect_identifier(name, "a list of branch targets")) return false;
      pending_tables_.push_back(
          {static_cast<u32>(m_.functions[current_.value].instructions.size()), name, where});
      continue;
    }
    std::vector<Operand>& into = rule.destination() ? destinations : sources;
    std::size_t before = into.size();
    Token start = c_.token();
    if (rule.shift()) {
      if (!texture_tail(into, form, rule)) return false;
      break;
    }
    bool read = rule.texture() ? texture(into, form, rule)
                               : vector_or_operand(into, ir::type_of(rule, form), rule.letter);
    if (!read || !check_vector(form, rule, into.size() - before, start)) return false;
    if (!unknown_part_.empty()) break;
    if (rule.takes_predicate() && c_.accept('|') && !operand(into, Type::pred, 'd')) return false;
    // An optional operand in the middle was left out when nothing follows: this is the one behind it.
    if (rule.optional && !c_.at(',') && r + 1 < rules.size() && !rules[r + 1].optional) break;
  }
  add_carry(form, destinations, sources);
  return keep_operands(i, destinations, sources, "too many operands");
}

bool Parser::keep_operands(ir::Instruction& i, const std::vector<Operand>& destinations,
                           const std::vector<Operand>& sources, std::string_view too_many) {
  constexpr std::size_t most = std::numeric_limits<u8>::max();
  if (destinations.size() > most || sources.size() > most) return c_.fail("ptx-limit", std::string(too_many));
  ir::Function& f = m_.functions[current_.value];
  i.first_operand = static_cast<u32>(f.operands.size());
  i.destinations = static_cast<u8>(destinations.size());
  i.sources = static_cast<u8>(sources.size());
  f.operands.insert(f.operands.end(), destinations.begin(), destinations.end());
  f.operands.insert(f.operands.end(), sources.begin(), sources.end());
  return true;
}

} // namespace warplens::ptx
