// The table of opcodes that access memory, the reader of sections, and what a predicate says of an atomic. See machine_code.h.
#include "machine_code/machine_code.h"
#include "machine_code/cubin.h"
#include "os/elf.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <elf.h>
#include <set>

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
};
// Names that texts have and the table has otherwise.
constexpr std::pair<std::string_view, std::string_view> same_names[] = {{"REDG", "RED"}, {"REDUX", ""}};

// The width field: U8 S8 U16 S16 32 64 128.
constexpr u32 widths[] = {1, 1, 2, 2, 4, 8, 16, 0};
constexpr const char* suffixes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ""};

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

// The predicate that an instruction is executed under, bits 12 to 15: a number, of which 7 is "always", and its sign.
struct Guard {
  u32 predicate;
  bool negated;
};
Guard guard_of(const Words& words) {
  return {static_cast<u32>(words.low >> 12 & 7), (words.low >> 15 & 1) != 0};
}

// Bits 40 to 63, signed.
i32 immediate_of(const Words& words) { return static_cast<i32>(static_cast<i64>(words.low) >> 40); }

// ISETP.EQ, and the predicate that it writes.
constexpr u32 always = 7, predicates = 8;
std::optional<u32> compares_equal(const Words& words) {
  constexpr u32 isetp = 0x00c, equal = 2;
  if ((words.low & 0x1ff) != isetp || (words.high >> 12 & 7) != equal) return {};
  return static_cast<u32>(words.high >> 17 & 7);
}

MemoryOpcode opcode_of(const Row& row) { return {row.name, row.space, row.kind, 0, row.generic}; }

} // namespace

std::optional<MemoryOpcode> decode(u64 low, u64 high) {
  auto row = std::ranges::find(table, low & 0x1ff, &Row::opcode);
  if (row == std::end(table)) return {};
  MemoryOpcode out = opcode_of(*row);
  constexpr u64 count_lanes = 0xf8c; // ATOMS of another form: no register with what is added
  if ((low & 0xfff) == count_lanes) out.name += ".POPC.INC", out.combines = true;
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
        (opcode.ends_with(suffixes[i]) || opcode.find(suffixes[i] + std::string(".")) != opcode.npos))
      out.bytes = widths[i];
  return out;
}

MachineCode::MachineCode(os::Bytes cubin) {
  std::optional<os::Elf> elf = os::Elf::parse(cubin);
  if (!elf) return;
  lines_ = read_line_programs(*elf, ".debug_line");
  text_lines_ = read_line_programs(*elf, ".nv_debug_line_sass");
  constexpr std::string_view code = ".text.";
  u64 left = cubin.size(); // sections do not share bytes; those that do were made to take time and memory
  for (const os::Elf::Section& section : elf->sections()) {
    const bool is_code = section.name.starts_with(code), has_text = is_text(section.name);
    if ((!is_code && !has_text) || section.data.empty() || section.data.size() > left) continue;
    left -= section.data.size();
    if (is_code) functions_[std::string(section.name.substr(code.size()))].code = section.data;
    if (has_text) {
      text_names_.emplace_back(section.name);
      texts_.push_back(text_of(section.data));
    }
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
  for (const LineSequence& sequence : text_lines_.sequences)
    if (Function* function = function_of(sequence)) function->text_lines = &sequence;
}

std::optional<MemoryOpcode> MachineCode::opcode(const std::string& function, u64 offset) const {
  auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  os::Bytes code = found->second.code;
  if (offset > code.size() || code.size() - offset < instruction_bytes) return {};
  const Words words = words_at(code, offset);
  return decode(words.low, words.high);
}

std::vector<std::string> MachineCode::functions() const {
  std::vector<std::string> out;
  for (const auto& [name, function] : functions_) out.push_back(name);
  return out;
}

bool MachineCode::has_text_lines(const std::string& function) const {
  auto found = functions_.find(function);
  return found != functions_.end() && found->second.text_lines != nullptr;
}

// Of several texts a row's file is the name of one.
u32 MachineCode::text_at(const LineRow& row) const {
  if (texts_.size() == 1 || row.file >= text_lines_.files.size()) return 0;
  auto named = std::ranges::find(text_names_, text_lines_.files[row.file]);
  return static_cast<u32>(named - text_names_.begin());
}

std::vector<MemoryInstruction> MachineCode::accesses(const std::string& function) const {
  std::vector<MemoryInstruction> out;
  auto found = functions_.find(function);
  if (found == functions_.end()) return out;
  const auto& [code, lines, text_lines] = found->second;
  struct Setter {
    u32 text = 0, line = 0;
  };
  std::array<Setter, predicates> set{}; // where in the text the predicate's latest ISETP.EQ comes from
  std::vector<std::pair<std::size_t, Setter>> guarded; // accesses that one of these guards
  for (u64 at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const Words words = words_at(code, at);
    const LineRow* row = text_lines != nullptr ? row_at(*text_lines, at) : nullptr;
    const Setter here{row != nullptr ? text_at(*row) : 0, row != nullptr ? row->line : 0};
    if (std::optional<u32> written = compares_equal(words)) set[*written] = here;
    std::optional<MemoryOpcode> opcode = decode(words.low, words.high);
    if (!opcode) continue;
    out.push_back({at, std::move(*opcode), here.text, here.line, false, immediate_of(words)});
    const Guard guard = guard_of(words);
    if (guard.predicate != always && !guard.negated)
      guarded.emplace_back(out.size() - 1, set[guard.predicate]);
  }
  std::set<std::pair<u32, u32>> atomics; // lines
  for (const MemoryInstruction& i : out)
    if (is_atomic(i.opcode.kind) && i.line != 0) atomics.emplace(i.text, i.line);
  for (const auto& [index, setter] : guarded)
    out[index].one_lane = is_atomic(out[index].opcode.kind) && atomics.contains({setter.text, setter.line});
  return out;
}

std::vector<BranchInstruction> MachineCode::branches(const std::string& function) const {
  constexpr u32 bra = 0x147;
  std::vector<BranchInstruction> out;
  auto found = functions_.find(function);
  if (found == functions_.end() || found->second.text_lines == nullptr) return out;
  const os::Bytes code = found->second.code;
  for (u64 at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const Words words = words_at(code, at);
    if ((words.low & 0x1ff) != bra || guard_of(words).predicate == always) continue;
    const LineRow* row = row_at(*found->second.text_lines, at);
    if (row != nullptr && row->line != 0) out.push_back({at, text_at(*row), row->line});
  }
  return out;
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
