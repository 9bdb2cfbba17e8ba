// Functions, their parameters and the structures of these, as far as a source shows them.
#pragma once
#include "fix/arrays.h"
#include "fix/tokens.h"
#include <optional>
#include <string>

namespace warplens::fix {

struct Function {
  u32 name = 0;           // token
  Range parameters, body; // without the brackets
};
// The function whose body the token is in; nothing where it is in none.
std::optional<Function> function_around(const Source&, u32 token);

struct Parameter {
  u32 name = 0;
  Range type; // with the stars
};
// In order; nothing where one of them is not plainly a type and a name.
std::optional<std::vector<Parameter>> parameters(const Source&, const Function&);

struct Member {
  u32 name = 0;
  u32 offset = 0, bytes = 0;
};
struct Structure {
  std::string name;
  u32 keyword = 0; // "struct"
  Range body;
  std::vector<Member> members;
  u32 bytes = 0; // 0: not known
};
// The structure that the file defines under that name, once.
std::optional<Structure> structure(const Source&, std::string_view name);
// The one word that names a type, without const and the like; empty where there is none or several.
std::string_view type_name(const Source&, Range type);

// That of the elements of an array, or of what a parameter leads to, as far as the token `use` sees it; likewise.
std::string_view type_of(const Source&, std::string_view variable, u32 use);

} // namespace warplens::fix
