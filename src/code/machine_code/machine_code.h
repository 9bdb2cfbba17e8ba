// What a cubin says of its machine instructions: what they do to memory, and which lines of source they come from.
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
};
std::optional<MemoryOpcode> decode(u64 low, u64 high);
// Of its text: "@!P0 LDG.E.64.CONSTANT R2, desc[UR4][R2.64]".
std::optional<MemoryOpcode> memory_opcode(std::string_view sass);

class MachineCode {
public:
  // Damaged images have nothing in them.
  explicit MachineCode(os::Bytes cubin);
  MachineCode(MachineCode&&) = default; // its functions point into it
  MachineCode& operator=(MachineCode&&) = default;

  std::optional<MemoryOpcode> opcode(const std::string& function, u64 offset) const;
  // Innermost first; empty without line information.
  access::SourceStack frames(const std::string& function, u64 offset) const;

private:
  struct Function {
    os::Bytes code;
    const LineSequence* lines = nullptr;
  };

  LineProgram lines_;
  std::map<std::string, Function, std::less<>> functions_;
};

} // namespace warplens::fatbin
