// What a cubin says of its machine instructions: what they do to memory, and which lines of source, and of the PTX text that it
// keeps (cubin.h), they come from.
//
// The encoding of machine code is not documented. Since 7.0 an instruction has 128 bits, of which the lowest nine are the
// opcode, and memory instructions have the width of the access in bits 73 to 75. The table holds the opcodes that access
// memory, as nvdisasm 13.0 names them for 7.5 to 12.0, where they are the same (tests/machine_code/data/memory_instructions.tsv);
// tests/measured has listings of it. Instructions before 7.0 have another form, and are not read.
#pragma once
#include "access/access.h"
#include "access/site.h"
#include "machine_code/line_program.h"
#include "os/bytes.h"
#include <map>
#include <optional>
#include <string>

namespace warplens::fatbin {

// An access, as its opcode names it. Generic ones say global memory: the counters tell where they went.
struct MemoryOpcode {
  std::string name; // "LDG.64"
  access::Space space{};
  access::Kind kind{};
  u32 bytes = 0; // per lane; 0: unknown
  bool generic = false;
  bool combines = false; // ATOMS.POPC.INC: lanes of one word are served together
};
std::optional<MemoryOpcode> decode(u64 low, u64 high);
// Of its text: "@!P0 LDG.E.64.CONSTANT R2, desc[UR4][R2.64]".
std::optional<MemoryOpcode> memory_opcode(std::string_view sass);

// An access of a function, and where in the PTX it comes from.
struct MemoryInstruction {
  u64 offset = 0; // bytes from the function's start
  MemoryOpcode opcode;
  u32 text = 0, line = 0; // in MachineCode::texts(), 1-based; 0: not known
  // One lane acts for all of the warp: an atomic under a predicate that was made for atomics alone, by finding the first of
  // the lanes that are there (VOTE, FLO, ISETP.EQ with the lane's number).
  bool one_lane = false;
  i32 immediate = 0; // bytes that it adds to its registers
};

// A branch under a predicate, which lanes may take or not, and where in the PTX it comes from.
struct BranchInstruction {
  u64 offset = 0; // bytes from the function's start
  u32 text = 0, line = 0;
};

class MachineCode {
public:
  // Damaged images have nothing in them.
  explicit MachineCode(os::Bytes cubin);
  MachineCode(MachineCode&&) = default; // its functions point into it
  MachineCode& operator=(MachineCode&&) = default;

  std::optional<MemoryOpcode> opcode(const std::string& function, u64 offset) const;
  // Innermost first; empty without line information.
  access::SourceStack frames(const std::string& function, u64 offset) const;

  // The PTX texts that the cubin keeps: under -lineinfo, one of each module that it was made of.
  const std::vector<std::string>& texts() const { return texts_; }
  // Its functions, and what each does to memory, in the order of the code. Without line information no line is known.
  std::vector<std::string> functions() const;
  bool has_text_lines(const std::string& function) const; // whose instructions lead to lines of a text
  std::vector<MemoryInstruction> accesses(const std::string& function) const;
  std::vector<BranchInstruction> branches(const std::string& function) const; // those whose line is known

private:
  struct Function {
    os::Bytes code;
    const LineSequence *lines = nullptr, *text_lines = nullptr;
  };
  u32 text_at(const LineRow&) const;

  LineProgram lines_, text_lines_;
  std::vector<std::string> texts_, text_names_;
  std::map<std::string, Function, std::less<>> functions_;
};

} // namespace warplens::fatbin
