// What the assembler made of a module's accesses: machine code held against the PTX that it was made from.
//
// Under -lineinfo a cubin keeps its PTX text, and a line table that leads from each machine instruction to a line of it
// (fatbin/machine_code.h). So it is known of each access of PTX which machine instructions perform it. From that follows how
// it is to be counted (access::Assembled); that the program does what its PTX says is left as it is.
//
//   * An access that is performed by a wider one stands for that: it is where the machine's instruction stands in the text. The
//     others in the wide one's bytes are those of the same block, guard, base register and constant offsets in one window of its
//     width, without a machine instruction of their own. Which windows there are follows from their own instructions.
//   * An access without a machine instruction is taken for dropped where the reason can be seen: the same thread has loaded or
//     stored that very place before (one that dominates it), or stores it again in the same block; or none of the function's
//     accesses to local memory has an instruction, so that its arrays are in registers.
//   * A load is behind the branch that ends its block, in machine code, where only one way out of the block needs its value.
//   * Atomics: one lane for its warp, lanes of one word together, a loop (fatbin/machine_code.h).
//
// Whatever else differs stays as PTX has it, and is counted as unclear: accesses made wide over several turns of a loop that the
// assembler unrolled, and such as have no instruction for a reason that is not among these.
#pragma once
#include "ir/module.h"
#include "machine_code/machine_code.h"

namespace warplens::assembly {

struct Outcome {
  u32 functions = 0; // that machine code was found for
  u32 accesses = 0;  // of these
  u32 changed = 0;   // of these: not as written
  u32 unclear = 0;   // of these: machine code has something else, and it is not known what
  Outcome& operator+=(const Outcome&);
};

// Marks the sites of `module` that `code` was made from. A function counts whose instructions are those of the text in the cubin,
// one by one; others stay as they are. Once for each cubin of the module.
Outcome apply(ir::Module& module, const fatbin::MachineCode& code);

} // namespace warplens::assembly
