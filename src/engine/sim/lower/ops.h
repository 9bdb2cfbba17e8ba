// What an op is, as data: its kind, the handler that executes it and the properties that other parts of the
// program ask for, all from the rows of ops.def. Whoever wants to know what an op is asks for its kind or for
// a property, never for the address of its handler.
#pragma once
#include "ir/form.h"
#include <array>
#include <optional>

namespace warplens::sim {

struct Exec;
struct Op;
using Handler = void (*)(Exec&, const Op&);

namespace ops {
#define OP(name, ...) void name(Exec&, const Op&);
#include "sim/lower/ops.def"
} // namespace ops

enum class OpKind : u8 {
#define OP(name, ...) name,
#include "sim/lower/ops.def"
};

// In each of these, the first is the one that is right for an op of which nothing is known.

// When an op does the same for a thread whether or not neighbouring CTAs run in lockstep with it
// (Program::Impl::runs_in_lockstep).
enum class Lockstep : u8 {
  never,
  calls,    // when what it calls is defined, or computes only
  barriers, // when all threads of a CTA come to the barrier, and nothing is exchanged there
  loops,    // unless it closes a loop that may wait for other threads
  always
};

// What an op may do to memory, as far as a register that lies in memory must know (aliasing.cpp).
enum class MemoryUse : u8 {
  orders, // writes it, orders it, or lets other lanes go on, which may
  stores, // writes it, having read its sources lane by lane; more than one element per lane: orders
  loads,  // reads it; orders, where the access is not weak
  none
};

// Which of an Op's payloads it has (code.h).
enum class Payload : u8 { none, arithmetic, jump, call, block, special, predicate, product };

// What folding makes of it (fold/shadow.cpp).
enum class FoldRule : u8 {
  unsupported, // a launch that executes it cannot be folded
  compute,
  resize,
  move,
  special,
  pack,
  unpack,
  offset,
  is_space,
  load,
  load_argument,
  store,
  store_argument,
  atomic,
  conditional, // who goes where depends on the guard
  leave,
  table,
  call,
  barrier,
  warp_barrier,
  shuffle,
  gather, // value first, then the lanes that take part
  elect,
  active_mask,
  untracked, // has no result, and nothing that it does depends on the CTA
  opaque     // its results are not followed
};

struct OpTraits {
  OpKind kind;
  Handler handler;
  Lockstep lockstep;
  MemoryUse memory;
  Payload payload;
  FoldRule fold;
};

inline constexpr OpTraits op_table[] = {
#define OP(name, lockstep, memory, payload, fold)                                                            \
  {OpKind::name, ops::name, Lockstep::lockstep, MemoryUse::memory, Payload::payload, FoldRule::fold},
#include "sim/lower/ops.def"
};

constexpr const OpTraits& traits(OpKind kind) { return op_table[static_cast<std::size_t>(kind)]; }

struct LoweredAs {
  ir::Opcode opcode;
  OpKind kind;
};
inline constexpr LoweredAs lowered_table[] = {
#define LOWERS(opcode, kind) {ir::Opcode::opcode, OpKind::kind},
#include "sim/lower/ops.def"
};

// The kind that an instruction becomes as it stands; none where lower_*.cpp makes more of it.
constexpr std::optional<OpKind> lowered_as(ir::Opcode opcode) {
  for (const LoweredAs& row : lowered_table)
    if (row.opcode == opcode) return row.kind;
  return {};
}

// Every kind has its row, in its place, and no row contradicts itself.
consteval bool rows_are_consistent() {
  for (std::size_t i = 0; i < std::size(op_table); ++i) {
    const OpTraits& row = op_table[i];
    if (row.kind != static_cast<OpKind>(i)) return false;
    bool writes_unfollowed = row.memory == MemoryUse::stores && row.fold != FoldRule::store;
    if (writes_unfollowed || (row.payload == Payload::arithmetic) != (row.fold == FoldRule::compute))
      return false;
    // The questions that these ask need the payload (program/program.cpp).
    if ((row.payload == Payload::jump) != (row.lockstep == Lockstep::loops)) return false;
    if ((row.payload == Payload::call) != (row.lockstep == Lockstep::calls)) return false;
    if (row.lockstep == Lockstep::barriers && row.payload != Payload::predicate) return false;
  }
  return true;
}
static_assert(rows_are_consistent());

} // namespace warplens::sim
