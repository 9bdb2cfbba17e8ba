// What one pass of clang saw of a source: every use of every declaration, with what is around it, and every kernel launch.
// Templates are seen as they were instantiated, macros as they were expanded.
//
// System headers, which WarpLens's CUDA headers are, too, are left out: nothing in them names what a program declares.
#pragma once
#include "base/types.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Frontend/CompilerInstance.h>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace warplens::edits {

struct Use {
  const clang::DeclRefExpr* expr = nullptr;
  const clang::FunctionDecl* function =
      nullptr; // around it; a lambda belongs to the function that it is in; may be null
};

struct Launch {
  const clang::CUDAKernelCallExpr* call = nullptr;
  const clang::FunctionDecl* host = nullptr; // that launches
};

// A piece of a file that the preprocessor left out.
struct Skipped {
  clang::FileID file;
  u32 begin = 0, end = 0; // offsets
};

struct Unit {
  clang::ASTContext& context;
  std::vector<Skipped> skipped;
  std::vector<clang::FileID> files; // that are no system headers; one for each time that one was included

  std::unordered_map<const clang::ValueDecl*, std::vector<Use>> uses{}; // of canonical declarations
  std::vector<const clang::VarDecl*> variables{};
  std::vector<const clang::FunctionDecl*> functions{}; // with a body, none of them a pattern
  std::vector<Launch> launches{};
  std::set<std::string> strings{}; // of the program; one may name what it declares
  std::string assembly{};          // all of it
  bool jumps = false;              // into the middle of a statement: by goto, or by a case in a loop
  // Instantiations of a template share what does not depend on its parameters, so there may be several.
  std::unordered_map<const clang::Stmt*, std::vector<const clang::Stmt*>> parents{};

  // Shared memory that edits so far add, by the array's place: in which function, how many bytes.
  mutable std::map<clang::SourceLocation, std::pair<const clang::FunctionDecl*, u64>> added{};

  const clang::SourceManager& sources() const { return context.getSourceManager(); }
  // Of the file that is compiled itself, and spelled there, not by a macro.
  bool is_written_here(clang::SourceLocation) const;
  bool is_system(const clang::Decl*) const;
  const std::vector<Use>& uses_of(const clang::ValueDecl*) const;
  // Null where there is none, or several.
  const clang::Stmt* parent(const clang::Stmt*) const;
  // The nearest one that is no parenthesis, and the child of it that leads here.
  const clang::Stmt* parent_past_parens(const clang::Stmt*& child) const;
  // Declarations of that place: those that a template was made into. Without patterns.
  std::vector<const clang::VarDecl*> versions(const clang::VarDecl*) const;
  std::vector<const clang::FunctionDecl*> versions(const clang::FunctionDecl*) const;
  // Does assembly name the variable, or a string the declaration?
  bool is_named_in_text(const clang::NamedDecl*) const;
  // Where the word stands in code that this pass left out: "file:offset".
  std::set<std::string> left_out(const std::string& word) const;
};

// Fills what the traversal finds.
void collect(Unit&);

// "threadIdx.x" and the like: the name of the variable, and 0 for x, 1 for y, 2 for z.
struct BuiltinIndex {
  std::string name;
  u32 axis = 0;
};
std::optional<BuiltinIndex> builtin_index(const clang::Expr*);

} // namespace warplens::edits
