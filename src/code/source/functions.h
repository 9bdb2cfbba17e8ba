// Functions, where they begin and end, their parameters and arrays, as far as a source shows them: enough of C++ to read
// declarations as people write them, and to notice where they are written in another way. Names that are not certain are not
// given.
#pragma once
#include "source/tokens.h"
#include <optional>

namespace warplens::source {

struct Parameter {
  std::string type; // its words and stars, apart by blanks: "const float *"
  std::string name;
  bool pointer = false;
};

// In order; nothing where one of them is not plainly a type and a name. `list`: what the brackets hold.
std::optional<std::vector<Parameter>> parameters(const Tokens&, Range list);

// The token that a declaration names, before what follows a '[' or '='; no_token where that is no word.
u32 name_declared(const Tokens&, Range declaration);

struct Function {
  u32 name = 0;           // token
  Range parameters, body; // without the brackets
};
// The function whose body the token is in; nothing where it is in none.
std::optional<Function> function_around(const Tokens&, u32 token);

// The token, if it is in a function's body. If it is in the head of one, the last token of the body on that line: nvcc gives a
// place in the head to what stands behind it on one line.
u32 in_body(const Tokens&, u32 token);

struct Definition {
  std::vector<Parameter> parameters;
  std::vector<std::string> arrays; // that the body declares, shared and static ones left out
};
// The last definition of a function of that name that begins on that line or above. Nothing where there is none, or where a
// parameter cannot be read.
std::optional<Definition> definition_of(const Tokens&, std::string_view function, u32 line);

struct Extent {
  u32 first = 0, last = 0; // lines, from 1: from the start of the declaration to the closing brace
};
// Functions outside of others, members of classes among them, in the order of the text. Macros and conditional compilation
// may hide a brace: what then does not close is not there.
std::vector<Extent> functions_in(const Tokens&);

} // namespace warplens::source
