// The DWARF reader (versions 2 to 4), and the tables of a cubin turned into .loc directives. See line_program.h.
#include "machine_code/line_program.h"
#include "base/dwarf_bytes.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace warplens::fatbin {
namespace {

using os::Bytes;

std::map<u64, u32> symbols_by_place(Bytes relocations, Relocations kind) {
  struct Entry {
    u64 offset, info;
  };
  const u64 size = sizeof(Entry) + (kind == Relocations::rela ? 8 : 0); // with the addend, which is 0
  std::map<u64, u32> out;
  for (u64 at = 0; at + size <= relocations.size(); at += size) {
    Entry entry;
    std::memcpy(&entry, relocations.data() + at, sizeof entry);
    out[entry.offset] = static_cast<u32>(entry.info >> 32);
  }
  return out;
}

// One unit: a header with its tables, then the program of a state machine.
class Unit {
public:
  Unit(Bytes section, const std::map<u64, u32>& symbols, LineProgram& out)
      : section_(section), symbols_(symbols), out_(out) {}

  // Returns where the next one begins; the end of the section where this one cannot be read.
  u64 read(u64 at) {
    DwarfBytes header(os::as_text(section_), at);
    u64 length = header.fixed(4), end = header.at() + length, version = header.fixed(2);
    u64 program = header.fixed(4);
    program += header.at();
    step_ = header.fixed(1);
    if (version == 4) header.skip(1); // operations per instruction
    header.skip(1);                   // default_is_stmt
    line_base_ = static_cast<i8>(header.fixed(1));
    line_range_ = header.fixed(1);
    opcode_base_ = header.fixed(1);
    if (!header.ok() || version < 2 || version > 4 || line_range_ == 0 || opcode_base_ == 0 ||
        length >= 0xfffffff0)
      return section_.size();
    operands_.assign(opcode_base_, 0);
    for (u64 i = 1; i < opcode_base_; ++i) operands_[i] = static_cast<u8>(header.fixed(1));
    read_files(header);
    if (!header.ok()) return section_.size();
    DwarfBytes input(os::as_text(section_).substr(0, end), program);
    begin();
    while (input.more()) step(input);
    return input.ok() ? end : section_.size();
  }

private:
  void read_files(DwarfBytes& header) {
    std::vector<std::string> folders{""};
    while (header.ok()) {
      std::string folder = header.string();
      if (folder.empty()) break;
      folders.push_back(std::move(folder));
    }
    first_file_ = static_cast<u32>(out_.files.size());
    while (header.ok()) {
      std::string name = header.string();
      if (name.empty()) break;
      u64 folder = header.unsigned_leb();
      header.unsigned_leb(); // time
      header.unsigned_leb(); // length
      bool whole = name[0] == '/' || folder >= folders.size() || folders[folder].empty();
      out_.files.push_back(whole ? name : folders[folder] + '/' + name);
    }
  }

  void begin() {
    address_ = caller_ = 0, file_ = 1, line_ = 1;
    sequence_ = {};
  }

  void emit() {
    u64 index = first_file_ + file_ - 1;
    bool known = file_ != 0 && index < out_.files.size();
    LineRow row{address_, known ? static_cast<u32>(index) : 0, 0, {}};
    if (line_ > 0 && line_ <= 0xffffffff) row.line = static_cast<u32>(line_);
    if (caller_ != 0 && caller_ <= sequence_.rows.size()) row.caller = static_cast<u32>(caller_ - 1);
    sequence_.rows.push_back(row);
  }

  void end_sequence() {
    sequence_.end = address_;
    for (u32 i = 0; i < sequence_.rows.size(); ++i) sequence_.by_address.push_back(i);
    std::stable_sort(sequence_.by_address.begin(), sequence_.by_address.end(),
                     [&](u32 a, u32 b) { return sequence_.rows[a].address < sequence_.rows[b].address; });
    out_.sequences.push_back(std::move(sequence_));
    begin();
  }

  void step(DwarfBytes& input) {
    u64 opcode = input.fixed(1);
    if (opcode >= opcode_base_) {
      opcode -= opcode_base_;
      address_ += opcode / line_range_ * step_;
      line_ += line_base_ + static_cast<i64>(opcode % line_range_);
      return emit();
    }
    switch (opcode) {
    case 0: return extended(input);
    case 1: return emit();
    case 2: address_ += input.unsigned_leb() * step_; return;
    case 3: line_ += input.signed_leb(); return;
    case 4: file_ = input.unsigned_leb(); return;
    case 8: address_ += (255 - opcode_base_) / line_range_ * step_; return;
    case 9: address_ += input.fixed(2); return;
    default:
      for (u32 i = 0; i < operands_[opcode]; ++i) input.unsigned_leb();
    }
  }

  void extended(DwarfBytes& input) {
    u64 length = input.unsigned_leb(), begin = input.at();
    u64 opcode = length == 0 ? 0 : input.fixed(1);
    if (opcode == 1) end_sequence();
    if (opcode == 2) { // set_address
      auto symbol = symbols_.find(input.at());
      if (symbol != symbols_.end()) sequence_.symbol = symbol->second;
      address_ = input.fixed(static_cast<u32>(std::min<u64>(length - 1, 8)));
    }
    if (opcode == 0x90)
      caller_ = input.unsigned_leb();        // then the function's name, as an offset in .debug_str
    input.skip(begin + length - input.at()); // others, and what is left of these
  }

  Bytes section_;
  const std::map<u64, u32>& symbols_;
  LineProgram& out_;
  u64 step_ = 1, line_range_ = 1, opcode_base_ = 1;
  i64 line_base_ = 0;
  std::vector<u8> operands_;
  u32 first_file_ = 0;
  u64 address_ = 0, file_ = 1, caller_ = 0; // the caller's row, 1-based
  i64 line_ = 1;
  LineSequence sequence_;
};

// The directives that give a row's place, its callers before it: no more of them than calls are nested.
std::string directives(const LineSequence& sequence, const LineRow& row, u32 depth = 0) {
  constexpr u32 deepest = 64;
  auto place = [](const LineRow& r) { return fmt::format("{} {} 0", r.file + 1, r.line); };
  if (!row.caller || depth == deepest) return fmt::format(".loc {} ", place(row));
  const LineRow& caller = sequence.rows[*row.caller];
  return directives(sequence, caller, depth + 1) +
         fmt::format(".loc {}, inlined_at {} ", place(row), place(caller));
}

// Where a directive may stand: not inside a statement, and not between a function's head and its body.
bool begins_instruction(std::string_view line, char before) {
  std::size_t first = line.find_first_not_of(" \t\r\n");
  bool word =
      first != line.npos && (std::isalpha(static_cast<unsigned char>(line[first])) || line[first] == '@');
  return word && (before == ';' || before == ':' || before == '{' || before == '}');
}

} // namespace

const LineRow* row_at(const LineSequence& sequence, u64 address) {
  auto next = std::upper_bound(sequence.by_address.begin(), sequence.by_address.end(), address,
                               [&](u64 a, u32 row) { return a < sequence.rows[row].address; });
  return next == sequence.by_address.begin() || address >= sequence.end ? nullptr
                                                                        : &sequence.rows[*std::prev(next)];
}

LineProgram read_line_programs(Bytes section, Bytes relocations, Relocations kind) {
  LineProgram out;
  const std::map<u64, u32> symbols = symbols_by_place(relocations, kind);
  for (u64 at = 0; at + 10 < section.size();) {
    u64 next = Unit(section, symbols, out).read(at);
    if (next <= at) break;
    at = next;
  }
  return out;
}

LineProgram read_line_programs(const os::Elf& elf, std::string_view section) {
  auto data_of = [&](const os::Elf::Section* found) { return found != nullptr ? found->data : Bytes{}; };
  const std::string name(section);
  const Bytes lines = data_of(elf.find(section));
  if (const os::Elf::Section* rela = elf.find(".rela" + name))
    return read_line_programs(lines, rela->data, Relocations::rela);
  return read_line_programs(lines, data_of(elf.find(".rel" + name)), Relocations::rel);
}

std::string with_locations(const std::string& ptx, const LineProgram& source, const LineProgram& text) {
  std::map<u32, const LineSequence*> sources; // by symbol: a function is one stretch
  for (const LineSequence& of_source : source.sequences) sources.try_emplace(of_source.symbol, &of_source);
  std::map<u32, std::string> known; // by line of the text; of several places the first in the machine code
  for (const LineSequence& of_text : text.sequences) {
    auto found = sources.find(of_text.symbol);
    if (found == sources.end()) continue;
    for (const LineRow& row : of_text.rows)
      if (const LineRow* place = row_at(*found->second, row.address); place != nullptr && place->line != 0)
        if (!known.contains(row.line)) known.emplace(row.line, directives(*found->second, *place));
  }
  if (known.empty()) return ptx;
  std::string out;
  u32 line = 1;
  char before = 0; // the last character that is no blank
  for (std::size_t begin = 0; begin < ptx.size(); ++line) {
    std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    std::string_view words(ptx.data() + begin, end - begin);
    if (auto place = known.find(line); place != known.end() && begins_instruction(words, before))
      out += place->second;
    out += words;
    if (std::size_t last = words.find_last_not_of(" \t\r\n"); last != words.npos) before = words[last];
    begin = end;
  }
  for (std::size_t i = 0; i < source.files.size(); ++i)
    out += fmt::format("\n.file {} \"{}\"", i + 1, source.files[i]);
  return out + '\n';
}

} // namespace warplens::fatbin
