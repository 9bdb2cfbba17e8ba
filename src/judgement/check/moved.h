// What moves by paths of its own (access::BulkAccess): bulk copies of rows, and the operands that wgmma reads in shared memory.
#pragma once
#include "check/claim.h"
#include <span>

namespace warplens::check {

// Of a bulk copy between global and shared memory; nothing where it is none, or goes by a tensor map, which is made at run
// time.
std::optional<BulkOperands> bulk_operands(const ir::Form&, const ir::Instruction&, const ir::Function&);

// Where an instruction goes in a texture, a surface or a tensor map's tensor: the numbers of its operands with the coordinates (the
// layer first, where there are layers), and what decides beside them what it costs.
struct Coordinates {
  u32 first = 0, count = 0;
  Cause::Kind decided_by{};
  u32 layers = 0; // numbers among them that are layers, 0 or 1
  // What x moves by from one texel to the next; 0: coordinates are no whole numbers, or of one lane alone.
  u32 step = 0;
};
std::optional<Coordinates> coordinates(const ir::Form&, const ir::Instruction&);

// How the texels of neighbouring lanes lie, whatever their format and the layout; nothing where their distances are not known.
Pattern lie_of_texels(Analysis&, const Coordinates&, std::span<const symbolic::Value> of_each);

// What the four warps that execute a wgmma together pay for what it reads in shared memory: that follows from its shape alone
// (arch/rules/bulk.cpp). Nothing where the instruction is another.
std::optional<Costs> group_costs(const ir::Form&, const ir::Instruction&, const arch::Architecture&);

} // namespace warplens::check
