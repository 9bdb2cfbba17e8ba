// What an opcode's spelling says beyond the members of Site: the one place that reads it. Sites of saved reports know no more than
// the spelling. "ld.global.nc.v2.f32" has the parts ld, global, nc, v2 and f32 (PTX ISA, "Instruction Set").
#pragma once
#include "access/site.h"

namespace warplens::access {

// What an atomic or a reduction does to the word.
enum class AtomicOperation : u8 { other, add, min, max, and_, or_, xor_, inc, dec, exch, cas };
AtomicOperation atomic_operation(const Site&);
bool is_machine(const Site&); // an instruction of machine code
// Volatile, or with an order of memory (.relaxed, .acquire, …): compilers leave such an access where it is.
bool is_ordered(const Site&);
bool is_of_floats(const Site&);       // of any width, packed ones too
bool is_bulk(const Site&);            // cp.async.bulk and its kin: the copy engine does it
bool writes_global_bulk(const Site&); // of those: to global memory, rather than from it
bool is_wmma(const Site&);            // loads and stores of fragments
bool is_wgmma(const Site&);           // reads operands from shared memory by descriptors

} // namespace warplens::access
