// Makes a finding's fix an edit of the source, where that is mechanical and leaves what the program computes as it is; and
// adds what only the source shows: where the tile is declared, the member of the structure, the order of the indices.
//
// What is edited (docs/do/fix.md gives the reasons):
//   * rows of a __shared__ array become longer;
//   * the two indices of a __shared__ or __device__ array change places, in its declaration and in every use;
//   * a structure, or a __device__ array, is declared __align__(n), so that the compiler moves n bytes at once;
//   * pointers become const __restrict__.
// The notes are made from tokens alone. The edits are made by whoever has the syntax tree of a compiler, which takes a second;
// so it is asked only about findings whose tokens show that there is something to edit.
#pragma once
#include "findings/finding.h"
#include "findings/writers.h"
#include "fix/asked.h"
#include <functional>

namespace warplens::fix {

// The edits in one file; the name is that of the findings.
using Editor = std::function<Answered(const std::string& file, const std::vector<Wish>&)>;

// Adds notes.
void show(findings::List&, const findings::SourceText&);
// Adds edits. Where one was asked for and is not made, a note says why.
void propose(findings::List&, const findings::SourceText&, const Editor&);

} // namespace warplens::fix
