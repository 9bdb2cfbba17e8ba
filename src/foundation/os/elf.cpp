// The tables of an ELF image, each entry copied out before it is looked at: nothing in a file is aligned for
// certain.
#include "os/elf.h"
#include "os/readable.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>

namespace warplens::os {

template <class T> static std::optional<T> read(Bytes image, u64 offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

static Bytes slice(Bytes image, u64 offset, u64 size) {
  if (offset > image.size() || image.size() - offset < size) return {};
  return image.subspan(offset, size);
}

static std::string_view string_at(Bytes table, u64 offset) {
  if (offset >= table.size()) return {};
  const char* begin = reinterpret_cast<const char*>(table.data()) + offset;
  return {begin, strnlen(begin, table.size() - offset)};
}

static std::optional<Elf64_Ehdr> header_of(Bytes image) {
  constexpr std::array<u8, SELFMAG> magic{ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};
  return begins_with(image, magic) ? read<Elf64_Ehdr>(image, 0) : std::nullopt;
}

ElfKind elf_kind(Bytes image) {
  std::optional<Elf64_Ehdr> header = header_of(image);
  if (!header) return ElfKind::none;
  bool native = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64;
  return native ? ElfKind::native : ElfKind::foreign;
}

bool is_cut_off(Bytes image) {
  std::optional<Elf64_Ehdr> header = header_of(image);
  const u64 bytes = header ? u64{header->e_shnum} * sizeof(Elf64_Shdr) : 0;
  return header && (header->e_shoff > image.size() || image.size() - header->e_shoff < bytes);
}

std::optional<Elf> Elf::parse(Bytes image) {
  std::optional<Elf64_Ehdr> header = header_of(image);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return {};
  Elf elf;
  elf.flags_ = header->e_flags;
  elf.extent_ = std::max<u64>(sizeof *header, header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr));
  std::vector<Elf64_Shdr> headers;
  for (u32 i = 0; i < header->e_shnum; ++i) {
    std::optional<Elf64_Shdr> section =
        read<Elf64_Shdr>(image, header->e_shoff + u64{i} * sizeof(Elf64_Shdr));
    if (!section) return {};
    headers.push_back(*section);
  }
  Bytes names;
  if (header->e_shstrndx < headers.size())
    names = slice(image, headers[header->e_shstrndx].sh_offset, headers[header->e_shstrndx].sh_size);
  for (const Elf64_Shdr& h : headers) {
    Bytes data = h.sh_type == SHT_NOBITS ? Bytes{} : slice(image, h.sh_offset, h.sh_size);
    elf.sections_.push_back({string_at(names, h.sh_name), h.sh_type, h.sh_link, h.sh_addr, data, h.sh_size});
    if (!data.empty()) elf.extent_ = std::max(elf.extent_, h.sh_offset + h.sh_size);
  }
  return elf;
}

const Elf::Section* Elf::find(std::string_view name) const {
  for (const Section& section : sections_)
    if (section.name == name) return &section;
  return nullptr;
}

bool Elf::has(u32 type) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.type == type; });
}

std::vector<Elf::Symbol> Elf::symbols_of(u32 type) const {
  std::vector<Symbol> out;
  for (const Section& section : sections_) {
    if (section.type != type || section.link >= sections_.size()) continue;
    Bytes strings = sections_[section.link].data;
    for (u64 at = 0; std::optional<Elf64_Sym> symbol = read<Elf64_Sym>(section.data, at);
         at += sizeof(Elf64_Sym))
      out.push_back({string_at(strings, symbol->st_name), static_cast<u8>(ELF64_ST_TYPE(symbol->st_info)),
                     symbol->st_shndx != SHN_UNDEF, symbol->st_value, symbol->st_size, symbol->st_shndx});
  }
  return out;
}

std::vector<Elf::Relocation> Elf::relocations(std::string_view name) const {
  std::vector<Relocation> out;
  auto add = [&](u64 offset, u64 info, i64 addend) {
    out.push_back(
        {offset, static_cast<u32>(ELF64_R_TYPE(info)), static_cast<u32>(ELF64_R_SYM(info)), addend});
  };
  for (const Section& section : sections_) {
    if (section.type == SHT_RELA && section.name.starts_with(".rela") && section.name.substr(5) == name)
      for (u64 at = 0; std::optional<Elf64_Rela> one = read<Elf64_Rela>(section.data, at); at += sizeof *one)
        add(one->r_offset, one->r_info, one->r_addend);
    if (section.type == SHT_REL && section.name.starts_with(".rel") && section.name.substr(4) == name)
      for (u64 at = 0; std::optional<Elf64_Rel> one = read<Elf64_Rel>(section.data, at); at += sizeof *one)
        add(one->r_offset, one->r_info, 0);
  }
  return out;
}

std::vector<Elf::Symbol> Elf::symbols() const { return symbols_of(SHT_SYMTAB); }
std::vector<Elf::Symbol> Elf::dynamic_symbols() const { return symbols_of(SHT_DYNSYM); }

std::vector<std::string_view> Elf::dynamic_strings(i64 tag) const {
  std::vector<std::string_view> out;
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNAMIC || section.link >= sections_.size()) continue;
    Bytes strings = sections_[section.link].data;
    for (u64 at = 0; std::optional<Elf64_Dyn> entry = read<Elf64_Dyn>(section.data, at);
         at += sizeof(Elf64_Dyn))
      if (entry->d_tag == tag) out.push_back(string_at(strings, entry->d_un.d_val));
  }
  return out;
}

std::vector<std::string_view> Elf::needed() const { return dynamic_strings(DT_NEEDED); }

std::string_view Elf::soname() const {
  std::vector<std::string_view> names = dynamic_strings(DT_SONAME);
  return names.empty() ? std::string_view() : names[0];
}

// The Linux Standard Base, "Exception Frames": four bytes that say how what follows is encoded, a pointer to .eh_frame, the
// number of entries, and per entry two offsets from the table's begin: the function and how it is unwound.
std::vector<u64> Elf::function_starts() const {
  constexpr u32 usual_encodings =
      0x3b'03'1b'01; // version 1; pointer sdata4 pcrel, count udata4, table sdata4 datarel
  const Section* table = find(".eh_frame_hdr");
  if (!table || read<u32>(table->data, 0) != usual_encodings) return {};
  std::vector<u64> out;
  const u32 count = read<u32>(table->data, 8).value_or(0);
  for (u64 i = 0; i < count; ++i) {
    std::optional<i32> offset = read<i32>(table->data, 12 + i * 8);
    if (!offset) break;
    out.push_back(table->address + static_cast<u64>(i64{*offset}));
  }
  std::sort(out.begin(), out.end());
  return out;
}

Bytes find_note(Bytes notes, std::string_view owner, u32 type) {
  auto padded = [](u64 size) { return (size + 3) & ~u64{3}; };
  for (u64 at = 0; std::optional<Elf64_Nhdr> note = read<Elf64_Nhdr>(notes, at);) {
    u64 name = at + sizeof *note, content = name + padded(note->n_namesz);
    bool ours = note->n_type == type && note->n_namesz == owner.size() + 1 &&
                string_at(slice(notes, name, note->n_namesz), 0) == owner;
    if (ours) return slice(notes, content, note->n_descsz);
    at = content + padded(note->n_descsz);
  }
  return {};
}

} // namespace warplens::os
