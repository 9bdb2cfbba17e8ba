// Code: one PTX function, lowered for the emulator. Registers became slots (several registers whose lives do
// not overlap share one), immediates and addresses of variables became constant slots, every instruction one
// or a few Ops. Blocks are laid out in the order of the text; `join` ops mark where diverged lanes meet.
#pragma once
#include "ir/module.h"
#include "sim/kernels/kernels.h"
#include "sim/kernels/matrices.h"
#include "sim/lower/ops.h"
#include "sim/value/value.h"
#include <algorithm>
#include <cassert>
#include <memory>
#include <span>

namespace warplens::sim {

// Computes an op on affine forms; false when the result has none (then lanes are computed). `source` has
// op.sources values.
using AffineRule = bool (*)(const Shape&, const Op&, const Value* const* source, Value& result);

using SlotId = u32;
inline constexpr SlotId no_slot = 0xffffffffu;
inline constexpr u32 no_target = 0xffffffffu;

// What an op executes, on what, and how. Beyond that, each kind has at most one payload (ops.def says which);
// to ask an op for another one is an error.
class Op {
public:
  struct Arithmetic {
    KernelFunction kernel = nullptr, masked_kernel = nullptr;
    AffineRule affine = nullptr;
    Variant variant;           // of both kernels
    u32 stored_by = no_target; // where the op may alias memory: the op that stores the result
  };
  struct Jump {
    u32 target = no_target;        // op index; none for a table
    u32 reconvergence = no_target; // op index: where diverged lanes meet
    u32 table = 0;                 // branch_table: in Code::tables
    bool spins = false;            // backwards, in a loop that may wait for other threads
    bool by_lanes = false; // of a warp's two sides the one with more lanes waits: see Lowering::order_sides()
  };
  struct Predicate { // of a vote or a barrier
    bool negated = false;
    bool after_count = false; // a number of threads stands before it
  };

private: // first, so that what every op needs shares a cache line
  union Storage {
    Storage() : arithmetic{} {}
    Arithmetic arithmetic;
    Jump jump;
    u32 index;
    ir::Special special;
    Predicate predicate;
  };
  Handler run_; // of the kind: the loop that executes ops need not look it up
  Storage payload_;
  OpKind kind_;

  const Storage& need([[maybe_unused]] Payload payload) const { return assert(has(payload)), payload_; }
  Storage& need([[maybe_unused]] Payload payload) { return assert(has(payload)), payload_; }

public:
  bool guard_negated = false;
  u8 destinations = 0, sources = 0;
  bool kills = false;     // destinations hold nothing that a waiting lane needs (slots.h)
  bool may_alias = false; // loads, compute: the destination may be an alias of memory (aliasing.cpp)
  bool sign = false;      // resize, memory: sign-extend; load_matrix, store_matrix: transposed
  u8 element_bytes = 0;   // memory: of one vector element
  u8 elements = 1;
  ir::StateSpace space{}; // memory, is_space, to_generic, from_generic
  u32 instruction = 0;    // in the ir::Function
  SlotId guard = no_slot;
  ir::SiteId site;
  std::array<SlotId, 10> slot; // destinations, then sources; no_slot where the text has '_'
  i64 offset = 0;              // memory: added to the address
  const ir::Form* form = nullptr;

  explicit Op(OpKind kind) : run_(sim::traits(kind).handler), kind_(kind) {
    slot.fill(no_slot);
    if (has(Payload::jump)) payload_.jump = {};
  }
  void execute(Exec& x) const { run_(x, *this); }
  OpKind kind() const { return kind_; }
  const OpTraits& traits() const { return sim::traits(kind_); }
  bool has(Payload payload) const { return traits().payload == payload; }

  SlotId destination(u32 i) const { return slot[i]; }
  SlotId source(u32 i) const { return slot[destinations + i]; }

  const Arithmetic& arithmetic() const { return need(Payload::arithmetic).arithmetic; }
  Arithmetic& arithmetic() { return need(Payload::arithmetic).arithmetic; }
  const Jump& jump() const { return need(Payload::jump).jump; }
  Jump& jump() { return need(Payload::jump).jump; }
  u32 table_index() const { return assert(kind_ == OpKind::branch_table), jump().table; }
  u32 call_index() const { return need(Payload::call).index; }   // in Code::calls
  u32 block_start() const { return need(Payload::block).index; } // op index
  ir::Special special() const { return need(Payload::special).special; }
  const Predicate& predicate() const { return need(Payload::predicate).predicate; }

  u32 product_index() const { return need(Payload::product).index; } // in Code::products

  void set_call_index(u32 index) { need(Payload::call).index = index; }
  void set_product_index(u32 index) { need(Payload::product).index = index; }
  void set_block_start(u32 index) { need(Payload::block).index = index; }
  void set_special(ir::Special special) { need(Payload::special).special = special; }
  void set_predicate(const Predicate& predicate) { need(Payload::predicate).predicate = predicate; }
};
static_assert(sizeof(Op) <= 128); // the loop that executes ops reads them in turn

struct Constant {
  enum class Kind : u8 {
    value,
    shared,
    local
  }; // shared, local: the variable's offset, known per launch or frame
  SlotId slot = 0;
  Kind kind = Kind::value;
  u64 value = 0; // or the byte offset added to the variable
  ir::VariableId variable;
};

struct CallSite {        // of one call op: which parameter bytes go where
  ir::FunctionId callee; // not valid: indirect, through the op's source 0
  std::vector<ir::VariableId> argument_variables, result_variables; // in the caller
};

// By a variable's number: its place in the thread's parameter memory; 0 for others.
struct ParameterOffsets {
  std::vector<std::pair<ir::VariableId, u32>> sorted;
  u32 operator[](u32 variable) const {
    auto found = std::lower_bound(sorted.begin(), sorted.end(), variable,
                                  [](const auto& entry, u32 wanted) { return entry.first.value < wanted; });
    return found != sorted.end() && found->first.value == variable ? found->second : 0;
  }
};

// A multiplication of matrices: where its operands are among the rows of Exec::matrix.
struct MatrixProduct {
  MatrixKind kind;
  Multiply multiply = nullptr;
  u32 a = 0, b = 0, c = 0, metadata = 0;
  // wgmma: D, which is C too, has so many blocks of 8 columns; A is in registers or, like B, described; it is given by
  // columns, B by rows; the product counts negative.
  u32 blocks = 0;
  bool a_described = false, a_columns = false, b_rows = false, negated = false;
};

struct Code {
  const ir::Module* module = nullptr;
  const ir::Function* function = nullptr;
  ir::FunctionId id;
  std::vector<Op> ops;
  std::vector<u8> slot_bits; // [slots]
  std::vector<Constant> constants;
  std::vector<SlotId> live_at_entry;    // registers read before they are written: zero
  std::vector<CallSite> calls;          // by Op::call_index
  std::vector<std::vector<u32>> tables; // by Op::table_index: op index per entry
  std::vector<MatrixProduct> products;  // by Op::product_index
  ParameterOffsets parameter_offset;    // .param variables of a .func and its call sites
  u32 parameter_bytes = 0;              // per thread, .func and call-site .param variables
  u32 local_bytes = 0;                  // per thread, .local variables
  std::vector<u32> loops;               // [ops + 1]: backward branches before each op
  bool allocates = false;               // alloca; the last source of a call is then what the thread holds
  u32 worst_live_registers = 0;         // 32-bit registers live at once, at the worst point
};

// Where the variables of a function that live in per-thread memory sit: variable → offset.
struct Placement {
  std::vector<std::pair<ir::VariableId, u32>> local, param; // in the order of the variables
  u32 local_bytes = 0, param_bytes = 0;
  u32 offset_of(ir::VariableId, bool local) const;
};
Placement place_thread_variables(const ir::Module&, const ir::Function&);

// Function addresses as kernels see them: not memory, just distinct numbers that are easy to recognise.
inline constexpr u64 function_address_base = u64{0xf} << 40;
inline constexpr u64 function_address_step = 16;

// `variable_address`: of each variable of the module, where global and constant ones are. The module outlives the code.
std::unique_ptr<Code> lower(const ir::Module&, std::span<const u64> variable_address, ir::FunctionId);

} // namespace warplens::sim
