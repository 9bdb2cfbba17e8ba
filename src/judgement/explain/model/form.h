// Is the index of the form (term independent of threadIdx.x) + threadIdx.x? And the byte offset as one
// quasi-polynomial, which the fixes rearrange.
#pragma once
#include "explain/expr/evaluate.h"
#include "explain/expr/normal_form.h"
#include "explain/model/explanation.h"

namespace warplens::explain {

struct SymbolicAccess {
  NormalForm form;
  symbolic::QuasiPolynomial bytes; // offset from the array's start
};

// The variables as one thread of the asked block sees them.
Values values_of(const Tree& tree, const Question& question, u64 thread);
// `ranges`: of the variables, over the whole grid.
std::vector<symbolic::Interval> ranges_of(const Tree& tree, const Question& question);
SymbolicAccess symbolic_access(const Tree& tree, const Target& target, const Question& question);
Form form_of(SymbolicAccess& access, const Target& target, const Question& question, const Values& values);

} // namespace warplens::explain
