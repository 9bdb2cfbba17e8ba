// One function for each kind of edit. Each answers with edits only where it understands every use of what they change, and
// otherwise with the first use that it does not understand.
#pragma once
#include "edits/unit.h"
#include "findings/finding.h"
#include "fix/asked.h"

namespace warplens::edits {

// What an answer says of one pass: the words whose uses decide it, too, so that none may stand in code that no pass saw.
struct Answer {
  fix::Made made;
  std::vector<std::string> words;
};

// [tile][tile] becomes [tile][tile + 1]: of a __shared__ array with two dimensions or more.
Answer longer_rows(const Unit&, const fix::Wish&);
// __align__(n) for a __shared__ or __device__ array of numbers, or for the structure that the array or pointer is of.
Answer aligned(const Unit&, const fix::Wish&);
// __restrict__ for a parameter of a kernel.
Answer restricted(const Unit&, const fix::Wish&);

// Parts of these.
struct Refusal {
  std::string why;
  clang::SourceLocation at{};
};
Answer refusal(const Unit&, const Refusal&);
// Nothing where the place is not in the file itself.
std::optional<findings::Edit> inserting(const Unit&, clang::SourceLocation, std::string text);
clang::SourceLocation behind(const Unit&, clang::SourceLocation token);

// The variable or parameter that the wish means; null where that is not certain.
const clang::VarDecl* meant(const Unit&, const fix::Wish&);
// Does nothing but the element itself see where an element lies? `element`: an expression that is one. Nothing where all is well.
std::optional<Refusal> element_leaks(const Unit&, const clang::Stmt* element);
std::optional<Refusal> aligned_structure(const Unit&, const clang::CXXRecordDecl*, u32 bytes,
                                         std::vector<findings::Edit>&);

} // namespace warplens::edits
