#include "check/aliasing.h"
#include "access/access.h"
#include "access/opcode.h"
#include <algorithm>

namespace warplens::check {
namespace {

// What orders memory accesses by itself, whatever pointers lead to.
bool orders_memory(const ir::Module& module, const ir::Instruction& i) {
  const ir::Form& form = module.form(i);
  switch (form.opcode) {
  case ir::Opcode::bar:
  case ir::Opcode::barrier:
  case ir::Opcode::membar:
  case ir::Opcode::fence:
  case ir::Opcode::atom:
  case ir::Opcode::red:
  case ir::Opcode::call: return true;
  default: return false;
  }
}

bool is_plain(const access::Site& site) {
  return !access::is_ordered(site) && site.cache != access::Cache::nc;
}

// In every round, so that it may be done before the first.
bool is_in_every_round(const Flow& flow, const Loop& loop, u32 block) {
  const auto& before = flow.cfg.predecessors[loop.header];
  return std::all_of(before.begin(), before.end(), [&](ir::BlockId b) {
    return !loop.body[b.value] || flow.ssa.dominates(ir::BlockId(block), b);
  });
}

std::optional<u32> store_in(const Flow& flow, const Loop& loop) {
  std::optional<u32> out;
  bool ordered = false;
  loop.body.each([&](u32 b) {
    const ir::Block& block = flow.function.blocks[b];
    for (u32 i = block.first; i < block.first + block.count; ++i) {
      const ir::Instruction& one = flow.function.instructions[i];
      ordered = ordered || orders_memory(flow.module, one);
      if (!one.site.valid()) continue;
      const access::Site& site = flow.module.sites[one.site.value];
      if (site.kind == access::Kind::store && site.space == access::Space::global) out = i;
    }
  });
  return ordered ? std::nullopt : out;
}

// An earlier load of the block of the same bytes, with a store between them.
std::optional<u32> store_since_same_load(const Flow& flow, u32 load, u32 block, u32 address) {
  const ir::Instruction& i = flow.function.instructions[load];
  const access::Site& site = flow.module.sites[i.site.value];
  const u32 value = flow.ssa.of_operand[address];
  if (value == ir::no_value) return {};
  constexpr u32 far = 512; // instructions
  const u32 first = std::max(flow.function.blocks[block].first, load - std::min(load, far));
  std::optional<u32> store;
  for (u32 k = load; k-- > first;) {
    const ir::Instruction& one = flow.function.instructions[k];
    if (orders_memory(flow.module, one)) return {};
    if (!one.site.valid()) continue;
    const access::Site& other = flow.module.sites[one.site.value];
    if (other.kind == access::Kind::store && other.space == access::Space::global) store = k;
    if (other.kind != access::Kind::load || other.space != site.space || other.bytes != site.bytes ||
        !is_plain(other) || one.guard.valid())
      continue;
    const std::optional<u32> theirs = address_operand(flow.module.form(one), one, flow.function);
    if (theirs && flow.ssa.of_operand[*theirs] == value &&
        flow.function.operands[*theirs].value == flow.function.operands[address].value)
      return store; // none: the compiler joins them by itself
  }
  return {};
}

} // namespace

std::optional<u32> store_that_repeats(const Flow& flow, u32 load, u32 block, u32 address) {
  const ir::Instruction& i = flow.function.instructions[load];
  const access::Site& site = flow.module.sites[i.site.value];
  if (site.kind != access::Kind::load || site.space != access::Space::global || !is_plain(site)) return {};
  const u32 value = flow.ssa.of_operand[address];
  for (u32 header : flow.loops_of[block]) {
    const Loop& loop = *flow.loop_at(header);
    const bool same = value == ir::no_value || !loop.body[flow.ssa.block_of[value].value];
    if (!same || !is_in_every_round(flow, loop, block)) continue;
    if (std::optional<u32> store = store_in(flow, loop)) return store;
  }
  return store_since_same_load(flow, load, block, address);
}

} // namespace warplens::check
