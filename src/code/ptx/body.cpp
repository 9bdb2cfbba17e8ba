// Function bodies: registers, labels, statements, calls (PTX ISA, "Instructions"). Operands: operands.cpp.
//
// An opcode or modifier that is not known makes an instruction of family `unsupported`; its operands are
// passed over.
#include "ptx/blocks.h"
#include "ptx/parser.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {

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
  note_parameter_address(i, m_.forms[i.form.value]);
  m_.functions[current_.value].instructions.push_back(i);
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
  return keep_operands(i, results, sources, "too many arguments");
}

} // namespace warplens::ptx
