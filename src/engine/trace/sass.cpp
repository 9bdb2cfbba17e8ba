// See sass.h: the mnemonic says space and kind, the suffixes behind it cache operator and size.
#include "trace/sass.h"
#include <algorithm>
#include <array>

namespace warplens::trace {
namespace {

using access::Cache;
using access::Kind;
using access::Space;

struct Mnemonic {
  std::string_view name;
  Space space;
  Kind kind;
};

// Generic LD, ST and ATOM go to global memory here: a trace does not say which window an address lies in.
constexpr std::array mnemonics{
    Mnemonic{"LDG", Space::global, Kind::load},          Mnemonic{"STG", Space::global, Kind::store},
    Mnemonic{"LD", Space::global, Kind::load},           Mnemonic{"ST", Space::global, Kind::store},
    Mnemonic{"LDGSTS", Space::global, Kind::async_copy}, Mnemonic{"ATOMG", Space::global, Kind::atomic},
    Mnemonic{"ATOM", Space::global, Kind::atomic},       Mnemonic{"RED", Space::global, Kind::reduction},
    Mnemonic{"REDG", Space::global, Kind::reduction},    Mnemonic{"LDS", Space::shared, Kind::load},
    Mnemonic{"STS", Space::shared, Kind::store},         Mnemonic{"ATOMS", Space::shared, Kind::atomic},
    Mnemonic{"LDSM", Space::shared, Kind::ldmatrix},     Mnemonic{"LDL", Space::local, Kind::load},
    Mnemonic{"STL", Space::local, Kind::store},          Mnemonic{"LDC", Space::constant, Kind::load},
};

// The next part up to a dot; `rest` keeps what follows.
std::string_view next_part(std::string_view& rest) {
  std::size_t dot = std::min(rest.find('.'), rest.size());
  std::string_view part = rest.substr(0, dot);
  rest.remove_prefix(std::min(dot + 1, rest.size()));
  return part;
}

u8 bytes_of_modifier(std::string_view part) {
  if (part == "U8" || part == "S8") return 1;
  if (part == "U16" || part == "S16" || part == "F16" || part == "BF16") return 2;
  if (part == "64" || part == "U64" || part == "S64" || part == "F64") return 8;
  if (part == "128") return 16;
  if (part == "256") return 32;
  return 0;
}

} // namespace

std::optional<SassAccess> sass_access(std::string_view opcode) {
  std::string_view rest = opcode, base = next_part(rest);
  const auto* mnemonic = std::ranges::find(mnemonics, base, &Mnemonic::name);
  if (mnemonic == mnemonics.end()) return std::nullopt;
  SassAccess out{mnemonic->space, mnemonic->kind, Cache::none, 4, 0};
  if (out.kind == Kind::ldmatrix) out.bytes = 16, out.matrices = 1;
  while (!rest.empty()) {
    std::string_view part = next_part(rest);
    if (out.kind == Kind::ldmatrix) {
      if (part == "2" || part == "4") out.matrices = part == "2" ? 2 : 4;
      continue;
    }
    if (u8 bytes = bytes_of_modifier(part)) out.bytes = bytes;
    if (part == "CONSTANT") out.cache = Cache::nc;
    if (part == "BYPASS") out.cache = Cache::cg;
  }
  return out;
}

} // namespace warplens::trace
