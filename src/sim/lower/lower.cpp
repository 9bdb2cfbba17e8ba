// ir::Function → Code. Per instruction: pick the handler, turn operands into slots, fit widths. Then lay out
// branches, mark loops that wait for other threads, and let registers whose lives do not overlap share slots
// (slots.cpp), so that the registers of a whole CTA stay in the cache.
#include "ir/cfg.h"
#include "ir/operands.h"
#include "sim/exec/exec.h"
#include "sim/kernels/matrices.h"
#include "sim/lower/slots.h"
#include "sim/lower/spin_loops.h"
#include "sim/program.h"
#include <algorithm>
#include <map>
#include <unordered_map>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

// What an instruction needs beside its own: a form that computes lane by lane.
struct LaneForm {
  ir::Form form;
  Kernel kernel;
  LaneForm(std::string_view text, u32 sources)
      : form(*ir::parse_form(text)), kernel(*find_kernel(form, 1, sources)) {}
};

u8 register_bits(Type type) {
  u32 bits = ir::bits(type);
  return static_cast<u8>(bits <= 1 ? 1 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64);
}

class Lowering {
public:
  Lowering(const Program::Impl& program, ir::FunctionId id)
      : program_(program), module_(program.module), function_(module_.functions[id.value]) {
    code_ = std::make_unique<Code>();
    code_->module = &module_;
    code_->function = &function_;
    code_->id = id;
    placement_ = place_thread_variables(module_, function_);
    code_->local_bytes = placement_.local_bytes;
    code_->parameter_bytes = placement_.param_bytes;
    code_->parameter_offset.sorted = placement_.param;
    place_kernel_parameters();
    for (const ir::Register& r : function_.registers) bits_.push_back(register_bits(r.type));
  }

  // The order of the passes: each works on what the one before it leaves.
  std::unique_ptr<Code> run() {
    ir::Cfg cfg = ir::analyse(function_);
    lower_blocks(cfg);
    // First: the others follow branches, whose targets have been blocks so far, as those behind them were not
    // placed.
    resolve_targets();
    // Before loops are looked at: an atomic whose result nobody reads does not wait for others.
    drop_unread_results();
    mark_waiting_loops();
    count_loops();
    // While each register still has a number of its own, since it counts who reads and writes a register; and
    // before slots are shared, because registers that lie in memory share them with their like only.
    mark_aliases(*code_, bits_.size(), block_start_, block_end_);
    allocate_slots(*code_, bits_, constant_begin(), constants_, block_start_, block_end_, successors());
    // Last: what a waiting lane would lose is what is in the slot, whichever register put it there.
    mark_killing(*code_, layout(cfg));
    return std::move(code_);
  }

private:
  void lower_blocks(const ir::Cfg& cfg) {
    std::vector<bool> joins(function_.blocks.size());
    for (std::size_t b = 0; b < function_.blocks.size(); ++b)
      if (function_.blocks[b].successors.size() > 1 && cfg.post_dominator[b].valid())
        joins[cfg.post_dominator[b].value] = true;
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
      block_start_.push_back(static_cast<u32>(code_->ops.size()));
      if (joins[b]) append(OpKind::reconverge, 0);
      if (reconverges(cfg, b)) append(OpKind::reconverge_early, 0).set_block_start(block_start_.back());
      const ir::Block& block = function_.blocks[b];
      for (u32 i = block.first; i < block.first + block.count; ++i) {
        current_ = i;
        join_block_ = cfg.post_dominator[b];
        instruction(function_.instructions[i]);
      }
      block_end_.push_back(static_cast<u32>(code_->ops.size()));
    }
    // Control that runs off the end returns, as PTX says.
    append(OpKind::ret,
           function_.instructions.empty() ? 0 : static_cast<u32>(function_.instructions.size() - 1));
    if (!block_end_.empty()) block_end_.back() = static_cast<u32>(code_->ops.size());
  }

  // Whether several paths come to a block from before it: lanes may meet there.
  static bool reconverges(const ir::Cfg& cfg, std::size_t block) {
    const std::vector<ir::BlockId>& from = cfg.predecessors[block];
    return std::count_if(from.begin(), from.end(), [&](ir::BlockId p) { return p.value < block; }) > 1;
  }
  BlockLayout layout(const ir::Cfg& cfg) const {
    BlockLayout out{block_start_, block_end_, {}, successors(), {}};
    for (std::size_t b = 0; b < block_start_.size(); ++b) {
      out.reconvergence.push_back(cfg.post_dominator[b].valid() ? cfg.post_dominator[b].value : no_target);
      out.reconverges.push_back(reconverges(cfg, b));
    }
    return out;
  }

  // Slots are numbered registers first, then temporaries; constants are numbered apart, from constant_flag
  // on.
  static constexpr SlotId constant_flag = 0x80000000u;
  SlotId constant_begin() const { return constant_flag; }

  Op& append(OpKind kind, u32 at) {
    Op& op = code_->ops.emplace_back(kind);
    op.instruction = at;
    return op;
  }
  Op& emit(OpKind kind, const ir::Instruction& i) {
    Op& op = append(kind, current_);
    op.form = &module_.form(i);
    op.site = i.site;
    if (i.guard.valid()) {
      op.guard = i.guard.value;
      op.guard_negated = i.guard_negated;
    }
    return op;
  }
  SlotId temporary(u32 bits) {
    bits_.push_back(static_cast<u8>(bits));
    return static_cast<SlotId>(bits_.size() - 1);
  }
  SlotId constant(Constant::Kind kind, u64 value, u32 bits, ir::VariableId variable = {}) {
    if (kind == Constant::Kind::value && bits < 64) value &= (u64{1} << bits) - 1;
    auto key = std::tuple(kind, value, bits, variable.value);
    auto found = constant_index_.find(key);
    if (found != constant_index_.end()) return found->second;
    SlotId slot = constant_flag + static_cast<SlotId>(constants_.size());
    constants_.push_back({{slot, kind, value, variable}, static_cast<u8>(bits)});
    constant_index_.emplace(key, slot);
    return slot;
  }
  u32 bits_of(SlotId slot) const {
    return slot >= constant_flag ? constants_[slot - constant_flag].bits : bits_[slot];
  }

  SlotId resized(const ir::Instruction& i, SlotId from, u32 bits, bool sign) {
    SlotId to = temporary(bits);
    Op& op = emit(OpKind::resize, i);
    op.guard = no_slot; // harmless in every lane, and the result is then defined in every lane
    op.destinations = op.sources = 1;
    op.slot[0] = to;
    op.slot[1] = from;
    op.sign = sign;
    return to;
  }

  SlotId address_of(const Operand& o, u32 bits) {
    const ir::Variable& v = module_.variables[o.variable.value];
    u64 offset = o.kind == Operand::Kind::variable ? o.value : 0;
    switch (v.space) {
    case StateSpace::shared: return constant(Constant::Kind::shared, offset, bits, o.variable);
    case StateSpace::local:
      return constant(Constant::Kind::local, placement_.offset_of(o.variable, true) + offset, bits,
                      o.variable);
    case StateSpace::param:
      return constant(Constant::Kind::value, parameter_offset(o.variable) + offset, bits);
    default:
      return constant(Constant::Kind::value, program_.variable_address[o.variable.value] + offset, bits);
    }
  }
  void place_kernel_parameters() {
    u64 offset = 0;
    for (ir::VariableId id : function_.parameters) {
      if (!function_.entry) return;
      const ir::Variable& v = module_.variables[id.value];
      offset = align_up(offset, std::max<u32>(v.alignment, 1));
      kernel_parameters_.emplace(id, offset);
      offset += v.size;
    }
  }
  bool is_kernel_parameter(ir::VariableId id) const { return kernel_parameters_.contains(id); }
  u64 parameter_offset(ir::VariableId id) const {
    auto found = kernel_parameters_.find(id);
    return found != kernel_parameters_.end() ? found->second : placement_.offset_of(id, false);
  }

  // A source as a slot of `bits` bits; predicates that the text negates are negated here.
  SlotId source(const ir::Instruction& i, const Operand& o, u32 bits, bool sign = false) {
    switch (o.kind) {
    case Operand::Kind::none: return no_slot;
    case Operand::Kind::immediate: return constant(Constant::Kind::value, o.value, bits);
    case Operand::Kind::special: {
      SlotId slot = temporary(std::max<u32>(ir::bits(o.special), 32));
      read_special(i, o.special, slot).guard = no_slot;
      return bits_of(slot) == bits ? slot : resized(i, slot, bits, false);
    }
    case Operand::Kind::variable:
    case Operand::Kind::address: return address_of(o, bits);
    case Operand::Kind::function:
      return constant(Constant::Kind::value, function_address_base + o.function.value * function_address_step,
                      bits);
    case Operand::Kind::reg: break;
    case Operand::Kind::label: return no_slot;
    }
    SlotId slot = o.reg.value;
    if (o.negated) slot = negated(i, slot);
    if (bits_of(slot) == bits || bits == 1 || bits_of(slot) == 1) return slot;
    return resized(i, slot, bits, sign);
  }
  SlotId negated(const ir::Instruction& i, SlotId predicate) {
    static const LaneForm inverted("not.pred", 1);
    return computed(i, inverted, 1, {predicate});
  }
  // In every lane, whether or not the instruction's guard holds there.
  SlotId computed(const ir::Instruction& i, const LaneForm& step, u32 bits,
                  std::initializer_list<SlotId> sources) {
    SlotId to = temporary(bits);
    Op& op = emit(OpKind::compute, i);
    op.guard = no_slot;
    op.form = &step.form;
    op.arithmetic() = {step.kernel.function, step.kernel.masked, nullptr, step.kernel.variant};
    op.destinations = 1;
    op.sources = static_cast<u8>(sources.size());
    op.slot[0] = to;
    std::copy(sources.begin(), sources.end(), op.slot.begin() + 1);
    return to;
  }

  Op& read_special(const ir::Instruction& i, ir::Special special, SlotId to) {
    Op& op = emit(OpKind::special, i);
    op.destinations = 1;
    op.slot[0] = to;
    op.set_special(special);
    return op;
  }

  void unsupported(const ir::Instruction& i) { emit(OpKind::unsupported, i); }

  void instruction(const ir::Instruction& i) {
    switch (module_.form(i).family()) {
    case ir::Family::compute: return compute(i);
    case ir::Family::move: return move(i);
    case ir::Family::memory: return memory(i);
    case ir::Family::control: return control(i);
    case ir::Family::warp: return warp(i);
    case ir::Family::barrier: return barrier(i);
    case ir::Family::hint: emit(lowered_as(module_.form(i).opcode).value_or(OpKind::nothing), i); return;
    case ir::Family::unsupported: return unsupported(i);
    }
  }

  // How a form computes; found once per form and number of operands.
  struct Rule {
    std::optional<Kernel> kernel;
    AffineRule affine = nullptr;
    std::vector<bool> source_signed;
  };
  const Rule& rule_of(const ir::Instruction& i) {
    u64 key = u64{i.form.value} << 16 | u64{i.destinations} << 8 | i.sources;
    auto [entry, is_new] = rules_.try_emplace(key);
    if (is_new) {
      const ir::Form& form = module_.form(i);
      entry->second = {find_kernel(form, i.destinations, i.sources), find_affine_rule(form), {}};
      for (u32 s = 0; s < i.sources; ++s)
        entry->second.source_signed.push_back(
            ir::is_signed(ir::operand_type(form, i.destinations, i.sources, i.destinations + s)));
    }
    return entry->second;
  }

  void compute(const ir::Instruction& i) {
    const Rule& rule = rule_of(i);
    const std::optional<Kernel>& kernel = rule.kernel;
    if (!kernel) return unsupported(i);
    std::vector<SlotId> sources;
    for (u32 s = 0; s < i.sources; ++s) {
      const Operand& o = function_.sources(i)[s];
      sources.push_back(source(i, o, kernel->source_bits[s], rule.source_signed[s]));
    }
    std::vector<std::pair<SlotId, SlotId>> widen; // register ← temporary
    std::array<SlotId, 10> slot;
    slot.fill(no_slot);
    for (u32 d = 0; d < i.destinations; ++d) {
      const Operand& o = function_.destinations(i)[d];
      if (o.kind != Operand::Kind::reg) continue;
      slot[d] = o.reg.value;
      if (bits_of(o.reg.value) == kernel->destination_bits[d]) continue;
      slot[d] = temporary(kernel->destination_bits[d]);
      widen.push_back({o.reg.value, slot[d]});
    }
    std::copy(sources.begin(), sources.end(), slot.begin() + i.destinations);
    Op& op = emit(OpKind::compute, i);
    op.slot = slot;
    op.destinations = i.destinations;
    op.sources = i.sources;
    op.arithmetic() = {kernel->function, kernel->masked, widen.empty() ? rule.affine : nullptr,
                       kernel->variant};
    for (auto [to, from] : widen) {
      Op& resize = emit(OpKind::resize, i);
      resize.destinations = resize.sources = 1;
      resize.slot[0] = to;
      resize.slot[1] = from;
      resize.sign = kernel->destination_signed[0];
    }
  }

  void simple(const ir::Instruction& i, OpKind kind, SlotId to, SlotId from, StateSpace space = {}) {
    Op& op = emit(kind, i);
    op.destinations = op.sources = 1;
    op.slot[0] = to;
    op.slot[1] = from;
    op.space = space;
  }

  void move(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (form.opcode == Opcode::stacksave || form.opcode == Opcode::stackrestore ||
        form.opcode == Opcode::alloca || form.type() == Type::b128)
      return unsupported(i);
    if (i.destinations > 1 || i.sources > 1) return pack_or_unpack(i, form);
    const Operand& d = function_.destinations(i)[0];
    const Operand& s = function_.sources(i)[0];
    if (d.kind != Operand::Kind::reg) return;
    SlotId to = d.reg.value;
    u32 bits = bits_of(to);
    if (form.opcode == Opcode::isspacep)
      return simple(i, OpKind::is_space, to,
                    source(i, s, s.kind == Operand::Kind::reg ? bits_of(s.reg.value) : 64), form.space());
    if (form.opcode == Opcode::cvta) {
      SlotId from = source(i, s, s.kind == Operand::Kind::reg ? bits_of(s.reg.value) : bits);
      StateSpace space = form.space();
      bool windowed = space == StateSpace::shared || space == StateSpace::local || space == StateSpace::param;
      if (!windowed) return simple(i, bits_of(from) == bits ? OpKind::move : OpKind::resize, to, from);
      return simple(i, form.has(Modifier::to) ? OpKind::from_generic : OpKind::to_generic, to, from, space);
    }
    if (s.kind == Operand::Kind::special && bits == std::max<u32>(ir::bits(s.special), 32)) {
      read_special(i, s.special, to);
      return;
    }
    simple(i, OpKind::move, to, source(i, s, bits));
  }

  void pack_or_unpack(const ir::Instruction& i, const ir::Form& form) {
    bool packing = i.destinations == 1;
    u32 whole = std::max<u32>(ir::bits(form.type()), 16), parts = packing ? i.sources : i.destinations;
    if (parts > 8 || whole / parts < 8) return unsupported(i);
    u32 part = std::max<u32>(whole / parts, 16);
    std::vector<SlotId> slots;
    if (packing) {
      if (function_.destinations(i)[0].kind != Operand::Kind::reg) return;
      slots.push_back(function_.destinations(i)[0].reg.value);
      for (const Operand& o : function_.sources(i)) slots.push_back(source(i, o, part));
    } else {
      for (const Operand& o : function_.destinations(i))
        slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
      slots.push_back(source(i, function_.sources(i)[0], whole));
    }
    Op& op = emit(packing ? OpKind::pack : OpKind::unpack, i);
    op.destinations = i.destinations;
    op.sources = i.sources;
    std::copy(slots.begin(), slots.end(), op.slot.begin());
  }

  // The base of an address operand as a slot; the constant part goes to Op::offset.
  SlotId address(const Operand& o, i64& offset) {
    offset = static_cast<i64>(o.value);
    if (o.kind == Operand::Kind::address && o.reg.valid()) return o.reg.value;
    if (o.variable.valid()) {
      if (o.kind == Operand::Kind::variable) offset = 0;
      return address_of(o, 64);
    }
    offset = 0;
    return constant(Constant::Kind::value, o.value, 64);
  }

  bool is_thread_parameter(const ir::Form& form, const Operand& address) const {
    if (form.space() != StateSpace::param) return false;
    if (form.has(Modifier::param_entry)) return false;
    if (address.variable.valid()) return !is_kernel_parameter(address.variable);
    return !function_.entry;
  }

  static OpKind memory_kind(const ir::Form& form, bool thread_parameter) {
    switch (form.opcode) {
    case Opcode::st: return thread_parameter ? OpKind::store_thread_param : OpKind::store;
    case Opcode::ld:
    case Opcode::ldu: break;
    default: return OpKind::atomic;
    }
    if (thread_parameter) return OpKind::load_thread_param;
    return form.space() == StateSpace::param ? OpKind::load_param : OpKind::load;
  }

  void memory(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (form.opcode == Opcode::cp) return copy(i);
    if (form.opcode == Opcode::ldmatrix) return load_matrix(i);
    Type type = form.type();
    if (type == Type::b128 || form.has(Modifier::async) || ir::bytes(type) == 0) return unsupported(i);
    u32 value_bits = std::max<u32>(ir::bits(type), 16), policy = form.has(Modifier::l2_cache_hint) ? 1 : 0;
    i64 offset = 0;
    const Operand& where = function_.sources(i)[0];
    SlotId base = address(where, offset);
    std::vector<SlotId> slots;
    for (const Operand& o : function_.destinations(i))
      slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
    slots.push_back(base);
    for (u32 s = 1; s + policy < i.sources + 0u; ++s) {
      const Operand& o = function_.sources(i)[s];
      u32 bits = o.kind == Operand::Kind::reg ? std::max<u32>(bits_of(o.reg.value), value_bits) : value_bits;
      slots.push_back(source(i, o, bits));
    }
    if (slots.size() > 10) return unsupported(i);
    for (SlotId slot : slots)
      if (slot != no_slot && bits_of(slot) == 1) return unsupported(i); // a predicate where a value belongs
    OpKind kind = memory_kind(form, is_thread_parameter(form, where));
    if (kind == OpKind::atomic && form.atomic_op() == ir::AtomicOp::none) return unsupported(i);
    Op& op = emit(kind, i);
    std::copy(slots.begin(), slots.end(), op.slot.begin());
    op.destinations = i.destinations;
    op.sources = static_cast<u8>(slots.size() - i.destinations);
    op.offset = offset;
    op.space = form.space();
    op.element_bytes = static_cast<u8>(ir::bytes(type));
    op.elements = std::max<u8>(form.vector, 1);
    op.sign = ir::is_signed(type);
  }

  // cp.async is a load and a store. The copy may take place at any time before it is waited for; here it does when it is
  // issued, which a program could tell only by a race. So there is nothing to wait for, but other accesses stay where
  // they are.
  void copy(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (!ir::copies_asynchronously(form)) {
      emit(OpKind::fence, i);
      return;
    }
    std::span<const Operand> from = function_.sources(i);
    u64 bytes = from[2].value;
    bool sized = i.sources > (form.has(Modifier::l2_cache_hint) ? 4u : 3u), narrow = bytes == 4 || bytes == 8;
    if (from[2].kind != Operand::Kind::immediate || !(bytes == 16 || (narrow && form.has(Modifier::ca))))
      return unsupported(i);
    if (sized && from[3].kind == Operand::Kind::immediate && from[3].value >= bytes) sized = false;
    u32 words = static_cast<u32>(bytes / 4);
    SlotId size = sized ? copied_size(i, from[3], bytes) : no_slot;
    std::array<SlotId, 4> word{};
    for (u32 w = 0; w < words; ++w) word[w] = temporary(32);
    Op& load = emit(sized ? OpKind::load_sized : OpKind::load, i);
    std::copy(word.begin(), word.begin() + words, load.slot.begin());
    load.destinations = static_cast<u8>(words);
    load.sources = sized ? 2 : 1;
    load.slot[words + 1] = size;
    transfer(load, from[1], StateSpace::global, words);
    Op& store = emit(OpKind::store, i);
    store.site = {}; // counted with what is read
    std::copy(word.begin(), word.begin() + words, store.slot.begin() + 1);
    store.sources = static_cast<u8>(1 + words);
    transfer(store, from[0], StateSpace::shared, words);
  }
  void transfer(Op& op, const Operand& where, StateSpace space, u32 words) {
    op.slot[op.destinations] = address(where, op.offset);
    op.space = space;
    op.element_bytes = 4;
    op.elements = static_cast<u8>(words);
  }
  // How many bytes each lane reads: the source size, or none where a predicate says that the source is ignored.
  SlotId copied_size(const ir::Instruction& i, const Operand& given, u64 bytes) {
    static const LaneForm chosen("selp.u32", 3);
    if (given.kind != Operand::Kind::reg || bits_of(given.reg.value) != 1) return source(i, given, 32);
    SlotId ignores = source(i, given, 1);
    return computed(
        i, chosen, 32,
        {constant(Constant::Kind::value, 0, 32), constant(Constant::Kind::value, bytes, 32), ignores});
  }

  // All lanes of a warp take part in what follows.
  void gather_warp(const ir::Instruction& i) {
    SlotId members = constant(Constant::Kind::value, full_mask, 32);
    Op& op = emit(OpKind::warp_barrier, i);
    op.sources = 1;
    op.slot[0] = members;
  }

  void load_matrix(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    std::array<SlotId, 4> to;
    u32 count = 0;
    for (const Operand& o : function_.destinations(i)) {
      if (o.kind != Operand::Kind::reg || bits_of(o.reg.value) != 32) return unsupported(i);
      to[count++] = o.reg.value;
    }
    i64 offset = 0;
    SlotId where = address(function_.sources(i)[0], offset);
    if (form.space() == StateSpace::generic) {
      SlotId in_shared = temporary(bits_of(where));
      simple(i, OpKind::from_generic, in_shared, where, StateSpace::shared);
      where = in_shared;
    } else if (form.space() != StateSpace::shared) {
      return unsupported(i);
    }
    gather_warp(i);
    Op& op = emit(OpKind::load_matrix, i);
    op.destinations = static_cast<u8>(count);
    op.sources = 1;
    std::copy(to.begin(), to.begin() + count, op.slot.begin());
    op.slot[count] = where;
    op.offset = offset;
    op.space = StateSpace::shared;
    op.element_bytes = 16; // a row
  }

  // The operands are kept one after the other, which are more than an op has slots; then they are multiplied.
  void multiply_matrices(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (!can_multiply(form)) return unsupported(i);
    gather_warp(i);
    u32 row = 0;
    for (const ir::OperandGroup& group : ir::operand_groups(form, i.destinations, i.sources)) {
      if (group.rule.destination()) continue;
      u32 bits = ir::bits(group.type(form, 0));
      std::vector<SlotId> slots;
      for (u32 n = 0; n < group.count; ++n)
        slots.push_back(source(i, function_.sources(i)[group.first - i.destinations + n], bits));
      Op& op = emit(OpKind::keep_matrix, i);
      std::copy(slots.begin(), slots.end(), op.slot.begin());
      op.sources = static_cast<u8>(slots.size());
      op.offset = row; // the first of the rows that they are kept in
      row += group.count;
    }
    Op& op = emit(OpKind::multiply_matrices, i);
    for (const Operand& o : function_.destinations(i))
      op.slot[op.destinations++] = o.kind == Operand::Kind::reg ? o.reg.value : no_slot;
  }

  void control(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    u32 join = join_block_.valid() ? join_block_.value : no_target;
    switch (form.opcode) {
    case Opcode::bra: {
      Op& op = emit(i.guard.valid() ? OpKind::branch_if : OpKind::branch, i);
      op.jump() = {.target = function_.sources(i)[0].block.value, .reconvergence = join};
      return;
    }
    case Opcode::brx: {
      SlotId index = source(i, function_.sources(i)[0], 32);
      Op& op = emit(OpKind::branch_table, i);
      op.sources = 1;
      op.slot[0] = index;
      op.jump() = {.reconvergence = join, .table = static_cast<u32>(code_->tables.size())};
      std::vector<u32>& table = code_->tables.emplace_back();
      for (ir::BlockId b : function_.branch_targets(i)) table.push_back(b.value);
      return;
    }
    case Opcode::call: return call(i);
    default: break;
    }
    emit(lowered_as(form.opcode).value_or(OpKind::unsupported), i);
  }

  void call(const ir::Instruction& i) {
    CallSite site;
    const Operand& callee = function_.sources(i)[0];
    for (const Operand& o : function_.destinations(i)) {
      if (o.kind != Operand::Kind::variable) return unsupported(i);
      site.result_variables.push_back(o.variable);
    }
    for (const Operand& o : function_.sources(i).subspan(1)) {
      if (o.kind != Operand::Kind::variable && o.kind != Operand::Kind::address) return unsupported(i);
      site.argument_variables.push_back(o.variable);
    }
    bool direct = callee.kind == Operand::Kind::function;
    if (direct)
      site.callee = callee.function;
    else if (callee.kind != Operand::Kind::reg)
      return unsupported(i);
    Op& op = emit(OpKind::call, i);
    op.set_call_index(static_cast<u32>(code_->calls.size()));
    op.sources = direct ? 0 : 1;
    if (!direct) op.slot[0] = callee.reg.value;
    code_->has_calls = true;
    code_->calls.push_back(std::move(site));
    if (!direct) append(OpKind::reconverge, current_); // lanes with different targets meet here
  }

  void warp(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (form.opcode == Opcode::mma) return multiply_matrices(i);
    std::optional<OpKind> kind = lowered_as(form.opcode);
    if (!kind) return unsupported(i);
    std::vector<SlotId> slots;
    bool predicate_result = form.opcode == Opcode::vote && !form.has(Modifier::ballot);
    for (const Operand& o : function_.destinations(i)) {
      bool first = slots.empty(); // a result that nobody wants still has to go somewhere
      slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value
                      : first                      ? temporary(predicate_result ? 1 : 32)
                                                   : no_slot);
      u32 bits = first && !predicate_result ? 32 : 1;
      if (slots.back() != no_slot && bits_of(slots.back()) != bits) return unsupported(i);
    }
    bool negated_predicate = false;
    for (u32 s = 0; s < i.sources; ++s) {
      Operand o = function_.sources(i)[s];
      bool predicate = form.opcode == Opcode::vote && s == 0;
      if (predicate && o.negated) {
        negated_predicate = true;
        o.negated = false;
      }
      u32 bits = predicate ? 1 : form.opcode == Opcode::match && s == 0 ? ir::bits(form.type()) : 32;
      slots.push_back(source(i, o, bits));
      if (slots.back() == no_slot || bits_of(slots.back()) != bits) return unsupported(i);
    }
    if (slots.size() > 10) return unsupported(i);
    Op& op = emit(*kind, i);
    op.destinations = i.destinations;
    op.sources = i.sources;
    std::copy(slots.begin(), slots.end(), op.slot.begin());
    if (op.has(Payload::predicate)) op.set_predicate({.negated = negated_predicate});
  }

  void barrier(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    if (form.has(Modifier::cluster)) return unsupported(i);
    bool reduction = form.has(Modifier::red);
    std::vector<SlotId> slots;
    for (const Operand& o : function_.destinations(i))
      slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
    Op::Predicate given{.after_count = i.sources >= (reduction ? 3 : 2)};
    for (u32 s = 0; s < i.sources; ++s) {
      Operand o = function_.sources(i)[s];
      bool predicate = reduction && s + 1 == i.sources;
      if (predicate && o.negated) {
        given.negated = true;
        o.negated = false;
      }
      slots.push_back(source(i, o, predicate ? 1 : 32));
    }
    Op& op = emit(form.has(Modifier::warp) ? OpKind::warp_barrier : OpKind::barrier, i);
    op.destinations = i.destinations;
    op.sources = i.sources;
    std::copy(slots.begin(), slots.end(), op.slot.begin());
    if (op.kind() != OpKind::barrier) return;
    op.set_predicate(given);
    if (slots.size() == i.destinations) { // bar.sync without an operand: barrier 0
      op.slot[i.destinations] = constant(Constant::Kind::value, 0, 32);
      op.sources = 1;
    }
  }

  void resolve_targets() {
    u32 end = static_cast<u32>(code_->ops.size()) - 1; // the implicit return
    auto at = [&](u32 block) { return block < block_start_.size() ? block_start_[block] : end; };
    for (Op& op : code_->ops) {
      if (!op.has(Payload::jump)) continue;
      Op::Jump& jump = op.jump();
      if (jump.target != no_target) jump.target = at(jump.target);
      if (jump.reconvergence != no_target) jump.reconvergence = at(jump.reconvergence);
    }
    for (auto& table : code_->tables)
      for (u32& target : table) target = at(target);
  }

  // Compilers write atom where red would do: a result that no op reads need not be kept.
  void drop_unread_results() {
    std::vector<bool> read(bits_.size());
    auto see = [&](SlotId slot) {
      if (slot < read.size()) read[slot] = true;
    };
    for (const Op& op : code_->ops) {
      see(op.guard);
      for (u32 s = 0; s < op.sources; ++s) see(op.source(s));
    }
    for (Op& op : code_->ops)
      for (u32 d = 0; op.kind() == OpKind::atomic && d < op.destinations; ++d)
        if (SlotId slot = op.destination(d); slot < read.size() && !read[slot]) op.slot[d] = no_slot;
  }

  static bool is_unread_atomic(const Op& op) {
    return op.kind() == OpKind::atomic && std::all_of(op.slot.begin(), op.slot.begin() + op.destinations,
                                                      [](SlotId slot) { return slot == no_slot; });
  }

  // The first of the ops that a jump may go to; no_target for one that goes nowhere.
  u32 lowest_target(const Op& op) const {
    if (!op.has(Payload::jump)) return no_target;
    u32 lowest = op.jump().target;
    if (op.kind() == OpKind::branch_table)
      for (u32 target : code_->tables[op.table_index()]) lowest = std::min(lowest, target);
    return lowest;
  }

  // A backward branch closes a loop; if the loop reads what other threads may write, it may be waiting for
  // them.
  void mark_waiting_loops() {
    Waiting waits_for_others(module_);
    std::vector<u32> waiting(code_->ops.size() + 1); // prefix sums
    for (u32 i = 0; i < code_->ops.size(); ++i) {
      const Op& op = code_->ops[i];
      bool waits = op.form != nullptr && !is_unread_atomic(op) &&
                   waits_for_others.may_wait(function_, function_.instructions[op.instruction]);
      waiting[i + 1] = waiting[i] + waits;
    }
    for (u32 i = 0; i < code_->ops.size(); ++i) {
      Op& op = code_->ops[i];
      if (u32 target = lowest_target(op); target <= i) op.jump().spins = waiting[i + 1] != waiting[target];
    }
  }

  // Prefix sums of the branches that go backwards, so that a stretch of code can be asked for loops.
  void count_loops() {
    code_->loops.push_back(0);
    for (u32 i = 0; i < code_->ops.size(); ++i)
      code_->loops.push_back(code_->loops.back() + (lowest_target(code_->ops[i]) <= i));
  }

  std::vector<std::vector<u32>> successors() const {
    std::vector<std::vector<u32>> out;
    for (const ir::Block& block : function_.blocks) {
      std::vector<u32>& s = out.emplace_back();
      for (ir::BlockId b : block.successors) s.push_back(b.value);
    }
    return out;
  }

  const Program::Impl& program_;
  const ir::Module& module_;
  const ir::Function& function_;
  std::unique_ptr<Code> code_;
  Placement placement_;
  std::unordered_map<ir::VariableId, u64> kernel_parameters_; // offsets; empty for a .func
  std::vector<u8> bits_;                                      // registers, then temporaries
  std::vector<SizedConstant> constants_;
  std::map<std::tuple<Constant::Kind, u64, u32, u32>, SlotId> constant_index_;
  std::unordered_map<u64, Rule> rules_;
  std::vector<u32> block_start_, block_end_; // op indices
  u32 current_ = 0;
  ir::BlockId join_block_;
};

} // namespace

std::unique_ptr<Code> lower(const Program::Impl& program, ir::FunctionId id) {
  return Lowering(program, id).run();
}

u32 Placement::offset_of(ir::VariableId id, bool in_local) const {
  const auto& all = in_local ? local : param;
  auto found = std::lower_bound(all.begin(), all.end(), id, [](const auto& entry, ir::VariableId wanted) {
    return entry.first < wanted;
  });
  return found != all.end() && found->first == id ? found->second : 0;
}

Placement place_thread_variables(const ir::Module& module, const ir::Function& function) {
  Placement out;
  std::vector<ir::VariableId> kernel_parameters;
  if (function.entry) kernel_parameters = function.parameters;
  std::sort(kernel_parameters.begin(), kernel_parameters.end());
  for (ir::VariableId id : function.variables) {
    const ir::Variable& v = module.variables[id.value];
    bool kernel_parameter = std::binary_search(kernel_parameters.begin(), kernel_parameters.end(), id);
    if (v.space == StateSpace::local) {
      out.local_bytes = static_cast<u32>(align_up(out.local_bytes, std::max<u32>(v.alignment, 1)));
      out.local.push_back({id, out.local_bytes});
      out.local_bytes += static_cast<u32>(v.size);
    } else if (v.space == StateSpace::param && !kernel_parameter) {
      out.param_bytes = static_cast<u32>(align_up(out.param_bytes, 16));
      out.param.push_back({id, out.param_bytes});
      out.param_bytes += static_cast<u32>(v.size);
    }
  }
  out.local_bytes = static_cast<u32>(align_up(out.local_bytes, 16));
  out.param_bytes = static_cast<u32>(align_up(out.param_bytes, 16));
  std::sort(out.local.begin(), out.local.end());
  std::sort(out.param.begin(), out.param.end());
  return out;
}

} // namespace warplens::sim
