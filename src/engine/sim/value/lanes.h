// Operations over the lanes of a whole CTA that the engine itself needs (the arithmetic is in kernels/):
// writing out affine forms, merging by mask, changing width, summarising addresses. `lanes` is a multiple of
// 32, `masks` has one word per 32 lanes.
//
// lanes.def lists them. They are kernels/target/rows.cpp, compiled per instruction set like the arithmetic and chosen
// with it when the program is loaded; lanes::fill32(…) calls the chosen one.
#pragma once
#include "sim/value/rows.h"
#include <cstddef>

namespace warplens::sim::lanes {

// The coordinates of each lane.
struct Coordinates {
  const u32 *x, *y, *z, *cta;
};

// A mask against the lanes that could be active: the warps and lanes it has, and whether it has them all.
struct MaskSummary {
  u32 first_warp, end_warp, warps, lanes;
  bool all;
};

struct Operations {
#define LANE_OPERATION(result, name, parameters, arguments) result(*name) parameters;
#include "sim/value/lanes.def"
#undef LANE_OPERATION
};
extern const Operations& chosen; // kernels/select.cpp; not before static objects have been made

#define LANE_OPERATION(result, name, parameters, arguments)                                                  \
  inline result name parameters { return chosen.name arguments; }
#include "sim/value/lanes.def"
#undef LANE_OPERATION

} // namespace warplens::sim::lanes
