// What makes a comparison doubtful, and what it leaves out, in words.
#pragma once
#include "diff/model.h"

namespace warplens::diff {

void add_doubts(Model&, const summary::Model& before, const summary::Model& after);

} // namespace warplens::diff
