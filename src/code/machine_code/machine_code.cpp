// The table of opcodes that access memory, the reader of sections, and what a predicate says of an atomic. See machine_code.h.
#include "machine_code/machine_code.h"
#include "os/elf.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warplens::fatbin {
namespace {

using access::Kind;
using access::Space;

struct Row {
  u32 opcode; // the lowest nine bits
  const char* name;
  Space space;
  Kind kind;
  bool generic = false;
};
constexpr Row table[] = {
    {0x181, "LDG", Space::global, Kind::load},
    {0x186, "STG", Space::global, Kind::store},
    {0x1a8, "ATOMG", Space::global, Kind::atomic},
    {0x1a9, "ATOMG.CAS", Space::global, Kind::atomic},
    {0x18e, "RED", Space::global, Kind::reduction},
    {0x1a6, "RED", Space::global, Kind::reduction}, // of floats
    {0x1a3, "ATOMG", Space::global, Kind::atomic},
    {0x180, "LD", Space::global, Kind::load, true},
    {0x185, "ST", Space::global, Kind::store, true},
    {0x18a, "ATOM", Space::global, Kind::atomic, true},
    {0x1a2, "ATOM", Space::global, Kind::atomic, true}, // of floats
    {0x18b, "ATOM.CAS", Space::global, Kind::atomic, true},
    {0x184, "LDS", Space::shared, Kind::load},
    {0x188, "STS", Space::shared, Kind::store},
    {0x18c, "ATOMS", Space::shared, Kind::atomic},
    {0x18d, "ATOMS.CAS", Space::shared, Kind::atomic},
    {0x03b, "LDSM", Space::shared, Kind::ldmatrix},
    {0x044, "STSM", Space::shared, Kind::store},
    {0x183, "LDL", Space::local, Kind::load},
    {0x187, "STL", Space::local, Kind::store},
    {0x1ae, "LDGSTS", Space::global, Kind::async_copy},
    {0x1ba, "UBLKCP", Space::global, Kind::async_copy},
    {0x1b4, "UTMALDG", Space::global, Kind::async_copy},
    {0x1b5, "UTMASTG", Space::global, Kind::async_copy},
};
// Names that texts have and the table has otherwise.
constexpr std::pair<std::string_view, std::string_view> same_names[] = {{"REDG", "RED"}, {"REDUX", ""}};

// The width field: U8 S8 U16 S16 32 64 128, and 128 in another way (7.5).
constexpr u32 widths[] = {1, 1, 2, 2, 4, 8, 16, 16};
constexpr const char* suffixes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128"};

constexpr u64 instruction_bytes = 16;
constexpr u32 stores_matrix = 0x044;

struct Words {
  u64 low = 0, high = 0;
};
Words words_at(os::Bytes code, u64 offset) {
  Words out;
  std::memcpy(&out.low, code.data() + offset, sizeof out.low);
  std::memcpy(&out.high, code.data() + offset + sizeof out.low, sizeof out.high);
  return out;
}

MemoryOpcode opcode_of(const Row& row) { return {row.name, row.space, row.kind, 0, row.generic}; }

} // namespace

std::optional<MemoryOpcode> decode(u64 low, u64 high) {
  auto row = std::ranges::find(table, low & 0x1ff, &Row::opcode);
  if (row == std::end(table)) return {};
  MemoryOpcode out = opcode_of(*row);
  constexpr u64 count_lanes = 0xf8c; // ATOMS of another form: no register with what is added
  if ((low & 0xfff) == count_lanes) out.name += ".POPC.INC";
  // Matrices and atomics have other things in these bits.
  if ((row->kind == Kind::load || row->kind == Kind::store) && row->opcode != stores_matrix) {
    const u64 width = high >> 9 & 7;
    out.bytes = widths[width];
    out.name += suffixes[width];
  }
  return out;
}

std::optional<MemoryOpcode> memory_opcode(std::string_view sass) {
  auto skip_blanks = [&] { sass.remove_prefix(std::min(sass.find_first_not_of(" \t{"), sass.size())); };
  skip_blanks();
  if (sass.starts_with('@')) {
    sass.remove_prefix(std::min(sass.find(' '), sass.size()));
    skip_blanks();
  }
  const std::string_view opcode = sass.substr(0, sass.find_first_of(" \t;"));
  std::string_view base = opcode.substr(0, opcode.find('.'));
  for (auto [text, name] : same_names)
    if (base == text) base = name;
  auto row = std::ranges::find_if(table, [&](const Row& r) { return base == r.name; });
  if (row == std::end(table)) return {};
  MemoryOpcode out = opcode_of(*row);
  out.name = opcode;
  if (row->kind == Kind::ldmatrix || row->kind == Kind::async_copy) return out;
  out.bytes = 4;
  for (std::size_t i = 0; i < std::size(widths); ++i)
    if (*suffixes[i] != '\0' &&
        (opcode.ends_with(suffixes[i]) || opcode.find(fmt::format("{}.", suffixes[i])) != opcode.npos))
      out.bytes = widths[i];
  return out;
}

MachineCode::MachineCode(os::Bytes cubin) {
  std::optional<os::Elf> elf = os::Elf::parse(cubin);
  if (!elf) return;
  lines_ = read_line_programs(*elf, ".debug_line");
  constexpr std::string_view code = ".text.";
  u64 left = cubin.size(); // sections do not share bytes; those that do were made to take time and memory
  for (const os::Elf::Section& section : elf->sections()) {
    if (!section.name.starts_with(code) || section.data.empty() || section.data.size() > left) continue;
    left -= section.data.size();
    functions_[std::string(section.name.substr(code.size()))].code = section.data;
  }
  const std::vector<os::Elf::Symbol> symbols = elf->symbols();
  auto function_of = [&](const LineSequence& sequence) -> Function* {
    if (sequence.symbol >= symbols.size()) return nullptr;
    std::string_view name = symbols[sequence.symbol].name;
    if (name.starts_with(code))
      name.remove_prefix(code.size()); // the section's symbol stands for its function
    auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &found->second;
  };
  for (const LineSequence& sequence : lines_.sequences)
    if (Function* function = function_of(sequence)) function->lines = &sequence;
}

std::optional<MemoryOpcode> MachineCode::opcode(const std::string& function, u64 offset) const {
  auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  os::Bytes code = found->second.code;
  if (offset > code.size() || code.size() - offset < instruction_bytes) return {};
  const Words words = words_at(code, offset);
  return decode(words.low, words.high);
}

access::SourceStack MachineCode::frames(const std::string& function, u64 offset) const {
  constexpr std::size_t deepest = 64;
  auto found = functions_.find(function);
  if (found == functions_.end() || found->second.lines == nullptr) return {};
  const LineSequence& lines = *found->second.lines;
  std::vector<access::SourceFrame> out;
  for (const LineRow* row = row_at(lines, offset); row != nullptr && out.size() < deepest;
       row = row->caller ? &lines.rows[*row->caller] : nullptr)
    if (row->line != 0 && row->file < lines_.files.size())
      out.push_back({lines_.files[row->file], row->line, 0, {}});
  return out;
}

} // namespace warplens::fatbin
