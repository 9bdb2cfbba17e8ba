// A plain interpreter of machine code for tests: one thread at a time, from the first instruction to EXIT, each instruction by what the
// disassembler's text of it means. It exists to disagree with translate/ and sim/: it knows no pairs of registers, no lanes, no PTX.
//
// Covered: integers, bits, predicates, floats of 32 and 64 bits, conversions, loads and stores of global and shared memory, branches.
// What it does not know, `knows` refuses, so that programs are made of the others.
#pragma once
#include "sass/instruction.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace warplens::oracle {

struct MachineThread {
  u32 index = 0;                                           // threadIdx.x
  std::array<u32, 256> registers{};                        // the last one stays 0
  std::array<bool, 8> predicates{};                        // the last one is taken to be true
  std::map<u64, std::vector<std::byte>>* global = nullptr; // byte arrays at their addresses
  std::vector<std::byte>* shared = nullptr;
  u64 shared_at = 0;            // where `shared` begins, in the addresses of the code
  std::map<u64, u32> constants; // bank 0, words by offset
};

bool knows(const sass::Instruction&);
bool computes(const sass::Instruction&); // of those: no branch, no access, no special register
u32 width_of(const sass::Instruction&,
             std::size_t operand); // registers that an operand of one that computes is

// Runs to the end. Empty: it came there; else what was in the way.
std::string interpret(const std::vector<sass::Instruction>&, MachineThread&);

} // namespace warplens::oracle
