// Sections, symbols and notes of a 64-bit little-endian ELF image: executables, shared objects and cubins
// (which are ELF too). Every offset is checked against the image; what does not fit reads as absent, so that
// a damaged file has nothing in it and crashes nobody. Layout: the System V ABI, chapters 4 and 5.
#pragma once
#include "os/bytes.h"
#include <optional>
#include <vector>

namespace warplens::os {

enum class ElfKind : u8 { none, foreign, native };
// By the header alone; native: a 64-bit x86 program or library.
ElfKind elf_kind(Bytes image);
// Is its table of sections behind the end of the image, as of a file that was copied in part?
bool is_cut_off(Bytes image);

class Elf {
public:
  struct Section {
    std::string_view name;
    u32 type = 0, link = 0; // SHT_*
    u64 address = 0;
    Bytes data;   // empty for SHT_NOBITS
    u64 size = 0; // in memory
  };
  struct Symbol {
    std::string_view name;
    u8 type = 0; // STT_*
    bool defined = false;
    u64 value = 0, size = 0;
    u32 section = 0; // into sections(); of one that is defined there
  };
  struct Relocation {
    u64 offset = 0;           // in the section that it is for
    u32 type = 0, symbol = 0; // R_*; into symbols()
    i64 addend = 0;
  };

  // Empty when `image` is no such file.
  static std::optional<Elf> parse(Bytes image);

  const std::vector<Section>& sections() const { return sections_; }
  const Section* find(std::string_view name) const;
  bool has(u32 type) const;            // a section of that type
  std::vector<Symbol> symbols() const; // of .symtab; empty when the file is stripped
  // Of ".rela.NAME" or ".rel.NAME", whose addends are in the section itself and are 0 here.
  std::vector<Relocation> relocations(std::string_view section) const;
  std::vector<Symbol> dynamic_symbols() const;  // of .dynsym: what it exports and imports
  std::vector<std::string_view> needed() const; // DT_NEEDED
  std::string_view soname() const;              // DT_SONAME; empty where there is none
  // Where the functions begin, ascending: what the table for unwinding (.eh_frame_hdr) lists. `strip` leaves it alone, as
  // exceptions need it. Empty where there is none, or one of a form that GNU ld and lld do not write.
  std::vector<u64> function_starts() const;
  u32 flags() const { return flags_; }
  u64 extent() const { return extent_; } // bytes to the end of the last section and of the section table

private:
  std::vector<Symbol> symbols_of(u32 type) const;
  std::vector<std::string_view> dynamic_strings(i64 tag) const;
  std::vector<Section> sections_;
  u32 flags_ = 0;
  u64 extent_ = 0;
};

// What the note of that owner ("GNU") and type holds; empty where there is none. `notes` is the content of a
// PT_NOTE segment.
Bytes find_note(Bytes notes, std::string_view owner, u32 type);

} // namespace warplens::os
