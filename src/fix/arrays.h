// The declaration of an array, and whether everything that the source does with its name is to take single elements of it:
// then where its elements lie is nobody's business but the compiler's, and it may be changed.
#pragma once
#include "fix/tokens.h"
#include <optional>

namespace warplens::fix {

struct Range { // of tokens
  u32 first = 0, last = 0;
};

struct Array {
  u32 name = 0;                  // token
  Range type;                    // "float", "const unsigned int"
  u32 statement = 0;             // its first token
  std::vector<Range> dimensions; // what stands between the brackets
  bool shared = false;           // else a __device__ variable
  bool alone = false;            // nothing else is declared in the statement
  u32 scope_end = 0;             // the token behind its scope
};

// The __shared__ or __device__ array of that name that is visible at the token `use`; nothing where there is none, more than
// one, or one that is not declared plainly (extern, pointers, initialisers).
std::optional<Array> array_visible(const Source&, std::string_view name, u32 use);

struct Use {
  u32 name = 0;
  std::vector<Range> indices; // as many as there are dimensions
};
// All uses of the array, if each takes one element, not its address (but for an atomic operation on it), and no index that
// stands for several. In preprocessor lines `macros` alone may have them.
std::optional<std::vector<Use>> element_uses(const Source&, const Array&, bool macros);

// The value of an expression of literals and constants that the file defines once: tile + 1. Nothing where it is none.
std::optional<u64> constant(const Source&, Range);
// Bytes of a fundamental or vector type, also by a name that the file gives it; 0 where that is not known.
u32 size_of(const Source&, Range type);

} // namespace warplens::fix
