// Which ops compute on affine forms.
#pragma once
#include "sim/lower/code.h"

namespace warplens::sim {

AffineRule find_affine_rule(const ir::Form&); // null: the op has none

} // namespace warplens::sim
