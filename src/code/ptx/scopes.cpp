// See scopes.h. Most names are a known prefix and a number, so the digits are split off before anything is
// looked up.
#include "ptx/scopes.h"

namespace warplens::ptx {
namespace {

constexpr std::size_t most_plain_ranges = 16; // searched one by one
constexpr std::size_t longest_number = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the digits at the end of `name` begin: its size where there are none.
std::size_t digits_of(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  return at;
}

u64 number_of(std::string_view digits) {
  u64 number = 0;
  for (char d : digits) number = number * 10 + static_cast<u64>(d - '0');
  return number;
}

// "%r12" → 2, where "12" begins; 0 for names that no range declares: "%r012", "12", "%r".
std::size_t split(std::string_view name) {
  std::size_t at = digits_of(name), digits = name.size() - at;
  bool leading_zero = digits > 1 && name[at] == '0';
  return digits == 0 || digits > longest_number || leading_zero ? 0 : at;
}

} // namespace

bool Scopes::declare(std::string_view name, Symbol symbol) {
  Scope& scope = scopes_.back();
  if (name.starts_with('%') && is_digit(name.back())) {
    scope.ambiguous = true;
    for (const Range& range : scope.ranges)
      if (in_use(range, name)) return false;
  }
  return scope.names.insert(name, symbol).second;
}

bool Scopes::declare_range(std::string_view name, ir::Type type, u64 count) {
  Scope& scope = scopes_.back();
  u32 index = static_cast<u32>(scope.ranges.size());
  if (!declare(name, {Symbol::Kind::range, 1, index})) return false;
  scope.ranges.push_back({name, type, count, {}, {}});
  if (!name.starts_with('%') || scope.ranges.size() > most_plain_ranges) scope.ambiguous = true;
  return true;
}

bool Scopes::in_use(const Range& range, std::string_view name) {
  if (split(name) == 0 || !name.starts_with(range.name)) return false;
  std::string_view digits = name.substr(range.name.size());
  if (digits.empty() || digits_of(digits) != 0 || digits.size() > longest_number) return false;
  u64 number = number_of(digits);
  return range.sparse.contains(number) || (number < range.dense.size() && range.dense[number] != none);
}

void Scopes::lengthen(Range& range, u64 length) {
  range.dense.resize(length, none);
  std::erase_if(range.sparse, [&](const auto& entry) {
    if (entry.first >= length) return false;
    range.dense[entry.first] = entry.second;
    return true;
  });
}

Symbol Scopes::register_of(Range& range, u64 number, std::string_view name, ir::Function& function) {
  // The table may be twice as long as the registers in use are many: memory stays linear in the text.
  constexpr std::size_t first_length = 1024;
  if (number >= range.dense.size() && number < first_length + 2 * function.registers.size())
    lengthen(range, std::min<u64>(range.count, std::max<u64>(number + 1, 2 * range.dense.size())));
  u32& id = number < range.dense.size() ? range.dense[number]
                                        : range.sparse.try_emplace(number, none).first->second;
  if (id == none) {
    id = static_cast<u32>(function.registers.size());
    function.registers.push_back({std::string(name), range.type});
  }
  return {Symbol::Kind::reg, 1, id};
}

Symbol Scopes::find(Scope& scope, std::string_view name, ir::Function& function) {
  if (Symbol* symbol = scope.names.find(name)) return *symbol;
  std::size_t first = split(name);
  if (first == 0 || scope.ranges.empty()) return {};
  // "%r1" may itself be the name of the range of "%r12": try every split.
  for (std::size_t cut = first; cut < name.size(); ++cut) {
    Symbol* symbol = scope.names.find(name.substr(0, cut));
    if (symbol == nullptr || symbol->kind != Symbol::Kind::range) continue;
    Range& range = scope.ranges[symbol->id];
    u64 number = number_of(name.substr(cut));
    if (number < range.count) return register_of(range, number, name, function);
  }
  return {};
}

Symbol Scopes::find(std::string_view name, ir::Function& function) {
  std::size_t s = scopes_.size();
  if (std::size_t cut = name.starts_with('%') ? split(name) : 0; cut != 0) {
    std::string_view prefix = name.substr(0, cut);
    u64 number = number_of(name.substr(cut));
    for (; s > 1 && !scopes_[s - 1].ambiguous; --s)
      for (Range& range : scopes_[s - 1].ranges)
        if (range.name == prefix && number < range.count) return register_of(range, number, name, function);
  }
  for (; s > 1; --s)
    if (Symbol symbol = find(scopes_[s - 1], name, function); symbol.kind != Symbol::Kind::none)
      return symbol;
  return find_in_module(name);
}

Symbol Scopes::find_in_module(std::string_view name) const {
  const Symbol* symbol = scopes_[0].names.find(name);
  return symbol == nullptr ? Symbol{} : *symbol;
}

} // namespace warplens::ptx
