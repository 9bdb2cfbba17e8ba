// The command line that is shown where words of a launch are missing. It works as it is: what each parameter gets is read from the
// kernel's code.
//
//   * A parameter of 64 bits takes a buffer where an address comes from it (ir/origin.h); else it takes a number.
//   * The type of a buffer's elements is that of the instructions that work on what is loaded or stored. What is only written is
//     not filled. Integers stay below the sizes, as they may be indices.
//   * Sizes are as large as addresses allow: the largest address is estimated (reach.h) for each size that is tried.
//   * Strides are those of arrays without gaps (parameter_strides.h).
//   * What is compared and exchanged is a lock, and begins as 0.
//   * Blocks have as many threads as the kernel declares, else the width that it multiplies its block's index with; and the axes that it
//     asks for.
#pragma once
#include "arch/table.h"
#include "launcher/plan.h"
#include "launcher/words.h"

namespace warplens::launcher {

struct Proposal {
  std::string line;   // "warplens run FILE.ptx --grid 8 …", where the words that are given stay
  std::string reason; // why there is none, and what to do instead
};
Proposal propose(const ir::Module&, const ir::Function& kernel, const std::string& file, const Words&,
                 const arch::Architecture&);

} // namespace warplens::launcher
