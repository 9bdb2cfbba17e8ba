// The type of an array's element, laid out as CUDA's compilers do on the device: sizes, alignments, member
// offsets.
#pragma once
#include "base/diagnostic.h"
#include <string>
#include <vector>

namespace warplens::explain {

struct Field;

struct Type {
  std::string name;          // "float", "struct"
  u32 size = 0, align = 1;   // bytes
  std::vector<Field> fields; // of a structure and of a vector type; empty for a scalar
  bool is_struct = false;    // written as struct{…}

  const Field* find(std::string_view member) const;
};

struct Field {
  std::string name;
  Type type;
  u32 offset = 0;
  std::vector<u32> dims; // of an array member, outermost first
};

// "float", "unsigned int", "double2", "struct{float x,y,z;}", "struct __align__(16) { float x; int n[3]; }".
Result<Type> parse_type(std::string_view text);

// The instructions that read or write one value at an address aligned as the type says: 1, 2, 4, 8 or 16
// bytes each. One if the size is one of these and the type is aligned to it, otherwise one per piece as large
// as the alignment (CUDA Programming Guide, "Size and Alignment Requirement").
struct Piece {
  u32 offset = 0;
  u32 bytes = 0;
};
std::vector<Piece> pieces(const Type&);

} // namespace warplens::explain
