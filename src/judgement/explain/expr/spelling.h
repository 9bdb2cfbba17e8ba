// An access as it stands in a source, brought to the form that the parser reads: array, subscripts, members.
#pragma once
#include "base/diagnostic.h"
#include <string>

namespace warplens::explain {

struct Spelling {
  std::string access; // "A[index].member", or a bare index
  std::string type;   // of the array's elements, where a cast or a declaration says so; else empty
  std::string
      accessed; // what is read at an element's address, where a cast says so: "uint4" of *(uint4*)(A + i); else empty
  bool shared = false;  // it is declared __shared__
  bool stores = false;  // it stands left of an assignment
  bool updates = false; // it is the operand of an atomic function
};

// Takes statements ("float v = A[i];"), pointers (*(A + i), &A[i]), casts of pointers, __ldg() and the like, and atomic
// functions apart. Several accesses in one text are an error that names each. What it does not know it leaves to the parser.
Result<Spelling> spelling_of(const std::string& text);

} // namespace warplens::explain
