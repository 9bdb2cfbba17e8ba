// Accesses whose index each thread reads from memory: x[rows[t]], or the elements of a row from begin[t] on. Where their lanes go
// follows from the data, and only another order of the data changes it.
//
// A value is one that threads read apart if the address of the load differs between threads, and so is all that is computed from
// it. What is chosen by comparing such values, as the middle of a binary search is, is none. Neither is a size that all read from
// one place, nor what went through local memory, or into a function that is called.
//
// Some follow links: a load finds what its own next address is made of, alone, as in i = next[i]; other members of that element lie beside it.
#pragma once
#include "ir/module.h"
#include <set>

namespace warplens::ir {

struct LoadedIndices {
  std::set<SiteId> all;
  std::set<SiteId> links; // of these, those that follow links
};
LoadedIndices loaded_indices(const Module&, const Function&);

} // namespace warplens::ir
