// Sections of a cubin: .text.K code, .nv.info.K what the driver must know of a kernel, .nv.constantN[.K] banks, .nv.shared.K, .nv.global.
// The attributes of .nv.info are not documented; those that are read here were found with ptxas 13.0 on kernels of known shape.
#include "translate/image.h"
#include "base/bits.h"
#include "sass/instruction.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

namespace warplens::translate {
namespace {

enum Attribute : u8 {
  parameter_bank = 0x0a,   // symbol u32, offset u16, size u16
  required_threads = 0x10, // three u32
  frame_size = 0x11,       // symbol u32, bytes u32
  least_stack_size = 0x12, // symbol u32, bytes u32
  parameter_info = 0x17,   // index u32, ordinal u16, offset u16, size << 18 u32
  large_parameter_info =
      0x45, // the same where parameters take more than 4 KB, but for: size u32, of which 24 bits count
  annotations = 0x55,      // of instructions: kind u32, offset u32
  required_cluster = 0x3d, // three u32
  explicit_cluster = 0x3e, // no value
  indirect_targets = 0x34  // of each BRX: offset u32, 0 u32, count u32, targets u32
};
// Types of relocations (nvlink 13): the low and the high word of an address, as an immediate; an address, a generic one.
constexpr u32 low_word_of_address = 0x38, high_word_of_address = 0x39, whole_address = 2, generic_address = 4;
// The lowest twelve bits of instructions that they are in (src/code/sass/table.def).
constexpr u64 opcode_bits = 0xfff, call_opcode = 0x943, call_register_opcode = 0x343, move_opcode = 0x802,
              move_uniform_opcode = 0x882;
// What pointers to functions that were compiled apart hold: the same in each kernel, whose code has them elsewhere. Greater than
// each offset in a kernel.
constexpr u64 first_pointer = u64{1} << 30, pointer_step = 16;
constexpr u64 most_linked_code = u64{16} << 20; // bytes
// Of ptxas 13.0: it marks each instruction that spills, and no access of an array (6,520 marks in 6 kernels, for 7.5 to 12.0; 5 of them have
// an array, too, and none of its 74 accesses is marked).
constexpr u32 spill_annotation = 1;
constexpr u8 sized_value = 4; // format: two bytes say how many follow

template <class T> T read(os::Bytes bytes, u64 at) {
  T out{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof(T)) std::memcpy(&out, bytes.data() + at, sizeof(T));
  return out;
}

// Calls f(attribute, value) for each entry.
template <class F> void for_each_attribute(os::Bytes info, F&& f) {
  for (u64 at = 0; at + 4 <= info.size();) {
    const u8 format = read<u8>(info, at), attribute = read<u8>(info, at + 1);
    const u16 value = read<u16>(info, at + 2);
    if (format != sized_value) {
      f(attribute, info.subspan(at + 2, 2));
      at += 4;
      continue;
    }
    if (info.size() - at - 4 < value) return;
    f(attribute, info.subspan(at + 4, value));
    at += 4 + u64{value};
  }
}

void read_targets(KernelImage& kernel, os::Bytes value) {
  for (u64 at = 0; at + 12 <= value.size();) {
    const u64 branch = read<u32>(value, at);
    const u32 count = read<u32>(value, at + 8);
    at += 12;
    for (u32 i = 0; i < count && at + 4 <= value.size(); ++i, at += 4)
      kernel.branch_targets[branch].push_back(read<u32>(value, at));
  }
}

void read_kernel_info(KernelImage& kernel, os::Bytes info) {
  std::map<u32, KernelParameter> parameters;
  for_each_attribute(info, [&](u8 attribute, os::Bytes value) {
    switch (attribute) {
    case parameter_bank: kernel.parameters_at = read<u16>(value, 4); break;
    case parameter_info:
      parameters[read<u16>(value, 4)] = {read<u16>(value, 6), read<u32>(value, 8) >> 18};
      break;
    case large_parameter_info:
      parameters[read<u16>(value, 4)] = {read<u16>(value, 6), read<u32>(value, 8) & 0xff'ffff};
      break;
    case required_threads:
      for (u64 i = 0; i < 3; ++i) kernel.required_threads.push_back(read<u32>(value, 4 * i));
      break;
    case explicit_cluster: kernel.explicit_cluster = true; break;
    case required_cluster:
      for (u64 i = 0; i < 3; ++i) kernel.required_cluster.push_back(read<u32>(value, 4 * i));
      break;
    case indirect_targets: read_targets(kernel, value); break;
    case annotations:
      for (u64 at = 0; at + 8 <= value.size(); at += 8)
        if (read<u32>(value, at) == spill_annotation) kernel.spills.insert(read<u32>(value, at + 4));
      break;
    default: break;
    }
  });
  for (const auto& [ordinal, parameter] : parameters) kernel.parameters.push_back(parameter);
}

constexpr std::string_view code_section = ".text.";

// May the code of that section stand behind a kernel's? Not where what belongs to it cannot be told from what belongs to others.
bool is_function(const os::Elf& elf, u32 section) {
  if (section >= elf.sections().size()) return false;
  const std::string_view name = elf.sections()[section].name;
  if (!name.starts_with(code_section)) return false;
  const std::string own(name.substr(code_section.size()));
  const auto same = std::ranges::count(elf.sections(), name, &os::Elf::Section::name);
  return elf.find(".nv.constant0." + own) == nullptr && elf.find(".nv.constant2." + own) == nullptr &&
         (same == 1 || elf.relocations(name).empty());
}

bool is_variable(const os::Elf& elf, const os::Elf::Symbol& symbol) {
  if (symbol.type != STT_OBJECT || !symbol.defined || symbol.section >= elf.sections().size()) return false;
  const std::string_view section = elf.sections()[symbol.section].name;
  return section == ".nv.constant3" || section == ".nv.global" || section == ".nv.global.init";
}

// Names of symbols. Files that were linked together each have literals of the same names ("$str"), which nothing but this code reads: their
// place is added to the name. Other variables keep theirs, by which the host finds them.
std::vector<std::string> names_of(const os::Elf& elf, const std::vector<os::Elf::Symbol>& symbols) {
  std::vector<std::string> out;
  for (const os::Elf::Symbol& symbol : symbols)
    out.push_back(is_variable(elf, symbol) && symbol.name.starts_with('$')
                      ? fmt::format("{}_{}_{:x}", symbol.name, symbol.section, symbol.value)
                      : std::string(symbol.name));
  return out;
}

// What a pointer to it holds; 0: it is no function that was compiled apart.
u64 pointer_to(const os::Elf& elf, const os::Elf::Symbol& symbol) {
  const bool apart =
      symbol.type == STT_FUNC && symbol.defined && symbol.value == 0 && is_function(elf, symbol.section);
  return apart ? first_pointer + symbol.section * pointer_step : 0;
}

bool calls_pointers(os::Bytes code) {
  for (u64 at = 0; at < code.size(); at += sass::instruction_bytes)
    if ((read<u64>(code, at) & opcode_bits) == call_register_opcode) return true;
  return false;
}

bool moves_address(u64 opcode) { return opcode == move_opcode || opcode == move_uniform_opcode; }

// What the linker fills in. The code of functions that the kernel calls, and of those that they call, is put behind the kernel's. A function's
// address is filled in where it is called, and where it is returned to. Elsewhere it is a pointer, and where code calls through one, each
// function that may be meant is there: `pointers`, sections by what pointers to them hold.
void link(KernelImage& kernel, const os::Elf& elf, u32 own, const std::vector<os::Elf::Symbol>& symbols,
          const std::vector<std::string>& names, const std::map<u64, u32>& pointers) {
  std::map<u32, u64> begins{{own, 0}}; // by section
  std::vector<u32> sections{own};
  auto make_own = [&] {
    if (kernel.linked.empty()) kernel.linked.assign(kernel.code.begin(), kernel.code.end());
  };
  auto begin_of = [&](u32 section) -> std::optional<u64> {
    if (auto known = begins.find(section); known != begins.end()) return known->second;
    if (!is_function(elf, section)) return {};
    const os::Elf::Section& function = elf.sections()[section];
    make_own();
    const u64 begin = align_up(kernel.linked.size(), sass::instruction_bytes);
    if (begin + function.data.size() > most_linked_code) return {};
    kernel.linked.resize(begin);
    kernel.linked.insert(kernel.linked.end(), function.data.begin(), function.data.end());
    kernel.functions.push_back({begin, std::string(function.name.substr(code_section.size()))});
    begins[section] = begin;
    sections.push_back(section);
    return begin;
  };
  bool all_there = pointers.empty();
  for (std::size_t n = 0; n < sections.size(); ++n) {
    const u64 begin = begins[sections[n]];
    if (!all_there && calls_pointers(elf.sections()[sections[n]].data)) {
      all_there = true;
      for (const auto& [pointer, section] : pointers)
        if (const std::optional<u64> there = begin_of(section))
          kernel.entries[pointer] = *there;
        else
          all_there = false;
    }
    for (const os::Elf::Relocation& r : elf.relocations(elf.sections()[sections[n]].name)) {
      const bool high = r.type == high_word_of_address, known = high || r.type == low_word_of_address;
      const u64 at = begin + r.offset / sass::instruction_bytes * sass::instruction_bytes;
      Relocated one{{}, high, known};
      if (r.symbol < symbols.size()) {
        const os::Elf::Symbol& symbol = symbols[r.symbol];
        one.address = {names[r.symbol], r.addend, pointer_to(elf, symbol)};
        const u64 opcode = read<u64>(kernel.linked.empty() ? kernel.code : kernel.linked, at) & opcode_bits;
        const bool returns = known && moves_address(opcode) && symbol.section == sections[n] && r.addend != 0;
        const bool in_code = symbol.defined && (opcode == call_opcode || returns);
        if (const std::optional<u64> there = in_code ? begin_of(symbol.section) : std::nullopt) {
          const u64 value = *there + symbol.value + static_cast<u64>(r.addend);
          if (opcode == call_opcode) {
            kernel.calls[at] = value;
            continue;
          }
          const u32 word = high ? 0 : static_cast<u32>(value);
          make_own();
          if (at + 8 <= kernel.linked.size()) std::memcpy(kernel.linked.data() + at + 4, &word, sizeof word);
          continue;
        }
      }
      kernel.relocated[at] = one;
    }
  }
  kernel.calls_apart = all_there && !pointers.empty();
  if (!kernel.linked.empty()) kernel.code = kernel.linked;
}

// The functions that pointers are made to, in variables, in bank 4, or in code: what these hold → their sections.
std::map<u64, u32> pointers_of(const os::Elf& elf, const std::vector<os::Elf::Symbol>& symbols) {
  std::map<u64, u32> out;
  for (u32 number = 0; number < elf.sections().size(); ++number) {
    const os::Elf::Section& section = elf.sections()[number];
    const bool is_code = section.name.starts_with(code_section);
    if (!is_code && section.name != ".nv.global.init" && section.name != ".nv.constant3" &&
        section.name != ".nv.constant4")
      continue;
    for (const os::Elf::Relocation& r : elf.relocations(section.name)) {
      if (r.symbol >= symbols.size()) continue;
      const os::Elf::Symbol& symbol = symbols[r.symbol];
      const u64 at = r.offset / sass::instruction_bytes * sass::instruction_bytes;
      const u64 opcode = read<u64>(section.data, at) & opcode_bits;
      const bool returns = symbol.section == number && r.addend != 0;
      if (is_code && (!moves_address(opcode) || returns)) continue;
      if (const u64 pointer = pointer_to(elf, symbol)) out[pointer] = symbol.section;
    }
  }
  return out;
}

// The addresses that a variable of that section begins with. False: some are of a kind that is not known.
bool read_addresses(DeviceVariable& variable, const os::Elf& elf, const os::Elf::Section& section,
                    const std::vector<os::Elf::Symbol>& symbols, const std::vector<std::string>& names) {
  for (const os::Elf::Relocation& r : elf.relocations(section.name)) {
    if (r.offset < variable.offset || r.offset >= variable.offset + variable.size) continue;
    if ((r.type != whole_address && r.type != generic_address) || r.symbol >= symbols.size()) return false;
    const u64 pointer = pointer_to(elf, symbols[r.symbol]);
    if (pointer == 0 && !is_variable(elf, symbols[r.symbol])) return false;
    const i64 addend = r.addend != 0 ? r.addend : read<i64>(section.data, r.offset); // 7.5 has it there
    variable.addresses[r.offset - variable.offset] = {names[r.symbol], addend, pointer};
  }
  return true;
}

} // namespace

Image read_image(os::Bytes cubin, u32 sm) {
  Image out;
  out.sm = sm;
  const std::optional<os::Elf> elf = os::Elf::parse(cubin);
  if (!elf) return out;
  const std::vector<os::Elf::Symbol> symbols = elf->symbols();
  const std::vector<std::string> names = names_of(*elf, symbols);
  auto data_of = [&](const std::string& name) {
    const os::Elf::Section* section = elf->find(name);
    return section != nullptr ? section->data : os::Bytes();
  };
  std::map<std::string, u64> frames;
  if (const os::Elf::Section* info = elf->find(".nv.info"))
    for_each_attribute(info->data, [&](u8 attribute, os::Bytes value) {
      if (attribute != frame_size && attribute != least_stack_size) return;
      const u32 symbol = read<u32>(value, 0);
      if (symbol >= symbols.size()) return;
      u64& bytes = frames[std::string(symbols[symbol].name)];
      bytes = std::max<u64>(bytes, read<u32>(value, 4));
    });
  const std::map<u64, u32> pointers = pointers_of(*elf, symbols);
  for (u32 number = 0; number < elf->sections().size(); ++number) {
    const os::Elf::Section& section = elf->sections()[number];
    if (!section.name.starts_with(code_section)) continue;
    KernelImage kernel;
    kernel.name = section.name.substr(code_section.size());
    if (elf->find(".nv.constant0." + kernel.name) == nullptr) continue; // a function of another module
    kernel.code = section.data;
    read_kernel_info(kernel, data_of(".nv.info." + kernel.name));
    if (const os::Elf::Section* shared = elf->find(".nv.shared." + kernel.name))
      kernel.shared_bytes = shared->size;
    constexpr u32 with_clusters = 90;
    if (sm >= with_clusters) kernel.shared_reserved = 1024;
    kernel.frame_bytes = frames[kernel.name];
    for (const os::Elf::Symbol& symbol : symbols)
      if (symbol.type == STT_FUNC && symbol.section == number && symbol.value != 0)
        kernel.entries[symbol.value] = symbol.value;
    link(kernel, *elf, number, symbols, names, pointers);
    for (const LinkedFunction& function : kernel.functions) {
      KernelImage its;
      read_kernel_info(its, data_of(".nv.info." + function.name));
      // One below the other, at worst: none is called while it runs.
      kernel.frame_bytes += frames[function.name];
      for (u64 offset : its.spills) kernel.spills.insert(function.begin + offset);
    }
    kernel.jump_tables = data_of(".nv.constant2." + kernel.name);
    if (elf->relocations(".nv.constant2." + kernel.name).empty()) kernel.literals = kernel.jump_tables;
    out.kernels.push_back(std::move(kernel));
  }
  for (u32 n = 0; n < symbols.size(); ++n) {
    const os::Elf::Symbol& symbol = symbols[n];
    if (!is_variable(*elf, symbol)) continue;
    const os::Elf::Section& section = elf->sections()[symbol.section];
    const bool is_constant = section.name == ".nv.constant3";
    DeviceVariable variable{names[n], symbol.value, symbol.size, {}, is_constant};
    if (symbol.value <= section.data.size() && section.data.size() - symbol.value >= symbol.size)
      variable.initial = section.data.subspan(symbol.value, symbol.size);
    out.unknown_addresses |= !read_addresses(variable, *elf, section, symbols, names);
    out.variables.push_back(std::move(variable));
  }
  std::ranges::sort(out.variables, {}, &DeviceVariable::offset);
  for (const os::Elf::Relocation& relocation : elf->relocations(".nv.constant4"))
    if (relocation.symbol < symbols.size())
      out.addresses[relocation.offset] = {names[relocation.symbol], relocation.addend,
                                          pointer_to(*elf, symbols[relocation.symbol])};
  return out;
}

} // namespace warplens::translate
