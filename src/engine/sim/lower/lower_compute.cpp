// Arithmetic and moves: what computes lane by lane.
#include "sim/lower/affine_rules.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

const Lowering::Rule& Lowering::rule_of(const ir::Instruction& i) {
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

void Lowering::compute(const ir::Instruction& i) {
  if (has_parts(i)) return compute_parts(i);
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

void Lowering::simple(const ir::Instruction& i, OpKind kind, SlotId to, SlotId from, StateSpace space) {
  Op& op = emit(kind, i);
  op.destinations = op.sources = 1;
  op.slot[0] = to;
  op.slot[1] = from;
  op.space = space;
}

void Lowering::move(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (form.type() == Type::b128) return move_wide(i);
  if (form.vector > 1) return move_vector(i);
  if (form.opcode == Opcode::createpolicy) return create_policy(i);
  if (form.opcode >= Opcode::stacksave && form.opcode <= Opcode::alloca) return stack(i);
  if (form.has(Modifier::shared_cluster) || form.opcode == Opcode::mapa || form.opcode == Opcode::getctarank)
    return cluster_map(i);
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

// A cache policy is for instructions that take one, and has no effect here: any number will do.
void Lowering::create_policy(const ir::Instruction& i) {
  const Operand& to = function_.destinations(i)[0];
  if (to.kind != Operand::Kind::reg || bits_of(to.reg.value) != 64) return unsupported(i);
  simple(i, OpKind::move, to.reg.value, constant(Constant::Kind::value, 0, 64));
}

// mov.v4: element by element, as if at once.
void Lowering::move_vector(const ir::Instruction& i) {
  std::vector<SlotId> from;
  for (u32 n = 0; n < i.destinations; ++n) {
    const Operand& to = function_.destinations(i)[n];
    u32 bits = to.kind == Operand::Kind::reg ? bits_of(to.reg.value) : 32;
    from.push_back(temporary(bits));
    simple(i, OpKind::move, from.back(), source(i, function_.sources(i)[n], bits));
  }
  for (u32 n = 0; n < i.destinations; ++n)
    if (const Operand& to = function_.destinations(i)[n]; to.kind == Operand::Kind::reg)
      simple(i, OpKind::move, to.reg.value, from[n]);
}

// mov.b128: whole registers, or their parts in braces.
void Lowering::move_wide(const ir::Instruction& i) {
  std::span<const Operand> to = function_.destinations(i), from = function_.sources(i);
  bool packs = from.size() > 1;
  const Operand& whole = packs ? to[0] : from[0];
  std::span<const Operand> parts = packs ? from : to;
  if (whole.kind != Operand::Kind::reg) return;
  const SlotId halves[] = {whole.reg.value, upper_half(whole)};
  if (parts.size() == 1) {
    if (to[0].kind != Operand::Kind::reg) return;
    simple(i, OpKind::move, to[0].reg.value, halves[0]);
    return simple(i, OpKind::move, upper_half(to[0]), halves[1]);
  }
  const u32 each = static_cast<u32>(parts.size() / 2), bits = 64 / each;
  if (bits < 16) return unsupported(i);
  for (u32 half = 0; half < 2; ++half) {
    std::vector<SlotId> slots;
    for (const Operand& o : parts.subspan(std::size_t{half} * each, each))
      slots.push_back(packs ? source(i, o, bits) : o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
    if (each == 1) {
      if (slots[0] != no_slot)
        simple(i, OpKind::move, packs ? halves[half] : slots[0], packs ? slots[0] : halves[half]);
      continue;
    }
    Op& op = emit(packs ? OpKind::pack : OpKind::unpack, i);
    op.destinations = static_cast<u8>(packs ? 1 : each);
    op.sources = static_cast<u8>(packs ? each : 1);
    op.slot[packs ? 0 : each] = halves[half];
    std::copy(slots.begin(), slots.end(), op.slot.begin() + (packs ? 1 : 0));
  }
}

void Lowering::pack_or_unpack(const ir::Instruction& i, const ir::Form& form) {
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

} // namespace warplens::sim
