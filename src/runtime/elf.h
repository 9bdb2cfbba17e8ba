// Sections and symbols of a 64-bit little-endian ELF image: executables, shared objects and cubins (which are
// ELF too). Every offset is checked against the image; what does not fit reads as absent. Layout: the System
// V ABI.
#pragma once
#include "base/types.h"
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warplens::runtime {

using Bytes = std::span<const std::byte>;

class Elf {
public:
  struct Section {
    std::string_view name;
    u32 type = 0, link = 0;
    u64 address = 0;
    Bytes data; // empty for SHT_NOBITS
  };
  struct Symbol {
    std::string_view name;
    u8 type = 0; // STT_*
    bool defined = false;
    u64 value = 0, size = 0;
  };

  // Empty when `image` is no such file.
  static std::optional<Elf> parse(Bytes image);

  const std::vector<Section>& sections() const { return sections_; }
  const Section* find(std::string_view name) const;
  std::vector<Symbol> symbols() const;          // of .symtab; empty when the file is stripped
  std::vector<std::string_view> needed() const; // DT_NEEDED
  u32 flags() const { return flags_; }

private:
  std::vector<Section> sections_;
  u32 flags_ = 0;
};

} // namespace warplens::runtime
