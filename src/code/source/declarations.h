// What a function's source text calls its parameters and its arrays: enough of C++ to read declarations as people write
// them, and to notice where they are written in another way. Names that are not certain are not given.
#pragma once
#include "base/types.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::source {

struct Parameter {
  std::string type; // with the stars: "const float *"
  std::string name;
  bool pointer = false;
};

struct Definition {
  std::vector<Parameter> parameters;
  std::vector<std::string> arrays; // that the body declares, shared and static ones left out
};

// The text without comments and literals, as long as before.
std::string without_comments(std::string_view text);

// The last definition of a function of that name that begins before `end`; `text` has no comments. Nothing where there is
// none, or where a parameter cannot be read.
std::optional<Definition> definition_of(std::string_view text, std::string_view function, std::size_t end);

// The member of a structure that is a pointer and starts at that byte: nothing unless the structure is defined in the text
// with members of known sizes up to there.
std::optional<std::string> pointer_member(std::string_view text, std::string_view type, u32 offset);

} // namespace warplens::source
