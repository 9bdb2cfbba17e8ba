// See uses.h. The code is read once: types by classes of registers, addresses by their origins, widths where a block's index is
// multiplied.
#include "launcher/uses.h"
#include "ir/operands.h"
#include "ir/origin.h"
#include "launcher/arguments.h"
#include "launcher/axes.h"
#include "launcher/values.h"
#include <algorithm>
#include <numeric>

namespace warplens::launcher {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::Special;
using ir::Type;

// The type of the elements of one that is packed.
Type element_of(Type type) {
  switch (type) {
  case Type::f16x2: return Type::f16;
  case Type::bf16x2: return Type::bf16;
  case Type::f32x2:
  case Type::tf32: return Type::f32;
  default: return type;
  }
}

// What the registers of a kernel hold: those that one value moves through are one class, and the instructions that compute with any
// of them say its type.
class Types {
public:
  Types(const ir::Module& module, const ir::Function& kernel)
      : kernel_(kernel), parent_(kernel.registers.size()), type_(kernel.registers.size(), Type::none) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const ir::Instruction& i : kernel.instructions)
      if (Opcode opcode = module.form(i).opcode; opcode == Opcode::mov || opcode == Opcode::selp) join(i);
    for (const ir::Instruction& i : kernel.instructions) note(module.form(i), i);
  }
  // none: nothing tells.
  Type of(const Operand& operand) {
    return operand.reg.valid() ? type_[root(operand.reg.value)] : Type::none;
  }
  Type of_matrices() const { return of_matrices_; }

private:
  u32 root(u32 reg) {
    while (parent_[reg] != reg) reg = parent_[reg] = parent_[parent_[reg]];
    return reg;
  }
  void join(const ir::Instruction& i) {
    const auto sources = kernel_.sources(i).first(std::min<std::size_t>(2, i.sources));
    for (const Operand& to : kernel_.destinations(i))
      for (const Operand& from : sources)
        if (to.reg.valid() && from.kind == Operand::Kind::reg)
          parent_[root(to.reg.value)] = root(from.reg.value);
  }
  void note(const ir::Form& form, const ir::Instruction& i) {
    if (form.opcode == Opcode::mov) return;                            // of any type
    const bool is_product = form.shape.m != 0 && form.type_count >= 3; // .f32.f16.f16: of D, A and B
    if (is_product && of_matrices_ == Type::none) of_matrices_ = element_of(form.type(1));
    const u32 count = u32{i.destinations} + i.sources;
    for (u32 n = 0; n < count; ++n) {
      const Operand& operand = kernel_.operands[i.first_operand + n];
      const Type type = element_of(ir::operand_type(form, i.destinations, i.sources, n));
      const ir::TypeClass kind = ir::type_class(type);
      if (operand.kind != Operand::Kind::reg || kind == ir::TypeClass::predicate ||
          kind == ir::TypeClass::untyped)
        continue;
      Type& known = type_[root(operand.reg.value)];
      if (known == Type::none || (ir::is_float(type) && !ir::is_float(known))) known = type;
    }
  }

  const ir::Function& kernel_;
  std::vector<u32> parent_;
  std::vector<Type> type_;
  Type of_matrices_ = Type::none; // of the first operand of a product
};

class UseReading {
public:
  UseReading(const ir::Module& module, const ir::Function& kernel, const Slots& slots, u32 widest)
      : module_(module), kernel_(kernel), slots_(slots), widest_(widest), types_(module, kernel),
        value_of_(kernel.registers.size()) {
    const std::size_t count = kernel.instructions.size();
    out_ = {std::vector<Use>(slots.size()), std::vector(count, slots.size()), std::vector<u64>(count)};
    out_.asked = axes_of(module, kernel);
  }

  Uses run() {
    for (const ir::Instruction& i : kernel_.instructions) note(i);
    note_addresses();
    return std::move(out_);
  }

private:
  void note(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    const auto sources = kernel_.sources(i);
    if (form.family() == ir::Family::texture || ir::tensor_dimensions(form) != 0) out_.can_be_given = false;
    const Operand* to = i.destinations != 0 ? &kernel_.destinations(i)[0] : nullptr;
    if (to == nullptr || !to->reg.valid() || sources.empty()) return;
    Value& value = value_of_[to->reg.value];
    for (u32 n = 0; n < i.destinations; ++n)
      if (const std::size_t slot = slots_.loaded(i, n); slot != slots_.size() && to[n].reg.valid())
        value_of_[to[n].reg.value].slot = slot;
    if (form.opcode == Opcode::mov && sources[0].kind == Operand::Kind::special)
      value.special = sources[0].special;
    if (form.opcode == Opcode::cvta && sources[0].reg.valid())
      if (const std::size_t p = value_of_[sources[0].reg.value].slot; p < out_.of.size())
        out_.of[p].is_address = true;
    // "blockIdx.x * 256": the width of a block.
    const bool is_shift = form.opcode == Opcode::shl;
    if ((is_shift || form.opcode == Opcode::mul || form.opcode == Opcode::mad) && sources[0].reg.valid() &&
        sources[1].kind == Operand::Kind::immediate && !form.has(ir::Modifier::wide) &&
        ir::bits(form.type()) == 32)
      note_width(value_of_[sources[0].reg.value].special,
                 is_shift ? u64{1} << std::min<u64>(sources[1].value, 63) : sources[1].value);
  }
  void note_width(Special of, u64 width) {
    const u32 axis = static_cast<u32>(of) - static_cast<u32>(Special::ctaid_x);
    constexpr u64 least = 8; // fewer are bytes
    if (axis < 3 && out_.widths[axis] == 0 && width >= least && width <= widest_)
      out_.widths[axis] = static_cast<u32>(width);
  }

  void note_addresses() {
    std::size_t next = 0;
    const std::vector<ir::SiteOrigin> origins = ir::origins(module_, kernel_);
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      const ir::Instruction& instruction = kernel_.instructions[i];
      if (!instruction.site.valid()) continue;
      const ir::Origin& origin = origins[next++].origin;
      const auto known = std::ranges::find(kernel_.parameters, origin.variable);
      if (origin.kind == ir::Origin::Kind::one &&
          module_.variables[origin.variable.value].space == ir::StateSpace::shared)
        out_.shared[i] = module_.variables[origin.variable.value].size;
      if (origin.kind != ir::Origin::Kind::one || known == kernel_.parameters.end() || origin.in_place)
        continue;
      if (origin.indirect) out_.can_be_given = false;
      const bool is_member = is_array(module_.variables[origin.variable.value]);
      const std::size_t slot = slots_.find(origin.variable, is_member ? origin.offset : 0);
      if (slot == slots_.size() || is_array(slots_.all()[slot].declared)) {
        out_.in_structure = known - kernel_.parameters.begin();
        continue;
      }
      out_.sites[i] = slot;
      note_access(out_.of[slot], instruction);
    }
  }
  void note_access(Use& use, const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    const bool stores = form.opcode == Opcode::st;
    use.is_address = true;
    use.is_lock |= form.has(ir::Modifier::cas);
    use.is_loaded |= !stores && ir::bulk_copy(form) != ir::BulkCopy::out;
    Type type = ir::copies_asynchronously(form) || ir::bulk_copy(form) != ir::BulkCopy::none
                    ? types_.of_matrices()
                    : element_of(form.type());
    if (type != Type::none) use.widest = std::clamp(ir::bytes(type), 1u, 8u);
    if (!ir::is_float(type) && ir::bytes(type) != 1)
      for (const Operand& data : stores ? kernel_.sources(i) : kernel_.destinations(i))
        if (const Type known = data.kind == Operand::Kind::reg ? types_.of(data) : Type::none;
            known != Type::none && ir::bytes(known) <= ir::bytes(type))
          type = known;
    const ir::TypeClass kind = ir::type_class(type);
    if (use.type == Type::none && kind != ir::TypeClass::untyped && kind != ir::TypeClass::predicate &&
        element_type(ir::name(type)))
      use.type = type;
  }

  struct Value { // of a register
    std::size_t slot = ~std::size_t{0};
    Special special{};
  };
  const ir::Module& module_;
  const ir::Function& kernel_;
  const Slots& slots_;
  u32 widest_;
  Types types_;
  std::vector<Value> value_of_; // by register
  Uses out_;
};

} // namespace

bool Uses::asks(Special special) const { return std::ranges::find(asked, special) != asked.end(); }

Uses uses_of(const ir::Module& module, const ir::Function& kernel, const Slots& slots, u32 widest) {
  return UseReading(module, kernel, slots, widest).run();
}

} // namespace warplens::launcher
