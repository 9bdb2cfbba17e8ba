// Between which bounds an integer expression lies, for every thread and every launch that the file shows.
//
// Bounds come from constants, from the sizes of blocks, from loops and conditions around the expression, and through local
// variables from what they are given. An operation whose result may leave its type gives that type's bounds, so that what
// is not understood bounds nothing.
#pragma once
#include "edits/unit.h"

namespace warplens::edits {

using Whole = __int128;
struct Bounds {
  Whole least = 0, most = 0;
};

// A value that has a name and stays what it is: threadIdx.x (no variable, axis 0), or a variable that is never written to again.
struct Named {
  const clang::VarDecl* variable = nullptr;
  u32 axis = 0;
  auto operator<=>(const Named&) const = default;
};

// What one launch may be, or all launches of several kernels together.
struct LaunchShape {
  Bounds block[3] = {{1, 1024}, {1, 1024}, {1, 64}}; // the most that CUDA allows
  Bounds grid[3] = {{1, (Whole{1} << 31) - 1}, {1, 65535}, {1, 65535}};
  Whole dynamic_shared = 0;  // bytes, at most
  bool dynamic_known = true; // else they may be more
  bool launched = false;     // the file has a launch
  bool open = false;         // something else may launch it, or ask for its properties
};
// Of a kernel; of any other function those of all kernels in the file.
LaunchShape shape_of(const Unit&, const clang::FunctionDecl*);

class Values {
public:
  // Of expressions in that function; of host code the shape does not matter.
  Values(const Unit& unit, const LaunchShape& shape) : unit_(unit), shape_(shape) {}
  Bounds of(const clang::Expr*);
  std::optional<Named> named(const clang::Expr*);
  // What is known from elsewhere of a value, wherever it is used.
  void learn(Named what, Bounds bounds) { known_.emplace_back(what, bounds); }

private:
  Bounds computed(const clang::Expr*);
  Bounds cast(const clang::CastExpr*);
  Bounds binary(const clang::BinaryOperator*);
  Bounds builtin(const BuiltinIndex&, clang::QualType);
  Bounds variable(const clang::DeclRefExpr*);
  Bounds in_loop(const clang::VarDecl*, const clang::ForStmt*, clang::QualType);
  void narrow(const clang::Expr* condition, bool holds, const Named&, Bounds&);
  Bounds narrowed(const clang::Expr*, const Named&, Bounds);

  const Unit& unit_;
  const LaunchShape& shape_;
  std::vector<std::pair<Named, Bounds>> known_;
  u32 depth_ = 0;
};

// Bounds of a type; of what is no integer those of everything.
Bounds bounds_of_type(const Unit&, clang::QualType);

} // namespace warplens::edits
