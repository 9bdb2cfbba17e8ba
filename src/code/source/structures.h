// Structures with the layout of their members, as far as a source shows it.
#pragma once
#include "source/tokens.h"
#include <optional>

namespace warplens::source {

struct Member {
  u32 name = 0; // token
  u32 offset = 0, bytes = 0;
  bool pointer = false;
};
struct Structure {
  std::string name;
  u32 keyword = 0; // "struct"
  Range body;
  std::vector<Member> members; // up to the first that is not plainly a type of known size and names
  u32 bytes = 0;               // 0: not known
};
// The structure that the file defines under that name, once.
std::optional<Structure> structure(const Tokens&, std::string_view name);

// The member of a structure that is a pointer and starts at that byte: nothing unless the structure is defined in the text
// with members of known sizes up to there.
std::optional<std::string> pointer_member(const Tokens&, std::string_view type, u32 offset);

// The name of the type of an array's elements, or of what a parameter leads to, as far as the token `use` sees it; empty where
// it is not one word.
std::string type_of(const Tokens&, std::string_view variable, u32 use);

} // namespace warplens::source
