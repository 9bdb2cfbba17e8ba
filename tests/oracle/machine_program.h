// Random kernels of machine code for 9.0 that always end and never race: instructions of the samples that the plain interpreter knows,
// with other registers, predicates and immediates; loops, branches, and addresses of 64 bits in two registers, as compilers make them.
//
// There is no assembler: registers and predicates are put into the bits where the decoder reads them, which tells where these are.
#pragma once
#include "sass/instruction.h"
#include <string>
#include <vector>

namespace warplens::oracle {

struct MachineWord {
  u64 low = 0, high = 0;
};

// Of the pointers in constant bank 0: each thread reads 64 words of its own from the first, and writes 64 to the second, behind which it
// has 16 more to itself. In shared memory it has 16 bytes to itself.
struct MachineProgram {
  static constexpr u32 threads = 64, words_in = 64, words_out = 80, shared_bytes = 16;
  static constexpr u64 parameters_at = 0x210, shared_at = 0x400;
  std::vector<sass::Instruction> code;
  std::vector<std::byte> bytes; // the same
};

// `samples`: instructions of 9.0 (tests/sass/data).
MachineProgram machine_program(const std::vector<MachineWord>& samples, u64 seed);

void leave_out(MachineProgram&, std::size_t instruction); // NOP stands there then

std::string listing(const MachineProgram&);

} // namespace warplens::oracle
