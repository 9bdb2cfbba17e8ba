// What buffers and parameters hold: numbers in every type that a kernel's parameters have, and how a buffer is filled.
#pragma once
#include "base/diagnostic.h"
#include "ir/form.h"
#include <span>

namespace warplens::launcher {

// "f32", "u8", "bf16", and "i32" for s32: types of elements, from 8 to 64 bits. Empty for other words.
std::optional<ir::Type> element_type(std::string_view word);
std::string element_types(); // for messages: "u8 u16 …"

// The bytes of a number in a type: "1000", "-1", "0xff", and for floating-point types "1.5e-3", "inf". Untyped bits (b32) take
// both. Fails where it is no number, or one that the type does not have; signed and unsigned types of a width have the same.
Result<std::vector<std::byte>> number(std::string_view text, ir::Type);

struct Fill {
  enum class Kind : u8 {
    zeros,
    iota,     // 0, 1, 2, …; modulo the type's range
    random,   // whole numbers: of all bits, or from 0 to below `below`; others: from 0 to below 1, or `below`
    constant, // `text` as a number
    file      // the bytes of the file `text`
  };
  Kind kind = Kind::zeros;
  u64 seed = 0;
  std::optional<u64> below;
  std::string text;
};
// "zeros", "iota", "random", "random:SEED", "random:SEED:BELOW", a number, else the name of a file.
Result<Fill> parse_fill(std::string_view word, ir::Type);

// A random fill depends on nothing but type, seed and BELOW (splitmix64, one number per element). `out` holds whole elements.
// Fails where the file cannot be read, or has not as many bytes as `out`.
Result<void> fill(std::span<std::byte> out, ir::Type, const Fill&);

} // namespace warplens::launcher
