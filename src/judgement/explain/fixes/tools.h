// What the fixes share: moving the footprint to another index expression, and comparing counts.
#pragma once
#include "explain/fixes.h"
#include "findings/rules.h"

namespace warplens::explain {

// The footprint if the offset were `bytes`; the same threads take part.
Footprint moved(const Situation&, const symbolic::QuasiPolynomial& bytes);
arch::Counts counted(const Situation&, const symbolic::QuasiPolynomial& bytes);
arch::Counts counted(const Situation&, const Footprint&, const Mode&);

// What the change makes of the counts, and of the lanes of the warp that is drawn.
void predict(const Situation&, const Footprint&, const Mode&, advise::Advice&);
void predict(const Situation&, const symbolic::QuasiPolynomial& bytes, advise::Advice&);

// The values of all factors in thread `thread` of the block.
std::vector<Wide> values_of(const Situation&, u64 thread);

// A row length: a term `length` that divides some terms of the index, and the index by it.
struct RowLength {
  symbolic::QuasiPolynomial length; // in elements: n, 100, 2*n, 32 + pad
  i64 value = 0;
  std::string text;
  symbolic::QuasiPolynomial rows, columns; // index = rows·length + columns
};
// Candidates, the most plausible first: what multiplies threadIdx.x, then threadIdx.y, blockIdx, and
// parameters.
std::vector<RowLength> row_lengths(const Situation&, const symbolic::QuasiPolynomial& index);

// The index in elements, when the offset is a multiple of the element's size plus the member's offset.
std::optional<symbolic::QuasiPolynomial> element_index(const Situation&);
// The other way round.
symbolic::QuasiPolynomial bytes_of(const Situation&, const symbolic::QuasiPolynomial& index);

// The metric that the space's accesses are judged by.
advise::Metric metric_of(const Situation&);
// Adds the fix when it lowers its metric; where that stays, the bytes moved; where these stay, too, the 128-byte lines.
void offer(std::vector<advise::Advice>& list, advise::Advice advice);

using Fix = void(Situation&, std::vector<advise::Advice>&);
Fix swap_index_order; // index_order.cpp
Fix pad_rows;         // rows.cpp
Fix pad_shared_rows;  // rows.cpp
Fix align_type;       // type_layout.cpp
Fix split_structure;  // type_layout.cpp
Fix vector_loads;     // type_layout.cpp
Fix align_start;      // start.cpp
Fix by_lanes;         // by_lanes.cpp

} // namespace warplens::explain
