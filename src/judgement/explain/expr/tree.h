// A parsed question: integer expressions as a tree of typed nodes, and the place in memory they address.
//
// Types are those of C on a CUDA device: threadIdx, blockIdx, blockDim and gridDim are unsigned, warpSize and
// the parameters are int (long long where the value needs it), int meeting unsigned becomes unsigned.
#pragma once
#include "explain/expr/lexer.h"
#include "explain/expr/type.h"
#include <array>

namespace warplens::explain {

enum class NodeKind : u8 {
  number,
  variable,
  negate,
  complement,
  logical_not,
  binary,
  conditional,
  cast,
  minimum,
  maximum,
  absolute
};
enum class Binary : u8 {
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or
};

using NodeId = Id<struct NodeTag>;
using VariableId = Id<struct VariableTag>;

struct Node {
  NodeKind kind{};
  Integer type = Integer::i32;
  TextPlace place;
  Binary op{};
  u8 narrow = 0; // cast to a type of 8 or 16 bits: its width; the node's type is then int
  bool narrow_unsigned = false;
  VariableId variable;
  Wide value = 0; // number
  std::array<NodeId, 3> operands;
};

// threadIdx.x is variable 0, .y 1, .z 2; then blockIdx, blockDim, gridDim; warpSize; then the parameters.
struct Variable {
  std::string name;
  Integer type = Integer::i32;
  Wide value = 0; // of a parameter and of warpSize
  bool parameter = false;
};
inline constexpr VariableId thread_x{0u}, thread_y{1u}, thread_z{2u}, block_x{3u}, warp_size_variable{12u};

struct Tree {
  std::vector<Node> nodes;
  std::vector<Variable> variables;
  const Node& operator[](NodeId id) const { return nodes[id.value]; }
};

// The byte address that the access names: base + sum of index · stride + offset.
struct Subscript {
  NodeId index;
  u64 stride = 1; // bytes
};
struct Target {
  std::string array;  // the user's name for it; "A" where the text is a bare index
  std::string member; // ".x", "[i].y.z"; empty for a whole element
  std::vector<Subscript> subscripts;
  u64 offset = 0;
  Type element;      // of the array
  Type accessed;     // what is read or written
  bool cast = false; // by a pointer of another type, which promises its alignment
};

} // namespace warplens::explain
