// Code: one PTX function, lowered for the emulator. Registers became slots (several registers whose lives do
// not overlap share one), immediates and addresses of variables became constant slots, every instruction one
// Op with the function that executes it. Blocks are laid out in the order of the text; `join` ops mark where
// diverged lanes meet.
#pragma once
#include "ir/module.h"
#include "sim/kernels/kernels.h"
#include "sim/value/value.h"
#include <algorithm>

namespace warplens::sim {

struct Exec;
struct Op;
using Handler = void (*)(Exec&, const Op&);
// Computes an op on closed forms; false when the result has none (then lanes are computed). `source` has
// op.sources values.
using ClosedRule = bool (*)(const Shape&, const Op&, const Value* const* source, Value& result);

using SlotId = u32;
inline constexpr SlotId no_slot = 0xffffffffu;
inline constexpr u32 no_target = 0xffffffffu;

struct Op {
  Handler run = nullptr;
  u32 instruction = 0; // in the ir::Function
  SlotId guard = no_slot;
  bool guard_negated = false;
  u8 destinations = 0, sources = 0;
  std::array<SlotId, 10> slot{}; // destinations, then sources; no_slot where the text has '_'
  u32 more = 0;                  // into Code::more_slots when there are more than 10

  // What else a handler needs; each family documents its own use of them.
  KernelFunction kernel = nullptr, masked_kernel = nullptr;
  Variant variant; // of both kernels
  ClosedRule closed = nullptr;
  const ir::Form* form = nullptr;
  i64 offset = 0;            // memory: added to the address
  u32 target = no_target;    // control: op index
  u32 join = no_target;      // control: where diverged lanes meet
  u32 stored_by = no_target; // compute that borrows: the op that stores the result
  ir::SiteId site;
  ir::StateSpace space{}; // memory
  u8 element_bytes = 0;   // memory: of one vector element
  u8 elements = 1;
  u8 address_bits = 64;
  bool sign = false;       // resize, loads: sign-extend
  bool overwrites = false; // destinations hold nothing that a waiting lane needs (slots.h)
  bool borrows = false;    // loads, compute: the destination may be an alias of memory (aliasing.cpp)
  bool waits = false;      // control: a backward branch of a loop that may wait for other threads
  u32 aux = 0;

  SlotId destination(u32 i) const { return slot[i]; }
  SlotId source(u32 i) const { return slot[destinations + i]; }
};

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

struct CallSite { // of one call op: which parameter bytes go where
  struct Copy {
    u32 from = 0, to = 0, bytes = 0;
  };
  ir::FunctionId callee; // not valid: indirect, through the op's source 0
  std::vector<ir::VariableId> argument_variables, result_variables; // in the caller
  std::vector<SlotId> argument_slots, result_slots;                 // register-style .func
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

struct Code {
  const ir::Module* module = nullptr;
  const ir::Function* function = nullptr;
  ir::FunctionId id;
  std::vector<Op> ops;
  std::vector<SlotId> more_slots;
  std::vector<u8> slot_bits; // [slots]
  std::vector<Constant> constants;
  std::vector<SlotId> live_at_entry;    // registers read before they are written: zero
  std::vector<CallSite> calls;          // Op::aux of call ops
  std::vector<std::vector<u32>> tables; // Op::aux of brx ops: op index per entry
  ParameterOffsets parameter_offset;    // .param variables of a .func and its call sites
  u32 parameter_bytes = 0;              // per thread, .func and call-site .param variables
  u32 local_bytes = 0;                  // per thread, .local variables
  std::vector<u32> loops;               // [ops + 1]: backward branches before each op
  bool has_calls = false;
  u32 worst_live_registers = 0; // 32-bit registers live at once, at the worst point
};

// Where the variables of a function that live in per-thread memory sit: variable → offset.
struct Placement {
  std::vector<std::pair<ir::VariableId, u32>> local, param; // in the order of the variables
  u32 local_bytes = 0, param_bytes = 0;
  u32 offset_of(ir::VariableId, bool local) const;
};
Placement place_thread_variables(const ir::Module&, const ir::Function&);

} // namespace warplens::sim
