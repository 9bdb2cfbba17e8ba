// See cubin.h. Of what a cubin holds besides machine code, the PTX text, its lines and the registers matter.
#include "machine_code/cubin.h"
#include "machine_code/line_program.h"
#include "os/elf.h"
#include <cstring>
#include <elf.h>

namespace warplens::fatbin {

using os::Elf;

constexpr std::string_view text_section = ".nv_debug_ptx_txt";

// A linker (nvJitLink) keeps one per module that it was given, told apart by a number: .nv_debug_ptx_txt.3941200134.
static bool is_text(std::string_view name) {
  if (!name.starts_with(text_section)) return false;
  return name.size() == text_section.size() || name[text_section.size()] == '.';
}

static std::string text_of(Bytes section) {
  std::string text(reinterpret_cast<const char*>(section.data()), section.size());
  for (char& c : text)
    if (c == '\0') c = '\n';
  return text;
}

// The rows that lead to the text in that section: where there are several, a unit's file is the name of one.
static LineProgram rows_of(LineProgram lines, std::string_view section) {
  if (section == text_section) return lines;
  for (LineSequence& sequence : lines.sequences) {
    std::erase_if(sequence.rows, [&](const LineRow& row) {
      return row.file >= lines.files.size() || lines.files[row.file] != section;
    });
    sequence.by_address.clear();
  }
  return lines;
}

// `section`: the name of that which holds the text.
static std::string with_lines(std::string ptx, const Elf& elf, std::string_view section) {
  if (ptx.find("\n.loc\t") != ptx.npos || ptx.find("\n.loc ") != ptx.npos) return ptx;
  return with_locations(ptx, read_line_programs(elf, ".debug_line"),
                        rows_of(read_line_programs(elf, ".nv_debug_line_sass"), section));
}

// .nv.info is a row of attributes {u8 format, u8 attribute, u16 size or value, payload of that size in format
// 4}. EIATTR_REGCOUNT holds {u32 symbol index, u32 registers}.
static void read_registers(std::map<std::string, u32>& out, Bytes info,
                           const std::vector<Elf::Symbol>& symbols) {
  constexpr u8 format_sized = 4, attribute_registers = 0x2f;
  for (u64 at = 0; info.size() - at >= 4;) {
    u8 format = static_cast<u8>(info[at]), attribute = static_cast<u8>(info[at + 1]);
    u16 size;
    std::memcpy(&size, info.data() + at + 2, 2);
    at += 4;
    if (format != format_sized) continue;
    if (size > info.size() - at) return;
    if (attribute == attribute_registers && size >= 8) {
      u32 values[2];
      std::memcpy(values, info.data() + at, 8);
      if (values[0] < symbols.size()) out.emplace(symbols[values[0]].name, values[1]);
    }
    at += size;
  }
}

std::map<std::string, u32> registers_of(Bytes image) {
  std::map<std::string, u32> out;
  const std::optional<Elf> elf = Elf::parse(image);
  if (!elf) return out;
  if (const Elf::Section* info = elf->find(".nv.info")) read_registers(out, info->data, elf->symbols());
  return out;
}

void read_cubin(Fatbin& fatbin, Bytes image, u32 sm) {
  ++fatbin.cubins;
  std::optional<Elf> elf = Elf::parse(image);
  if (!elf) return;
  PtxImage found{sm, {}, true, {}};
  for (const Elf::Section& section : elf->sections()) {
    if (!is_text(section.name) || section.data.empty()) continue;
    std::string text = with_lines(text_of(section.data), *elf, section.name);
    if (found.text.empty())
      found.text = std::move(text);
    else
      found.linked.push_back(std::move(text));
  }
  if (!found.text.empty()) fatbin.ptx.push_back(std::move(found));
  if (const Elf::Section* info = elf->find(".nv.info"))
    read_registers(fatbin.registers, info->data, elf->symbols());
}

std::vector<std::byte> cubin_around(std::string_view ptx, u32 sm) {
  constexpr u16 machine_cuda = 190;
  constexpr std::string_view names("\0.shstrtab\0.nv_debug_ptx_txt", 28); // at 1 and 11
  constexpr u32 name_of_names = 1, name_of_text = 11;
  std::string text(ptx);
  for (char& c : text)
    if (c == '\n') c = '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB,
  header.e_ident[EI_VERSION] = 1;
  header.e_type = ET_REL, header.e_machine = machine_cuda, header.e_version = 1, header.e_flags = sm;
  header.e_ehsize = sizeof header, header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = 3;
  header.e_shstrndx = 1;
  Elf64_Shdr sections[3]{};
  sections[1] = {name_of_names, SHT_STRTAB, 0, 0, sizeof header, names.size(), 0, 0, 1, 0};
  sections[2] = {name_of_text, SHT_PROGBITS, 0, 0, sizeof header + names.size(), text.size(), 0, 0, 1, 0};
  header.e_shoff = (sections[2].sh_offset + text.size() + 7) & ~u64{7};

  std::vector<std::byte> out(header.e_shoff + sizeof sections);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sections[1].sh_offset, names.data(), names.size());
  std::memcpy(out.data() + sections[2].sh_offset, text.data(), text.size());
  std::memcpy(out.data() + header.e_shoff, sections, sizeof sections);
  return out;
}

} // namespace warplens::fatbin
