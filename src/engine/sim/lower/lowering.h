// One function on its way from ir to ops: what the files lower*.cpp share. Each family of instructions has a file of its
// own; per instruction it picks the kind of op, turns operands into slots and fits widths.
//
//   lower.cpp           the passes, and those that look at all ops together
//   lower_operands.cpp  operands as slots: what every family uses
//   lower_compute.cpp   arithmetic and moves      lower_memory.cpp   loads, stores, atomics
//   lower_copy.cpp      asynchronous copies       lower_matrix.cpp   matrices
//   lower_fragment.cpp  matrices of wmma, from memory and back
//   lower_control.cpp   branches and calls        lower_warp.cpp     warp-level instructions, barriers
//   lower_async.cpp     mbarrier, clusters, bulk copies      lower_video.cpp  parts of registers
//   lower_stack.cpp     alloca
//
// Slots are numbered registers first, then temporaries; constants are numbered apart, from constant_flag on, until
// slots.cpp gives all of them their places.
#pragma once
#include "ir/cfg.h"
#include "ir/fragment.h"
#include "ir/operands.h"
#include "sim/kernels/kernels.h"
#include "sim/lower/code.h"
#include "sim/lower/slots.h"
#include <map>
#include <span>
#include <unordered_map>

namespace warplens::sim {

// What an instruction needs beside its own: a form that computes lane by lane.
struct LaneForm {
  ir::Form form;
  Kernel kernel;
  LaneForm(std::string_view text, u32 sources)
      : form(*ir::parse_form(text)), kernel(*find_kernel(form, 1, sources)) {}
};

class Lowering {
public:
  Lowering(const ir::Module&, std::span<const u64> variable_address, ir::FunctionId);
  std::unique_ptr<Code> run();

private:
  // lower.cpp
  void lower_blocks(const ir::Cfg& cfg);
  bool reconverges(const ir::Cfg& cfg, std::size_t block) const;
  BlockLayout layout(const ir::Cfg& cfg) const;
  void instruction(const ir::Instruction& i);
  void unsupported(const ir::Instruction& i) { emit(OpKind::unsupported, i); }
  void resolve_targets();
  void drop_unread_results();
  static bool is_unread_atomic(const Op& op);
  u32 lowest_target(const Op& op) const;
  void mark_waiting_loops();
  void count_loops(const ir::Cfg& cfg);
  void order_sides();
  std::vector<std::vector<u32>> successors() const;

  // lower_operands.cpp
  static constexpr SlotId constant_flag = 0x80000000u;
  SlotId constant_begin() const { return constant_flag; }
  Op& append(OpKind kind, u32 at);
  Op& emit(OpKind kind, const ir::Instruction& i); // with its guard
  SlotId temporary(u32 bits);
  SlotId constant(Constant::Kind kind, u64 value, u32 bits, ir::VariableId variable = {});
  u32 bits_of(SlotId slot) const;
  SlotId resized(const ir::Instruction& i, SlotId from, u32 bits, bool sign);
  SlotId address_of(const ir::Operand& o, u32 bits);
  void place_kernel_parameters();
  bool is_kernel_parameter(ir::VariableId id) const { return kernel_parameters_.contains(id); }
  u64 parameter_offset(ir::VariableId id) const;
  // A source as a slot of `bits` bits; predicates that the text negates are negated here.
  SlotId source(const ir::Instruction& i, const ir::Operand& o, u32 bits, bool sign = false);
  SlotId upper_half(const ir::Operand& o);
  SlotId negated(const ir::Instruction& i, SlotId predicate);
  // In every lane, whether or not the instruction's guard holds there.
  SlotId computed(const ir::Instruction& i, const LaneForm& step, u32 bits,
                  std::initializer_list<SlotId> sources);
  Op& read_special(const ir::Instruction& i, ir::Special special, SlotId to);
  // The base of an address operand as a slot; the constant part goes to Op::offset.
  SlotId address(const ir::Operand& o, i64& offset);

  // lower_compute.cpp
  struct Rule { // how a form computes; found once per form and number of operands
    std::optional<Kernel> kernel;
    AffineRule affine = nullptr;
    std::vector<bool> source_signed;
  };
  const Rule& rule_of(const ir::Instruction& i);
  void compute(const ir::Instruction& i);
  void simple(const ir::Instruction& i, OpKind kind, SlotId to, SlotId from, ir::StateSpace space = {});
  void move(const ir::Instruction& i);
  void create_policy(const ir::Instruction& i);
  void move_vector(const ir::Instruction& i);
  void move_wide(const ir::Instruction& i);
  void pack_or_unpack(const ir::Instruction& i, const ir::Form& form);

  // lower_video.cpp
  bool has_parts(const ir::Instruction& i) const;
  SlotId number(u32 value);
  SlotId part_of_source(const ir::Instruction& i, u32 s);
  SlotId clamped(const ir::Instruction& i, SlotId result, u32 bits);
  void compute_parts(const ir::Instruction& i);
  SlotId picked_elements(const ir::Instruction& i, u32 s, SlotId a, SlotId b);
  SlotId chosen_bits(const ir::Instruction& i, u32 mask, SlotId where_set, SlotId elsewhere);
  void compute_elements(const ir::Instruction& i);

  // lower_stack.cpp
  void stack(const ir::Instruction& i);

  // lower_memory.cpp
  bool is_thread_parameter(const ir::Form& form, const ir::Operand& address) const;
  static OpKind memory_kind(const ir::Form& form, bool thread_parameter);
  void memory(const ir::Instruction& i);

  // lower_copy.cpp
  void copy(const ir::Instruction& i);
  void transfer(Op& op, const ir::Operand& where, ir::StateSpace space, u32 words);
  SlotId copied_size(const ir::Instruction& i, const ir::Operand& given, u64 bytes);

  // lower_async.cpp
  SlotId cluster_address(const ir::Instruction& i,
                         SlotId from); // the generic address of one in .shared::cluster
  // As address(); where it is one of .shared::cluster, the generic one, and `space` says so.
  SlotId address_in(const ir::Instruction& i, const ir::Operand& o, ir::StateSpace& space, i64& offset);
  void mbarrier(const ir::Instruction& i);
  void cluster_map(const ir::Instruction& i);
  SlotId whole_address(const ir::Instruction& i, const ir::Operand& o); // its constant part added
  SlotId packed_offsets(const ir::Instruction& i, std::span<const ir::Operand> offsets);
  void bulk_copy(const ir::Instruction& i);
  void tensor_map(const ir::Instruction& i);     // changes or copies one
  void complete_async(const ir::Instruction& i); // what st.async and red.async do to their mbarrier

  // lower_matrix.cpp
  void gather_warp(const ir::Instruction& i);
  SlotId matrix_address(const ir::Instruction& i, i64& offset);
  std::optional<std::vector<SlotId>> destinations(const ir::Instruction& i, u32 bits) const;
  std::optional<std::vector<SlotId>> sources(const ir::Instruction& i, std::span<const ir::Operand> operands,
                                             u32 bits);
  Op& emit_transfer(const ir::Instruction& i, OpKind kind, std::span<const SlotId> registers, SlotId where,
                    i64 offset);
  void emit_matrices(const ir::Instruction& i, OpKind kind, std::span<const SlotId> registers, SlotId where,
                     i64 offset, bool transposed);
  void load_matrix(const ir::Instruction& i);
  void store_matrix(const ir::Instruction& i);
  void transpose(const ir::Instruction& i, SlotId to, SlotId from);
  void move_matrix(const ir::Instruction& i);
  bool keep(const ir::Instruction& i, std::span<const ir::Operand> operands, u32 bits, u32 first);
  void take(const ir::Instruction& i, std::span<const ir::Operand> to);
  void emit_product(const ir::Instruction& i, const MatrixProduct& product, std::span<const ir::Operand> to);
  void multiply_matrices(const ir::Instruction& i);
  void multiply_fragments(const ir::Instruction& i);
  void multiply_group(const ir::Instruction& i);

  // lower_fragment.cpp
  SlotId line_bytes(const ir::Instruction& i, const ir::Operand* stride);
  SlotId lines_on(const ir::Instruction& i, SlotId first, SlotId lines, SlotId bytes);
  SlotId fragment_base(const ir::Instruction& i, SlotId first, SlotId bytes);
  std::vector<SlotId> fragment_addresses(const ir::Instruction& i, std::span<const ir::FragmentPart> parts,
                                         const ir::Operand& where, const ir::Operand* stride, i64& offset);
  void emit_access(const ir::Instruction& i, OpKind kind, std::span<const SlotId> values, SlotId where,
                   i64 offset);
  void join_bytes(const ir::Instruction& i, SlotId to, std::span<const SlotId> bytes);
  void load_part(const ir::Instruction& i, const ir::FragmentPart& part, std::span<const SlotId> to,
                 SlotId where, i64 offset, std::vector<SlotId>& bytes);
  void load_fragment(const ir::Instruction& i);
  void store_fragment(const ir::Instruction& i);
  void fragment(const ir::Instruction& i);

  // lower_texture.cpp
  void texture(const ir::Instruction& i);
  void keep(const ir::Instruction& i, std::span<const SlotId> slots);

  // lower_control.cpp
  void control(const ir::Instruction& i);
  void call(const ir::Instruction& i);

  // lower_warp.cpp
  void warp(const ir::Instruction& i);
  void barrier(const ir::Instruction& i);

  const ir::Module& module_;
  const std::span<const u64> variable_address_; // [variables]
  const ir::Function& function_;
  std::unique_ptr<Code> code_;
  Placement placement_;
  std::unordered_map<ir::VariableId, u64> kernel_parameters_; // offsets; empty for a .func
  std::vector<u8> bits_;                                      // registers, then temporaries
  std::unordered_map<u32, SlotId> upper_halves_;              // of registers of 128 bits
  SlotId held_ = no_slot; // bytes that a thread has by alloca, behind the function's variables
  std::vector<SizedConstant> constants_;
  std::map<std::tuple<Constant::Kind, u64, u32, u32>, SlotId> constant_index_;
  std::unordered_map<u64, Rule> rules_;
  std::vector<u32> block_start_, block_end_; // op indices
  u32 current_ = 0;                          // the instruction that is being lowered
  ir::BlockId join_block_;                   // where lanes that part at it meet
};

} // namespace warplens::sim
