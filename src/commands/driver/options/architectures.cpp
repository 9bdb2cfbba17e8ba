#include "driver/options/architectures.h"
#include "arch/table.h"
#include "text/words.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <string>

namespace warplens::driver {
namespace {

using arch::Architecture;

// The digits of a compute capability without its dot, or nothing: "9.0", "sm_90", "compute_90", "90".
std::string digits_of(std::string_view name) {
  for (std::string_view prefix : {"sm_", "compute_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string digits;
  for (char c : name)
    if (c != '.') digits += c;
  bool one_dot = name.size() - digits.size() <= 1 && name.find('.') != 0;
  std::size_t dot = name.find('.');
  if (dot != name.npos && dot + 2 != name.size()) one_dot = false; // the minor version has one digit
  return one_dot ? digits : "";
}

// "Tesla V100-SXM2-16GB" is called v100, by its whole name, or by any words in between that have a number in them.
bool is_called(const Architecture& row, std::string_view name) {
  std::vector<std::string> words(1);
  for (char c : std::string_view(row.part.name)) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte))
      words.back() += static_cast<char>(std::tolower(byte));
    else if (!words.back().empty())
      words.emplace_back();
  }
  std::string wanted;
  for (char c : name)
    if (auto byte = static_cast<unsigned char>(c); std::isalnum(byte))
      wanted += static_cast<char>(std::tolower(byte));
  if (wanted.size() < 2 || wanted.find_first_of("0123456789") == wanted.npos) return false;
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::string joined;
    for (std::size_t last = first; last < words.size(); ++last)
      if (joined += words[last]; joined == wanted) return true;
  }
  return false;
}

std::string known_names() {
  std::string out;
  for (const Architecture* row : arch::all()) (out += ' ') += text::compute_capability(row->sm);
  return out;
}

} // namespace

Result<const Architecture*> architecture_named(std::string_view name) {
  std::string digits = digits_of(name);
  u32 number = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const Architecture* row = nullptr;
  if (code == std::errc() && end == digits.data() + digits.size()) row = arch::find(number);
  if (row) return row;
  for (const Architecture* one : arch::all())
    if (is_called(*one, name)) return one;
  return failure(diag::error(
      "unknown-architecture", fmt::format("unknown compute capability '{}'", name), {},
      "known:" + known_names() +
          " (9.0 may be written 90, sm_90 or h100), and the GPUs that 'warplens gpus' lists. Of another GPU "
          "give the capability: developer.nvidia.com/cuda-gpus has it"));
}

Result<std::vector<const Architecture*>> architectures_named(std::string_view names) {
  std::vector<const Architecture*> out;
  while (true) {
    std::size_t comma = std::min(names.find(','), names.size());
    Result<const Architecture*> row = architecture_named(names.substr(0, comma));
    if (!row) return failure(std::move(row.error()));
    out.push_back(*row);
    if (comma == names.size()) return out;
    names.remove_prefix(comma + 1);
  }
}

} // namespace warplens::driver
