// What the assembler may make of an atomic operation, as far as its operands and result decide it.
//
// Compilers write `atom` whether or not anything reads the result. Where nothing does, the assembler makes `red` of it: it may
// then combine the lanes of a warp by itself, and nobody waits for an answer. Where the constant 1 is added to shared memory,
// it makes ATOMS.POPC.INC of it, which counts lanes of one word together (src/hardware/arch/MODEL.md).
#pragma once
#include "ir/module.h"
#include <set>

namespace warplens::ir {

// The sites of such `atom`s in one function whose result no instruction reads. A result that is copied counts as read.
std::set<SiteId> unused_results(const Module&, const Function&);
// The sites of `atom` and `red` that add the constant 1, integers of 32 bits.
std::set<SiteId> adds_of_one(const Module&, const Function&);

} // namespace warplens::ir
