// Which finding of a baseline a finding is, in a source that was changed since.
//
// A finding is found again by its rule, its file and the text of its line without blanks and comments, wherever the line went;
// where several are alike, by function, array and costs, then by the same line, else in the order of their lines. Those that
// are left are looked for in their function: a line may have been edited. It is known where more than half of the words of the
// shorter line stayed in their order, or where it stands in the place of the old one; in both cases the array is the same.
// Where an array is not known, more words must be the same. The rest is looked for by rule and text in other files: a file may
// have been renamed. Without the text of its line a finding is known by its kernel. What is left and stands on the line of one that
// was found again, with the same rule and array, is known with it.
#pragma once
#include "gates/baseline.h"

namespace warplens::gates {

// Of each found one the index of the known one, which those of one line may share; known.size(): it is new.
std::vector<std::size_t> partners_of(const std::vector<Known>& known, const std::vector<Known>& found);

} // namespace warplens::gates
