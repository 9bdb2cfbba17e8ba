// What operands stand for: registers, constants, special registers, addresses, parameters of the kernel.
#include "check/analysis.h"
#include "check/codes.h"

namespace warplens::check {

using symbolic::Lanes;
using symbolic::Range;
using symbolic::Symbol;
using symbolic::SymbolKind;
using symbolic::Value;

Value Analysis::operand(u32 number, u32 block, u32 bits, u32 instruction) {
  const ir::Operand& o = flow.function.operands[number];
  switch (o.kind) {
  case ir::Operand::Kind::reg: {
    Value v = seen(flow.ssa.of_operand[number], block);
    return o.negated ? algebra.negate(v) : v;
  }
  case ir::Operand::Kind::immediate:
    return pool.constant(bits <= 1 ? static_cast<i64>(o.value & 1)
                                   : symbolic::reduced(static_cast<i64>(o.value), bits));
  case ir::Operand::Kind::special: return special(o.special, instruction, block);
  case ir::Operand::Kind::address:
  case ir::Operand::Kind::variable: return address(number, block);
  default: {
    Symbol made{SymbolKind::other, true, 1, {}, 0, 0, 0, 0};
    return algebra.fresh({of_special, ~u32{0}, o.function.value, o.block.value, o.value}, made);
  }
  }
}

Value Analysis::address(u32 number, u32 block) {
  const ir::Operand& o = flow.function.operands[number];
  Value offset = pool.constant(static_cast<i64>(o.value));
  if (o.reg.valid()) return algebra.add(seen(flow.ssa.of_operand[number], block), offset, 64);
  if (!o.variable.valid()) return offset;
  const ir::Variable& variable = flow.module.variables[o.variable.value];
  Symbol made{SymbolKind::address, true, std::max<u32>(1, variable.alignment), {}, 0, 0, o.variable.value, 0};
  return algebra.add(algebra.fresh({of_variable, o.variable.value, 0, 0, 0}, made), offset, 64);
}

Value Analysis::guard(u32 instruction, u32 block) {
  const ir::Instruction& i = flow.function.instructions[instruction];
  if (!i.guard.valid()) return pool.constant(1);
  Value v = seen(flow.ssa.of_guard[instruction], block);
  return i.guard_negated ? algebra.negate(v) : v;
}

Value Analysis::component(const Component& c) {
  Value lanes = pool.constant(c.lanes);
  if (c.step == 0) return lanes;
  Symbol made{SymbolKind::launch, true, 1, c.range, 0, 0, static_cast<u32>(c.symbol), 0};
  Value symbol = algebra.fresh({of_launch, made.a, 0, 0, 0}, made);
  return algebra.add(algebra.scale(symbol, c.step, 64), lanes, 64);
}

Value Analysis::special(ir::Special which, u32 instruction, u32 block) {
  using S = ir::Special;
  u32 number = static_cast<u32>(which);
  auto of_grid = [&](S first, bool size) -> Value {
    u32 axis = number - static_cast<u32>(first);
    constexpr i64 most_blocks[3] = {2147483647, 65535, 65535};
    i64 most = most_blocks[axis];
    if (launches_.grid)
      most = axis == 0 ? launches_.grid->x : axis == 1 ? launches_.grid->y : launches_.grid->z;
    if (launches_.grid && (size || most == 1)) return pool.constant(size ? most : 0);
    LaunchSymbol symbol = static_cast<LaunchSymbol>(
        static_cast<u32>(size ? LaunchSymbol::grid_x : LaunchSymbol::block_x) + axis);
    Symbol made{SymbolKind::launch,       true, 1, size ? Range{1, most} : Range{0, most - 1}, 0, 0,
                static_cast<u32>(symbol), 0};
    return algebra.fresh({of_launch, made.a, 0, 0, 0}, made);
  };
  auto lane_mask = [&](auto bits_of_lane) {
    Lanes lanes;
    for (u32 lane = 0; lane < warp_size; ++lane)
      lanes[lane] = symbolic::reduced(static_cast<i64>(bits_of_lane(u64{1} << lane)), 32);
    return pool.constant(lanes);
  };
  switch (which) {
  case S::tid_x:
  case S::tid_y:
  case S::tid_z: return component(warp.thread[number - static_cast<u32>(S::tid_x)]);
  case S::ntid_x:
  case S::ntid_y:
  case S::ntid_z: return component(warp.size[number - static_cast<u32>(S::ntid_x)]);
  case S::ctaid_x:
  case S::ctaid_y:
  case S::ctaid_z: return of_grid(S::ctaid_x, false);
  case S::nctaid_x:
  case S::nctaid_y:
  case S::nctaid_z: return of_grid(S::nctaid_x, true);
  case S::laneid: {
    Lanes lanes;
    for (u32 lane = 0; lane < warp_size; ++lane) lanes[lane] = lane;
    return pool.constant(lanes);
  }
  case S::lanemask_eq: return lane_mask([](u64 bit) { return bit; });
  case S::lanemask_lt: return lane_mask([](u64 bit) { return bit - 1; });
  case S::lanemask_le: return lane_mask([](u64 bit) { return 2 * bit - 1; });
  case S::lanemask_gt: return lane_mask([](u64 bit) { return ~(2 * bit - 1); });
  case S::lanemask_ge: return lane_mask([](u64 bit) { return ~(bit - 1); });
  default: break;
  }
  auto is_one_of = [&](S first, S last) { return which >= first && which <= last; };
  if (is_one_of(S::clock, S::globaltimer_hi) || is_one_of(S::clusterid_x, S::clusterid_z) ||
      is_one_of(S::cluster_ctaid_x, S::cluster_nctarank))
    return varying(of_special, number, instruction, pool.sets.of(instruction_cause(instruction)),
                   loops_of_[block]);
  return algebra.fresh({of_special, number, 0, 0, 0}, {SymbolKind::other, true, 1, {}, 0, 0, 0, 0});
}

// A parameter of the kernel, or the part of one that begins at that byte.
Value Analysis::parameter(u32 number, u32 byte, ir::Type type) {
  if (auto known = launches_.arguments.find({number, byte});
      known != launches_.arguments.end() && !ir::is_float(type))
    return pool.constant(known->second);
  u32 bits = ir::bits(type);
  Symbol made{SymbolKind::parameter, true, 1, {}, 0, 0, number, byte};
  if (pointers_.contains({number, byte})) made.divisor = pointer_alignment;
  if (bits <= 32) { // as a signed number, but for what is smaller and loaded as an unsigned one
    bool is_signed = bits == 32 || ir::is_signed(type);
    i64 size = i64{1} << bits;
    made.range = is_signed ? Range{-size / 2, size / 2 - 1} : Range{0, size - 1};
  }
  return algebra.fresh({of_parameter, number, byte, bits, made.range && made.range->least < 0}, made);
}

// Of a generic address that all lanes share: may it be believed to lead to one place, not to each thread's own?
bool Analysis::points_to_shared_memory_of_all(Value address) {
  for (const symbolic::Term& t : pool.terms(address))
    for (u32 s : pool.monomial(t.monomial)) {
      const Symbol& symbol = pool.symbol(s);
      if (symbol.kind == SymbolKind::address)
        return flow.module.variables[symbol.a].space != ir::StateSpace::local;
      if (symbol.kind == SymbolKind::parameter || symbol.kind == SymbolKind::loaded) return true;
    }
  return false;
}

} // namespace warplens::check
