// Function bodies: registers, labels, statements, operands by the rows of ir/opcodes.def, calls (PTX ISA,
// "Instructions").
//
// An opcode or modifier that is not known makes an instruction of family `unsupported`; its operands are
// passed over.
#include "ir/matrix.h"
#include "ptx/blocks.h"
#include "ptx/parser.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::Type;

constexpr u64 most_registers = u64{1} << 24;
constexpr std::size_t deepest_scope = 200;
constexpr std::size_t most_targets = std::size_t{1} << 22; // of all brx of one function

} // namespace

u32 Parser::add_register(std::string_view name, Type type) {
  std::vector<ir::Register>& registers = m_.functions[current_.value].registers;
  registers.push_back({std::string(name), type});
  return static_cast<u32>(registers.size() - 1);
}

Symbol Parser::find(std::string_view name) {
  return current_.valid() ? scopes_.find(name, m_.functions[current_.value]) : scopes_.find_in_module(name);
}

bool Parser::body() {
  if (!c_.expect('{', "before the function's body")) return false;
  m_.functions[current_.value].external = false;
  if (!statements() || !resolve_branch_tables()) return false;
  std::vector<u32> label_at;
  if (!resolve_labels(label_at)) return false;
  static const std::string ret_text = "ret";
  Token ret{TokenKind::identifier, c_.token().line, ret_text};
  cut_blocks(m_.functions[current_.value], label_at, m_.forms, form_of(ret), c_.token().line);
  return true;
}

// To the brace that closes the body.
bool Parser::statements() {
  std::size_t outer = scopes_.depth();
  while (true) {
    if (c_.accept('{')) {
      if (scopes_.depth() - outer > deepest_scope)
        return c_.fail("ptx-limit", "blocks are nested too deeply");
      scopes_.open();
      label_scopes_.emplace_back();
    } else if (c_.accept('}')) {
      if (scopes_.depth() == outer) return true;
      scopes_.close();
      close_label_scope();
    } else if (c_.at_end()) {
      return c_.expected("'}' at the end of the function");
    } else if (!statement()) {
      return false;
    }
  }
}

// brx names its list of targets, which may stand after it.
bool Parser::resolve_branch_tables() {
  ir::Function& f = m_.functions[current_.value];
  for (const PendingTable& pending : pending_tables_) {
    auto found = branch_tables_.find(pending.name);
    if (found == branch_tables_.end())
      return c_.fail("ptx-unknown-name", fmt::format("'{}' is no list of branch targets", pending.name),
                     pending.where);
    ir::Instruction& i = f.instructions[pending.instruction];
    i.first_target = static_cast<u32>(f.targets.size());
    i.target_count = static_cast<u32>(found->second.size());
    if (f.targets.size() + found->second.size() > most_targets)
      return c_.fail("ptx-limit", "the branch targets of this function are too many", pending.where);
    for (u32 label : found->second) f.targets.push_back(ir::BlockId(label));
  }
  return true;
}

// Where each label stands, as an instruction's index.
bool Parser::resolve_labels(std::vector<u32>& label_at) {
  for (Label& label : labels_) {
    // An outer label was made before or after this one: follow to its end.
    u32 outer = label.same_as;
    while (outer != Label::itself && labels_[outer].same_as != Label::itself) outer = labels_[outer].same_as;
    if (outer != Label::itself) {
      label.placed = labels_[outer].placed;
      label.at = labels_[outer].at;
    }
    if (!label.placed)
      return c_.fail("ptx-unknown-label",
                     fmt::format("label '{}' is nowhere in this function", label.first_use.text),
                     label.first_use);
    label_at.push_back(label.at);
  }
  return true;
}

bool Parser::statement() {
  Token token = c_.token();
  if (token.is(';')) return c_.advance(), true;
  if (token.kind == TokenKind::directive) {
    std::string_view d = token.text;
    c_.advance();
    if (d == ".reg") return registers();
    if (d == ".loc") return lines_.parse_loc();
    if (d == ".local" || d == ".shared" || d == ".global" || d == ".const" || d == ".param")
      return variable({}, d);
    if (d == ".file") return lines_.parse_file();
    if (d == ".section") return section();
    if (d == ".extern" || d == ".visible" || d == ".weak") return true;
    if (d == ".pragma") {
      while (!c_.at_end() && !c_.at(';')) c_.advance();
      return c_.expect(';', "after .pragma");
    }
    return c_.fail("ptx-unknown-directive", fmt::format("'{}' is not a directive that is known here", d),
                   token);
  }
  if (token.is('@')) return instruction();
  if (!c_.at_identifier()) return c_.expected("an instruction");
  if (c_.followed_by(':')) {
    c_.advance();
    c_.advance();
    return label(token.text, token);
  }
  return instruction();
}

bool Parser::label(std::string_view name, const Token& where) {
  if (c_.accept_directive(".branchtargets") || c_.at_directive(".calltargets") ||
      c_.at_directive(".callprototype")) {
    if (c_.at_directive(".calltargets") || c_.at_directive(".callprototype")) {
      while (!c_.at_end() && !c_.at(';')) c_.advance();
      return c_.expect(';', "after the directive");
    }
    std::vector<u32>& targets = branch_tables_[name];
    do {
      Token at = c_.token();
      std::string_view target;
      if (!c_.expect_identifier(target, "a label")) return false;
      targets.push_back(label_id(target, at).value);
    } while (c_.accept(','));
    return c_.expect(';', "after the branch targets");
  }
  ir::BlockId id;
  if (u32* known = label_scopes_.back().find(name))
    id = ir::BlockId(*known);
  else {
    id = ir::BlockId(labels_.size());
    labels_.push_back({0, false, where});
    label_scopes_.back().insert(name, id.value);
  }
  Label& l = labels_[id.value];
  if (l.placed)
    return c_.fail("ptx-duplicate", fmt::format("label '{}' stands twice in this function", name), where);
  l.placed = true;
  l.at = static_cast<u32>(m_.functions[current_.value].instructions.size());
  if (has_debug_info_) debug_.code_labels.insert(name, {current_.value, l.at});
  return true;
}

// A reference names the label of its own block or, when that has none by the block's end, one further out.
ir::BlockId Parser::label_id(std::string_view name, const Token& where) {
  auto [known, is_new] = label_scopes_.back().insert(name, static_cast<u32>(labels_.size()));
  if (is_new) labels_.push_back({0, false, where});
  return ir::BlockId(*known);
}

// Labels that were used but not placed in the closing block belong to the block around it.
void Parser::close_label_scope() {
  NameMap<u32> closing = std::move(label_scopes_.back());
  label_scopes_.pop_back();
  closing.for_each([&](std::string_view name, u32 id) {
    if (labels_[id].placed) return;
    auto [outer, is_new] = label_scopes_.back().insert(name, id);
    if (!is_new) labels_[id].same_as = *outer;
  });
}

bool Parser::register_type(Type& type, u32& vector) {
  type = Type::none;
  vector = 1;
  while (c_.token().kind == TokenKind::directive) {
    std::string_view d = c_.token().text;
    if (d == ".v2" || d == ".v4")
      vector = static_cast<u32>(d[2] - '0');
    else if (auto named = ir::type_named(d.substr(1)))
      type = *named;
    else
      return c_.fail("ptx-unknown-directive",
                     fmt::format("'{}' is not a register type that is known here", d));
    c_.advance();
  }
  return type != Type::none || c_.expected("a register type such as .b32");
}

bool Parser::registers() {
  Type type{};
  u32 vector = 1;
  if (!register_type(type, vector)) return false;
  do {
    Token where = c_.token();
    std::string_view name;
    if (!c_.expect_identifier(name, "a register's name")) return false;
    if (c_.accept('<')) {
      u64 count = 0;
      if (!range_count(count, most_registers)) return false;
      if (!scopes_.declare_range(name, type, count))
        return c_.fail("ptx-duplicate", fmt::format("'{}' is declared twice", name), where);
    } else if (vector > 1) {
      u32 first = 0;
      for (u32 e = 0; e < vector; ++e) {
        u32 id = add_register(fmt::format("{}.{}", name, "xyzw"[e]), type);
        if (e == 0) first = id;
      }
      if (!declare(name, {Symbol::Kind::vector, static_cast<u8>(vector), first}, where)) return false;
    } else if (!declare(name, {Symbol::Kind::reg, 1, add_register(name, type)}, where)) {
      return false;
    }
  } while (c_.accept(','));
  return c_.expect(';', "after the registers");
}

ir::FormId Parser::form_of(const Token& opcode) {
  if (ir::FormId* known = forms_.find(opcode.text)) return *known;
  ResultOr<ir::Form, ir::UnknownToken> parsed = ir::parse_form(opcode.text);
  ir::Form form;
  if (parsed && parsed->type_count < ir::required_types(*parsed) &&
      parsed->family() != ir::Family::unsupported) {
    c_.fail("ptx-syntax",
            fmt::format("'{}' needs a type, as in '{}.{}'", opcode.text, opcode.text,
                        ir::info(parsed->opcode).types.substr(0, ir::info(parsed->opcode).types.find(' '))),
            opcode);
    return {};
  }
  if (parsed) {
    form = std::move(*parsed);
  } else { // kept with its text: a launch that reaches it says so
    form = ir::unknown_form(opcode.text);
  }
  ir::FormId id(m_.forms.size());
  m_.forms.push_back(std::move(form));
  forms_.insert(opcode.text, id);
  return id;
}

bool Parser::guard(ir::Instruction& i) {
  if (!c_.accept('@')) return true;
  i.guard_negated = c_.accept('!');
  Token where = c_.token();
  std::string_view name;
  if (!c_.expect_identifier(name, "a predicate")) return false;
  Symbol symbol = find(name);
  if (symbol.kind != Symbol::Kind::reg)
    return c_.fail("ptx-unknown-name", fmt::format("'{}' is not a register of this function", name), where);
  i.guard = ir::RegisterId(symbol.id);
  return true;
}

bool Parser::skip_operands() {
  while (!c_.at(';')) {
    if (c_.at_end() || c_.at('}')) return c_.expected("';' after the instruction");
    if (c_.at('{') || c_.at('(') || c_.at('[')) {
      if (!c_.skip_group()) return false;
    } else {
      c_.advance();
    }
  }
  return true;
}

bool Parser::instruction() {
  ir::Instruction i;
  if (!guard(i)) return false;
  if (!c_.at_identifier()) return c_.expected("an instruction");
  c_.extend_opcode();
  Token opcode = c_.token();
  c_.advance();
  i.form = form_of(opcode);
  if (!i.form.valid()) return false;
  i.ptx_line = opcode.line;
  i.location = lines_.current();
  const ir::Form& form = m_.forms[i.form.value];
  ir::Function& f = m_.functions[current_.value];
  if (form.opcode == Opcode::call) {
    if (!call(i)) return false;
  } else if (form.family() == ir::Family::unsupported) {
    i.first_operand = static_cast<u32>(f.operands.size());
    if (!skip_operands()) return false;
  } else if (!operands(i, form)) {
    return false;
  }
  if (!unknown_part_
           .empty()) { // a special register or selector that is not known: the instruction as a whole is not
    i.form = form_of({TokenKind::identifier, opcode.line,
                      texts_.emplace_back(fmt::format("{}.{}", opcode.text, unknown_part_))});
    i.destinations = i.sources = 0;
    unknown_part_ = {};
    if (!skip_operands()) return false;
  }
  if (!c_.expect(';', "after the instruction")) return false;
  make_site(i, m_.forms[i.form.value]);
  m_.functions[current_.value].instructions.push_back(i);
  return true;
}

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

// "r.b2", of video instructions. Several parts at once, "r.h10", make the instruction one that is not known.
bool Parser::register_part(Operand& o) {
  std::size_t name_size = c_.token().text.size();
  c_.extend_opcode();
  if (c_.token().text.size() <= name_size + 1)
    return c_.fail("ptx-syntax", fmt::format("expected a part of '{}' behind its name", c_.token().text));
  std::string_view which = c_.token().text.substr(name_size + 1);
  std::optional<ir::Part> part = ir::part_named(which);
  if (part && takes_parts_)
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
  if (!braces && c_.at(',')) return unknown_part_ = "samplerref", true;
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
    bool read = rule.texture() ? texture(into, form, rule)
                               : vector_or_operand(into, ir::type_of(rule, form), rule.letter);
    if (!read || !check_vector(form, rule, into.size() - before, start)) return false;
    if (!unknown_part_.empty()) break;
    if (rule.takes_predicate() && c_.accept('|') && !operand(into, Type::pred, 'd')) return false;
    // An optional operand in the middle was left out when nothing follows: this is the one behind it.
    if (rule.optional && !c_.at(',') && r + 1 < rules.size() && !rules[r + 1].optional) break;
  }
  // Offsets of coordinates, values to compare a depth with.
  if (form.family() == ir::Family::texture && c_.at(',')) unknown_part_ = "offset";
  add_carry(form, destinations, sources);
  if (destinations.size() > 255 || sources.size() > 255) return c_.fail("ptx-limit", "too many operands");
  ir::Function& f = m_.functions[current_.value];
  i.first_operand = static_cast<u32>(f.operands.size());
  i.destinations = static_cast<u8>(destinations.size());
  i.sources = static_cast<u8>(sources.size());
  f.operands.insert(f.operands.end(), destinations.begin(), destinations.end());
  f.operands.insert(f.operands.end(), sources.begin(), sources.end());
  return true;
}

bool Parser::call_list(std::vector<Operand>& out) {
  if (!c_.expect('(', "before the list")) return false;
  while (!c_.at(')')) {
    if (!operand(out, Type::none, 's')) return false;
    if (!c_.at(')') && !c_.expect(',', "in the list")) return false;
  }
  return c_.expect(')', "after the list");
}

bool Parser::call(ir::Instruction& i) {
  std::vector<Operand> results, sources;
  if (c_.at('(')) {
    if (!call_list(results) || !c_.expect(',', "after the results")) return false;
  }
  Operand& callee = sources.emplace_back();
  Token token = c_.token();
  if (!c_.at_identifier()) return c_.expected("the function to call");
  if (Symbol symbol = find(token.text); symbol.kind == Symbol::Kind::reg) {
    callee.kind = Operand::Kind::reg;
    callee.reg = ir::RegisterId(symbol.id);
  } else {
    callee.kind = Operand::Kind::function;
    callee.function = m_.functions[current_.value].name == token.text ? current_ : function_named(token.text);
  }
  c_.advance();
  if (c_.accept(',')) {
    if (c_.at('(')) {
      if (!call_list(sources)) return false;
      if (c_.accept(',') && !skip_operands()) return false; // prototype or list of targets
    } else if (!skip_operands()) {
      return false;
    }
  }
  if (results.size() > 255 || sources.size() > 255) return c_.fail("ptx-limit", "too many arguments");
  ir::Function& f = m_.functions[current_.value];
  i.first_operand = static_cast<u32>(f.operands.size());
  i.destinations = static_cast<u8>(results.size());
  i.sources = static_cast<u8>(sources.size());
  f.operands.insert(f.operands.end(), results.begin(), results.end());
  f.operands.insert(f.operands.end(), sources.begin(), sources.end());
  return true;
}

} // namespace warplens::ptx
