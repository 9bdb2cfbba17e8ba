// The reader of machine words: finds the row, takes its fields apart. table.def has the rows and explains their language.
#include "sass/fields.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace warplens::sass {
namespace {

struct Row {
  Opcode opcode;
  std::string_view code, modifiers, operands, options; // table.def explains them
};
constexpr Row rows[] = {
#define ROW(opcode, code, modifiers, operands, options) {Opcode::opcode, code, modifiers, operands, options},
#include "sass/table.def"
#undef ROW
};

constexpr std::string_view opcode_names[] = {
#define OPCODE(id) #id,
#include "sass/opcodes.def"
#undef OPCODE
};
constexpr std::string_view modifier_names[] = {
    "",
#define MODIFIER(id, text) text,
#include "sass/modifiers.def"
#undef MODIFIER
};

u32 number_in(std::string_view text, int base = 10) {
  u32 out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, base);
  return out;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

// A row, taken apart once.
struct ReadRow {
  const Row* row;
  std::vector<std::string_view> modifiers, operands;
  Options options;
};

Options options_of(std::string_view text) {
  Options out;
  for (std::string_view word : words(text)) {
    const std::size_t equal = word.find('=');
    const std::string_view key = word.substr(0, equal);
    const std::string_view value = equal == word.npos ? std::string_view() : word.substr(equal + 1);
    if (key == "imm") out.immediate = value[0];
    if (key == "u") out.uniform = out.guard_uniform = true;
    if (key == "noug") out.guard_uniform = false;
    if (key == "uguard") out.guard_uniform = true;
    if (key == "smin") out.from = number_in(value);
    if (key == "smax") out.to = number_in(value);
    if (key == "ur") out.uniform_at = number_in(value);
    if (key == "desc") out.descriptor_bit = number_in(value);
    if (key == "w64") out.wide_bit = number_in(value);
    if (key == "bf") out.bfloat_bit = number_in(value);
    if (key == "scale") out.scaled = true;
    if (key == "urz") out.shows_zero = true;
    if (key == "with") out.variant = value[0];
    if (key == "kind") out.kind = value[0];
    if (key == "bit") { // bit=91=0: only where that bit is so
      const std::size_t second = value.find('=');
      out.only_bit = number_in(value.substr(0, second)), out.only_value = value[second + 1] == '1';
    }
    if (key == "ones") { // bits of the opcode that are always set
      for (std::string_view rest = value; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        out.ones.push_back(number_in(rest.substr(0, comma)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    }
  }
  return out;
}

constexpr u32 any_form = 0x1000; // added to nine bits

const std::map<u32, std::vector<ReadRow>>& index() {
  static const std::map<u32, std::vector<ReadRow>> out = [] {
    std::map<u32, std::vector<ReadRow>> by_code;
    for (const Row& row : rows) {
      const bool any = row.code[0] == '*';
      const u32 code = number_in(row.code.substr(any ? 1 : 0), 16) | (any ? any_form : 0);
      by_code[code].push_back({&row, words(row.modifiers), words(row.operands), options_of(row.options)});
    }
    return by_code;
  }();
  return out;
}

const ReadRow* find(const Fields& fields) {
  for (u32 code : {fields.opcode12(), (fields.opcode12() & 0x1ff) | any_form}) {
    auto found = index().find(code);
    if (found == index().end()) continue;
    for (const ReadRow& row : found->second) {
      const Options& o = row.options;
      if (fields.sm() < o.from || fields.sm() > o.to) continue;
      if (o.only_bit != 0 && fields.peek(o.only_bit) != o.only_value) continue;
      return &row;
    }
  }
  return nullptr;
}

// ".X@74"  "!.X@74"  "{,.RM,.RP,.RZ}@78:2"  "{…}@78:2+75:1"  "=.LUT"
void read_modifier(Decoder& d, std::string_view word) {
  if (word[0] == '=') return d.modifiers(word.substr(1));
  const bool inverted = word[0] == '!';
  if (inverted) word.remove_prefix(1);
  const std::size_t at = word.rfind('@');
  const std::string_view what = word.substr(0, at);
  u32 value = 0, shift = 0;
  for (std::string_view where = word.substr(at + 1); !where.empty();) {
    const std::size_t plus = std::min(where.find('+'), where.size());
    const std::string_view one = where.substr(0, plus);
    const std::size_t colon = one.find(':');
    const u32 width = colon == one.npos ? 1 : number_in(one.substr(colon + 1));
    value |= d.fields.field(number_in(one.substr(0, colon)), width) << shift;
    shift += width;
    where.remove_prefix(std::min(plus + 1, where.size()));
  }
  if (what[0] == '.') {
    if ((value != 0) != inverted) d.modifiers(what);
    return;
  }
  std::string_view names = what.substr(1, what.size() - 2);
  for (; value != 0; --value) {
    const std::size_t comma = names.find(',');
    if (comma == names.npos) return d.refuse();
    names.remove_prefix(comma + 1);
  }
  names = names.substr(0, names.find(','));
  if (names == "?") return d.refuse();
  d.modifiers(names);
}

} // namespace

std::string_view name(Opcode o) { return opcode_names[static_cast<std::size_t>(o)]; }
std::string_view name(Modifier m) { return modifier_names[static_cast<std::size_t>(m)]; }

std::optional<Modifier> modifier_named(std::string_view text) {
  static const std::unordered_map<std::string_view, Modifier> by_name = [] {
    std::unordered_map<std::string_view, Modifier> out;
    for (std::size_t i = 1; i < std::size(modifier_names); ++i)
      out.emplace(modifier_names[i], static_cast<Modifier>(i));
    return out;
  }();
  auto found = by_name.find(text);
  if (found == by_name.end()) return {};
  return found->second;
}

bool Instruction::has(Modifier m) const { return std::ranges::find(modifiers(), m) != modifiers().end(); }
bool Instruction::add(const Operand& o) {
  if (operand_count_ == most_operands) return false;
  operands_[operand_count_++] = o;
  return true;
}
bool Instruction::add(Modifier m) {
  if (modifier_count_ == most_modifiers) return false;
  modifiers_[modifier_count_++] = m;
  return true;
}

std::optional<Instruction> decode(u64 low, u64 high, u64 address, u32 sm) {
  Instruction out;
  out.low = low, out.high = high, out.address = address;
  Fields fields(low, high, sm);
  const ReadRow* row = find(fields);
  if (row == nullptr) return {};
  out.opcode = row->row->opcode;
  out.guard = static_cast<u8>(fields.field(12, 3));
  out.guard_negated = fields.bit(15);
  out.guard_uniform = row->options.guard_uniform;
  if (row->options.only_bit != 0) fields.bit(row->options.only_bit);
  Decoder d{fields, out, row->options};
  for (std::string_view word : row->modifiers)
    if (word[0] == '^')
      special_modifiers(d, word.substr(1));
    else
      read_modifier(d, word);
  for (std::string_view word : row->operands)
    if (word[0] == '^')
      special_operands(d, word.substr(1));
    else
      read_operand(d, word);
  for (u32 bit : row->options.ones)
    if (!fields.bit(bit)) return {};
  if (d.refused || fields.unread()) return {};
  return out;
}

} // namespace warplens::sass
