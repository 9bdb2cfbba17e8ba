// ir::Module: what every code front end produces and both engines consume; the first narrow waist.
//
// It is PTX made regular: names resolved to ids, forms and source locations interned, calls and vectors
// flattened, control flow cut into basic blocks. It holds no behaviour. Instructions keep PTX's meaning one
// to one, so that a count can always be traced to a PTX line and from there to source.
//
// Conventions
//   * `{a, b}` vectors are flattened: ld.v2 has two destinations, st.v4 one address and four sources, in the
//     order of the text. An '_' is an operand of kind `none`.
//   * `d|p` is two destinations. The carry flag of add.cc/addc/sub.cc/subc/mad.cc/madc is the register
//     Function::carry: an extra last destination of .cc forms, an extra last source of addc/subc/madc.
//   * An address `[r+8]` is one operand of kind `address`; `[symbol+8]` likewise with `symbol` set; `[4096]`
//     has neither.
//   * A guard `@!p` is Instruction::guard with guard_negated; a negated predicate source is Operand::negated.
//   * `call (r), f, (a, b)`: destinations are the return operands, sources are the callee (kind `function`,
//     or the register of an indirect call) and the arguments; .param variables appear as kind `variable`,
//     registers as `reg`.
//   * brx.idx: one register source, and Instruction::targets lists the blocks.
//   * Every block ends with bra, brx, ret, exit, trap, or falls through to the next block.
#pragma once
#include "access/site.h"
#include "ir/form.h"
#include <span>
#include <string>
#include <vector>

namespace warplens::ir {

using RegisterId = Id<struct RegisterTag>; // per function
using VariableId = Id<struct VariableTag>; // per module, functions' own variables included (Variable::owner)
using FunctionId = Id<struct FunctionTag>;
using BlockId = Id<struct BlockTag>;       // per function
using FormId = Id<struct FormTag>;         // per module
using LocationId = Id<struct LocationTag>; // per module
using NameId = Id<struct NameTag>;         // per module
using SiteId = access::SiteId;             // per module

// Special registers: SPECIAL(id, "text", bits). Components are separate: %tid.x is tid_x.
enum class Special : u8 {
#define SPECIAL(id, text, bits) id,
#include "ir/specials.def"
#undef SPECIAL
};
std::string_view name(Special);
u32 bits(Special);
std::optional<Special> special_named(std::string_view); // with the %: "%tid.x"

// The part of a register that a video instruction takes or writes: "r1.b2". `several`: Operand::value says which
// (operands.h, ElementList).
enum class Part : u8 { whole, b0, b1, b2, b3, h0, h1, several };
std::string_view name(Part); // "b2"; empty for whole and several
std::optional<Part> part_named(std::string_view);

struct Operand {
  enum class Kind : u8 { none, reg, immediate, special, address, variable, function, label };
  Kind kind = Kind::none;
  bool negated = false; // predicate sources: !p; of vmad: -r
  Special special{};
  Part part = Part::whole;
  RegisterId reg;      // reg; base register of an address, if any
  VariableId variable; // variable (its address); base symbol of an address, if any
  FunctionId function; // function (a callee, or a function's address in mov)
  BlockId block;       // label
  u64 value =
      0; // immediate: its bits, converted to the operand's type; address, variable: byte offset (signed)
};

struct Instruction {
  FormId form;
  RegisterId guard; // not valid: unconditional
  bool guard_negated = false;
  LocationId location; // not valid: no line information
  u32 ptx_line = 0;
  SiteId site;           // valid for instructions that access memory; of .param those with an index
  u32 first_operand = 0; // into Function::operands
  u8 destinations = 0;
  u8 sources = 0;
  u32 first_target = 0; // brx: into Function::targets
  u32 target_count = 0;
};

struct Register {
  std::string name;
  Type type = Type::none;
};

// A source position; `inlined_at` chains outwards, as .loc … inlined_at does.
struct Location {
  u32 file = 0; // into Module::files
  u32 line = 0;
  u32 column = 0;
  LocationId inlined_at;
  NameId function; // of the inlined body: mangled; not valid where unknown
};

struct Relocation { // a pointer in an initialiser
  u64 offset = 0;   // in the variable, bytes
  u32 size = 8;
  VariableId variable; // one of the two
  FunctionId function;
  u64 addend = 0;
  bool generic = false; // generic(symbol)
  u8 shift = 0;         // the stored value is the address >> shift: 0xFF00(symbol) has size 1, shift 8
};

struct Variable {
  std::string name;
  StateSpace space = StateSpace::global; // global constant shared local param
  Type type = Type::b8;                  // element type
  u64 size = 0;                          // bytes; 0 for extern shared arrays (dynamic shared memory)
  u32 alignment = 1;
  u32 offset = 0;        // of a kernel's parameter: it is placed no lower, as machine code knows where it is
  bool external = false; // .extern without a definition here
  bool visible = false;  // .visible / .weak / .common
  bool weak = false;     // .weak / .common: link() keeps one of several
  bool managed = false;  // .attribute(.managed)
  bool opaque = false;   // .texref, .samplerref, .surfref
  FunctionId owner;      // function-scope variables (shared, local, param); not valid at module scope
  std::vector<std::byte> initial; // shorter than size: the rest is zero
  std::vector<Relocation> relocations;
};

struct Block {
  u32 first = 0; // into Function::instructions
  u32 count = 0;
  std::vector<BlockId> successors; // taken branch first, then fall-through
};

struct Function {
  std::string name;
  bool entry = false;
  bool external = false; // declared, not defined here (vprintf, malloc, __nv_*, or another module's)
  bool visible = false;  // .visible / .weak: link() joins it with declarations of that name
  bool weak = false;
  bool noreturn = false;
  FunctionId alias_of;                // .alias: another name of that function, without a body of its own
  std::vector<VariableId> parameters; // .param variables in order (registers of old-style .func: see below)
  std::vector<VariableId> results;
  std::vector<RegisterId> register_parameters; // .func (.reg …) style; empty otherwise
  std::vector<RegisterId> register_results;
  std::vector<VariableId> variables; // every function-scope variable, parameters included
  std::vector<Register> registers;
  RegisterId carry; // the carry flag, if the function uses one
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<BlockId> targets; // of brx
  std::vector<Block> blocks;    // block 0 is the entry
  // Of machine code, by block: where lanes that diverge at its end wait for each other (BSYNC); not valid: nowhere. A block that ends
  // with a jump opens a region (BSSY) that ends there. Empty: the code does not say, and lanes meet where their ways do (cfg.h).
  std::vector<BlockId> meetings;
  std::array<u32, 3> max_threads{};      // .maxntid, 0 where absent
  std::array<u32, 3> required_threads{}; // .reqntid
  std::array<u32, 3> required_cluster{}; // .reqnctapercluster
  u32 most_in_cluster = 0;               // .maxclusterrank
  bool explicit_cluster = false;         // .explicitcluster
  u32 min_ctas = 0;                      // .minnctapersm
  bool is_machine_code = false;          // not PTX (src/code/translate)
  u32 reserved_shared =
      0; // of machine code: bytes of its shared memory, in front, that are the system's and not the program's
  u32 ptx_line = 0;

  std::span<const Operand> destinations(const Instruction& i) const {
    return {operands.data() + i.first_operand, i.destinations};
  }
  std::span<const Operand> sources(const Instruction& i) const {
    return {operands.data() + i.first_operand + i.destinations, i.sources};
  }
  std::span<const BlockId> branch_targets(const Instruction& i) const {
    return {targets.data() + i.first_target, i.target_count};
  }
};

struct Module {
  std::string name; // where it came from, for diagnostics: "app.ptx", "main.cu (compute_90)"
  u32 version_major = 0, version_minor = 0; // .version
  u32 sm = 0;                               // .target sm_90a → 90
  u32 address_bits = 64;
  std::vector<Form> forms;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<std::string> files;
  std::vector<std::string> names; // of inlined functions, which thousands of locations share
  std::vector<Location> locations;
  std::vector<access::Site> sites;

  const Form& form(const Instruction& i) const { return forms[i.form.value]; }
  // Not valid where there is none of that name. Linear; callers that look up often keep an index.
  FunctionId find_function(std::string_view name) const;
  VariableId find_variable(std::string_view name) const;
  // Innermost first, then the call sites it was inlined at.
  std::vector<access::SourceFrame> frames(LocationId) const;
};

} // namespace warplens::ir
