// See cubin.h. Of what a cubin holds besides machine code, the PTX text, its lines and the registers matter.
#include "fatbin/cubin.h"
#include "fatbin/line_program.h"
#include "os/elf.h"
#include <cstring>

namespace warplens::fatbin {

using os::Elf;

// .nv_debug_ptx_txt is the PTX text with a NUL in place of each line's end.
static std::string text_of(Bytes section) {
  std::string text(reinterpret_cast<const char*>(section.data()), section.size());
  for (char& c : text)
    if (c == '\0') c = '\n';
  return text;
}

static std::string with_lines(std::string ptx, const Elf& elf) {
  if (ptx.find("\n.loc\t") != ptx.npos || ptx.find("\n.loc ") != ptx.npos) return ptx;
  auto data_of = [&](std::string_view name) {
    const Elf::Section* section = elf.find(name);
    return section ? section->data : Bytes{};
  };
  return with_locations(
      ptx, read_line_programs(data_of(".debug_line"), data_of(".rela.debug_line")),
      read_line_programs(data_of(".nv_debug_line_sass"), data_of(".rela.nv_debug_line_sass")));
}

// .nv.info is a row of attributes {u8 format, u8 attribute, u16 size or value, payload of that size in format
// 4}. EIATTR_REGCOUNT holds {u32 symbol index, u32 registers}.
static void read_registers(Fatbin& fatbin, Bytes info, const std::vector<Elf::Symbol>& symbols) {
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
      if (values[0] < symbols.size()) fatbin.registers.emplace(symbols[values[0]].name, values[1]);
    }
    at += size;
  }
}

void read_cubin(Fatbin& fatbin, Bytes image, u32 sm) {
  ++fatbin.cubins;
  std::optional<Elf> elf = Elf::parse(image);
  if (!elf) return;
  if (const Elf::Section* text = elf->find(".nv_debug_ptx_txt"); text && !text->data.empty())
    fatbin.ptx.push_back({sm, with_lines(text_of(text->data), *elf), true});
  if (const Elf::Section* info = elf->find(".nv.info")) read_registers(fatbin, info->data, elf->symbols());
}

} // namespace warplens::fatbin
