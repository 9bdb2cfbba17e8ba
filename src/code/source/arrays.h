// The declaration of an array, as the tokens of a source show it.
#pragma once
#include "source/tokens.h"
#include <optional>

namespace warplens::source {

struct Array {
  u32 name = 0;                  // token
  std::string type;              // "float", "const unsigned int"
  std::vector<Range> dimensions; // what stands between the brackets
  bool shared = false;           // else a __device__ variable
  u32 scope_end = 0;             // the token behind its scope
};

// The __shared__ or __device__ array of that name that is visible at the token `use`; nothing where there is none, more than
// one, or one that is not declared plainly (extern, pointers, initialisers).
std::optional<Array> array_visible(const Tokens&, std::string_view name, u32 use);

// Names of the arrays that a function's body declares, shared and static ones left out.
std::vector<std::string> own_arrays(const Tokens&, Range body);

// The value of an expression of literals and constants that the file defines once: tile + 1. Nothing where it is none.
std::optional<u64> constant(const Tokens&, Range);
// Bytes of a fundamental or vector type, also by a name that the file gives it; 0 where that is not known.
u32 size_of(const Tokens&, std::string_view type);

} // namespace warplens::source
