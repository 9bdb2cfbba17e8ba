// Makes a finding's fix an edit of the source, where that is mechanical and leaves what the program computes as it is; and
// adds what only the source shows: where the tile is declared, the member of the structure, the order of the indices.
//
// What is edited (docs/FIX.md gives the reasons):
//   * rows of a __shared__ array become longer;
//   * the two indices of a __shared__ or __device__ array change places, in its declaration and in every use;
//   * a structure, or a __device__ array, is declared __align__(n), so that the compiler moves n bytes at once;
//   * pointers become const __restrict__.
// Each needs a source in which nothing else can depend on where elements lie. Where that does not show, there is no edit.
#pragma once
#include "findings/finding.h"
#include "findings/writers.h"

namespace warplens::fix {

void propose(findings::List&, const findings::SourceText&);

} // namespace warplens::fix
