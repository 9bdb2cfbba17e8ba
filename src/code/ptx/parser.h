// The parser's state and its parts: module level (parse.cpp), variables (variables.cpp), function bodies
// (body.cpp).
#pragma once
#include "ir/operands.h"
#include "ptx/constant.h"
#include "ptx/cursor.h"
#include "ptx/dwarf.h"
#include "ptx/lines.h"
#include "ptx/names.h"
#include "ptx/parse.h"
#include "ptx/scopes.h"
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace warplens::ptx {

struct Linkage {
  bool external = false, visible = false, weak = false;
};

class Parser {
public:
  Parser(std::string_view text, const ParseOptions& options) : c_(text, options.name), lines_(c_, m_) {
    has_debug_info_ = text.find(".debug_info") != text.npos;
    m_.name = options.name;
    stacks_wanted_ = options.site_stacks;
  }
  Result<Parsed> run();

private:
  // parse.cpp: module level
  bool module();
  bool top_level();
  bool version();
  bool target();
  bool section();
  bool function(Linkage, bool entry);
  void begin_function(bool entry);
  bool function_header(Linkage, std::string_view& name);
  void join_function(ir::FunctionId known, bool replace);
  bool parameters(std::vector<ir::VariableId>& variables, std::vector<ir::RegisterId>& registers);
  bool performance_directives();
  bool triple(std::array<u32, 3>& out);
  void resolve_aliases();
  void finish_sites();

  // variables.cpp
  bool variable(Linkage, std::string_view space, bool formal = false); // formal: in a parameter list
  bool one_variable(ir::Variable prototype);
  bool array_and_initialiser(ir::Variable&);
  bool initialiser(ir::Variable&, u64& at, u32 depth);
  bool initial_element(ir::Variable&, u64 at);
  void join_pointer_bytes(ir::Variable&);
  void own_initialisers(std::optional<ir::VariableId>);
  bool resolve_initialisers();
  bool range_count(u64& out, u64 limit); // after '<': a plain number, then '>'
  bool declare(std::string_view name, Symbol symbol, const Token& where);

  // body.cpp
  bool body();
  bool statements();
  bool resolve_branch_tables();
  bool resolve_labels(std::vector<u32>& label_at);
  bool statement();
  bool register_type(ir::Type& type, u32& vector);
  bool registers();
  bool label(std::string_view name, const Token& where);
  bool instruction();
  bool guard(ir::Instruction&);
  bool call(ir::Instruction&);
  bool call_list(std::vector<ir::Operand>&);
  bool skip_operands();
  void close_label_scope();
  ir::FormId form_of(const Token& opcode);
  Symbol find(std::string_view name);
  ir::BlockId label_id(std::string_view name, const Token& where);
  ir::FunctionId function_named(std::string_view name);
  u32 add_register(std::string_view name, ir::Type type);

  // operands.cpp
  bool operands(ir::Instruction&, const ir::Form&);
  bool operand(std::vector<ir::Operand>& out, ir::Type type, char letter);
  bool vector_or_operand(std::vector<ir::Operand>& out, ir::Type type, char letter);
  bool address(ir::Operand&);
  bool special_operand(ir::Operand&);
  bool special_vector(std::vector<ir::Operand>& out);
  bool register_part(ir::Operand&);
  bool variable_operand(ir::Operand&, Symbol);
  void vector_element(ir::Operand&, Symbol);
  bool name_operand(ir::Operand&, char letter, Symbol);
  bool texture(std::vector<ir::Operand>&, const ir::Form&, ir::OperandRule);
  bool texture_tail(std::vector<ir::Operand>&, const ir::Form&, ir::OperandRule);
  bool box(std::vector<ir::Operand>&);
  // The function's next operands are the instruction's; false, with `too_many` said, where they are more than 255.
  bool keep_operands(ir::Instruction&, const std::vector<ir::Operand>& destinations,
                     const std::vector<ir::Operand>& sources, std::string_view too_many);
  bool check_vector(const ir::Form&, ir::OperandRule, std::size_t count, const Token& where);
  void add_carry(const ir::Form&, std::vector<ir::Operand>& destinations, std::vector<ir::Operand>& sources);

  // sites.cpp
  void make_site(ir::Instruction&, const ir::Form&);
  bool is_indexed(const ir::Instruction&,
                  const ir::Form&) const; // a load from parameters: at a place that only the run knows
  void note_parameter_address(const ir::Instruction&, const ir::Form&);

  Cursor c_;
  ir::Module m_;
  LineTable lines_;
  std::vector<diag::Diagnostic> warnings_;
  Scopes scopes_;
  NameMap<ir::FormId> forms_;
  std::unordered_map<std::string, ir::FunctionId> functions_;

  struct Unresolved {
    ir::VariableId variable;
    u32 relocation;
    Token name;
  };
  std::vector<Unresolved> unresolved_; // the newest, without a variable, are of the initialiser at hand
  std::vector<u64> rows_;              // bytes of a row of each dimension of the array at hand

  struct Label {
    u32 at = 0; // instruction index
    bool placed = false;
    Token first_use;
    u32 same_as = itself; // the outer label that an unplaced one turned out to be
    static constexpr u32 itself = 0xffffffffu;
  };
  ir::FunctionId current_;
  std::unordered_set<u32> parameter_addresses_; // registers of the function at hand
  std::vector<Label> labels_;
  std::vector<NameMap<u32>> label_scopes_;
  std::unordered_map<std::string_view, std::vector<u32>> branch_tables_; // .branchtargets: labels
  struct PendingTable {
    u32 instruction;
    std::string_view name;
    Token where;
  };
  std::vector<PendingTable> pending_tables_;
  bool in_mov_ = false, takes_parts_ = false;
  u32 element_bits_ = 32; // of the instruction at hand, where it is a SIMD video instruction
  bool has_aliases_ = false;
  bool stacks_wanted_ = true;
  std::vector<ir::Operand> destinations_, sources_; // of the instruction at hand
  std::string_view unknown_part_;                   // of the instruction at hand
  std::deque<std::string> texts_;                   // spellings that stand nowhere in the text
  DebugInfo debug_;
  bool has_debug_info_ = false; // code labels are only worth keeping then
};

} // namespace warplens::ptx
