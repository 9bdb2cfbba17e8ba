// Line tables of machine code, and how they give PTX its source lines back.
//
// ptxas of CUDA 13 keeps the PTX text of a kernel in its cubin (-lineinfo), without the .loc directives that stood in it. The
// cubin has two DWARF line programs over the same machine code: .debug_line leads from an address to the source,
// .nv_debug_line_sass to the line of the PTX text. Through the addresses, a line of PTX finds its source line. Where a call
// was inlined, an extended opcode of NVIDIA's (0x90) names the row of the table that made it.
#pragma once
#include "os/elf.h"
#include <optional>
#include <string>
#include <vector>

namespace warplens::fatbin {

struct LineRow {
  u64 address = 0;
  u32 file = 0;              // index into LineProgram::files
  u32 line = 0;              // 1-based; 0: none
  std::optional<u32> caller; // an earlier row of the sequence: where this one's function was inlined
};
// One stretch of machine code. Rows in the order of the program, by address as a rule; each is good up to the next one's.
struct LineSequence {
  u32 symbol = 0; // of the relocation that says where it lies
  std::vector<LineRow> rows;
  std::vector<u32> by_address; // rows
  u64 end = 0;
};
struct LineProgram {
  std::vector<std::string> files;
  std::vector<LineSequence> sequences;
};

// Relocations as a cubin has them: Elf64_Rela from compute capability 9.0 on, Elf64_Rel before.
enum class Relocations : u8 { rel, rela };

// Reads a section of DWARF 2 to 4 line programs (dwarfstd.org, DWARF 4 §6.2) and the relocations of its addresses.
// What is damaged ends the reading: line information is never a reason to refuse a module.
LineProgram read_line_programs(os::Bytes section, os::Bytes relocations, Relocations kind);
// The section of that name; nothing is in it where there is none.
LineProgram read_line_programs(const os::Elf&, std::string_view section);

// The row that an address of a stretch lies in; null where there is none.
const LineRow* row_at(const LineSequence&, u64 address);

// The PTX text with .file and .loc directives, on the lines that it has.
std::string with_locations(const std::string& ptx, const LineProgram& source, const LineProgram& text);

} // namespace warplens::fatbin
