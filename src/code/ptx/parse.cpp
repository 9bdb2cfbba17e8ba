// PTX at module level: versions and targets, linkage, functions' headers, sections (PTX ISA 9.0, chapters 4,
// 5 and 11). Statements inside functions are body.cpp's; nothing here looks ahead further than one token.
#include "ir/verify.h"
#include "ptx/blocks.h"
#include "ptx/parser.h"
#include "ptx/stacks.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {

constexpr u32 newest_known_version = 90; // PTX ISA 9.0

// Directives that name linkage, state spaces and tuning; what they are followed by is skipped or read by
// their handlers.
bool is_space(std::string_view d) {
  return d == ".global" || d == ".const" || d == ".shared" || d == ".local" || d == ".param";
}
bool is_opaque(std::string_view d) {
  return d == ".tex" || d == ".texref" || d == ".samplerref" || d == ".surfref";
}

} // namespace

Result<Parsed> Parser::run() {
  if (!module()) return failure(c_.take_error());
  if (has_aliases_) resolve_aliases();
  finish_sites();
  std::vector<diag::Diagnostic> problems = ir::verify(m_);
  if (!problems.empty()) return failure(std::move(problems.front()));
  return Parsed{std::move(m_), std::move(warnings_)};
}

bool Parser::module() {
  if (!c_.at_directive(".version"))
    return c_.at_end() ? c_.fail("ptx-empty", "this is empty: PTX begins with .version")
                       : c_.expected("'.version', with which every PTX module begins");
  c_.advance();
  if (!version()) return false;
  while (!c_.at_end())
    if (!top_level()) return false;
  return resolve_initialisers();
}

bool Parser::version() {
  Token token = c_.token();
  if (token.kind != TokenKind::number) return c_.expected("a version such as 8.3");
  std::size_t dot = token.text.find('.');
  auto number = [](std::string_view text) {
    u32 n = 0;
    for (char d : text.substr(0, 6))
      if (d >= '0' && d <= '9') n = n * 10 + static_cast<u32>(d - '0');
    return n;
  };
  m_.version_major = number(token.text.substr(0, dot));
  m_.version_minor = dot == token.text.npos ? 0 : number(token.text.substr(dot + 1));
  if (m_.version_major * 10 + m_.version_minor > newest_known_version)
    warnings_.push_back(diag::warning(
        "ptx-newer-version", fmt::format("PTX {} is newer than the 9.0 that is known here", token.text),
        c_.span(token), "instructions that are new in it stop the launches that reach them"));
  c_.advance();
  return true;
}

bool Parser::target() {
  do {
    std::string_view name;
    if (!c_.expect_identifier(name, "a target such as sm_80")) return false;
    if (name.starts_with("sm_") || name.starts_with("compute_")) {
      m_.sm = 0;
      for (char d : name.substr(name.find('_') + 1, 4))
        if (d >= '0' && d <= '9') m_.sm = m_.sm * 10 + static_cast<u32>(d - '0');
    }
  } while (c_.accept(','));
  return true;
}

bool Parser::top_level() {
  Linkage linkage;
  while (true) {
    if (c_.accept_directive(".extern"))
      linkage.external = true;
    else if (c_.accept_directive(".visible"))
      linkage.visible = true;
    else if (c_.accept_directive(".weak") || c_.accept_directive(".common"))
      linkage.visible = linkage.weak = true;
    else
      break;
  }
  Token token = c_.token();
  std::string_view d = token.text;
  if (token.is(';')) return c_.advance(), true;
  if (token.kind != TokenKind::directive) return c_.expected("a directive such as .entry, .func or .global");
  c_.advance();
  if (d == ".target") return target();
  if (d == ".address_size") {
    u64 bits = 0;
    if (!parse_count(c_, bits, 64, "address size")) return false;
    m_.address_bits = static_cast<u32>(bits);
    return true;
  }
  if (d == ".entry" || d == ".func") return function(linkage, d == ".entry");
  if (is_space(d) && d != ".param") return variable(linkage, d);
  if (is_opaque(d)) return variable(linkage, d);
  if (d == ".file") return lines_.parse_file();
  if (d == ".loc") return lines_.parse_loc();
  if (d == ".section") return section();
  if (d == ".alias") { // .alias a, b: a is b
    std::string_view alias, target;
    if (!c_.expect_identifier(alias, "the alias") || !c_.expect(',', "after the alias") ||
        !c_.expect_identifier(target, "the function it names"))
      return false;
    ir::FunctionId target_id = function_named(target), alias_id = function_named(alias);
    if (target_id != alias_id) {
      m_.functions[alias_id.value].alias_of = target_id;
      has_aliases_ = true;
    }
    return c_.expect(';', "after .alias");
  }
  if (d == ".pragma") {
    while (!c_.at_end() && !c_.at(';')) c_.advance();
    return c_.expect(';', "after .pragma");
  }
  return c_.fail("ptx-unknown-directive", fmt::format("'{}' is not a directive that is known here", d), token,
                 "is this PTX of a newer version, or another format?");
}

bool Parser::section() {
  std::string_view name = c_.token().text;
  c_.advance();
  while (!c_.at_end() && !c_.at('{')) c_.advance();
  if (c_.at_end()) return c_.expected("'{' after .section");
  if (name == ".debug_info") return parse_debug_section(c_, debug_.info);
  if (name == ".debug_abbrev") return parse_debug_section(c_, debug_.abbreviations);
  if (name == ".debug_str") return parse_debug_section(c_, debug_.strings);
  return c_.skip_group();
}

bool Parser::parameters(std::vector<ir::VariableId>& variables, std::vector<ir::RegisterId>& registers) {
  if (!c_.expect('(', "before the parameters")) return false;
  while (!c_.at(')')) {
    if (c_.accept_directive(".reg")) {
      ir::Type type{};
      u32 vector = 1;
      if (!register_type(type, vector)) return false;
      if (vector != 1) return c_.expected("a scalar type for a parameter's register");
      std::string_view name;
      if (!c_.expect_identifier(name, "the parameter's register")) return false;
      u32 id = add_register(name, type);
      scopes_.declare(name, {Symbol::Kind::reg, 1, id});
      registers.push_back(ir::RegisterId(id));
    } else {
      if (!c_.accept_directive(".param")) return c_.expected("a .param or .reg parameter");
      std::size_t before = m_.variables.size();
      if (!variable({}, ".param", true)) return false;
      if (m_.variables.size() > before) variables.push_back(ir::VariableId(before));
    }
    if (!c_.at(')') && !c_.expect(',', "between parameters")) return false;
  }
  return c_.expect(')', "after the parameters");
}

bool Parser::triple(std::array<u32, 3>& out) {
  out = {1, 1, 1};
  for (u32 i = 0; i < 3; ++i) {
    u64 n = 0;
    if (!parse_count(c_, n, 0xffffffffu, "number of threads")) return false;
    out[i] = static_cast<u32>(n);
    if (!c_.accept(',')) break;
  }
  return true;
}

bool Parser::performance_directives() {
  while (c_.token().kind == TokenKind::directive) {
    std::string_view d = c_.token().text;
    ir::Function& f = m_.functions[current_.value];
    std::array<u32, 3> ignored{};
    c_.advance();
    if (d == ".noreturn")
      f.noreturn = true;
    else if (d == ".maxntid") {
      if (!triple(f.max_threads)) return false;
    } else if (d == ".reqntid") {
      if (!triple(f.required_threads)) return false;
    } else if (d == ".minnctapersm") {
      u64 n = 0;
      if (!parse_count(c_, n, 0xffffffffu, "number of CTAs")) return false;
      f.min_ctas = static_cast<u32>(n);
    } else if (d == ".reqnctapercluster") {
      if (!triple(f.required_cluster)) return false;
    } else if (d == ".maxclusterrank") {
      u64 n = 0;
      if (!parse_count(c_, n, 0xffffffffu, "number of CTAs")) return false;
      f.most_in_cluster = static_cast<u32>(n);
    } else if (d == ".explicitcluster") {
      f.explicit_cluster = true;
    } else if (c_.token().kind == TokenKind::number) {
      if (!triple(ignored)) return false; // .maxnreg, …
    } else if (c_.at('(')) {
      if (!c_.skip_group()) return false; // .attribute(…), .abi_preserve …
    } else if (c_.token().kind == TokenKind::string) {
      c_.advance(); // .pragma "…"
      c_.accept(';');
    }
  }
  return true;
}

ir::FunctionId Parser::function_named(std::string_view name) {
  auto [found, is_new] = functions_.try_emplace(std::string(name), ir::FunctionId(m_.functions.size()));
  if (is_new) {
    m_.functions.emplace_back();
    m_.functions.back().name = name;
    m_.functions.back().external = true;
  }
  return found->second;
}

void Parser::begin_function(bool entry) {
  scopes_.open();
  label_scopes_.assign(1, {});
  labels_.clear();
  branch_tables_ =
      decltype(branch_tables_)(); // clear() would take as long as the largest function before did
  pending_tables_.clear();
  // Parameters name registers before the function's own name is known: they are collected into a new one.
  ir::Function& f = m_.functions.emplace_back();
  f.entry = entry;
  f.ptx_line = c_.token().line;
  current_ = ir::FunctionId(m_.functions.size() - 1);
  parameter_addresses_.clear();
}

// From the results of a .func to the directives before the body.
bool Parser::function_header(Linkage linkage, std::string_view& name) {
  std::vector<ir::VariableId> results, formals;
  std::vector<ir::RegisterId> register_results, register_formals;
  bool entry = m_.functions[current_.value].entry;
  while (!entry && c_.token().kind == TokenKind::directive) {
    if (c_.token().text == ".noreturn") m_.functions[current_.value].noreturn = true;
    c_.advance();
  }
  if (!entry && c_.at('(') && !parameters(results, register_results)) return false;
  if (!c_.expect_identifier(name, "the function's name")) return false;
  if (c_.at('(') && !parameters(formals, register_formals)) return false;
  ir::Function& f = m_.functions[current_.value];
  f.name = name;
  f.visible = linkage.visible || linkage.external;
  f.weak = linkage.weak;
  f.results = std::move(results);
  f.register_results = std::move(register_results);
  f.parameters = std::move(formals);
  f.register_parameters = std::move(register_formals);
  return performance_directives();
}

// The newest function takes the place of `known`, or goes when it says nothing new.
void Parser::join_function(ir::FunctionId known, bool replace) {
  ir::Function& newest = m_.functions.back();
  for (ir::VariableId v : newest.variables) m_.variables[v.value].owner = known;
  if (replace) std::swap(m_.functions[known.value], newest);
  m_.functions.pop_back();
}

bool Parser::function(Linkage linkage, bool entry) {
  begin_function(entry);
  std::string_view name;
  if (!function_header(linkage, name)) return false;
  bool declaration = c_.accept(';');
  auto [place, is_new] = functions_.try_emplace(std::string(name), current_);
  if (declaration) {
    m_.functions[current_.value].external = true;
    if (!is_new) join_function(place->second, false);
  } else {
    if (!is_new && !m_.functions[place->second.value].external)
      return c_.fail("ptx-duplicate", fmt::format("function '{}' is defined twice", name), c_.token());
    if (!is_new) join_function(place->second, true);
    current_ = place->second;
    lines_.begin_function();
    if (!body()) return false;
  }
  scopes_.close();
  current_ = {};
  return true;
}

// What refers to an alias refers to the function itself; chains are followed, and a circle ends where it
// began.
void Parser::resolve_aliases() {
  auto resolve = [&](ir::FunctionId& id) {
    for (std::size_t hops = 0;
         id.valid() && m_.functions[id.value].alias_of.valid() && hops < m_.functions.size(); ++hops)
      id = m_.functions[id.value].alias_of;
  };
  for (ir::Function& f : m_.functions)
    for (ir::Operand& operand : f.operands) resolve(operand.function);
  for (ir::Variable& v : m_.variables)
    for (ir::Relocation& r : v.relocations) resolve(r.function);
}

void Parser::finish_sites() {
  lines_.resolve_function_names(
      [&](std::string_view label, u64 offset) { return debug_.strings.string_at(label, offset); });
  if (has_debug_info_) apply_inline_stacks(debug_, lines_, m_);
  if (!stacks_wanted_) return;
  SourceStacks stacks(m_);
  for (ir::Function& f : m_.functions)
    for (const ir::Instruction& i : f.instructions)
      if (i.site.valid() && i.location.valid()) m_.sites[i.site.value].frames = stacks.at(i.location);
}

Result<Parsed> parse(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).run();
}

} // namespace warplens::ptx
