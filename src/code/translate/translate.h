// Machine code as a module of the engine: each machine instruction becomes the instructions of PTX that compute the same, so that
// whatever runs, folds or judges PTX does so with machine code.
//
// The way there is PTX text: a kernel's instructions are written as PTX (translate/), and the parser reads it. What PTX has no word for
// is added to the parsed module: where lanes that diverge meet (ir::Function::meetings), since machine code says so with BSSY and BSYNC,
// and where each instruction comes from.
//
//   * A register is a register of 32 bits; pairs are put together where an instruction takes 64 bits.
//   * Constant bank 0 is the launch: parameters, sizes of grid and block. Bank 3 is __constant__ memory, bank 4 addresses.
//   * An access of memory is exactly one access of PTX. Arithmetic may take several instructions.
//   * A subroutine is repeated for each place that it is called from: compilers have them for division and square root. Those of files that
//     were compiled apart (-rdc) have sections of their own; their code is put behind the kernel's (image.cpp).
//   * A function that calls itself, or that a register says, is there once. A pointer to it is where it begins in the kernel's section, or where
//     bank 2 says so, or, of one that was compiled apart, a number of its own (image.cpp): not what PTX has for it. So kernels of a file that
//     call through pointers run all as machine code or all as PTX.
//
// Not translated: TXQ and rare forms of textures (textures.cpp), sparse matrices, rare forms of what is asynchronous (asynchronous.cpp). A kernel with one of these has no translation, and `refused` says which instruction.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"
#include "os/bytes.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace warplens::translate {

struct MachineModule {
  ir::Module module;                          // without the kernels that were refused
  std::string ptx;                            // the text that was parsed
  std::map<std::string, std::string> refused; // kernel → "HGMMA at 0x1f0 is not known"
  std::set<std::string> others;               // kernels that were not asked for
};
// `sm`: the architecture whose code it is. Damaged images have nothing in them. `ptx`: modules of the same code. Their variables are not
// defined again, and name shared memory. `only`: of the kernels, that one; empty: none.
MachineModule translate(os::Bytes cubin, u32 sm, const std::string& name,
                        std::span<const ir::Module> ptx = {}, std::optional<std::string_view> only = {});

// One module: kernels as machine code has them, those that were refused as PTX has them, variables as PTX declares them. Accesses of
// machine code get the arrays and types that PTX has on their source line, where those are clear.
Result<ir::Module> join(ir::Module ptx, std::vector<ir::Module> machine);

} // namespace warplens::translate
