// Textures and surfaces. Coordinates and what is stored are more registers than an op has slots, so that ops before the access
// keep them, as a matrix multiplication's are kept.
#include "ir/operands.h"
#include "ir/texture.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;

static bool reduces(ir::AtomicOp operation) {
  switch (operation) {
  case ir::AtomicOp::add:
  case ir::AtomicOp::min:
  case ir::AtomicOp::max:
  case ir::AtomicOp::and_:
  case ir::AtomicOp::or_: return true;
  default: return false;
  }
}

// Whether the ops exist that an instruction of family texture becomes.
static bool can_access_texture(const ir::Form& form) {
  switch (form.opcode) {
  case Opcode::tex: return form.vector == 4 || (form.vector == 2 && form.type() == ir::Type::f16x2);
  case Opcode::tld4: return form.vector == 4 && ir::geometry_of(form)->dimensions == 2;
  case Opcode::sured: return form.has(Modifier::b) && reduces(form.atomic_op());
  case Opcode::sust:
    if (form.has(Modifier::p)) return form.type() == ir::Type::b32 && !ir::geometry_of(form)->cube;
    [[fallthrough]];
  case Opcode::suld: return form.has(Modifier::b) && !form.has(Modifier::cube) && !form.has(Modifier::acube);
  default: return true;
  }
}

static OpKind texture_kind(Opcode opcode) {
  switch (opcode) {
  case Opcode::tex:
  case Opcode::tld4: return OpKind::fetch_texture;
  case Opcode::suld: return OpKind::load_surface;
  case Opcode::sust: return OpKind::store_surface;
  case Opcode::sured: return OpKind::reduce_surface;
  default: return OpKind::query_texture;
  }
}

// The object is the last source of the op. Everything else is kept before it: coordinates, how they change, what is
// stored. A texture or surface reference is a variable, whose address stands for its object (ops/texture_access.h). A depth to
// compare with is kept and has no effect, as on an H200: no array that CUDA makes is a depth texture.
void Lowering::texture(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  std::span<const Operand> sources = function_.sources(i);
  i64 offset = 0;
  const bool names_variable = sources[0].variable.valid();
  if (!can_access_texture(form) || (names_variable && !module_.variables[sources[0].variable.value].opaque))
    return unsupported(i);
  SlotId object =
      sources[0].kind == Operand::Kind::address ? address(sources[0], offset) : source(i, sources[0], 64);
  std::vector<SlotId> kept;
  for (u32 s = 1; s < sources.size(); ++s) {
    u32 bits =
        std::max<u32>(ir::bits(ir::operand_type(form, i.destinations, i.sources, i.destinations + s)), 32);
    kept.push_back(source(i, sources[s], bits));
    if (kept.back() == no_slot || bits_of(kept.back()) != bits) return unsupported(i);
  }
  keep(i, kept);
  Op& op = emit(texture_kind(form.opcode), i);
  for (const Operand& o : function_.destinations(i))
    op.slot[op.destinations++] = o.kind == Operand::Kind::reg ? o.reg.value : no_slot;
  op.slot[op.destinations] = object;
  op.sources = 1;
  op.offset = offset;
  op.element_bytes = static_cast<u8>(ir::bytes(form.type()));
  op.elements = form.vector;
}

// One after the other, in rows of Exec::matrix.
void Lowering::keep(const ir::Instruction& i, std::span<const SlotId> slots) {
  for (std::size_t first = 0; first < slots.size();) {
    Op& op = emit(OpKind::keep_matrix, i);
    op.site = {};
    op.sources = static_cast<u8>(std::min(slots.size() - first, op.slot.size()));
    std::copy_n(slots.begin() + static_cast<std::ptrdiff_t>(first), op.sources, op.slot.begin());
    op.offset = static_cast<i64>(first);
    first += op.sources;
  }
}

} // namespace warplens::sim
