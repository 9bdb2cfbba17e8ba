// Inline stacks from the textual DWARF that clang writes into PTX.
//
// LLVM's NVPTX back end (to version 20) writes .loc without its callers; with line tables it also writes
// .debug_info as bytes, where every inlined body is a DW_TAG_inlined_subroutine with its call site and two
// code labels. Each span of labels becomes a span of instructions, and the innermost span around an
// instruction gives its chain of callers. Only what this needs of DWARF 2 to 4 is read (dwarfstd.org, DWARF 4
// §7.5): abbreviations, names, spans, call sites. Damaged or newer DWARF leaves the plain .loc positions:
// line information is never a reason to refuse a module.
#pragma once
#include "ptx/lines.h"
#include <map>

namespace warplens::ptx {

// `.section .debug_info { .b8 …; .b64 label }`: its bytes, and the labels that stand in it and that it refers
// to.
struct DebugSection {
  std::string bytes;
  NameMap<u64> labels;                        // label → offset
  std::map<u64, std::string_view> references; // offset → the symbol whose address stands there

  // The zero-terminated string at a label, or at an offset; empty where there is none.
  std::string string_at(std::string_view label, u64 offset);
};

// Reads the section's contents from '{' to '}'. What it cannot read is passed over.
bool parse_debug_section(Cursor&, DebugSection&);

struct CodeLabel {
  u32 function = 0;    // index into Module::functions
  u32 instruction = 0; // the instruction it stands before
};

struct DebugInfo {
  DebugSection info, abbreviations, strings;
  NameMap<CodeLabel> code_labels;
};

// Gives the instructions of `module` their inline stacks.
void apply_inline_stacks(DebugInfo&, LineTable&, ir::Module&);

} // namespace warplens::ptx
