#include "preload/stripped.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <unordered_map>

namespace warplens::runtime {
namespace {

using os::Bytes;
using os::Elf;

// A program that only mentions functions of the runtime has a few of their names; the runtime has hundreds.
constexpr std::size_t least_functions = 100;

struct Function {
  u64 start = 0, size = 0;
  auto operator<=>(const Function&) const = default;
};

// The text at that address, up to its zero.
std::string_view text_at(const Elf::Section& constants, u64 address) {
  if (address < constants.address || address - constants.address >= constants.data.size()) return {};
  std::string_view rest = os::as_text(constants.data.subspan(address - constants.address));
  return rest.substr(0, rest.find('\0'));
}

// Calls `found` with where and what for each `lea register, [rip + offset]`: how position-independent code takes an address.
template <class Found> void addresses_taken(const Elf::Section& code, Found&& found) {
  constexpr u64 size = 7;
  for (u64 at = 0; at + size <= code.data.size(); ++at) {
    auto byte = [&](u64 i) { return static_cast<u8>(code.data[at + i]); };
    if (byte(1) != 0x8d || (byte(0) & 0xfb) != 0x48 || (byte(2) & 0xc7) != 0x05) continue;
    i32 offset;
    std::memcpy(&offset, code.data.data() + at + 3, sizeof offset);
    found(code.address + at, code.address + at + size + static_cast<u64>(i64{offset}));
  }
}

// The function that holds the instruction at `address`.
Function function_around(const std::vector<u64>& starts, u64 address) {
  auto next = std::upper_bound(starts.begin(), starts.end(), address);
  if (next == starts.begin() || next == starts.end()) return {};
  return {*(next - 1), *next - *(next - 1)};
}

using Users =
    std::unordered_map<std::string_view, std::vector<Function>>; // who takes the address of which name

// The program's own functions may mention a name, too. The runtime's lie together, between those that are named once.
void drop_outsiders(Users& users) {
  u64 first = ~u64{0}, last = 0;
  for (const auto& [name, functions] : users)
    if (functions.size() == 1)
      first = std::min(first, functions[0].start), last = std::max(last, functions[0].start);
  for (auto& [name, functions] : users)
    std::erase_if(functions, [&](const Function& f) { return f.start < first || f.start > last; });
}

} // namespace

std::vector<Elf::Symbol> functions_of_stripped_runtime(const Elf& elf,
                                                       const std::function<bool(std::string_view)>& is_name) {
  const Elf::Section* constants = elf.find(".rodata");
  const Elf::Section* code = elf.find(".text");
  if (elf.has(SHT_SYMTAB) || !constants || !code) return {};
  if (os::as_text(constants->data).find("cudaGetDeviceCount") == std::string_view::npos) return {};

  const std::vector<u64> starts = elf.function_starts();
  Users users;
  addresses_taken(*code, [&](u64 at, u64 address) {
    std::string_view name = text_at(*constants, address);
    if (!name.starts_with("cuda") || !is_name(name)) return;
    const Function user = function_around(starts, at);
    std::vector<Function>& known = users[name];
    if (user.size != 0 && std::find(known.begin(), known.end(), user) == known.end()) known.push_back(user);
  });
  drop_outsiders(users);

  std::vector<Elf::Symbol> out;
  for (const auto& [name, functions] : users)
    if (functions.size() == 1) out.push_back({name, STT_FUNC, true, functions[0].start, functions[0].size});
  return out.size() < least_functions ? std::vector<Elf::Symbol>() : out;
}

} // namespace warplens::runtime
